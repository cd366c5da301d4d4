"""The interval of a median by order statistics (Hettmansperger and Sheather 1986).

Between the d-th smallest and the d-th greatest of n values the median lies with a probability that depends on n and d
alone: 1 - 2 P(Binomial(n, 1/2) < d), whatever the distribution. These levels come in steps; the interval of the level
asked for is interpolated between the two next to it. It is deterministic, and needs no symmetry and no normality.

With few values even the range falls short of the level: 93.75 % at n = 5, 87.5 % at 4, 75 % at 3. Then the range is the
interval, and its true level is told. Below 3 values there is none.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr

from pipeline.words.numbers import LEVEL

FEWEST = 3  # values that an interval needs; from words.numbers.ENOUGH on it has 95 %


class MedianInterval(NamedTuple):
    """A median in the unit of its values, its interval and the interval's level (1 = 100 %); of columns arrays.

    low, high and level are nan below FEWEST values.
    """

    estimate: float
    low: float
    high: float
    level: float


def median_interval(values, level: float = LEVEL) -> MedianInterval:
    """The median of `values` (one per trial or block; shape (n,), or (n, k) for that of each column).

    Infinite values are values. ValueError when there is none, or one is not a number.
    """
    values = _numbers(values)
    estimate = np.median(values, axis=0)
    if len(values) < FEWEST:
        low = high = np.full_like(estimate, np.nan)
        return _plain(estimate, low, high, float("nan"))
    depth, inward, level = depth_of(len(values), level)
    ordered = np.sort(values, axis=0)
    low = _between(ordered[depth - 1], ordered[depth], inward)
    high = _between(ordered[-depth], ordered[-depth - 1], inward)
    return _plain(estimate, low, high, level)


def reached(count: int, level: float = LEVEL) -> float:
    """The level of the interval that `count` values give where `level` is asked for; 0 below FEWEST values."""
    return 0.0 if count < FEWEST else depth_of(count, level)[2]


@lru_cache(1024)
def depth_of(count: int, level: float) -> tuple[int, float, float]:
    """(depth d, inward, level) of `count` values, FEWEST at least: the interval of a level reaches from the d-th value
    `inward` of the way to the next.

    The level is the range's own where that is less than was asked for.
    """
    if _level(count, 1) < level:
        return 1, 0.0, _level(count, 1)
    depths = range(1, count // 2 + 1)
    depth = bisect_left(depths, True, key=lambda d: _level(count, d + 1) < level) + 1
    share = (_level(count, depth) - level) / (_level(count, depth) - _level(count, depth + 1))
    return depth, (count - depth) * share / (depth + (count - 2 * depth) * share), level


def _level(count: int, depth: int) -> float:
    """The probability that a median lies between the depth-th smallest and the depth-th greatest of its values."""
    return 1 - 2 * float(bdtr(depth - 1, count, 0.5))


def _between(outer: np.ndarray, inner: np.ndarray, inward: float) -> np.ndarray:
    if not inward:
        return outer
    with np.errstate(invalid="ignore"):
        return np.where(outer == inner, outer, (1 - inward) * outer + inward * inner)


def _plain(estimate, low, high, level: float) -> MedianInterval:
    if np.ndim(estimate) == 0:
        return MedianInterval(float(estimate), float(low), float(high), level)
    return MedianInterval(estimate, low, high, level)


def _numbers(values) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim not in (1, 2) or not len(values) or np.isnan(values).any():
        raise ValueError("an interval of a median needs numbers, one per trial, and at least one")
    return values
