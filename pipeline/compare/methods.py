"""How sure a change is: intervals of the logarithm of after / before, by what the sides consist of.

paired    both sides ran in the same blocks of one run: the median over blocks of what each block says, with its
          order-statistic interval (`pipeline.models.median_interval`)
repeated  several runs per side, which are the unit of replication then (Kalibera and Jones 2013): Student's t of the
          runs' log medians with the pooled deviation of both sides
single    one run per side: the variance of the two medians over trials, plus what runs do to things that did not change
alone     the same without such things: then the interval speaks of these two runs and of no others

Everything is antisymmetric: with the sides exchanged all numbers change their sign, and nothing else.
Arrays are (n,) or (n, k) for k comparisons at once, n trials, blocks or runs; values are logarithms, or plain numbers
where one of them is 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, chdtr, chdtri, stdtrit

from pipeline.models.median_interval import LEVEL, median_interval

FEWEST_CONTROLS = 6
LEFT_OUT = 10  # one control in so many, at least one: the farthest


class Change(NamedTuple):
    """A change and its interval; arrays where several were computed at once. `level`: of the interval (1 = 100 %)."""

    estimate: float
    low: float
    high: float
    level: float = LEVEL


class Drift(NamedTuple):
    """What runs do to what did not change: its variance beyond that of the trials, from how many controls."""

    variance: float
    controls: int


def paired(differences) -> Change:
    """From the blocks' own differences."""
    return Change(*median_interval(differences))


def repeated(before, after) -> Change:
    """From one number per run and side; at least two runs on each. ValueError with fewer."""
    before, after = np.asarray(before, float), np.asarray(after, float)
    if min(len(before), len(after)) < 2:
        raise ValueError("repeated runs are at least two on each side")
    freedom = len(before) + len(after) - 2
    squares = ((before - before.mean(axis=0)) ** 2).sum(axis=0) + ((after - after.mean(axis=0)) ** 2).sum(axis=0)
    variance = squares / freedom * (1 / len(before) + 1 / len(after))
    return _around(after.mean(axis=0) - before.mean(axis=0), variance, freedom)


def single(before, after, drift: Drift) -> Change:
    """From the trials of one run per side; the degrees of freedom after Satterthwaite (1946)."""
    before, after = np.asarray(before, float), np.asarray(after, float)
    of_trials, trials = variance_of_median(before) + variance_of_median(after), len(before) + len(after) - 2
    total = of_trials + drift.variance
    share = np.divide(of_trials, total, out=np.ones_like(total), where=total > 0)  # not squares, which may underflow
    freedom = 1 / (share**2 / trials + (1 - share) ** 2 / drift.controls)
    return _around(np.median(after, axis=0) - np.median(before, axis=0), total, freedom)


def alone(before, after) -> Change:
    """From the trials of one run per side, as if no other run would differ from these."""
    return single(before, after, Drift(0.0, 1))


def drift(changes, variances) -> Drift:
    """Of the changes of controls and the variances of their medians: what is to be added to these so that both agree.

    Squares are compared, not deviations from a mean: a shift that all controls share is drift as well. The variances
    weigh (Paule and Mandel 1982), so that a control that scatters tells little of one that does not; and the farthest
    tenth is left out, with the normal law's correction, so that one that did change does not hide what others do.
    """
    squares, variances = np.asarray(changes, float) ** 2, np.asarray(variances, float)
    kept = len(squares) - -(-len(squares) // LEFT_OUT)
    expected = kept / len(squares)
    expected = float(chdtr(3, chdtri(1, 1 - expected)) / expected)

    def excess(variance: float) -> float:
        return float(np.sort(squares / (variances + variance))[:kept].mean()) - expected

    most = float(squares.max()) / expected * (1 + 1e-9)
    least = 1e-12 * most  # not 0, for the variances may be
    if not most or excess(least) <= 0:
        return Drift(0.0, kept)
    return Drift(float(brentq(excess, least, most, xtol=least)), kept)


def variance_of_median(values):
    """The bootstrap's variance of a median, without resampling (Maritz and Jarrett 1978): exact for an odd number of
    values; that of each column."""
    ordered = np.sort(np.asarray(values, float), axis=0)
    weights = _weights(len(ordered))
    mean = np.tensordot(weights, ordered, 1)
    return np.maximum(np.tensordot(weights, (ordered - mean) ** 2, 1), 0.0)


@lru_cache(256)
def _weights(count: int) -> np.ndarray:
    """With which probability the bootstrap's median is each of the ordered values; symmetric to the last bit."""
    middle = (count + 1) / 2
    steps = np.diff(betainc(middle, middle, np.arange(count + 1) / count))
    return (steps + steps[::-1]) / 2


def _around(estimate, variance, freedom) -> Change:
    half = stdtrit(freedom, (1 + LEVEL) / 2) * np.sqrt(variance)
    return Change(estimate, estimate - half, estimate + half)
