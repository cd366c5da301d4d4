"""Real trials of the tiny experiment, in a second or two."""

from __future__ import annotations

from pipeline.analyse import precision
from pipeline.bundle.bundle import Bundle
from pipeline.measure import sweep
from pipeline.plan.plan import Overrides


def measure(run: str = "r", profile: str = "smoke", overrides: Overrides | None = None) -> Bundle:
    """Measure the experiment of the laboratory's tiny catalogue, with the stop rule of `lab measure`."""
    return sweep.measure(run, "lock_scaling", profile, precision.widest, overrides)
