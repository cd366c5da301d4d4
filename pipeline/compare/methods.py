"""How sure a change is: intervals of the logarithm of after / before, by what the sides consist of.

paired    both sides ran in the same blocks of one run: the median over blocks of what each block says, with its
          order-statistic interval (`pipeline.models.median_interval`)
repeated  several runs per side, which are the unit of replication then (Kalibera and Jones 2013): Student's t of the
          runs' log medians with the pooled deviation of both sides
single    one run per side: the median of what each trial after says of each one before (Hodges and Lehmann 1963), and
          how far things of the same class moved that did not change, those that scatter like it
alone     without such things: the variance of the two medians over trials; then the interval speaks of these two runs
          and of no others

Everything is antisymmetric: with the sides exchanged all numbers change their sign, and nothing else.
Arrays are (n,) or (n, k) for k comparisons at once, n trials, blocks or runs; values are logarithms, or plain numbers
where one of them is 0.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, chdtr, chdtri, ndtri, stdtrit

from pipeline.models.median_interval import LEVEL, median_interval

FEWEST_CONTROLS = 6
FOUND = 0.9  # of changes of the size that a comparison says it would have found
NEAREST, EXACT = 39, 19  # controls; of 39 the second farthest is the order statistic of 95 %, of 19 the farthest
UNEVEN = 2  # runs of one side to the other's, beyond which each side has a deviation of its own
LEAST = 1e-12  # of a variance, whose logarithm is taken
LEFT_OUT = 10  # one control in so many, at least one: the farthest


class Change(NamedTuple):
    """A change and its interval; arrays where several were computed at once. `level`: of the interval (1 = 100 %)."""

    estimate: float
    low: float
    high: float
    level: float = LEVEL


class Controls(NamedTuple):
    """What runs did to things that did not change: by how much each moved, and the variance of its own trials."""

    changes: np.ndarray
    variances: np.ndarray


def paired(differences) -> Change:
    """From the blocks' own differences."""
    return Change(*median_interval(differences))


def repeated(before, after) -> Change:
    """From one number per run and side; at least two runs on each. ValueError with fewer."""
    before, after = np.asarray(before, float), np.asarray(after, float)
    if min(len(before), len(after)) < 2:
        raise ValueError("repeated runs are at least two on each side")
    few, many = sorted((len(before), len(after)))
    if few > 2 and many > UNEVEN * few:
        return _welch(before, after)
    freedom = len(before) + len(after) - 2
    squares = ((before - before.mean(axis=0)) ** 2).sum(axis=0) + ((after - after.mean(axis=0)) ** 2).sum(axis=0)
    variance = squares / freedom * (1 / len(before) + 1 / len(after))
    return _around(after.mean(axis=0) - before.mean(axis=0), variance, freedom)


def _welch(before, after) -> Change:
    """Where one side has far more runs the pooled deviation would be that side's, so each has its own (Welch 1947).

    Of two runs on the lesser side Welch covers 90 %, pooled 95 % where both scatter alike; from three on it covers 93.
    """
    parts = [side.var(axis=0, ddof=1) / len(side) for side in (before, after)]
    variance = parts[0] + parts[1]
    below = sum(part**2 / (len(side) - 1) for part, side in zip(parts, (before, after), strict=True))
    freedom = np.where(below > 0, variance**2 / np.where(below > 0, below, 1), len(before) + len(after) - 2)
    return _around(after.mean(axis=0) - before.mean(axis=0), variance, freedom)


def single(before, after, controls: Controls) -> Change:
    """From the trials of one run per side (n,), as far to either side as controls that scatter alike moved."""
    half = reach(variance(before, after), controls)
    middle = shift(before, after)
    return Change(middle, middle - half, middle + half)


def alone(before, after) -> Change:
    """From the trials of one run per side, as if no other run would differ from these."""
    before, after = np.asarray(before, float), np.asarray(after, float)
    freedom = len(before) + len(after) - 2
    return _around(np.median(after, axis=0) - np.median(before, axis=0), variance(before, after), freedom)


def shift(before, after) -> float:
    """The median of all differences of one value after and one before: it uses the trials better than the difference
    of medians does, and one in four may be anything."""
    return float(np.median(np.subtract.outer(np.asarray(after, float), np.asarray(before, float))))


def reach(own: float, controls: Controls) -> float:
    """How far to either side a change of nothing is seen in 95 %, by the NEAREST controls whose trials scatter most
    like the `own` variance.

    Of EXACT and more the order statistic that 95 % of such changes do not exceed, whatever their law (conformal
    prediction: Vovk, Gammerman and Shafer 2005; Lei and others 2018). Of fewer Student's t of their mean square, the
    farthest tenth left out with the normal law's correction, so that one that did change does not hide what others do.
    What scatters more than all of them reaches as much farther.
    """
    changes, variances = np.abs(np.asarray(controls.changes, float)), np.asarray(controls.variances, float)
    logs = np.log(np.maximum(variances, LEAST))
    near = np.argsort(np.abs(logs - math.log(max(own, LEAST))), kind="stable")[:NEAREST]
    farther = math.sqrt(max(1.0, own / max(float(variances[near].mean()), LEAST)))
    moved = np.sort(changes[near])
    if len(moved) >= EXACT:
        return farther * float(moved[math.ceil(LEVEL * (len(moved) + 1)) - 1])
    kept = len(moved) - -(-len(moved) // LEFT_OUT)
    share = kept / len(moved)
    expected = float(chdtr(3, chdtri(1, 1 - share)) / share)
    return farther * float(stdtrit(kept, (1 + LEVEL) / 2) * math.sqrt((moved[:kept] ** 2).mean() / expected))


def variance(before, after):
    """Of the difference of both sides' medians, from their trials alone; of each column."""
    return variance_of_median(before) + variance_of_median(after)


def smallest(change: Change, bound: float) -> float:
    """The smallest change that would be found in nine of ten repetitions: the interval has to exclude 0 and its middle
    to lie beyond `bound`, and the middle scatters as the interval says. nan without an interval."""
    half = (change.high - change.low) / 2
    return max(bound, half) + half * float(ndtri(FOUND) / ndtri((1 + LEVEL) / 2)) if half >= 0 else half


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
