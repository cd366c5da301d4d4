"""Response curve: a latency (or any metric) against the load, as a share of capacity or as a measured rate.

Each panel holds, per series, every trial, the median with its interval joined by a line, a second metric thin beside
the first (a tail beside the middle), and what models say: dashed what they say from the capacity alone, a broad pale
stroke what they say from measured parts. Near capacity an error of the load is magnified, so loads beyond a bound are
drawn faint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.style import Look, Theme
from pipeline.words import quantity

COLUMNS = ["mark", "panel", "series", "metric", "x", "value", "low", "high", "trial", "noisy", "source", "faint"]
PERCENT = "%"
FAINT = 0.35
DODGE = 0.9  # of an axis of percent, between the bars of two series
DASHES = ((0, (4, 2)), (0, (1.2, 1.4)), (0, (6, 1.5, 1.2, 1.5)))  # of models from the capacity alone
STROKE = {"linewidth": 4.5, "alpha": 0.28, "solid_capstyle": "round", "zorder": 1.8}
KNEE = {"linewidth": 0.8, "alpha": 0.7}


def response_curve(
    metrics: pd.DataFrame,
    estimates: pd.DataFrame,
    *,
    name: str,
    metric: str | Sequence[str],
    label: str,
    x: str = "load",
    x_label: str = "Load, share of own capacity",
    x_unit: str = PERCENT,
    panels: str | None = "variant",
    series: str = "runtime",
    names: Mapping[str, Mapping] | None = None,
    words: Sequence[str] = ("median", "99th percentile"),
    lines: pd.DataFrame | None = None,
    knees: pd.DataFrame | None = None,
    faint: tuple[str, float] | None = ("load", 90),
    log: bool | None = None,
    columns: int = 2,
    alt: str = "",
) -> Figure:
    """metrics, estimates: docs/formats.md. metric: one, or two of a unit, the second drawn thin; `words` call them.

    x: an axis in percent of capacity, or a metric: every trial then stands at its own value of it. panels, series:
    columns of the tables (variant, runtime or an axis) whose values become panels (None: one for all) and lines;
    names: column -> value -> label, in the order that fixes the looks.
    lines: columns <panels>, <series>, model, <x>, estimate, and where `low` and `high` are there a band; a row whose
    `measured` is true is of a model that was given measured parts. knees: <panels>, <series>, <x>: dotted lines.
    faint: column and value beyond which marks are pale. LabError when a metric is not in the tables.
    """
    wanted = [metric] if isinstance(metric, str) else list(metric)
    placed = _placed(metrics, "value", x, name)
    points = pd.concat([marks.select(placed, one, name, ["value", "x"]) for one in wanted])
    middles = _placed(estimates, "estimate", x, name)
    medians = pd.concat([marks.select(middles, one, name, ["estimate", "x"]) for one in wanted])
    pale = [frame[faint[0]] > faint[1] if faint else False for frame in (points, medians)]
    shape = {"panel": panels, "series": series}

    def shaped(frame: pd.DataFrame, mark: str, **columns) -> pd.DataFrame:
        told = {to: frame[at].astype(str) if at else "" for to, at in shape.items()}
        return frame.assign(mark=mark, **told, **columns)

    parts = [shaped(points, "trial", faint=pale[0])]
    parts.append(shaped(medians, "estimate", value=medians["estimate"], faint=pale[1]))
    for mark, frame in (("line", lines), ("knee", knees)):
        if frame is not None and len(frame):
            told = {"x": frame[x].astype(float), "value": frame.get("estimate"), "source": frame.get("model")}
            measured = frame["measured"].astype(bool) if "measured" in frame else False
            parts.append(shaped(frame, mark, faint=~measured if mark == "line" else False, **told))
    data = marks.table(parts, COLUMNS)
    labels = [_labels(column, medians[column], names) if column else {"": ""} for column in (panels, series)]
    how = {"unit": medians["unit"].iloc[0], "label": label, "x_label": x_label, "x_unit": x_unit}
    how |= {"wanted": wanted, "words": dict(zip(wanted, words, strict=False)), "panels": labels[0], "series": labels[1]}
    bound = None if faint is None else faint[1]
    draw = partial(_draw, data, log=log, columns=columns, bound=bound, **how)
    return Figure(name, alt or _alt(data, **how), data, draw)


def _placed(frame: pd.DataFrame, value: str, x: str, figure: str) -> pd.DataFrame:
    """The frame with its place `x`: an axis, or the value of the metric of that name in the same trial or row."""
    if x in frame:
        return frame.assign(x=frame[x].astype(float))
    where = marks.select(frame, x, figure)
    keys = ["trial"] if "trial" in frame else list(frame.columns[: frame.columns.get_loc("metric")])
    return frame.merge(where[[*keys, value]].rename(columns={value: "x"}), on=keys, how="left")


def _labels(column: str, present: pd.Series, names: Mapping[str, Mapping] | None) -> dict[str, str]:
    if names and column in names:
        return {str(key): text for key, text in names[column].items()}
    if column in ("runtime", "variant"):
        return style.labels(None, present)
    return {str(value): f"{column} {value}" for value in sorted(present.unique())}


def _draw(
    data, theme: Theme, *, unit, label, x_label, x_unit, wanted, words, panels, series, log, columns, bound
) -> Drawing:
    titles = {one: text for one, text in panels.items() if one in set(data["panel"])}
    looks = style.looks(series)
    columns = min(columns, len(titles))
    figure, axes = layout.panels(len(titles), height=2.7 if len(titles) > 1 else 4.0, columns=columns)
    units.scale(axes[0].yaxis, data[["value", "low", "high"]].to_numpy(float).ravel(), unit, label, log=log)
    _across(axes[0], data["x"], x_label, x_unit, 5.8 / columns)
    text, below = axes[0].get_ylabel(), axes[0].get_xlabel()
    raster = (data["mark"] == "trial").sum() > marks.RASTERISE_FROM
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
        line = line.sort_values("x")
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
        trials, medians = (mine[mine["mark"] == mark].sort_values("x") for mark in ("trial", "estimate"))
        size = 2.2 if place else 3.2
        for pale in (False, True):
            one = trials[trials["faint"].eq(pale)]
            before = len(ax.lines)
            marks.trials(ax, one["x"] + aside, one["value"], one["noisy"], look, theme, size=size, raster=raster)
            for line in ax.lines[before:] if pale else ():
                line.set_alpha(FAINT * 0.6)
        _medians(ax, medians, look, theme, aside, thin=bool(place))


def _medians(ax, medians, look: Look, theme: Theme, aside: float, thin: bool) -> None:
    """Medians with their intervals, joined; the way to a pale one is pale too."""
    colour, clear = look.colour(theme), medians[medians["faint"].eq(False)]
    width = 0.8 if thin else 1.6
    ax.plot(clear["x"] + aside, clear["value"], color=colour, linewidth=width, label="joined", zorder=3)
    rest = medians.iloc[max(len(clear) - 1, 0) :]
    if len(rest) > 1:
        ax.plot(rest["x"] + aside, rest["value"], color=colour, linewidth=width, alpha=FAINT, label="faint", zorder=3)
    for pale in (False, True):
        one = medians[medians["faint"].eq(pale)]
        if one.empty:
            continue
        ends = [one["value"] - one["low"], one["high"] - one["value"]]
        ax.errorbar(
            one["x"] + aside,
            one["value"],
            yerr=np.clip(np.array(ends, float), 0, None),
            label="estimate",
            color=colour,
            linestyle="none",
            marker=look.marker,
            markersize=3.8 if thin else 5.5,
            markerfacecolor=theme.background if thin else colour,
            markeredgecolor=colour if thin else theme.background,
            markeredgewidth=0.9 if thin else 0.6,
            elinewidth=width,
            alpha=FAINT if pale else 1.0,
            zorder=4,
        )


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
    handles += marks.trial_keys(theme, bool(data["noisy"].eq(True).any()))
    for source, dash in models.items():
        handles.append(
            Line2D([], [], color=ink, linestyle=dash, linewidth=1.1, label=f"{source}, from the capacity alone")
        )
    given = data[(data["mark"] == "line") & data["faint"].eq(False)]
    for source in sorted(given["source"].unique()):
        handles.append(Line2D([], [], color=ink, label=f"{source}, from measured parts", **STROKE))
    if (data["mark"] == "knee").any():
        knee = {"marker": "v", "markersize": 6, "linestyle": "none", "markeredgewidth": 0}
        handles.append(Line2D([], [], color=ink, label="knee: twice the latency of an idle queue", **knee))
    if data.loc[data["mark"] == "estimate", "faint"].eq(True).any():
        pale = {"color": ink, "alpha": FAINT, "marker": "o", "markeredgewidth": 0}
        handles.append(Line2D([], [], label=f"above {bound:g} %", linewidth=1.6, **pale))
    return handles


def _alt(data, *, unit, label, x_label, x_unit, wanted, words, panels, series) -> str:
    def place(value: float) -> str:
        return f"{value:g} %" if x_unit == PERCENT else quantity(value, x_unit)

    parts = []
    for (panel, one, metric), rows in data[data["mark"] == "estimate"].groupby(
        ["panel", "series", "metric"], sort=True
    ):
        rows = rows.sort_values("x")
        said = [f"{quantity(row.value, unit)} at {place(row.x)}" for row in rows.itertuples()]
        which = f" ({words.get(metric, metric)})" if len(wanted) > 1 else ""
        where = f", {panels[panel]}" if panels[panel] else ""
        parts.append(f"{series[one]}{where}{which}: {', '.join(said)}")
    models = " Lines of models are shown beside them." if (data["mark"] == "line").any() else ""
    return f"{label} by {x_label.lower()}. {'; '.join(parts)}.{models}"
