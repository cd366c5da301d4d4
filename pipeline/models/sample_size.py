"""Sample size: how many more trials an undecided verdict takes, that of a model against what was measured."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.special import ndtri

from pipeline.models.fit import Estimate
from pipeline.models.median_interval import FEWEST, reached
from pipeline.words.numbers import LEVEL


def to_decide(several: Sequence[Estimate], low: float, high: float, trials: int) -> float | None:
    """About how many times the trials there are, `trials` of each of several estimates, put all of them inside a
    region, or one of them outside, as they lie now; infinite where one on a bound is in the way. None where that is so
    already, or there are too few trials for an interval.

    Below 6 trials an interval lacks some of its level: it is counted as wide as it is with all of that.
    """
    where = {one.against(low, high) for one in several}
    if trials < FEWEST or "outside" in where or where <= {"inside"}:
        return None
    off = [one.times_trials(low, high) for one in several if not low <= one.estimate <= high]
    times = min(off) if off else max(one.times_trials(low, high) for one in several)
    return times * (_deviations(LEVEL) / _deviations(reached(trials))) ** 2


def _deviations(level: float) -> float:
    """Half the width of a normal interval of a level, in standard deviations."""
    return float(ndtri((1 + level) / 2))
