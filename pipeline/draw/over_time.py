"""Percentiles over time: a panel per configuration, all of its sessions together as lines, each session faint."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
from matplotlib.lines import Line2D

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.marks import Nothing
from pipeline.draw.style import Look, Theme
from pipeline.words.numbers import quantity

COLUMNS = ["mark", "panel", "trial", "what", "x", "value", "samples"]
WHAT = {"p50": "median", "p99": "99th percentile", "p99.9": "99.9th percentile", "greatest": "greatest"}
FAINT = "p99"  # of each session
MOST = 6  # panels


def over_time(
    data: pd.DataFrame, *, name: str, label: str, order: Sequence[str], unit: str = "ns", alt: str = ""
) -> Figure:
    """data: columns panel, trial (empty: all sessions together), what (of WHAT), x_s (seconds since the session began),
    value (in the unit), samples. order: of the panels, of which the first MOST are drawn. Nothing when it is empty."""
    if data.empty:
        raise Nothing(f"figure {name}: nothing was recorded over time")
    order = [panel for panel in order if panel in set(data["panel"])][:MOST]
    data = data[data["panel"].isin(order)]
    whole = data["trial"] == ""
    single = (data["what"] == FAINT) & ~whole & data.groupby("panel")["trial"].transform("nunique").gt(2)
    parts = [data[whole].assign(mark="together"), data[single].assign(mark="session")]
    data = marks.table([one.rename(columns={"x_s": "x"}) for one in parts], COLUMNS)
    draw = partial(_draw, data, order, unit=unit, label=label)
    return Figure(name, alt or _alt(data, order, unit, label), data, draw)


def _draw(data: pd.DataFrame, order: list[str], theme: Theme, *, unit: str, label: str) -> Drawing:
    columns = 1 if len(order) == 1 else 2
    figure, axes = layout.panels(len(order), height=3.2 if columns == 1 else 2.6, columns=columns)
    looks = style.looks(WHAT)
    units.scale(axes[0].yaxis, data["value"], unit, label)
    words = axes[0].get_ylabel()
    longest = float(data["x"].max())
    by, head = (60.0, "Minutes") if longest > 180 else (1.0, "Seconds")
    for ax, panel in zip(axes, order, strict=True):
        ax.set_title(panel)
        ax.set_ylabel(words)
        ax.set_xlabel(f"{head} since the session began")
        here = data[data["panel"] == panel]
        for _, rows in here[here["mark"] == "session"].groupby("trial"):
            ax.plot(rows["x"] / by, rows["value"], color=looks[FAINT].colour(theme), linewidth=0.6, alpha=0.35)
        for what in WHAT:
            rows = here[(here["mark"] == "together") & (here["what"] == what)].sort_values("x", kind="stable")
            _line(ax, rows["x"] / by, rows["value"], what, looks[what], theme)
        ax.set_xlim(0, 1.01 * longest / by)
    layout.outer_labels(axes)
    present = set(data["what"])
    handles = [_key(what, looks[what], theme) for what in WHAT if what in present]
    if (data["mark"] == "session").any():
        told = {"color": looks[FAINT].colour(theme), "linewidth": 0.8, "alpha": 0.5}
        handles.append(Line2D([], [], label=f"{WHAT[FAINT]} of each session", **told))
    return figure, handles


def _line(ax, x, y, what: str, look: Look, theme: Theme) -> None:
    if what == "greatest":
        ax.plot(x, y, linestyle="none", marker=".", markersize=3, color=theme.muted, label=what)
    else:
        ax.plot(x, y, color=look.colour(theme), linestyle=look.line, linewidth=1.4, label=what)


def _key(what: str, look: Look, theme: Theme) -> Line2D:
    if what == "greatest":
        return Line2D(
            [], [], linestyle="none", marker=".", markersize=5, color=theme.muted, label=f"{WHAT[what]} value"
        )
    return Line2D([], [], color=look.colour(theme), linestyle=look.line, linewidth=1.4, label=WHAT[what])


def _alt(data: pd.DataFrame, order: list[str], unit: str, label: str) -> str:
    parts = []
    for panel in order:
        rows = data[(data["panel"] == panel) & (data["mark"] == "together")]
        told = []
        for what in WHAT:
            values = rows.loc[rows["what"] == what, "value"]
            if len(values):
                told.append(f"{WHAT[what]} {quantity(values.min(), unit)} to {quantity(values.max(), unit)}")
        parts.append(f"{panel}: {', '.join(told)}")
    return f"{label} over the time of the sessions. {'; '.join(parts)}."
