"""The panels of a timeline: what was measured, a lane of the runtime's events, published trials."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from pipeline.draw import layout, marks, style, units
from pipeline.draw.event_lane import MARKERS, Lane, lane
from pipeline.draw.figure import Drawing
from pipeline.draw.style import Theme

AXIS_INCHES = 6.0  # a little less than the panel's width, so that labels placed by it cannot touch
BARRIER = "made_not_entrant"  # the event that ends a level: it is drawn across the panel


def draw(data, theme: Theme, *, unit, label, log, axis_label, series) -> Drawing:
    """The marks of `data` (the columns of `pipeline.draw.timeline`) in a theme."""
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
        rows = rows.sort_values("x", kind="stable")
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
    for at, row in enumerate(spans.sort_values("x", kind="stable").itertuples()):
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
    handles += marks.trial_keys(theme, part["iteration"]["noisy"], "iteration")[1:]
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
