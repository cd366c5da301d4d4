"""Histograms as bins of one width on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.hdr.counts import Counts
from pipeline.hdr.percentiles import maximum, minimum

BINS = 600  # as many pixels as a histogram is wide
LEAST_NS = 0.5  # where the bucket of the value 0 begins on a logarithmic axis


def width(histograms: Mapping[str, Counts], most: int = BINS) -> float:
    """Of a bin, in decades: a `most`-th of the axis, or that of the buckets where the samples begin, if those are
    wider."""
    ends = [(max(minimum(one), LEAST_NS), maximum(one) + 1) for one in histograms.values()]
    span = np.log10(max(high for _, high in ends) / min(low for low, _ in ends))
    return max(span / most, *(_coarsest(one) for one in histograms.values()))


def bins(counts: Counts, step: float) -> pd.DataFrame:
    """low, high and count of each bin; one without samples after one with is a row of none, so that a line through the
    rows steps down."""
    number = np.floor(np.log10(np.maximum(counts.low.astype(float), LEAST_NS)) / step + 1e-9).astype(np.int64)
    summed = pd.Series(counts.count).groupby(number).sum()
    after = summed.index + 1
    empty = pd.Series(0, index=after[~after.isin(summed.index)])
    rows = pd.concat([summed, empty]).sort_index()
    return pd.DataFrame(
        {"low": 10.0 ** (rows.index * step), "high": 10.0 ** ((rows.index + 1) * step), "count": rows.to_numpy()}
    )


def _coarsest(counts: Counts) -> float:
    """Width on the logarithmic axis (decades) of the bucket that holds the first percentile."""
    at = int(np.searchsorted(np.cumsum(counts.count), counts.total / 100))
    low = max(float(counts.low[at]), LEAST_NS)
    return float(np.log10((counts.low[at] + counts.width[at]) / low))
