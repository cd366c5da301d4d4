"""Scaling curve: a metric by number of threads (or another whole-number axis), per variant and runtime."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Literal

import pandas as pd
from matplotlib.lines import Line2D

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.style import Theme
from pipeline.words.numbers import quantity

COLUMNS = ["mark", "panel", "series", "x", "value", "low", "high", "trial", "noisy", "source"]
DODGE = 0.34  # share of one step of the axis over which the series are spread, so that their bars stay apart
SHADE = "more threads than CPUs"


def scaling_curve(
    metrics: pd.DataFrame,
    estimates: pd.DataFrame,
    *,
    name: str,
    metric: str,
    label: str,
    cpus: int | None,
    axis: str = "threads",
    axis_label: str = "Threads",
    panels: Literal["runtime", "variant"] = "runtime",
    variants: Mapping[str, str] | Iterable[str] | None = None,
    axis_unit: str | None = None,
    fits: pd.DataFrame | None = None,
    fitted: str = "fit",
    knees: pd.DataFrame | None = None,
    published: pd.DataFrame | None = None,
    log: bool | None = None,
    alt: str = "",
) -> Figure:
    """A metric by threads: every trial, the median with its interval, fits, and published values.

    metrics, estimates: docs/formats.md. variants: their order (it fixes the looks) and labels. panels: one panel per
    runtime with a line per variant, and one per published machine; or one per variant with a line per runtime, the
    published values in it. cpus: threads beyond it are shaded; None when the axis is not threads.
    axis_unit: of an axis that is no count, such as ns; it is logarithmic then.
    fits: columns variant, runtime, model, <axis>, estimate, low, high: the fitted curve, in place of the joining line;
    `fitted` is what the legend calls it, for a prediction is no fit; low and high may be missing. knees: columns
    variant, runtime, <axis>: a dotted line across the panel there.
    published: columns variant, <axis>, value, source (`pipeline.draw.published.overlay`). log: whether the metric has a
    logarithmic axis; None leaves it to the data.
    LabError when the metric is not in the tables.
    """
    points = marks.select(metrics, metric, name, ["value", axis])
    medians = marks.select(estimates, metric, name, ["estimate", axis])
    series = "variant" if panels == "runtime" else "runtime"
    shape = {panels: "panel", series: "series", axis: "x"}
    parts = [points.rename(columns=shape).assign(mark="trial")]
    parts.append(
        medians.rename(columns=shape | {"estimate": "value"}).assign(mark="estimate")[
            ["mark", "panel", "series", "x", "value", "low", "high"]
        ]
    )
    if fits is not None:
        parts.append(fits.rename(columns=shape | {"estimate": "value", "model": "source"}).assign(mark="fit"))
    if knees is not None:
        parts.append(knees.rename(columns=shape).assign(mark="knee"))
    if published is not None:
        seen = published[published["variant"].isin(points["variant"])].assign(mark="published")
        where = (
            {"panel": "source", "series": "variant"}
            if panels == "runtime"
            else {"panel": "variant", "series": "source"}
        )
        parts.append(seen.assign(x=seen[axis], **{to: seen[at] for to, at in where.items()}).drop(columns="trial"))
    data = marks.table(parts, COLUMNS)
    variants = style.labels(variants, [*points["variant"], *medians["variant"]])
    runtimes = style.labels(None, [*points["runtime"], *medians["runtime"]])
    unit = medians["unit"].iloc[0]
    sides = (runtimes, variants) if panels == "runtime" else (variants, runtimes)
    draw = partial(
        _draw,
        data,
        unit=unit,
        label=label,
        axis_label=axis_label,
        axis_unit=axis_unit,
        fitted=fitted,
        cpus=cpus,
        log=log,
        panels=sides[0],
        series=sides[1],
    )
    return Figure(name, alt or _alt(data, unit, label, axis_label, axis_unit, cpus, *sides), data, draw)


def _draw(data, theme: Theme, *, unit, label, axis_label, axis_unit, fitted, cpus, log, panels, series) -> Drawing:
    titles = style.headings(data["panel"], panels)  # published ones last
    looks = style.looks(series)
    figure, axes = layout.panels(len(titles), height=2.75 if len(titles) > 1 else 3.6)
    raster = marks.crowded(data)
    units.scale(axes[0].yaxis, data[["value", "low", "high"]].to_numpy().ravel(), unit, label, log=log)
    powers = _axis(axes[0].xaxis, data["x"], axis_label, axis_unit, min(len(titles), 3 if len(titles) != 4 else 2))
    sources = sorted(data.loc[data["mark"] == "published", "source"].unique())
    for ax, (panel, heading) in zip(axes, titles.items(), strict=True):
        here = data[data["panel"] == panel]
        ax.set_title(heading)
        ax.set_ylabel(axes[0].get_ylabel())
        ax.set_xlabel(axis_label)
        own = here[here["mark"] != "published"]
        names = [one for one in series if one in set(own["series"])]
        for place, one in enumerate(names):
            shift = DODGE * ((place + 0.5) / len(names) - 0.5)
            _series(ax, own[own["series"] == one], looks[one], theme, shift, powers, raster)
        for one, rows in here[here["mark"] == "published"].groupby("series"):
            look = looks.get(one) or style.Look(sources.index(one))
            marks.published(ax, rows["x"], rows["value"], theme, marker=look.marker, line=look.line)
        if cpus is not None and len(own):
            _shade(ax, cpus, data["x"].max(), theme)
        for one, rows in own[own["mark"] == "knee"].groupby("series"):
            for x in rows["x"]:
                ax.axvline(x, color=looks[one].colour(theme), linestyle=(0, (1, 1.5)), linewidth=1.1, label="knee")
    if not powers:
        axes[0].set_xlim(data["x"].min() - 0.5, data["x"].max() + 0.5)
    layout.outer_labels(axes)
    handles = _legend(data, theme, series, looks, sources, cpus, fitted)
    return figure, handles


def _axis(axis, values, label, unit, columns) -> bool:
    """Ticks and label of the x axis; True when it is logarithmic."""
    if unit is None:
        return units.counts(axis, values, label, 5.8 / columns)
    units.scale(axis, values, unit, label, log=True, inches=5.8 / columns)
    return True


def _series(ax, rows, look, theme, shift, powers, raster) -> None:
    def place(x):
        return x * 2**shift if powers else x + shift

    trials, medians, fit = (rows[rows["mark"] == mark] for mark in ("trial", "estimate", "fit"))
    marks.trials(ax, place(trials["x"]), trials["value"], trials["noisy"], look, theme, raster=raster)
    line = look.line if fit.empty else "none"
    marks.interval(ax, place(medians["x"]), medians["value"], medians["low"], medians["high"], look, theme, line=line)
    if len(fit):
        ax.plot(fit["x"], fit["value"], color=look.colour(theme), linestyle=look.line, linewidth=1.2, label="fit")
        if fit["low"].notna().any():
            ax.fill_between(fit["x"], fit["low"], fit["high"], color=look.colour(theme), alpha=0.15, linewidth=0)


def _shade(ax, cpus: int, most: float, theme: Theme) -> None:
    if most > cpus:
        ax.axvspan(cpus + 0.5, most + 0.5, color=theme.shade, linewidth=0, zorder=0, label=SHADE)


def _legend(data, theme, series, looks, sources, cpus, fitted) -> list:
    drawn = set(data.loc[data["mark"].isin(["trial", "published"]), "series"])
    handles = [marks.key(text, looks[one], theme) for one, text in series.items() if one in drawn]
    handles += marks.trial_keys(theme, bool(data["noisy"].eq(True).any()))
    fits = data[data["mark"] == "fit"]
    if len(fits):
        told = f"{fitted} ({', '.join(sorted(fits['source'].unique()))})"
        banded = fits["low"].notna().any()
        line = Line2D([], [], color=theme.muted, linewidth=1.2, label=told)
        handles.append(marks.patch_key(f"{told} and 95 % band", theme.muted, 0.35) if banded else line)
    if (data["mark"] == "knee").any():
        handles.append(Line2D([], [], color=theme.text, linestyle=(0, (1, 1.5)), linewidth=1.1, label="knee"))
    if sources and not drawn & set(sources):
        handles.append(marks.published_key("published value", theme))
    elif sources:
        for look, one in ((style.Look(at), one) for at, one in enumerate(sources)):
            handles.append(marks.published_key(f"published: {one}", theme, marker=look.marker, line=look.line))
    if cpus is not None and data["x"].max() > cpus:
        handles.append(marks.patch_key(f"{SHADE} ({cpus})", theme.shade))
    return handles


def _alt(data, unit, label, axis_label, axis_unit, cpus, panels, series) -> str:
    medians = data[data["mark"] == "estimate"]
    parts = []
    for (panel, one), rows in medians.groupby(["panel", "series"], sort=True):
        rows = rows.sort_values("x", kind="stable")
        first, last = rows.iloc[0], rows.iloc[-1]
        ends = [
            f"{quantity(row.value, unit)} at {quantity(row.x, axis_unit) if axis_unit else f'{row.x:.0f}'}"
            for row in ([first, last] if len(rows) > 1 else [first])
        ]
        parts.append(f"{series[one]}, {panels[panel]}: {', '.join(ends)}")
    shaded = f" Beyond {cpus} threads there are more threads than CPUs." if cpus and data["x"].max() > cpus else ""
    published = " Published values are shown next to the measured ones." if (data["mark"] == "published").any() else ""
    return f"{label} by {axis_label.lower()}, one line per series. {'; '.join(parts)}.{shaded}{published}"
