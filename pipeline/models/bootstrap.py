"""What the bootstraps of models share (Efron and Tibshirani 1993, chapter 13).

Trials, or residuals of them, are resampled where a parameter is no median; of medians there is
`pipeline.models.median_interval`. Below MIN_TRIALS there is no interval, and the caller says "too few trials".
"""

import numpy as np

MIN_TRIALS = 3
RESAMPLES = 2000


def percentile_interval(resampled: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """(low, high): the central `level` of the resampled statistics, nan ones left out; (nan, nan) when none is left."""
    resampled = resampled[~np.isnan(resampled)]
    if not len(resampled):
        return float("nan"), float("nan")
    # Order statistics, not interpolation: an infinite resample stays infinite and does not make its neighbours nan.
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return float(low), float(high)
