"""Timeline: iterations in order, with what the runtime did meanwhile, and published trials in a panel of their own.

One trial is shown in full, the one whose median iteration is the median of all trials; the others are faint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from pipeline.draw import marks, style, timeline_panels
from pipeline.draw.event_lane import MARKERS
from pipeline.draw.figure import Figure
from pipeline.ground.errors import LabError
from pipeline.words.numbers import quantity

COLUMNS = ["mark", "trial", "x", "end", "value", "phase", "series", "text", "count", "noisy", "source"]


def timeline(
    iterations: pd.DataFrame,
    *,
    name: str,
    unit: str,
    label: str,
    kind: Literal["rate", "cost"] = "rate",
    scale: float = 1.0,
    x: Literal["iteration", "time"] = "iteration",
    trials: pd.DataFrame | None = None,
    representative: str | None = None,
    events: pd.DataFrame | None = None,
    levels: pd.DataFrame | None = None,
    published: pd.DataFrame | None = None,
    names: Mapping[str, str] | Iterable[str] | None = None,
    phases: Mapping[str, str] | None = None,
    log: bool | None = None,
    alt: str = "",
) -> Figure:
    """The value of every iteration of the trials of one configuration.

    iterations, events: docs/formats.md (one clock for both); kind: operations/s or ns/operation, times `scale`.
    trials: for `noisy`. representative: a trial, instead of the median one. levels: columns first, last (iterations of
    that trial), level: detected levels. published: columns phase, series, trial, value, source
    (`pipeline.draw.published.sequence`), spread over the same phases. names: order and labels of the series.
    x: iterations side by side, or time in milliseconds since the first of the trial.
    log: whether the values have a logarithmic axis; None leaves it to the data.
    LabError when there is no iteration, or the representative trial is not among them.
    """
    if iterations.empty:
        raise LabError(f"figure {name}: no iteration to draw; check the selection of trials")
    noisy = dict(zip(trials["trial"], trials["noisy"], strict=True)) if trials is not None else {}
    points = _points(iterations, kind, scale, x)
    shown = representative or _median_trial(points)
    if shown not in set(points["trial"]):
        raise LabError(f"figure {name}: no iteration of the trial {shown!r}; name one of the table")
    main = points[points["trial"] == shown]
    points["mark"] = np.where(points["trial"] == shown, "iteration", "other")
    points["noisy"] = points["trial"].map(noisy).eq(True)
    spans = _spans(main)
    parts = [points, spans.assign(mark="phase", text=spans["phase"].map(lambda one: (phases or {}).get(one, one)))]
    if events is not None:
        parts.append(_events(events[events["trial"] == shown], main))
    if levels is not None and len(levels):
        at = main.drop_duplicates("iteration").set_index("iteration")
        ends = {"x": at.loc[levels["first"], "start"].to_numpy(), "end": at.loc[levels["last"], "stop"].to_numpy()}
        parts.append(pd.DataFrame({"mark": "level", **ends, "value": levels["level"].to_numpy()}))
    if published is not None:
        parts.append(_published(published, main))
    data = marks.table(parts, COLUMNS)
    series = style.labels(names, points["series"])
    axis_label = "Iteration" if x == "iteration" else "Time since the first iteration (ms)"
    draw = partial(timeline_panels.draw, data, unit=unit, label=label, log=log, axis_label=axis_label, series=series)
    return Figure(name, alt or _alt(data, unit, label, series), data, draw)


def _points(iterations: pd.DataFrame, kind: str, scale: float, x: str) -> pd.DataFrame:
    """One row per iteration and series with start, middle (x) and stop on the figure's axis."""
    frame = iterations.astype({"trial": str, "phase": str, "series": str}).sort_values(["trial", "start_ns", "series"])
    # An iteration without operations has no cost, one that took no time no rate.
    operations, elapsed = (frame[one].where(frame[one] > 0).astype(float) for one in ("operations", "elapsed_ns"))
    value = operations / elapsed * 1e9 * scale if kind == "rate" else elapsed / operations * scale
    if x == "time":
        start = (frame["start_ns"] - frame.groupby("trial")["start_ns"].transform("min")) / 1e6
        width = frame["elapsed_ns"] / 1e6
    else:
        start, width = frame.groupby("trial")["iteration"].rank(method="dense") - 1, 1.0
    return frame.assign(value=value, start=start, stop=start + width, x=start + width / 2)


def _median_trial(points: pd.DataFrame) -> str:
    middles = points.groupby("trial")["value"].median().sort_values(kind="stable")
    return middles.index[(len(middles) - 1) // 2]


def _spans(main: pd.DataFrame) -> pd.DataFrame:
    """The phases of a trial in order: columns phase, x, end."""
    runs = (main["phase"] != main["phase"].shift()).cumsum()
    return main.groupby(runs).agg(phase=("phase", "first"), x=("start", "min"), end=("stop", "max"))


def _events(events: pd.DataFrame, main: pd.DataFrame) -> pd.DataFrame:
    """Events between the first and the last iteration, placed on the axis; equal ones side by side are counted."""
    begin = main["start_ns"].to_numpy()
    inside = events[(events["t_ns"] >= begin[0]) & (events["t_ns"] <= begin[-1] + main["elapsed_ns"].iloc[-1])]
    at = np.searchsorted(begin, inside["t_ns"], side="right") - 1
    row = main.iloc[at]
    share = np.clip((inside["t_ns"].to_numpy() - row["start_ns"].to_numpy()) / row["elapsed_ns"].to_numpy(), 0, 1)
    place = row["start"].to_numpy() + share * (row["stop"] - row["start"]).to_numpy()
    method = inside["method"].astype(str).str.replace(r"^.*(::|\.)", "", regex=True)
    frame = pd.DataFrame({"kind": inside["kind"].astype(str), "text": method, "x": place}).sort_values(
        ["kind", "text", "x"]
    )
    near = 0.004 * (main["stop"].max() - main["start"].min())
    same = frame.groupby(["kind", "text"])["x"].diff().gt(near).groupby([frame["kind"], frame["text"]]).cumsum()
    merged = (
        frame.groupby(["kind", "text", same.rename("run")]).agg(x=("x", "first"), count=("x", "size")).reset_index()
    )
    return merged.assign(mark="event", series=merged["kind"])


def _published(published: pd.DataFrame, main: pd.DataFrame) -> pd.DataFrame:
    """Published trials spread evenly over the stretch of the axis that our iterations of that phase and series take."""
    stretch = main.groupby(["phase", "series"]).agg(start=("start", "min"), stop=("stop", "max")).reset_index()
    rows = published.merge(stretch, on=["phase", "series"])
    groups = rows.groupby(["source", "phase", "series"])["trial"]
    share = (groups.rank(method="first") - 0.5) / groups.transform("size")
    return rows.assign(
        mark="published", x=rows["start"] + share * (rows["stop"] - rows["start"]), trial=rows["trial"].astype(str)
    )


def _alt(data, unit, label, series) -> str:
    whole = data[data["mark"] == "iteration"]
    parts = []
    for phase in data.loc[data["mark"] == "phase"].sort_values("x", kind="stable")["phase"]:
        rows = whole[whole["phase"] == phase].groupby("series")["value"].median()
        said = [f"{series[one]} {quantity(rows[one], unit)}".strip() for one in series if one in rows]
        parts.append(f"{phase}: {', '.join(said)}")
    events = data[data["mark"] == "event"].groupby("series")["count"].sum()
    told = [f"{int(count)} {MARKERS.get(kind, ('', kind))[1]}" for kind, count in events.items()]
    return f"{label} of every iteration in order; medians by phase. {'; '.join(parts)}." + (
        f" Events: {', '.join(told)}." if told else ""
    )
