"""Seeded percentile bootstrap over trials (Efron and Tibshirani 1993, chapter 13).

A trial is the unit of replication: `values` hold one number per trial. With fewer than 3 values there is no interval
(nan, nan) and the caller says "too few trials". With few trials the interval of a median is close to their range, which
is what so few trials can tell: from 5 trials it covers at most 94 %.
"""

from functools import lru_cache

import numpy as np

MIN_TRIALS = 3
RESAMPLES = 2000
CHUNK = 4_000_000
KEPT = 200_000


def bootstrap_median(values, seed, level: float = 0.95, resamples: int = RESAMPLES) -> tuple[float, float, float]:
    """(median, low, high) of `values`, in their unit. ValueError when there is none, or one is not finite."""
    values = _finite(values, "values")
    return (float(np.median(values)), *_interval(_medians(values, seed, resamples), level, len(values)))


def bootstrap_ratio(
    a, b, paired: bool = True, seed=0, level: float = 0.95, resamples: int = RESAMPLES
) -> tuple[float, float, float]:
    """(ratio, low, high) of a over b.

    paired: a[i] and b[i] come from the same block; the median of the ratios a[i] / b[i] cancels the host's drift.
    Otherwise the ratio of the medians, both resampled independently. ValueError when b holds a zero or, paired, when
    the lengths differ.
    """
    a, b = _finite(a, "a"), _finite(b, "b")
    if (b == 0).any():
        raise ValueError("bootstrap_ratio: b holds a zero")
    if paired:
        if len(a) != len(b):
            raise ValueError(f"bootstrap_ratio: {len(a)} and {len(b)} values cannot be paired")
        return bootstrap_median(a / b, seed, level, resamples)
    first, second = np.random.default_rng(seed).spawn(2)
    resampled = _medians(a, first, resamples) / _medians(b, second, resamples)
    return (float(np.median(a) / np.median(b)), *_interval(resampled, level, min(len(a), len(b))))


def percentile_interval(resampled: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """(low, high): the central `level` of the resampled statistics, nan ones left out; (nan, nan) when none is left."""
    resampled = resampled[~np.isnan(resampled)]
    if not len(resampled):
        return float("nan"), float("nan")
    # Order statistics, not interpolation: an infinite resample stays infinite and does not make its neighbours nan.
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return float(low), float(high)


def _interval(resampled: np.ndarray, level: float, trials: int) -> tuple[float, float]:
    if trials < MIN_TRIALS:
        return float("nan"), float("nan")
    return percentile_interval(resampled, level)


def _medians(values: np.ndarray, seed, resamples: int) -> np.ndarray:
    if isinstance(seed, int) and resamples * len(values) <= KEPT:
        return np.median(values[_drawn(seed, resamples, len(values))], axis=1)
    rng = np.random.default_rng(seed)
    rows = max(1, CHUNK // len(values))
    medians = [
        np.median(rng.choice(values, size=(min(rows, resamples - done), len(values))), axis=1)
        for done in range(0, resamples, rows)
    ]
    return np.concatenate(medians)


@lru_cache(64)
def _drawn(seed: int, resamples: int, count: int) -> np.ndarray:
    """The positions that `choice` draws: hundreds of configurations have as many trials and the same seed."""
    return np.random.default_rng(seed).choice(count, size=(resamples, count))


def _finite(values, name: str) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise ValueError(f"bootstrap: {name} must be finite numbers, one per trial, and at least one")
    return values
