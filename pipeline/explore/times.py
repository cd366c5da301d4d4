"""Trials in time: the cost of each iteration, what the runtime did meanwhile, and the buckets behind every stretch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pipeline.analyse.timeline import representative
from pipeline.analyse.trials import globbed
from pipeline.analyse.window import per_iteration
from pipeline.explore.data import Shown
from pipeline.explore.selection import Curve, Opened, curves
from pipeline.explore.state import State
from pipeline.ingest.buckets import joined
from pipeline.words.numbers import quantity

MOST_ROWS = 20_000  # of a chart: what Vega-Lite draws at once
MOST_POINTS = 4_000
MOST_EVENTS = 200
TELLING = ("made_not_entrant", "safepoint_gc", "allocation_stall", "safepoint_other", "compile_osr", "compile")


def timeline(opened: Sequence[Opened], state: State) -> Shown:
    """One trial of each curve: tables points (curve, trial, time in ms, value in ns, warm, said), buckets (curve, time,
    high in ns, count) of the phase that was chosen, and events (curve, time, kind, method)."""
    found, notes = curves(opened, state)
    present, points, buckets, events = [], [], [], []
    for curve in found:
        trial = shown_trial(curve, state)
        rows = _iterations(curve.opened, trial, state)
        if rows.empty:
            notes.append(f"{curve.label}: no iteration counts operations.")
            continue
        present.append(curve)
        points.append(rows.assign(curve=curve.label, trial=trial))
        buckets.append(_buckets(curve.opened, trial, rows, state).assign(curve=curve.label))
        events.append(_events(curve.opened, trial, rows).assign(curve=curve.label))
    if not present:
        return Shown([], {}, notes)
    if _length(points) > MOST_POINTS:
        points = [_thinned(rows, MOST_POINTS // len(points)) for rows in points]
        notes.append("Of every stretch of iterations the least and the greatest are drawn.")
    room = MOST_ROWS - MOST_EVENTS - _length(points)
    if _length(buckets) > room:
        buckets, length = _joined(buckets, room)
        notes.append(f"Each {length} iterations are joined: a brush moves in such steps.")
    while _length(buckets) > room:  # even where the iterations of a trial are all one
        notes = [*notes, f"Not shown, for there are too many values: {present[-1].label}."]
        present, points, buckets, events = present[:-1], points[:-1], buckets[:-1], events[:-1]
    happened = pd.concat(events)
    if len(happened) > MOST_EVENTS:
        notes.append(f"{MOST_EVENTS} of {len(happened):,} events are drawn, those that tell most first.")
        happened = happened.sort_values("kind", key=lambda kinds: kinds.map(_rank), kind="stable").head(MOST_EVENTS)
    drawn = pd.concat(points, ignore_index=True)
    drawn["said"] = [quantity(value, "ns") for value in drawn["value"]]
    tables = {"points": drawn, "buckets": pd.concat(buckets, ignore_index=True), "events": happened}
    return Shown(present, tables, notes)


def shown_trial(curve: Curve, state: State) -> str:
    """The trial that was chosen, or that with the median of the metric, or the first."""
    if state.trial in set(curve.trials["trial"]):
        return state.trial
    metrics = curve.opened.lab.metrics
    mine = metrics[metrics["trial"].isin(curve.trials["trial"])]
    has = state.metric in set(mine["metric"])
    return representative(mine, state.metric) if has else curve.trials["trial"].iloc[0]


def _length(tables: Sequence[pd.DataFrame]) -> int:
    return sum(map(len, tables))


def _iterations(opened: Opened, trial: str, state: State) -> pd.DataFrame:
    """iteration, time (ms since the first), value (cost per operation in ns), warm, start (ns).

    Where the rows of the series are samples alone, the cost is that of all of the trial's operations.
    """
    every = opened.lab.tables.iterations
    every = every[(every["trial"] == trial).to_numpy()]
    rows = every[globbed(every["series"], state.series)]
    rows = rows if (rows["operations"] > 0).any() else every
    if rows.empty:
        return pd.DataFrame()
    rows = rows.assign(trial=0, end_ns=rows["start_ns"] + rows["elapsed_ns"])
    costs = per_iteration(rows).reset_index()[["iteration", "cost"]]
    first = rows.groupby("iteration").agg(start=("start_ns", "min"), phase=("phase", "first"))
    found = costs.merge(first.reset_index(), on="iteration").sort_values("start", kind="stable")
    found = found[np.isfinite(found["cost"]) & (found["cost"] > 0)].rename(columns={"cost": "value"})
    found = found.assign(time=(found["start"] - found["start"].min()) / 1e6, warm=found["phase"] == "warmup")
    return found[["iteration", "time", "value", "warm", "start"]]


def _buckets(opened: Opened, trial: str, rows: pd.DataFrame, state: State) -> pd.DataFrame:
    measured = opened.lab.tables.iterations
    measured = measured[(measured["trial"] == trial).to_numpy() & (measured["phase"] != "warmup").to_numpy()]
    measured = measured[globbed(measured["series"], state.series) & globbed(measured["phase"], state.phase)]
    own = joined(opened.lab.tables.buckets.of(measured))
    summed = own.groupby(["iteration", "low_ns", "width_ns"], observed=True)["count"].sum().reset_index()
    summed["high"] = summed["low_ns"] + summed["width_ns"] - 1
    times = rows.set_index("iteration")["time"]
    return summed.assign(time=summed["iteration"].map(times))[["iteration", "time", "high", "count"]].dropna()


def _joined(buckets: list[pd.DataFrame], most: int) -> tuple[list[pd.DataFrame], int]:
    """Consecutive iterations joined, as many of them as it takes."""
    length, joined = 1, buckets
    longest = max(rows["iteration"].nunique() for rows in buckets)
    while _length(joined) > most and length < longest:
        length *= 2
        joined = [_by_stretch(rows, length) for rows in buckets]
    return joined, length


def _by_stretch(rows: pd.DataFrame, length: int) -> pd.DataFrame:
    number = rows["iteration"].rank(method="dense").astype(np.int64).sub(1) // length
    times = rows.groupby(number)["time"].transform("min")
    summed = rows.assign(time=times, number=number).groupby(["number", "time", "high", "curve"])["count"].sum()
    return summed.reset_index().drop(columns="number")


def _thinned(rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """The least and the greatest of each stretch."""
    stretch = np.arange(len(rows)) // max(-(-2 * len(rows) // most), 1)
    values = rows["value"].reset_index(drop=True).groupby(stretch)
    return rows.iloc[np.unique([*values.idxmin(), *values.idxmax()])]


def _events(opened: Opened, trial: str, rows: pd.DataFrame) -> pd.DataFrame:
    events = opened.lab.tables.events
    mine = events[(events["trial"] == trial).to_numpy() & events["kind"].isin(TELLING).to_numpy()]
    time = (mine["t_ns"] - rows["start"].min()) / 1e6
    inside = mine.assign(time=time, kind=mine["kind"].astype(str))[(time >= 0) & (time <= rows["time"].max())]
    return inside[["time", "kind", "method"]]


def _rank(kind: str) -> int:
    return TELLING.index(kind)
