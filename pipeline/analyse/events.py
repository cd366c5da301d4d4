"""Numbers of what the runtime logged: events counted, their sizes, what was done before the first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from pipeline.analyse.trials import Trials
from pipeline.catalogue.metric import Metric
from pipeline.ground.errors import LabError
from pipeline.hdr import histograms, percentiles
from pipeline.hdr.counts import Counts

# Which log of the runtime yields which events: no event of a kind means 0 only where its log was written.
LOGS = {
    "jit": {"compile", "compile_osr", "made_not_entrant"},
    "compilation": {"inline", "virtual_call", "nmethod"},
    "code": {"lock_xadd", "lock_cmpxchg"},
    "gc": {"safepoint_gc", "safepoint_other", "collection", "allocation_stall"},
}
CALLED = {"safepoint_gc": "pause", "collection": "collection", "allocation_stall": "wait"}
DROPPED = "log_dropped"  # lines that the runtime did not write: what a trial's log holds is not all there was


def events(trials: Trials, metric: Metric) -> pd.Series:
    rows, logged = _matching(trials, metric, metric.where)
    if metric.within is not None:
        last = _last_compilation(trials, metric)
        rows = rows[rows["compilation"] == rows["trial"].map(last)]
        logged = last.index
    if metric.timed:
        rows, logged = _within(_spans(trials, metric), rows, logged)
    if metric.unit == "bytes":
        return rows.groupby("trial")["size"].last()
    return rows.groupby("trial").size().reindex(logged, fill_value=0)


def event_percentile(trials: Trials, metric: Metric) -> pd.Series:
    rows, spans = watched(trials, metric)
    found = rows["size"].groupby(rows["trial"]).agg(lambda sizes: _nearest_rank(sizes.to_numpy(), metric.percentile))
    found = found.reindex(spans.index, fill_value=0)
    return found if metric.fewest is None else found[numbers(trials, metric) >= metric.fewest]


def numbers(trials: Trials, metric: Metric) -> pd.Series:
    """By trial with a whole log: how many events a metric of their sizes is about."""
    rows, spans = watched(trials, metric)
    return rows.groupby("trial").size().reindex(spans.index, fill_value=0)


def called(metric: Metric) -> str:
    """What one of the events of a metric is called."""
    return CALLED.get(metric.where["kind"], "event")


def event_total(trials: Trials, metric: Metric) -> pd.Series:
    rows, spans = watched(trials, metric)
    sums = rows.groupby("trial")["size"].sum().reindex(spans.index, fill_value=0)
    return sums if metric.per is None else sums / spans


def watched(trials: Trials, metric: Metric) -> tuple[pd.DataFrame, pd.Series]:
    """The events that a metric is about and that begin in a selected iteration, `size` replaced by the number of their
    detail that the metric's `name` is; and by trial with a whole log how long its selected iterations are, in ns.
    Trials of a runtime that does not tell that number (`?`) have neither."""
    spans = _spans(trials, metric)
    rows, logged = _within(spans, *_matching(trials, metric, metric.where))
    if metric.name is not None and len(rows):
        found = rows["detail"].str.extract(rf"(?:^|\s){re.escape(metric.name)}=(\d+|\?)(?:\s|$)", expand=False)
        if found.isna().any():
            raise LabError(f"metric {metric.label!r}: an event has no {metric.name}=<number> in its detail")
        logged = logged[~logged.isin(rows.loc[found == "?", "trial"])]
        kept = rows["trial"].isin(logged)
        rows = rows[kept].assign(size=found[kept].astype(np.int64))
    return rows, (spans["end"] - spans["start"]).groupby(spans["trial"]).sum()[logged]


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
    wider = metric if metric.last is None else replace(metric, last=2 * metric.last)
    times = trials.selected(wider).groupby("trial").agg(start=("start_ns", "min"), end=("end_ns", "max"))
    events = events.join(times, on="trial", how="inner")
    return pd.Index(events.loc[events["t_ns"].between(events["start"], events["end"]), "trial"].unique())


def _matching(trials: Trials, metric: Metric, where: Mapping[str, str]) -> tuple[pd.DataFrame, pd.Index]:
    """Matching events in the order of time, and the trials that could have had one."""
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
    """Numbers of the trials whose variant writes the log that holds events of these kinds, and that lost no line."""
    needed = {log for log, of_log in LOGS.items() if any(kinds.fullmatch(kind) for kind in of_log)}
    variants = [name for name, variant in trials.entry.variants.items() if needed & set(variant.logs)]
    torn = trials.events.loc[trials.events["kind"] == DROPPED, "trial"]
    whole = trials.table["variant"].isin(variants) & ~trials.table.index.isin(torn)
    return trials.table.index[whole].difference(_older(trials, kinds, needed))


def _older(trials: Trials, kinds: re.Pattern, logs: set[str]) -> set:
    """Trials that were measured before their variant asked for these logs as it does now."""
    has = {kind: set(rows) for kind, rows in trials.events.groupby("kind", observed=True)["trial"]}
    older = set()
    if kinds.fullmatch("collection"):  # told among the phases of a cycle by some collectors, which were not logged
        older |= has.get("safepoint_gc", set()) - has.get("collection", set())
    if "jit" in logs:  # a virtual machine compiles something before it runs anything of ours
        older |= set(trials.table.index) - has.get("compile", set())
    return older


def _spans(trials: Trials, metric: Metric) -> pd.DataFrame:
    """trial, start and end (ns) of the iterations that a metric selects, in the order of time."""
    groups = trials.selected(metric).groupby(["trial", "iteration"])
    return (
        groups.agg(start=("start_ns", "min"), end=("end_ns", "max"))
        .reset_index("trial")
        .sort_values("start", kind="stable")
    )


def _within(spans: pd.DataFrame, rows: pd.DataFrame, logged: pd.Index) -> tuple[pd.DataFrame, pd.Index]:
    """Of events those that begin in an iteration of `spans`, and of the trials `logged` those that have one."""
    rows = rows.sort_values("t_ns", kind="stable")
    found = pd.merge_asof(rows, spans, left_on="t_ns", right_on="start", by="trial")
    found = found[found["t_ns"] < found["end"]].sort_values(["trial", "t_ns"], kind="stable")
    return found[rows.columns], logged[logged.isin(spans["trial"])]


def _nearest_rank(sizes: np.ndarray, percent: float) -> int:
    """The percentile of a few sizes, by the rule of the histograms (`pipeline.hdr.percentiles`): 100 is the longest."""
    low, count = np.unique(sizes, return_counts=True)
    layout = (histograms.DIGITS, histograms.LOWEST_NS, histograms.HIGHEST_NS)
    return percentiles.percentile(Counts(low, np.ones_like(low), count, *layout), percent)
