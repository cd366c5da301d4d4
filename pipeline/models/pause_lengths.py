"""Percentiles of the pauses of several trials together, with an interval that knows how few there are.

A trial has some tens of pauses, too few for a tail of its own. Of all trials together a percentile has an interval by
a bootstrap in two stages (Davison and Hinkley 1997, section 3.8): trials are drawn with replacement, and in each of
those its pauses, for those of one trial resemble each other. Drawn are numbers of pauses, not shares of time.

Below FEWEST pauses there is no percentile, only their number; none stands where fewer than ten lie beyond it, as of
histograms (`pipeline.hdr.percentiles`), and the interval needs three trials.
"""

from __future__ import annotations

import math

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models.bootstrap import MIN_TRIALS, RESAMPLES, percentile_interval
from pipeline.models.fit import Estimate, Fit, Kind
from pipeline.words.numbers import counted, quantity

FEWEST = 10
BEYOND = 10  # pauses beyond a percentile, expected
PERCENTILES = {"median": 50, "p90": 90, "p99": 99}
KIND = Kind(
    "Percentiles are of the pauses of all trials together, by nearest rank; intervals resample the trials, and in each "
    f"of them its pauses. There is none of fewer than {FEWEST} pauses, and none that fewer than {BEYOND} lie beyond.",
    {name: (name, "ns") for name in PERCENTILES},
)


def lengths(trials, sizes, seed: int = 1) -> Fit:
    """Percentiles of pauses: of each its trial and its length (ns), in any order. Parameters: those of PERCENTILES that
    the pauses are enough for. LabError when a length is negative or not finite, or the columns differ."""
    sizes, trials = np.asarray(sizes, dtype=np.float64), np.asarray(trials)
    if len(trials) != len(sizes) or not np.isfinite(sizes).all() or (sizes < 0).any():
        raise LabError("pauses: each needs its trial and a length that is finite and not negative")
    groups = [np.sort(sizes[trials == one]) for one in dict.fromkeys(trials.tolist())]
    told = f"{counted(len(sizes), 'pause')} in {counted(len(groups), 'trial')}"
    details = {"pauses": len(sizes), "trials": len(groups)}
    if len(sizes) < FEWEST:
        return Fit(None, {}, "none", False, f"{told}: too few for a percentile.", details, KIND, told)
    wanted = {name: percent for name, percent in PERCENTILES.items() if len(sizes) * (100 - percent) >= 100 * BEYOND}
    drawn = _resampled(groups, list(wanted.values()), np.random.default_rng(seed))
    found = {
        name: Estimate(_ranked(np.sort(sizes), percent), *(percentile_interval(drawn[:, at])))
        for at, (name, percent) in enumerate(wanted.items())
    }
    said = ", ".join(f"{name} {quantity(one.estimate, 'ns')}" for name, one in found.items())
    return Fit("pauses", found, "two-stage bootstrap", bool(found), f"{told}: {said}.", details, KIND, told)


def _resampled(groups: list[np.ndarray], percents: list[float], random: np.random.Generator) -> np.ndarray:
    """The percentiles of RESAMPLES draws: a row per draw, a column per percentile; nan below MIN_TRIALS trials."""
    drawn = np.full((RESAMPLES, len(percents)), np.nan)
    if len(groups) < MIN_TRIALS:
        return drawn
    pauses, sizes = np.concatenate(groups), np.array([len(one) for one in groups])
    firsts = np.cumsum(sizes) - sizes
    for row in drawn:
        chosen = random.integers(len(groups), size=len(groups))
        # A pause of a chosen trial for each that it has: those of all at once, by the same random numbers.
        many = np.repeat(sizes[chosen], sizes[chosen])
        taken = pauses[random.integers(0, many) + np.repeat(firsts[chosen], sizes[chosen])]
        places = [_place(len(taken), percent) for percent in percents]
        row[:] = np.partition(taken, places)[places]
    return drawn


def _ranked(ordered: np.ndarray, percent: float) -> float:
    """The value at a percentile by nearest rank, of values in ascending order."""
    return float(ordered[_place(len(ordered), percent)])


def _place(many: int, percent: float) -> int:
    """Where the value at a percentile stands among so many in ascending order, by nearest rank."""
    return max(math.ceil(percent / 100 * many), 1) - 1
