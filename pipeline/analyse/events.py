"""Numbers of what the runtime logged: events counted, the size of the last one, what was done before the first."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

from pipeline.analyse.trials import Trials
from pipeline.catalogue.entry import Metric
from pipeline.errors import LabError

# Which log of the runtime yields which events: no event of a kind means 0 only where its log was written.
LOGS = {
    "jit": {"compile", "compile_osr", "made_not_entrant"},
    "compilation": {"inline", "virtual_call", "nmethod"},
    "code": {"lock_xadd", "lock_cmpxchg"},
}


def events(trials: Trials, metric: Metric) -> pd.Series:
    rows, logged = _matching(trials, metric, metric.where)
    if metric.within is not None:
        last = _last_compilation(trials, metric)
        rows = rows[rows["compilation"] == rows["trial"].map(last)]
        logged = last.index
    if metric.unit == "bytes":
        return rows.groupby("trial")["size"].last()
    return rows.groupby("trial").size().reindex(logged, fill_value=0)


def before_event(trials: Trials, metric: Metric) -> pd.Series:
    rows, _ = _matching(trials, metric, metric.where)
    first = rows.groupby("trial")["t_ns"].first()
    done = trials.chosen(metric, trim=False)
    done = done[done["end_ns"] <= done["trial"].map(first)]
    counted = done.groupby("trial")["operations"].sum()
    return counted.reindex(first.index[first.index.isin(trials.iterations["trial"])], fill_value=0)


def disturbed(trials: Trials, metric: Metric) -> pd.Index:
    """Trials with an event that `undisturbed` names in the selected iterations or in as many before them."""
    if not metric.undisturbed:
        return pd.Index([])
    events, _ = _matching(trials, metric, metric.undisturbed)
    wider = metric if metric.last is None else metric.model_copy(update={"last": 2 * metric.last})
    times = trials.selected(wider).groupby("trial").agg(start=("start_ns", "min"), end=("end_ns", "max"))
    events = events.join(times, on="trial", how="inner")
    return pd.Index(events.loc[events["t_ns"].between(events["start"], events["end"]), "trial"].unique())


def _matching(trials: Trials, metric: Metric, where: Mapping[str, str]) -> tuple[pd.DataFrame, pd.Index]:
    """Matching events in the order of time, and the trials that could have had one."""
    if "kind" not in where:
        raise LabError(f"metric {metric.label!r}: the selection of events needs their kind")
    rows = trials.events
    for column, expression in where.items():
        if column not in rows:
            raise LabError(f"metric {metric.label!r}: events have no column {column!r}")
        pattern = re.compile(expression)
        accepted = [value for value in rows[column].unique() if pattern.fullmatch(str(value))]
        rows = rows[rows[column].isin(accepted)]
    return rows, _logged(trials, re.compile(where["kind"]))


def _last_compilation(trials: Trials, metric: Metric) -> pd.Series:
    """By trial: the last compilation of the methods that `within` names, of those that are entered at the beginning."""
    made, _ = _matching(trials, metric, {"kind": "nmethod", "method": metric.within, "compilation": r"\d+"})
    return made.groupby("trial")["compilation"].last()


def _logged(trials: Trials, kinds: re.Pattern) -> pd.Index:
    """Numbers of the trials whose variant writes the log that holds events of these kinds."""
    needed = {log for log, of_log in LOGS.items() if any(kinds.fullmatch(kind) for kind in of_log)}
    variants = [name for name, variant in trials.entry.variants.items() if needed & set(variant.logs)]
    return trials.table.index[trials.table["variant"].isin(variants)]
