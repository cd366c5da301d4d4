"""The panels of a scaling curve, and its legend."""

from __future__ import annotations

import pandas as pd
from matplotlib.lines import Line2D

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing
from pipeline.draw.steps import Strip, between
from pipeline.draw.style import Theme

DODGE = 0.34  # share of one step of the axis over which the series are spread, so that their bars stay apart
SHADE = "more threads than CPUs"
DOUBLING_FROM = 8  # CPUs, from which on the axis of threads is one to base 2
TITLE_PAD = 5  # points between a panel and its heading, as in lab.mplstyle


def draw(
    data, theme: Theme, *, unit, label, axis_label, axis_unit, fitted, cpus, steps, log, titles, columns, series, seen
) -> Drawing:
    """titles: what to write over each panel, in at most so many columns; series, seen: the measured and the published
    lines, and their labels."""
    looks, shown = style.looks(series), style.looks(seen)
    inches = 5.8 / min(len(titles), 2 if len(titles) == 4 else columns)
    doubling = axis_unit is None and cpus is not None and cpus >= DOUBLING_FROM and data["x"].min() > 0
    # A quantity is drawn as `units.scale` does: on a logarithmic axis, unless there is a 0 on it.
    powers = doubling or units.powers(data["x"]) or (axis_unit is not None and data["x"].min() > 0)
    ends = units.around(data["x"]) if powers else (data["x"].min() - 0.5, data["x"].max() + 0.5)
    strip = Strip(steps, ends, powers, inches)
    height = (2.75 if len(titles) > 1 else 3.6) + strip.height
    figure, axes = layout.panels(len(titles), height=height, columns=columns)
    raster = marks.crowded(data)
    units.scale(axes[0].yaxis, data[["value", "low", "high"]].to_numpy().ravel(), unit, label, log=log)
    if doubling:
        own = data.loc[data["mark"].isin(["trial", "estimate"]), "x"]
        units.measured(axes[0].xaxis, own, axis_label, ends, inches)
    elif axis_unit is None:
        units.counts(axes[0].xaxis, data["x"], axis_label, inches)
    else:
        units.scale(axes[0].xaxis, data["x"], axis_unit, axis_label, log=True, inches=inches)
    for ax, (panel, heading) in zip(axes, titles.items(), strict=True):
        here = data[data["panel"] == panel]
        ax.set_title(heading, pad=TITLE_PAD + 72 * strip.height)
        ax.set_ylabel(axes[0].get_ylabel())
        ax.set_xlabel(axis_label)
        own = here[here["mark"] != "published"]
        names = [one for one in series if one in set(own["series"])]
        for place, one in enumerate(names):
            shift = DODGE * ((place + 0.5) / len(names) - 0.5)
            _series(ax, own[own["series"] == one], looks[one], theme, shift, powers, raster)
        for one, rows in here[here["mark"] == "published"].groupby("series"):
            marks.published(ax, rows["x"], rows["value"], theme, marker=shown[one].marker, line=shown[one].line)
        if cpus is not None and len(own):
            _shade(ax, cpus, data["x"].max(), ends if doubling else None, theme)
        if len(own):
            strip.draw(ax, theme)
        for one, rows in own[own["mark"] == "knee"].groupby("series"):
            for x in rows["x"]:
                ax.axvline(x, color=looks[one].colour(theme), linestyle=(0, (1, 1.5)), linewidth=1.1, label="knee")
    if not powers or steps:
        axes[0].set_xlim(*ends)
    layout.outer_labels(axes)
    handles = _legend(data, theme, series, looks, cpus, fitted)
    return figure, handles


def _placed(x, shift, powers):
    """Where a value of the axis lies, so many of its steps to the right."""
    return x * 2**shift if powers else x + shift


def _series(ax, rows, look, theme, shift, powers, raster) -> None:
    def place(x):
        return _placed(x, shift, powers)

    trials, medians, fit = (rows[rows["mark"] == mark] for mark in ("trial", "estimate", "fit"))
    marks.trials(ax, place(trials["x"]), trials["value"], trials["noisy"], look, theme, raster=raster)
    line = "none" if fit["x"].nunique() > 1 else look.line
    marks.interval(ax, place(medians["x"]), medians["value"], medians["low"], medians["high"], look, theme, line=line)
    if len(fit):
        if len(fit) == 1:  # of one place: a dash through it, and what was measured is joined
            fit = pd.concat([fit, fit]).assign(x=[_placed(fit["x"].iloc[0], end, powers) for end in (-DODGE, DODGE)])
        ax.plot(fit["x"], fit["value"], color=look.colour(theme), linestyle=look.line, linewidth=1.2, label="fit")
        if fit["low"].notna().any():
            ax.fill_between(fit["x"], fit["low"], fit["high"], color=look.colour(theme), alpha=0.15, linewidth=0)


def _shade(ax, cpus: int, most: float, ends: tuple[float, float] | None, theme: Theme) -> None:
    """ends: of an axis to base 2, on which the shade begins half-way to the next number and fills the rest."""
    if most > cpus:
        sides = (cpus + 0.5, most + 0.5) if ends is None else (between(cpus + 1, log=True), ends[1])
        ax.axvspan(*sides, color=theme.shade, linewidth=0, zorder=0, label=SHADE)


def _legend(data, theme, series, looks, cpus, fitted) -> list:
    drawn = set(data.loc[data["mark"].isin(["trial", "published"]), "series"])
    handles = [marks.key(text, looks[one], theme) for one, text in series.items() if one in drawn]
    handles += marks.trial_keys(theme, data["noisy"])
    fits = data[data["mark"] == "fit"]
    if len(fits):
        told = f"{fitted} ({', '.join(sorted(fits['source'].unique()))})"
        banded = fits["low"].notna().any()
        line = Line2D([], [], color=theme.muted, linewidth=1.2, label=told)
        handles.append(marks.patch_key(f"{told} and 95 % band", theme.muted, 0.35) if banded else line)
    if (data["mark"] == "knee").any():
        handles.append(Line2D([], [], color=theme.text, linestyle=(0, (1, 1.5)), linewidth=1.1, label="knee"))
    sources = sorted(data.loc[data["mark"] == "published", "source"].unique())
    if sources and not drawn & set(sources):
        handles.append(marks.published_key("published value", theme))
    elif sources:
        for look, one in ((style.Look(at), one) for at, one in enumerate(sources)):
            handles.append(marks.published_key(f"published: {one}", theme, marker=look.marker, line=look.line))
    if cpus is not None and data["x"].max() > cpus:
        handles.append(marks.patch_key(f"{SHADE} ({cpus})", theme.shade))
    return handles
