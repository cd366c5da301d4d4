"""Change points by least squares, exact with a least segment.

Optimal partitioning (Jackson et al. 2005, "An algorithm for optimal partitioning of data on an interval"): the best
partition up to each end is the best one up to some earlier point and one segment more. All earlier points are tried,
O(n^2) in time and O(n) in memory: a tenth of a second for 5,000 values. PELT (Killick et al. 2012) drops points that
have fallen behind, but with a least segment a better one cannot take over at once, so they must be kept for that long.
"""

from typing import Literal

import numpy as np

PENALTY = 3.5
TRIMMED = 0.85
MOST_RHO = 0.9


def change_points(values: np.ndarray, penalty: float, min_size: int) -> list[int]:
    """Ends of the segments of `values` (one dimension, finite, at least one), ascending; the last is their number.

    Least is the sum of squares around the segments' means plus `penalty` (in the values' unit squared) for each
    segment, over all partitions into segments of at least `min_size` (1 or more) values. A series shorter than two
    of them is one segment.
    """
    count = len(values)
    # The sum of all squares is the same in every partition; what differs is each segment's sum, squared, over its
    # length. Centred, so that the sums stay small.
    sums = np.concatenate(([0.0], np.cumsum(values - values.mean())))
    best, start = np.full(count + 1, np.inf), np.zeros(count + 1, dtype=np.int64)
    best[0] = 0.0
    for end in range(min_size, count + 1):
        starts = end - min_size + 1
        total = best[:starts] - (sums[end] - sums[:starts]) ** 2 / np.arange(end, min_size - 1, -1)
        start[end] = total.argmin()
        best[end] = total[start[end]] + penalty
    ends = [count]
    while start[ends[-1]]:
        ends.append(int(start[ends[-1]]))
    return ends[::-1]


def of_noisy(
    logs: np.ndarray, min_size: int, *, window: int, floor: float, spikes: Literal["clipped", "replaced"]
) -> list[int]:
    """`change_points` of the logarithms of a series with spikes, for a step is a factor and one slow value is no step.

    The noise sigma is from the median absolute deviation of neighbours' differences, which steps hardly touch, and at
    least `floor` (relative): below it every flutter would be a step. Values further than 3 sigma from the median of the
    `window` around them are drawn to that distance (`clipped`: a run of excursions keeps its weight) or taken as that
    median (`replaced`: they have none).

    Penalty per segment: 3.5 sigma^2 log n, scaled for autocorrelation. The modified BIC (Zhang and Siegmund 2007) asks
    for 3, for level and position; the half more keeps series of noise that is not normal whole (a test counts them).
    Iterations that follow each other are alike: sums over a segment of a first-order autoregression scatter as those of
    independent values of variance sigma^2 (1 + rho) / (1 - rho)^2, where sigma^2 is half the variance of neighbours'
    differences (Chakar et al. 2017).
    """
    differences = np.diff(logs)
    spread = np.median(np.abs(differences - np.median(differences)))
    sigma = max(1.4826 * float(spread) / np.sqrt(2), floor)
    middle = running_median(logs, window)
    if spikes == "clipped":
        calm = np.clip(logs, middle - 3 * sigma, middle + 3 * sigma)
    else:
        calm = np.where(np.abs(logs - middle) > 3 * sigma, middle, logs)
    rho = autocorrelation(logs)
    penalty = PENALTY * sigma**2 * (1 + rho) / (1 - rho) ** 2 * np.log(len(logs))
    return change_points(calm, penalty, min_size)


def autocorrelation(values: np.ndarray) -> float:
    """rho of a first-order autoregression, from 0 to 0.9, steps and spikes left aside.

    Differences of values two apart have the variance of neighbours' differences times 1 + rho. A step is in one of the
    one and two of the other: the largest 15 % of both are left out.
    """
    one, two = (_trimmed(values[lag:] - values[:-lag]) for lag in (1, 2))
    return float(np.clip(two / one - 1, 0, MOST_RHO)) if one > 0 else 0.0


def _trimmed(differences: np.ndarray) -> float:
    """Mean of the smallest squares."""
    squares = np.sort(differences**2)
    return float(squares[: max(int(TRIMMED * len(squares)), 1)].mean())


def running_median(values: np.ndarray, window: int) -> np.ndarray:
    """Median of the `window` (odd) values around each one; beyond its ends the series is mirrored."""
    padded = np.pad(values, window // 2, mode="reflect")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, window), axis=1)
