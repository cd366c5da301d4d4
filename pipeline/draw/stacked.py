"""Stacked bars: what a quantity is made of, a bar per row, its parts in their order from zero."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.style import Theme
from pipeline.ground.errors import LabError
from pipeline.words.numbers import quantity

COLUMNS = ["mark", "panel", "row", "part", "start", "value", "low", "high"]
ROW_INCHES = 0.34


def stacked(
    rows: pd.DataFrame,
    *,
    name: str,
    unit: str,
    label: str,
    parts: Mapping[str, str],
    panels: str | None = None,
    headings: Mapping[str, str] | None = None,
    totals: pd.DataFrame | None = None,
    shares: bool = False,
    alt: str = "",
) -> Figure:
    """A bar per label, its parts one after the other.

    rows: columns label, part, value (in `unit`, not negative) and, where panels are made of it, <panels>; bars
    are in the order of their first appearance. parts: part -> what the legend calls it, in the order from zero.

    totals: columns label, <panels>, estimate, low, high: what was measured as a whole, a mark on the bar that its parts
    should reach. shares: every bar is made 100 % long (then without totals). headings: what to write over the panels.
    LabError when a value is negative or not a number, or a part has no name.
    """
    if rows.empty or not (rows["value"] >= 0).all() or not set(rows["part"]) <= set(parts):
        raise LabError(f"figure {name}: every part must be one of {', '.join(parts)} and have a value of 0 or more")
    order = list(dict.fromkeys(rows["label"]))

    def placed(frame: pd.DataFrame, mark: str, **columns) -> pd.DataFrame:
        return frame.assign(mark=mark, panel=frame[panels].astype(str) if panels else "", row=frame["label"], **columns)

    place = {part: at for at, part in enumerate(parts)}
    bars = placed(rows, "part").sort_values("part", key=lambda column: column.map(place), kind="stable")
    groups = bars.groupby(["panel", "row"])["value"]
    if shares:
        bars = bars.assign(value=100 * bars["value"] / groups.transform("sum"))
        groups = bars.groupby(["panel", "row"])["value"]
    bars = bars.assign(start=groups.cumsum() - bars["value"])
    found = [bars]
    if totals is not None:
        found.append(placed(totals, "total", value=totals["estimate"]))
    data = marks.table(found, COLUMNS)
    titles = style.headings(data["panel"], headings)
    unit = "%" if shares else unit
    draw = partial(_draw, data, unit=unit, label=label, parts=dict(parts), order=order, titles=titles)
    return Figure(name, alt or _alt(data, unit, label, parts, order, titles), data, draw)


def _draw(data, theme: Theme, *, unit, label, parts, order, titles) -> Drawing:
    looks = style.looks(parts)
    figure = layout.canvas(ROW_INCHES * len(order) + 0.75)
    axes = list(figure.subplots(1, len(titles), sharey=True, squeeze=False)[0])
    for ax, (panel, heading) in zip(axes, titles.items(), strict=True):
        here = data[data["panel"] == panel]
        total = here[here["mark"] == "total"]
        reach = [*(here["start"] + here["value"]).dropna(), *total[["value", "high"]].to_numpy(float).ravel()]
        units.scale(ax.xaxis, reach, unit, label, log=False, inches=4.6 / len(titles))
        ax.set_title(heading)
        for part, look in looks.items():
            mine = here[(here["mark"] == "part") & (here["part"] == part)]
            bar = {"color": look.colour(theme), "edgecolor": theme.background, "linewidth": 1.2, "height": 0.66}
            ax.barh([order.index(row) for row in mine["row"]], mine["value"], left=mine["start"], label=part, **bar)
        at = [order.index(row) for row in total["row"]]
        bars = [(total["value"] - total["low"]).clip(lower=0), (total["high"] - total["value"]).clip(lower=0)]
        if len(total):
            mark = {"color": theme.text, "linestyle": "none", "marker": "D", "markersize": 4.5, "elinewidth": 1.4}
            edge = {"markeredgecolor": theme.background, "markeredgewidth": 0.7, "zorder": 5}
            ax.errorbar(total["value"], at, xerr=bars, label="total", **mark, **edge)
        ax.grid(axis="y", visible=False)
        ax.tick_params(axis="y", length=0)
    if len(axes) > 2:  # one label for all: there is no room for one below each
        for ax in (one for at, one in enumerate(axes) if at != len(axes) // 2):
            ax.set_xlabel("")
    axes[0].set_yticks(range(len(order)), order)
    axes[0].set_ylim(len(order) - 0.45, -0.55)
    drawn = set(data["part"])
    handles = [marks.patch_key(text, looks[part].colour(theme)) for part, text in parts.items() if part in drawn]
    if (data["mark"] == "total").any():
        handles.append(marks.total_key("measured as a whole", theme))
    return figure, handles


def _alt(data, unit, label, parts, order, titles) -> str:
    said = []
    for panel, heading in titles.items():
        for row in order:
            mine = data[(data["panel"] == panel) & (data["row"] == row) & (data["mark"] == "part")]
            values = mine.groupby("part")["value"].sum()
            if len(values):
                told = [f"{text} {quantity(values[part], unit)}" for part, text in parts.items() if part in values]
                said.append(f"{row}{f', {heading}' if heading else ''}: {', '.join(told)}")
    return f"{label} by its parts. {'; '.join(said)}."
