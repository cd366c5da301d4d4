"""Rates and costs of a trial: of iterations by an estimator, or of all of them together."""

from __future__ import annotations

import pandas as pd

from pipeline.analyse.trials import Trials
from pipeline.analyse.window import per_iteration, total_cost
from pipeline.catalogue.metric import Metric

# The cost's percentile that each estimator takes over iterations.
QUANTILES = {"floor": 0.0, "quartile": 0.25, "median": 0.5}


def cost(trials: Trials, metric: Metric) -> pd.Series:
    rows = trials.selected(metric)
    if metric.estimator == "total":
        value = total_cost(rows)
    else:
        value = per_iteration(rows)["cost"].groupby(level="trial").quantile(QUANTILES[metric.estimator])
    if metric.in_cycles:
        value = value / trials.table["cycle_ns"].reindex(value.index)
    return value


def rate(trials: Trials, metric: Metric) -> pd.Series:
    return 1e9 / cost(trials, metric)


def apart(trials: Trials) -> pd.DataFrame:
    """The measured trials that yield no rate or cost because their threads did not run together in enough iterations
    (`pipeline.analyse.window`), as rows of the trials table."""
    found = set()
    for metric in trials.entry.metrics.values():
        if metric.kind in ("rate", "cost"):
            found |= set(trials.chosen(metric)["trial"]) - set(trials.selected(metric)["trial"])
    return trials.table.loc[sorted(found)]
