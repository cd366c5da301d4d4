"""What an effect is once it is computed: a number with its interval, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

NAN = float("nan")


@dataclass(frozen=True)
class Sample:
    """What an effect was made of: numbers by block (rows) and ratio or level (columns), and what was made of them.

    `of`: the median of the one column, the largest or the least of the columns' medians, or the count of the columns
    whose median is below `bound`.
    """

    values: np.ndarray
    of: Literal["median", "largest", "least", "count"] = "median"
    bound: float = NAN

    @property
    def shares(self) -> tuple[int, int]:
        """For how many numbers the lower and the upper end are corrected (`pipeline.analyse.blocks`)."""
        count = self.values.shape[1]
        return {"median": (1, 1), "largest": (count, 1), "least": (1, count), "count": (count, count)}[self.of]


@dataclass(frozen=True)
class Effect:
    """A number with its interval (NaN below 3 trials), and the trials (or matched blocks) it rests on, doubtful ones
    among them.

    `level`: of the interval, less than 0.95 with few trials; NaN where there is none, or no interval over trials.
    `p`: of one ratio, its p-value for being 1 (`pipeline.models.multiplicity.ratio_p`).
    `blocks`: in how many blocks those trials ran; `last`: the number of the last of them. `looks`: how often it was
    judged, with more blocks each time (`pipeline.analyse.sequential_test`), by enough of them that an end could decide;
    the interval is what those of all these looks share.
    `holds`, `fails`: the ends that may decide for a claim and against it, each at the effect's share of the claim's
    error, infinite where the blocks are too few for that level; None: low and high. `needed`: the blocks that deciding
    against takes. `sample`: what it was made of, at its last look. `detail` says what the number is of, or why there is
    none (`estimate` NaN and `trials` 0).
    """

    estimate: float
    low: float
    high: float
    unit: str
    trials: int
    noisy: int
    unsteady: int = 0
    detail: str = ""
    blocks: int = 0
    level: float = NAN
    p: float = NAN
    last: int = 0
    looks: int = 1
    holds: tuple[float, float] | None = None
    fails: tuple[float, float] | None = None
    needed: int = 0
    sample: Sample | None = field(default=None, compare=False, repr=False)


def nothing(why: str = "") -> Effect:
    """No effect, and why."""
    return Effect(NAN, NAN, NAN, "", 0, 0, detail=why)
