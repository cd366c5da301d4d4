"""Fit: y against x with every trial, the fitted curve with its band, and the parameters with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Literal

import pandas as pd

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.style import Theme
from pipeline.ground.errors import LabError
from pipeline.words.numbers import interval

COLUMNS = ["mark", "panel", "series", "x", "value", "low", "high", "trial", "noisy", "name", "unit"]


def line_fit(
    points: pd.DataFrame,
    curve: pd.DataFrame,
    parameters: pd.DataFrame,
    *,
    name: str,
    x: str,
    unit: str,
    label: str,
    x_label: str,
    x_unit: Literal["bytes", "count", "ns"] = "bytes",
    panels: Literal["runtime", "variant"] = "runtime",
    names: Mapping[str, str] | Iterable[str] | None = None,
    alt: str = "",
) -> Figure:
    """One panel per runtime (or variant) with a fitted line per variant (or runtime).

    points: columns trial, variant, runtime, <x>, value, noisy. curve: variant, runtime, <x>, estimate, low,
    high (a 95 % band).
    parameters: variant, runtime, name, estimate, low, high, unit; they are written into the legend, in their order.
    unit: of y; x_unit: `bytes` (binary, logarithmic axis), `count` (whole numbers) or `ns`. LabError when points is
    empty.
    """
    if points.empty:
        raise LabError(f"figure {name}: no points to draw; check the selection of metrics")
    series = "variant" if panels == "runtime" else "runtime"
    shape = {panels: "panel", series: "series", x: "x"}
    parameters = parameters.rename(columns=shape | {"estimate": "value"}).assign(x=range(len(parameters)))
    parts = [
        points.rename(columns=shape).drop(columns="unit", errors="ignore").assign(mark="trial"),
        curve.rename(columns=shape | {"estimate": "value"}).assign(mark="fit"),
        parameters.assign(mark="parameter"),
    ]
    data = marks.table(parts, COLUMNS)
    variants, runtimes = style.labels(names, points["variant"]), style.labels(None, points["runtime"])
    sides = (runtimes, variants) if panels == "runtime" else (variants, runtimes)
    draw = partial(
        _draw, data, unit=unit, label=label, x_label=x_label, x_unit=x_unit, panels=sides[0], series=sides[1]
    )
    said = [f"{panel}, {one}: {words}" for (panel, one), words in _parameters(data, *sides).items() if words]
    alt = alt or f"{label} by {x_label.lower()} with fitted curves. {'; '.join(said)}."
    return Figure(name, alt, data, draw)


def _draw(data, theme: Theme, *, unit, label, x_label, x_unit, panels, series) -> Drawing:
    drawn = data[data["mark"] != "parameter"]
    titles = [panel for panel in panels if panel in set(drawn["panel"])]
    looks = style.looks(series)
    columns = min(len(titles), 2)
    figure, axes = layout.panels(len(titles), height=2.9 if len(titles) > 1 else 3.6, columns=2)
    units.scale(axes[0].yaxis, drawn[["value", "low", "high"]].to_numpy(float).ravel(), unit, label)
    words = axes[0].get_ylabel()
    if x_unit == "bytes":
        units.sizes(axes[0].xaxis, drawn["x"], x_label, inches=5.8 / columns)
    elif x_unit == "ns":
        units.scale(axes[0].xaxis, drawn["x"], x_unit, x_label, inches=5.8 / columns)
    else:
        units.counts(axes[0].xaxis, drawn["x"], x_label)
    x_words = axes[0].get_xlabel()
    raster = marks.crowded(drawn)
    for ax, panel in zip(axes, titles, strict=True):
        ax.set_title(panels[panel])
        ax.set_ylabel(words)
        ax.set_xlabel(x_words)
        here = drawn[drawn["panel"] == panel]
        for one in (one for one in series if one in set(here["series"])):
            trials, fit = (here[(here["series"] == one) & (here["mark"] == mark)] for mark in ("trial", "fit"))
            marks.trials(ax, trials["x"], trials["value"], trials["noisy"], looks[one], theme, size=4.5, raster=raster)
            colour = looks[one].colour(theme)
            ax.plot(fit["x"], fit["value"], color=colour, linestyle=looks[one].line, label="fit")
            if fit["low"].notna().any():
                ax.fill_between(
                    fit["x"],
                    fit["low"].astype(float),
                    fit["high"].astype(float),
                    color=colour,
                    alpha=0.15,
                    linewidth=0,
                    label="band",
                )
    layout.outer_labels(axes)
    written = _parameters(data, panels, series)
    handles = []
    for one, text in series.items():
        for panel in titles:
            if ((drawn["series"] == one) & (drawn["panel"] == panel)).any():
                said = [text, panels[panel] if len(titles) > 1 else "", written.get((panels[panel], text), "")]
                handles.append(marks.key(" · ".join(part for part in said if part), looks[one], theme))
    handles += marks.trial_keys(theme, data["noisy"])
    if data.loc[data["mark"] == "fit", "low"].notna().any():
        handles.append(marks.patch_key("95 % band of the fit", theme.muted, 0.35))
    return figure, handles


def _parameters(data, panels: Mapping[str, str], series: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """(panel, series) as labelled -> `a = 1.2 [1.1, 1.3] µs, b = ...`."""
    rows = data[data["mark"] == "parameter"].sort_values("x", kind="stable")

    def said(row) -> str:
        return f"{row['name']} = {interval(row['value'], row['low'], row['high'], row['unit'])}"

    groups = rows.groupby(["panel", "series"], sort=True)
    return {(panels[p], series[s]): ", ".join(said(row) for _, row in mine.iterrows()) for (p, s), mine in groups}
