"""A trial's iterations in time: which trial stands for the others, its levels, and the events beside its changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from pipeline.analyse.frames import framed, joined
from pipeline.ingest.tables import Tables
from pipeline.models.steps import segments


@dataclass(frozen=True)
class Course:
    """The trials of one configuration in time: all their iterations, and of the one `shown`, which has the median of
    `metric`, its levels and events."""

    trials: pd.DataFrame
    iterations: pd.DataFrame
    events: pd.DataFrame
    levels: pd.DataFrame
    shown: str
    metric: str

    def changes(self, kind: str) -> pd.DataFrame:
        """`changes` of the trial that is shown."""
        return changes(self.levels, self.events[self.events["trial"] == self.shown], kind)


def course(
    tables: Tables, metrics: pd.DataFrame, trials: pd.DataFrame, metric: str, methods: tuple[str, ...]
) -> Course:
    """How the trials went; shown is the one that `representative` finds by `metric`. Events: of methods that end so.

    Without trials that have the metric all of it is empty.
    """
    trials = trials[trials["trial"].isin(metrics.loc[metrics["metric"] == metric, "trial"])]
    rows = tables.iterations[tables.iterations["trial"].isin(trials["trial"])]
    shown = representative(metrics[metrics["trial"].isin(trials["trial"])], metric) if len(trials) else ""
    events = tables.events[tables.events["method"].str.endswith(methods)]
    return Course(trials, rows, events, levels(rows, shown), shown, metric)


def all_changes(courses: Iterable[Course], kind: str) -> pd.DataFrame:
    """`Course.changes` of several configurations: variant, runtime, at_ms, factor, lag_ms; each change once."""
    columns = ["variant", "runtime", "at_ms", "factor", "lag_ms"]
    found = [one.changes(kind).assign(**one.trials.iloc[0][columns[:2]]) for one in courses if len(one.trials)]
    return joined(found, columns)[columns].drop_duplicates()


def representative(metrics: pd.DataFrame, metric: str) -> str:
    """The trial whose value of `metric` is the (lower) median of those given; ties go to the first name."""
    rows = metrics[metrics["metric"] == metric].sort_values(["value", "trial"])
    return rows["trial"].iloc[(len(rows) - 1) // 2]


def levels(iterations: pd.DataFrame, trial: str) -> pd.DataFrame:
    """Detected levels of one trial: columns first, last (iterations), level (operations/s), t_ns of its start. Of its
    iterations those count in which anything was done."""
    rows = iterations[(iterations["trial"] == trial) & (iterations["operations"] > 0) & (iterations["elapsed_ns"] > 0)]
    rows = rows.sort_values("start_ns", kind="stable").reset_index(drop=True)
    rates = rows["operations"] / rows["elapsed_ns"] * 1e9
    found = segments(rates.to_numpy()) if len(rates) else []
    return pd.DataFrame(
        {
            "first": [rows["iteration"][one.start] for one in found],
            "last": [rows["iteration"][one.end - 1] for one in found],
            "level": [one.level for one in found],
            "t_ns": [rows["start_ns"][one.start] for one in found],
        }
    )


def changes(found: pd.DataFrame, events: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Every change of level with the nearest event of a kind: columns at_ms (since the first level), factor, lag_ms.

    lag_ms is positive when the event came first; NaN where there is no such event at all.
    """
    times = events.loc[events["kind"] == kind, "t_ns"].to_numpy(dtype=float)
    rows = []
    for before, after in zip(found.itertuples(), found.iloc[1:].itertuples(), strict=False):
        lags = (after.t_ns - times) / 1e6
        nearest = lags[abs(lags).argmin()] if len(lags) else float("nan")
        rows.append(
            {
                "at_ms": (after.t_ns - found["t_ns"].iloc[0]) / 1e6,
                "factor": after.level / before.level,
                "lag_ms": nearest,
            }
        )
    return framed(rows, ["at_ms", "factor", "lag_ms"])
