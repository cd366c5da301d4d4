"""What an effect is once it is computed: a number with its interval, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

NAN = float("nan")


@dataclass(frozen=True)
class Effect:
    """A number with its interval (NaN below 3 trials), and the trials (or matched blocks) it rests on, doubtful ones
    among them.

    `level`: of the interval, less than 0.95 with few trials; NaN where there is none, or no interval over trials.
    `p`: of one ratio, its p-value for being 1 (`pipeline.models.multiplicity.ratio_p`).
    `blocks`: in how many blocks those trials ran. `detail` says what the number is of, or why there is none
    (`estimate` NaN and `trials` 0).
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


def nothing(why: str = "") -> Effect:
    """No effect, and why."""
    return Effect(NAN, NAN, NAN, "", 0, 0, detail=why)
