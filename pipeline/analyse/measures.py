"""Numbers that a harness tells beside its histograms, and ratios of their sums."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pipeline.analyse.trials import Trials, globbed, numbers
from pipeline.catalogue.metric import Metric


def measured_in(trials: Trials, metric: Metric, name: str | Sequence[str]) -> pd.DataFrame:
    """Rows of measures in the selected iterations; a trial that has them there loses its whole-trial rows."""
    rows = trials.measures
    named = np.any([globbed(rows["name"], one) for one in ([name] if isinstance(name, str) else name)], axis=0)
    rows = rows[named & globbed(rows["series"], metric.series)]
    inside = rows[np.isin(numbers(rows), numbers(trials.chosen(metric, "*")))]
    whole = rows[(rows["iteration"] == -1) & ~rows["trial"].isin(inside["trial"])]
    return pd.concat([inside, whole])


def measure(trials: Trials, metric: Metric) -> pd.Series:
    return measured_in(trials, metric, metric.name).groupby("trial")["value"].median()


def measure_ratio(trials: Trials, metric: Metric) -> pd.Series:
    above = measured_in(trials, metric, metric.name)
    if metric.per == "operations":
        rows = trials.chosen(metric, metric.operations or "*", trim=False)
        # Of the iterations that the measure covers, so that both sums are about the same stretch.
        covered = np.isin(numbers(rows), numbers(above))
        whole = rows["trial"].isin(above.loc[above["iteration"] == -1, "trial"])
        below = rows[covered | whole].groupby("trial")["operations"].sum()
    else:
        below = measured_in(trials, metric, metric.per).groupby("trial")["value"].sum()
    sums = above.groupby("trial")["value"].sum()
    return sums / below.reindex(sums.index)
