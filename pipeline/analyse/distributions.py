"""Numbers of a trial's histograms: percentiles, the mean, the greatest of so many."""

from __future__ import annotations

import pandas as pd

from pipeline.analyse.trials import Trials, needed
from pipeline.catalogue.entry import Metric
from pipeline.hdr import percentiles


def percentile(trials: Trials, metric: Metric) -> pd.Series:
    needed(metric, "percentile")
    found = trials.merged(metric)
    return _series(
        {
            trial: percentiles.percentile(counts, metric.percentile)
            for trial, counts in found.items()
            if percentiles.supported(counts.total, metric.percentile)
        }
    )


def greatest(trials: Trials, metric: Metric) -> pd.Series:
    needed(metric, "samples")
    found = trials.merged(metric)
    return _series({trial: percentiles.greatest_of(counts, metric.samples) for trial, counts in found.items()})


def mean(trials: Trials, metric: Metric) -> pd.Series:
    return _series({trial: percentiles.mean(counts) for trial, counts in trials.merged(metric).items()})


def _series(values: dict[int, float]) -> pd.Series:
    return pd.Series(values, dtype=float)
