"""The interval of the centre of paired differences by signed ranks (Wilcoxon 1945; Hodges and Lehmann 1963).

The estimate is the median of all means of two differences (Walsh averages, each with itself too); between the d-th
smallest and the d-th greatest of these means the centre lies with a probability that depends on the number of
differences alone, if they are symmetric about it. Where both sides of a pair are run in random order and nothing was
changed that is so by construction, whatever the host does: the exchange of both is as likely as not, and only turns the
sign of their difference. So a difference is said where there is none no oftener than the level allows, also where
neighbouring pairs resemble each other or a few of them are wild. With normal scatter it needs two thirds of the pairs
that the order statistics of the median need (efficiency 0.955 against 0.637).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from pipeline.models.median_interval import MedianInterval

EXACT = 200  # pairs up to which probabilities are exact; beyond, the normal law is right to the fourth digit


def signed_rank_interval(differences, level: float) -> MedianInterval:
    """The centre of differences (n,), in their unit, and an interval of at least this level; infinite ends, and the
    level 0, where so few pairs cannot give it. ValueError when there is none, or one is not a number."""
    values = np.sort(np.asarray(differences, np.float64))
    if values.ndim != 1 or not len(values) or np.isnan(values).any():
        raise ValueError("signed ranks need numbers, one per pair, and at least one")
    means = np.sort((values[:, None] + values)[np.triu_indices(len(values))] / 2)
    depth, reached = depth_of(len(values), level)
    if not depth:
        return MedianInterval(float(np.median(means)), -math.inf, math.inf, 0.0)
    return MedianInterval(float(np.median(means)), float(means[depth - 1]), float(means[-depth]), reached)


def pairs_needed(level: float) -> int:
    """The fewest pairs that can give an interval of this level: all on one side have the chance 2^-n on either."""
    return max(1, math.ceil(round(1 - math.log2(1 - level), 9)))


@lru_cache(1024)
def depth_of(pairs: int, level: float) -> tuple[int, float]:
    """(depth, level reached): the greatest depth whose interval has at least this level; 0 where there is none."""
    error = (1 - level) / 2
    if pairs > EXACT:
        mean, deviation = pairs * (pairs + 1) / 4, math.sqrt(pairs * (pairs + 1) * (2 * pairs + 1) / 24)
        return max(math.floor(mean + float(ndtri(error)) * deviation - 0.5), 1), level
    below = np.cumsum(_probabilities(pairs))  # of a sum of ranks of at most 0, 1, ...
    depth = int(np.searchsorted(below, error * (1 + 1e-9), side="right"))
    return (depth, 1 - 2 * float(below[depth - 1])) if depth else (0, 0.0)


def _probabilities(pairs: int) -> np.ndarray:
    """Of each sum of the ranks of the positive differences, when every sign is as likely as the other."""
    found = np.zeros(pairs * (pairs + 1) // 2 + 1)
    found[0] = 1.0
    for rank in range(1, pairs + 1):
        found[rank:] += found[:-rank].copy()
        found /= 2
    return found
