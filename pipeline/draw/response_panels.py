"""The panels of a response curve: trials, medians joined, lines of models, knees, and what a legend says of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing
from pipeline.draw.style import Look, Theme

PERCENT = "%"
FAINT = 0.35
FITTED = "fitted"  # begins the name of a model that is fitted to the points themselves
DODGE = 0.9  # of an axis of percent, between the bars of two series
DASHES = ((0, (4, 2)), (0, (1.2, 1.4)), (0, (6, 1.5, 1.2, 1.5)))  # of models from the capacity alone
STROKE = {"linewidth": 4.5, "alpha": 0.28, "solid_capstyle": "round", "zorder": 1.8}
KNEE = {"linewidth": 0.8, "alpha": 0.7}


def draw(
    data, theme: Theme, *, unit, label, x_label, x_unit, wanted, words, panels, series, log, columns, bound
) -> Drawing:
    """The marks of `data` (the columns of `pipeline.draw.response`) in a theme."""
    titles = {one: text for one, text in panels.items() if one in set(data["panel"])}
    looks = style.looks(series)
    columns = min(columns, len(titles))
    figure, axes = layout.panels(len(titles), height=2.7 if len(titles) > 1 else 4.0, columns=columns)
    units.scale(axes[0].yaxis, data[["value", "low", "high"]].to_numpy(float).ravel(), unit, label, log=log)
    _across(axes[0], data["x"], x_label, x_unit, 5.8 / columns)
    text, below = axes[0].get_ylabel(), axes[0].get_xlabel()
    raster = marks.crowded(data)
    models = _models(data)
    for ax, (panel, heading) in zip(axes, titles.items(), strict=True):
        here = data[data["panel"] == panel]
        ax.set_title(heading)
        ax.set_ylabel(text)
        ax.set_xlabel(below)
        present = [one for one in series if one in set(here["series"])]
        for at, one in enumerate(present):
            aside = (at - (len(present) - 1) / 2) * DODGE if x_unit == PERCENT else 0.0
            _series(ax, here[here["series"] == one], looks[one], theme, wanted, aside, raster, models)
    layout.outer_labels(axes)
    return figure, _legend(data, theme, series, looks, wanted, words, models, bound)


def _across(ax: Axes, values, label: str, unit: str, inches: float) -> None:
    """The x axis: 0 to 100 % (more where there is more), or a scale by the data."""
    if unit != PERCENT:
        units.scale(ax.xaxis, values, unit, label, inches=inches)
        return
    ax.set_xlim(0, max(100.0, float(np.nanmax(values)) + 2))
    ax.xaxis.set_major_locator(MultipleLocator(20))
    ax.set_xlabel(f"{label} (%)")


def _series(ax, rows, look: Look, theme: Theme, wanted, aside, raster, models) -> None:
    colour = look.colour(theme)
    for (source, given), line in rows[rows["mark"] == "line"].groupby(["source", "faint"]):
        line = line.sort_values("x", kind="stable")
        if not given:
            ax.plot(line["x"], line["value"], color=colour, label="measured parts", **STROKE)
        else:
            ax.plot(
                line["x"], line["value"], color=colour, linestyle=models[source], linewidth=1.1, label="capacity alone"
            )
        if line["low"].notna().any():
            ends = line["low"].astype(float), line["high"].astype(float)
            ax.fill_between(line["x"], *ends, color=colour, alpha=0.12, linewidth=0, label="band")
    for at in rows.loc[rows["mark"] == "knee", "x"]:
        ax.axvline(at, color=colour, label="knee", zorder=1.5, **KNEE)
        top = {"transform": ax.get_xaxis_transform(), "clip_on": False, "linestyle": "none"}
        ax.plot([at], [1.0], marker="v", markersize=6, color=colour, markeredgewidth=0, **top)
    for place, metric in enumerate(wanted):
        mine = rows[rows["metric"] == metric]
        trials, medians = (mine[mine["mark"] == mark].sort_values("x", kind="stable") for mark in ("trial", "estimate"))
        size = 2.2 if place else 3.2
        for pale in (False, True):
            one = trials[trials["faint"].eq(pale)]
            how = {"size": size, "raster": raster, "alpha": FAINT * 0.6 if pale else None}
            marks.trials(ax, one["x"] + aside, one["value"], one["noisy"], look, theme, **how)
        _medians(ax, medians, look, theme, aside, thin=bool(place))


def _medians(ax, medians, look: Look, theme: Theme, aside: float, thin: bool) -> None:
    """Medians with their intervals, joined; the way to a pale one is pale too."""
    colour, clear = look.colour(theme), medians[medians["faint"].eq(False)]
    width = 0.8 if thin else 1.6
    ax.plot(clear["x"] + aside, clear["value"], color=colour, linewidth=width, label="joined", zorder=3)
    rest = medians.iloc[max(len(clear) - 1, 0) :]
    if len(rest) > 1:
        ax.plot(rest["x"] + aside, rest["value"], color=colour, linewidth=width, alpha=FAINT, label="faint", zorder=3)
    mark = {"markersize": 3.8, "markerfacecolor": theme.background, "markeredgecolor": colour, "markeredgewidth": 0.9}
    mark = mark if thin else {"markersize": 5.5}
    for pale in (False, True):
        one = medians[medians["faint"].eq(pale)]
        if len(one):
            how = mark | {"elinewidth": width, "alpha": FAINT if pale else 1.0}
            marks.interval(ax, one["x"] + aside, one["value"], one["low"], one["high"], look, theme, **how)


def _models(data: pd.DataFrame) -> dict[str, tuple]:
    """The dashes of every model that is drawn from the capacity alone."""
    sources = sorted(data.loc[(data["mark"] == "line") & data["faint"].eq(True), "source"].unique())
    return {source: DASHES[at % len(DASHES)] for at, source in enumerate(sources)}


def _legend(data, theme: Theme, series, looks, wanted, words, models, bound) -> list:
    drawn = set(data.loc[data["mark"] == "estimate", "series"])
    handles = [marks.key(text, looks[one], theme, line=False) for one, text in series.items() if one in drawn]
    ink = theme.text
    if len(wanted) > 1:
        look = {"color": ink, "marker": "o", "markeredgecolor": ink}
        handles.append(Line2D([], [], label=words[wanted[0]], linewidth=1.6, markersize=5, **look))
        thin = {"markerfacecolor": theme.background, "markeredgewidth": 0.9}
        handles.append(Line2D([], [], label=words[wanted[1]], linewidth=0.8, markersize=3.8, **look | thin))
    handles += marks.trial_keys(theme, data["noisy"])
    for source, dash in models.items():
        handles.append(
            Line2D([], [], color=ink, linestyle=dash, linewidth=1.1, label=f"{source}, from the capacity alone")
        )
    given = data[(data["mark"] == "line") & data["faint"].eq(False)]
    for source in sorted(given["source"].unique()):
        label = source if source.startswith(FITTED) else f"{source}, from measured parts"
        handles.append(Line2D([], [], color=ink, label=label, **STROKE))
    if (data["mark"] == "knee").any():
        knee = {"marker": "v", "markersize": 6, "linestyle": "none", "markeredgewidth": 0}
        handles.append(Line2D([], [], color=ink, label="knee: twice the latency of an idle queue", **knee))
    if data.loc[data["mark"] == "estimate", "faint"].eq(True).any():
        pale = {"color": ink, "alpha": FAINT, "marker": "o", "markeredgewidth": 0}
        handles.append(Line2D([], [], label=f"above {bound:g} %", linewidth=1.6, **pale))
    return handles
