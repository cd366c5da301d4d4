"""Numbers of a trial's histograms: percentiles, the mean, the greatest of so many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from pipeline.analyse.trials import Trials
from pipeline.analyse.window import total_cost
from pipeline.catalogue.metric import Metric
from pipeline.hdr import percentiles
from pipeline.hdr.coordinated_omission import corrected as corrected_for_omission
from pipeline.hdr.counts import Counts

MOST = 0.5  # share of the iterations that must have a percentile, or their median is that of some chosen ones


def percentile(trials: Trials, metric: Metric) -> pd.Series:
    return _supported(trials.merged(metric), metric.percentile)


def typical_percentile(trials: Trials, metric: Metric) -> pd.Series:
    every = trials.selected(metric)[["trial", "iteration"]].drop_duplicates().groupby("trial").size()
    own: dict[int, list[int]] = {}
    for (trial, _), counts in trials.single(metric).items():
        if percentiles.supported(counts.total, metric.percentile):
            own.setdefault(trial, []).append(percentiles.percentile(counts, metric.percentile))
    return _series({t: float(np.median(values)) for t, values in own.items() if len(values) >= MOST * every[t]})


def corrected(trials: Trials, metric: Metric) -> pd.Series:
    return _supported(corrected_histograms(trials, metric), metric.percentile)


def corrected_histograms(trials: Trials, metric: Metric) -> dict[int, Counts]:
    """By trial with operations: the sum of the selected histograms, corrected by the mean time between two of its
    values, which is that between two operations times how many operations there are for each value that was recorded.
    """
    series = metric.series if metric.operations is None else metric.operations
    rows = trials.selected(replace(metric, series=series))
    between, operations = total_cost(rows), rows.groupby("trial")["operations"].sum()
    between = between[np.isfinite(between)]
    found = {trial: counts for trial, counts in trials.merged(metric).items() if trial in between and counts.total}
    apart = {trial: round(between[trial] * operations[trial] / counts.total) for trial, counts in found.items()}
    return {trial: corrected_for_omission(found[trial], interval) for trial, interval in apart.items() if interval >= 1}


def greatest(trials: Trials, metric: Metric) -> pd.Series:
    found = trials.merged(metric)
    return _series({trial: percentiles.greatest_of(counts, metric.samples) for trial, counts in found.items()})


def mean(trials: Trials, metric: Metric) -> pd.Series:
    return _series({trial: percentiles.mean(counts) for trial, counts in trials.merged(metric).items()})


def _supported(found: Mapping[int, Counts], percent: float) -> pd.Series:
    return _series(
        {
            trial: percentiles.percentile(counts, percent)
            for trial, counts in found.items()
            if percentiles.supported(counts.total, percent)
        }
    )


def _series(values: dict[int, float]) -> pd.Series:
    return pd.Series(values, dtype=float)
