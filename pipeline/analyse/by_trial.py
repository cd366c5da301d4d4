"""Metrics as a table of one row per trial, and back: what is computed from several metrics of the same trials."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pipeline.analyse import states
from pipeline.analyse.blocks import quietest


def wide(metrics: pd.DataFrame, axes: list[str], names: tuple[str, ...]) -> pd.DataFrame:
    """One row per trial (the index) that has all of these metrics, a column each, beside variant, runtime, axes, block,
    noisy and steady."""
    chosen = metrics[metrics["metric"].isin(names)]
    keys = ["trial", "variant", "runtime", *axes, "block", "noisy", "steady", *states.columns(chosen)]
    values = chosen.pivot(index="trial", columns="metric", values="value").reindex(columns=names).astype(float).dropna()
    return chosen[keys].drop_duplicates("trial").set_index("trial").join(values, how="inner")


def derived(metrics: pd.DataFrame, name: str, values: pd.Series) -> pd.DataFrame:
    """Rows as those of `metrics` of one more metric: `values` by trial, those that there are."""
    keys = [column for column in metrics.columns if column not in ("metric", "value")]
    about = metrics[keys].drop_duplicates("trial").set_index("trial")
    rows = about.join(values.astype(float).rename("value").dropna(), how="inner").rename_axis("trial").reset_index()
    rows = rows.assign(metric=name)
    return rows[list(metrics.columns)].astype(metrics.dtypes)


def twins(
    metrics: pd.DataFrame, axes: list[str], rows: pd.DataFrame, metric: str, twin: Mapping[str, str]
) -> pd.Series:
    """For each of `rows` (variant, runtime, axes, block) the metric of its variant's `twin` in the same block at the
    same place of all axes: the median of the twin's least doubtful trials there, NaN where there is none."""
    keys = ["variant", "runtime", *axes, "block"]
    values = quietest(metrics[metrics["metric"] == metric], keys)
    values = values.groupby(keys, dropna=False, observed=True, as_index=False)["value"].median()
    wanted = rows.assign(variant=rows["variant"].map(twin))[keys]
    return pd.Series(wanted.merge(values, on=keys, how="left")["value"].to_numpy(), index=rows.index)
