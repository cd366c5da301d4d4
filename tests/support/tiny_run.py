"""Real trials of the tiny experiment, in a second or two."""

from __future__ import annotations

from pipeline.analyse import precision
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.host import runtimes
from pipeline.measure import run as measuring
from pipeline.plan import plan
from pipeline.plan.overrides import Overrides


def measure(run: str = "r", profile: str = "smoke", overrides: Overrides | None = None) -> Bundle:
    """Measure the experiment of the laboratory's tiny catalogue, with the stop rule of `lab measure`."""
    planned = plan.make(catalogue.experiment("lock_scaling"), profile, runtimes.all_runtimes(), overrides)
    return measuring.measure(run, [planned], precision.widest)
