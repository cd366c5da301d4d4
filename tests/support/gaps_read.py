"""Made-up readings of trials: near, far and on one core, alone or not."""

from __future__ import annotations

import numpy as np

from pipeline.bundle.readings import Gaps

NEAR, FAR, CORE = 110.0, 250.0, 24.0  # ns one way
ALONE, SHARED = 2.0, 3.9


def read(ways, widths=None, first: int = 5) -> Gaps:
    ways = np.array(ways, float)
    widths = np.full(len(ways), ALONE) if widths is None else np.array(widths, float)
    return Gaps(np.arange(first, first + len(ways)), ways, ways, widths, np.full(len(ways), 0.3))


def lines(*trials: Gaps) -> list[dict]:
    return [{"trial": str(at), "readings": one.summary()} for at, one in enumerate(trials)]


def run(chance: np.random.Generator, *kinds: tuple[float, float], trials: int = 30, gaps: int = 20) -> list[Gaps]:
    """Trials of each kind (way, width), whose readings scatter by 3 %."""
    return [
        read(*(level * np.exp(chance.normal(0, 0.03, gaps)) for level in kind)) for _ in range(trials) for kind in kinds
    ]
