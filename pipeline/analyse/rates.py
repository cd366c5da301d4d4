"""Rates and costs of a trial: of iterations by an estimator, or of all of them together."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.analyse.trials import Trials
from pipeline.analyse.window import total_cost
from pipeline.catalogue.metric import Metric

REGIMES = 2.0  # a factor between the costs of iterations that no drift of a quiet host explains
# The cost's percentile that each estimator takes over iterations.
QUANTILES = {"floor": 0.0, "quartile": 0.25, "median": 0.5}


def cost(trials: Trials, metric: Metric) -> pd.Series:
    if metric.estimator == "total":
        value = total_cost(trials.selected(metric))
    else:
        value = _costs(trials, metric).quantile(QUANTILES[metric.estimator])
    if metric.in_cycles:
        value = value / trials.table["cycle_ns"].reindex(value.index)
    return value


def rate(trials: Trials, metric: Metric) -> pd.Series:
    return 1e9 / cost(trials, metric)


def regimes(trials: Trials, metric: Metric) -> pd.Series:
    """The upper over the lower quartile of the iterations' cost.

    A structure whose buffer is full and one that is nearly empty are two programs under one name: who lags behind reads
    lines that the writer's cache has let go, who keeps up fetches each from it. A trial that was both by turns has no
    rate that another trial could be compared with.
    """
    costs = _costs(trials, metric)
    return costs.quantile(0.75) / costs.quantile(0.25)


def regime_share(trials: Trials, metric: Metric) -> pd.Series:
    """The share of the iterations that cost less than the (geometric) middle between the first and the last tenth; 1
    where these are less than a factor REGIMES apart, and all iterations of one regime."""
    costs = _costs(trials, metric)
    low, high = costs.quantile(0.1), costs.quantile(0.9)
    each = trials.per_iteration(metric)["cost"]
    cheaper = each < each.index.get_level_values("trial").map(np.sqrt(low * high)).to_numpy()
    return cheaper.groupby(level="trial").mean().where(high >= REGIMES * low, 1.0)


def _costs(trials: Trials, metric: Metric):
    return trials.per_iteration(metric)["cost"].groupby(level="trial")


def apart(trials: Trials) -> pd.DataFrame:
    """The measured trials that yield no rate or cost because their threads did not run together in enough iterations
    (`pipeline.analyse.window`), as rows of the trials table."""
    found = set()
    for metric in trials.entry.metrics.values():
        if metric.kind in ("rate", "cost"):
            found |= set(trials.chosen(metric)["trial"]) - set(trials.selected(metric)["trial"])
    return trials.table.loc[sorted(found)]
