"""A rate that changes within a trial: one value per numbered phase (pass0, pass1, ...), as metrics and estimates."""

from __future__ import annotations

import pandas as pd

from pipeline.analyse.frames import framed
from pipeline.models.median_interval import median_interval

PHASE = "pass"
KEYS = ["trial", "variant", "runtime", "noisy"]


def rates(
    iterations: pd.DataFrame, trials: pd.DataFrame, series: str, metric: str, *, size: float, unit: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Operations per second times `size`, of the series that begin with `series`, in each pass of each trial.

    (metrics, estimates): trial, variant, runtime, noisy, pass, metric, value; and variant, runtime, pass, metric, unit,
    estimate, low, high, level, trials with the median over trials and its interval.
    """
    rows = iterations.merge(trials[KEYS], on="trial")
    rows = rows[rows["phase"].str.startswith(PHASE) & rows["series"].str.startswith(series)]
    rows = rows.groupby([*KEYS, "phase"], observed=True)[["operations", "elapsed_ns"]].sum().reset_index()
    rows[PHASE] = rows["phase"].astype(str).str.removeprefix(PHASE).astype(int)
    rows = rows.assign(metric=metric, value=rows["operations"] * size * 1e9 / rows["elapsed_ns"])
    found = []
    for key, group in rows.groupby(["variant", "runtime", PHASE], observed=True):
        numbers = median_interval(group["value"])
        found.append((*key, metric, unit, *numbers, len(group)))
    columns = ["variant", "runtime", PHASE, "metric", "unit", "estimate", "low", "high", "level", "trials"]
    return rows[[*KEYS, PHASE, "metric", "value"]], framed(found, columns)
