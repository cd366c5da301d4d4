"""Where in a distribution it changed: after / before at every percentile (Doksum 1974, as a ratio)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pipeline.hdr.counts import Counts
from pipeline.hdr.merge import merge
from pipeline.hdr.percentiles import MIN_BEYOND, percentiles, supported
from pipeline.models.bootstrap import RESAMPLES
from pipeline.models.median_interval import FEWEST, LEVEL

COLUMNS = ["percentile", "value", "low", "high", "before", "after"]
STEP = 0.05  # of log10(1 / (1 - p)): 20 points per nine
NINES = (50.0, 90.0, 99.0, 99.9, 99.99, 99.999)


def shift(before: Sequence[Counts], after: Sequence[Counts], seed: int = 1) -> pd.DataFrame:
    """The ratio of the merged histograms' percentiles, with the 95 % band of resampled trials.

    before, after: a histogram per trial. Columns: COLUMNS; before and after in the histograms' unit. It ends where
    fewer than ten samples of a side are expected beyond; without a band where a side has fewer than 3 trials. Empty
    where a side has no sample.
    """
    sides = [[one for one in side if one.total] for side in (before, after)]
    if not all(sides):
        return pd.DataFrame(columns=COLUMNS, dtype=float)
    merged = [merge(side) for side in sides]
    grid = _grid(min(one.total for one in merged))
    values = [_values(one, grid) for one in merged]
    low = high = np.full(len(grid), np.nan)
    if min(map(len, sides)) >= FEWEST:
        random = np.random.default_rng(seed)
        drawn = [_resampled(side, one, grid, random) for side, one in zip(sides, merged, strict=True)]
        low, high = np.quantile(_divided(drawn[1], drawn[0]), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    ratio = _divided(values[1], values[0])
    columns = (grid, ratio, low, high, *values)
    return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True))).dropna(subset="value").reset_index(drop=True)


def _grid(samples: int) -> np.ndarray:
    reach = np.log10(max(samples / MIN_BEYOND, 1))
    fine = 100 * (1 - 10.0 ** -np.arange(0, reach + 1e-9, STEP))
    whole = np.unique(np.round(np.concatenate([fine, NINES]), 9))
    return np.array([one for one in whole if supported(samples, one)])


def _values(counts: Counts, grid: np.ndarray) -> np.ndarray:
    return np.asarray(percentiles(counts, grid), dtype=float)


def _divided(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Ratios; of a percentile of 0 there is none."""
    return np.divide(above, below, out=np.full(np.broadcast(above, below).shape, np.nan), where=below > 0)


def _resampled(trials: Sequence[Counts], merged: Counts, grid: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The percentiles (rows: resamples) of as many trials drawn with replacement."""
    counts = np.zeros((len(trials), len(merged.low)), dtype=np.int64)
    for at, one in enumerate(trials):
        aligned = merge([Counts(merged.low, merged.width, np.zeros_like(merged.count), *_layout(merged)), one])
        counts[at, np.searchsorted(merged.low, aligned.low)] = aligned.count  # of the buckets that it has
    times = random.multinomial(len(trials), [1 / len(trials)] * len(trials), size=RESAMPLES // 10)
    return np.array([_values(Counts(merged.low, merged.width, row, *_layout(merged)), grid) for row in times @ counts])


def _layout(counts: Counts) -> tuple[int, int, int]:
    return counts.digits, counts.lowest, counts.highest
