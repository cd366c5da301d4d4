"""Timeline: iterations in order, with what the runtime did meanwhile, and published trials in a panel of their own.

One trial is shown in full, the one whose median iteration is the median of all trials; the others are faint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from pipeline.draw import layout, marks, style, units
from pipeline.draw.event_lane import MARKERS, Lane, lane
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.style import Theme
from pipeline.errors import LabError
from pipeline.words import quantity

COLUMNS = ["mark", "trial", "x", "end", "value", "phase", "series", "text", "count", "noisy", "source"]
AXIS_INCHES = 6.0  # a little less than the panel's width, so that labels placed by it cannot touch
BARRIER = "made_not_entrant"  # the event that ends a level: it is drawn across the panel


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
    draw = partial(_draw, data, unit=unit, label=label, log=log, axis_label=axis_label, series=series)
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


def _draw(data, theme: Theme, *, unit, label, log, axis_label, series) -> Drawing:
    part = {mark: data[data["mark"] == mark] for mark in ("iteration", "other", "phase", "event", "level", "published")}
    low, high = part["phase"]["x"].min(), part["phase"]["end"].max()
    inch = (high - low) / AXIS_INCHES
    figure = layout.canvas(1)
    events = lane(figure, part["event"], inch, high)
    sources = sorted(part["published"]["source"].unique())
    heights = [2.7, *([0.22 + 0.19 * events.rows] if events.rows else []), *[1.5 for _ in sources]]
    figure.set_figheight(sum(heights) + 0.5 + 0.25 * len(sources))
    axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    looks = style.looks(series)
    main, *others = axes
    _measured(main, part, looks, theme)
    if events.rows:
        _lane(others.pop(0), events, theme)
        for place in part["event"].loc[part["event"]["series"] == BARRIER, "x"]:
            main.axvline(
                place, color=theme.text, linewidth=0.9, linestyle=(0, (2, 2)), alpha=0.7, zorder=1.5, label=BARRIER
            )
    values = pd.concat([part[mark]["value"] for mark in ("iteration", "other", "published")])
    for ax, source in zip(others, sources, strict=True):
        ax.set_title(f"Published: {source}")
        for one, rows in part["published"][part["published"]["source"] == source].groupby("series"):
            marks.published(ax, rows["x"], rows["value"], theme, marker=looks[one].marker, size=4)
    for ax in (main, *others):
        units.scale(ax.yaxis, values, unit, label, log=log, inches=2.7 if ax is main else 1.4)
        if ax.get_yscale() == "log":
            ax.set_ylim(values.min() / 1.3, values.max() * 1.3)
    _phases(figure, (main, *others), part["phase"], inch, theme)
    axes[-1].set_xlabel(axis_label)
    axes[-1].set_xlim(low, high)
    handles = _legend(part, series, looks, theme)
    return figure, handles


def _measured(ax, part, looks, theme: Theme) -> None:
    faint = part["other"]
    raster = len(faint) > 4 * marks.RASTERISE_FROM
    # Series that run at the same time (threads) are lines of their own, those that take turns (classes) one line.
    together = part["iteration"]["x"].duplicated().any()
    for _, rows in faint.groupby(["trial", "series"] if together else ["trial"]):
        rows = rows.sort_values("x")
        ax.plot(rows["x"], rows["value"], color=theme.muted, linewidth=0.6, alpha=0.4, rasterized=raster, label="other")
    whole = part["iteration"]
    for one, rows in whole.groupby("series"):
        marks.trials(
            ax,
            rows["x"],
            rows["value"],
            rows["noisy"],
            looks[one],
            theme,
            size=3.8,
            raster=len(whole) > marks.RASTERISE_FROM,
        )
    for row in part["level"].itertuples():
        ax.plot([row.x, row.end], [row.value, row.value], color=theme.text, linewidth=1.6, zorder=3, label="level")


def _lane(ax, events: Lane, theme: Theme) -> None:
    for one in events.marks:
        ax.plot(
            one.x,
            one.row,
            marker=MARKERS.get(one.kind, ("d", one.kind))[0],
            color=theme.text,
            markersize=5,
            markeredgewidth=0,
            linestyle="none",
            clip_on=False,
            label=one.kind,
        )
        if one.text:
            ax.text(one.text_x, one.row, one.text, fontsize=7.5, va="center", ha="right" if one.left else "left")
    ax.set_ylim(events.rows - 0.4, -0.6)
    ax.set_yticks([])
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.tick_params(axis="x", length=0)


def _phases(figure: Canvas, axes, spans: pd.DataFrame, inch: float, theme: Theme) -> None:
    """Every second phase shaded, its name above the first panel where there is room for it."""
    for at, row in enumerate(spans.sort_values("x").itertuples()):
        for ax in axes:
            if at % 2:
                ax.axvspan(row.x, row.end, color=theme.shade, linewidth=0, zorder=0, label="phase")
        if layout.text_width(figure, row.text, 8.5) + 0.08 < (row.end - row.x) / inch:
            axes[0].annotate(
                row.text,
                ((row.x + row.end) / 2, 1.015),
                xycoords=("data", "axes fraction"),
                ha="center",
                va="bottom",
                fontsize=8.5,
            )


def _legend(part, series, looks, theme: Theme) -> list:
    found = set(part["iteration"]["series"])
    names = [one for one in series if one in found]
    handles = [marks.key(series[one] or "iteration", looks[one], theme, line=False) for one in names]
    if part["iteration"]["noisy"].eq(True).any():
        handles += marks.trial_keys(theme, True, "iteration")[1:]
    if len(part["other"]):
        handles.append(Line2D([], [], color=theme.muted, linewidth=1, alpha=0.6, label="other trials"))
    if len(part["level"]):
        handles.append(Line2D([], [], color=theme.text, linewidth=1.6, label="detected level"))
    for kind in sorted(part["event"]["series"].unique()):
        marker, text = MARKERS.get(kind, ("d", kind))
        line = (0, (2, 2)) if kind == BARRIER else "none"
        handles.append(
            Line2D(
                [],
                [],
                color=theme.text,
                marker=marker,
                markersize=5,
                markeredgewidth=0,
                linestyle=line,
                linewidth=0.9,
                label=text,
            )
        )
    if len(part["published"]):
        handles.append(marks.published_key("published trial", theme))
    return handles


def _alt(data, unit, label, series) -> str:
    whole = data[data["mark"] == "iteration"]
    parts = []
    for phase in data.loc[data["mark"] == "phase"].sort_values("x")["phase"]:
        rows = whole[whole["phase"] == phase].groupby("series")["value"].median()
        said = [f"{series[one]} {quantity(rows[one], unit)}".strip() for one in series if one in rows]
        parts.append(f"{phase}: {', '.join(said)}")
    events = data[data["mark"] == "event"].groupby("series")["count"].sum()
    told = [f"{int(count)} {MARKERS.get(kind, ('', kind))[1]}" for kind, count in events.items()]
    return f"{label} of every iteration in order; medians by phase. {'; '.join(parts)}." + (
        f" Events: {', '.join(told)}." if told else ""
    )
