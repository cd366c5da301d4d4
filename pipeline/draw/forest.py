"""Forest: what changed, each with its interval against 1, and beside it all that did not, as strips of points.

A line of one row is named, with interval and numbers. A line of several is a strip: a point per row, so that hundreds
that stayed the same take the room of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.lines import Line2D

from pipeline.draw import layout, marks
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.ratios import ratio_ticks
from pipeline.draw.style import Theme
from pipeline.ground.errors import LabError
from pipeline.words.numbers import counted, ratio, shortfall

COLUMNS = ["panel", "line", "position", "label", "value", "low", "high", "level", "verdict", "height"]
ROW_INCHES, STRIP, LONG = 0.3, 1.2, 1.4  # height of a named line, and of a strip and of one with a long label in such
WRAP = 46  # characters of a line's label
CONTROL = "control"
TAIL, MANY = 0.02, 20  # of so many points that did not change this share at each end does not stretch the axis
# verdict -> (what the legend says, marker, number of the colour or None for the muted one, filled)
LOOKS = {
    "slower": ("slower", "v", 1, True),
    "faster": ("faster", "^", 0, True),
    "higher": ("higher", "D", 3, True),
    "lower": ("lower", "s", 2, True),
    "differs": ("differs between these two runs", "P", 3, False),
    "same": ("same", "o", None, True),
    "undecided": ("undecided", "o", None, False),
    CONTROL: ("cannot have changed", "x", None, False),
}


def forest(
    rows: pd.DataFrame,
    *,
    name: str,
    label: str,
    margin: float,
    alt: str = "",
    noun: str = "configuration",
    whole: bool = False,
) -> Figure:
    """Lines of ratios by panel, in the order of the table.

    rows: columns panel, line (its label), label (of the row, for the CSV), value, low, high, level, verdict (one of
    LOOKS); low and high may be NaN. margin: 0.05 shades what counts as the same within 5 %. noun: what a point is.
    whole: the axis holds every interval, and what counts as the same.
    LabError when there is no row, or a ratio is not positive: the axis is logarithmic.
    """
    if rows.empty or not (rows["value"] > 0).all():
        raise LabError(f"figure {name}: every ratio must be positive and there must be one; check the table of ratios")
    position = rows.groupby(["panel", "line"], sort=False).ngroup()
    rows = rows.assign(position=position)
    rows["height"] = rows.groupby("position")["value"].transform(_heights)
    data = marks.table([rows], COLUMNS)
    return Figure(
        name, alt or _alt(data, label), data, partial(_draw, data, label=label, margin=margin, noun=noun, whole=whole)
    )


def _heights(values: pd.Series) -> np.ndarray:
    """Where in its strip each point lies, 0 to 1, so that neighbours are apart; a lone one is in the middle."""
    if len(values) == 1:
        return np.array([0.5])
    steps = np.array([0.5, 0.1, 0.9, 0.3, 0.7])
    return steps[np.argsort(np.argsort(values.to_numpy(), kind="stable")) % len(steps)]


def _draw(data: pd.DataFrame, theme: Theme, *, label: str, margin: float, noun: str, whole: bool) -> Drawing:
    panels = data.sort_values("position", kind="stable").groupby("panel", sort=False)
    panels = dict(sorted(panels, key=lambda item: item[1]["position"].min()))
    tall = {panel: sum(_height(rows) for _, rows in part.groupby("position")) for panel, part in panels.items()}
    figure = layout.canvas(sum(ROW_INCHES * height + 0.35 for height in tall.values()) + 0.35)
    ratios = [height + 0.4 for height in tall.values()]
    grid = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=ratios)
    limits = _all(data, margin) if whole else _limits(data)
    for ax, (panel, part) in zip(grid[:, 0], panels.items(), strict=True):
        ax.set_title(panel)
        ax.set_xscale("log")
        ax.axvspan(1 / (1 + margin), 1 + margin, color=theme.shade, linewidth=0, zorder=0)
        ax.axvline(1, color=theme.text, linewidth=1, zorder=1)
        top, ticks = 0.0, {}
        for _, rows in part.groupby("position"):
            height = _height(rows)
            ticks[top + height / 2] = _wrapped(rows["line"].iloc[0])
            if len(rows) == 1:
                _one(ax, top, height, rows, limits, theme)
            else:
                _strip(ax, top, height, rows, limits, theme, noun)
            top += height
        ax.set_yticks(list(ticks), list(ticks.values()))
        ax.set_ylim(top + 0.1, -0.1)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="y", visible=False)
    ratio_ticks(grid[-1, 0], np.array(limits))
    grid[-1, 0].set_xlabel(label)
    return figure, _legend(data, limits, theme, margin)


def _limits(data: pd.DataFrame) -> tuple[float, float]:
    """The ends of the axis: all that changed with their intervals, and all but the outermost of what did not."""
    quiet = data["verdict"].isin(["same", "undecided", CONTROL])
    lone = data.groupby("position")["value"].transform("size") == 1
    values = data.loc[quiet, "value"]
    ends = values.quantile([TAIL, 1 - TAIL]) if len(values) >= MANY else values
    changed = data[~quiet]
    named = data[~quiet & lone]
    every = pd.concat([ends, changed["value"], named["low"], named["high"]]).dropna()
    return float(every.min()), float(every.max())


def _all(data: pd.DataFrame, margin: float) -> tuple[float, float]:
    """The ends of an axis that holds everything."""
    ends = data[["value", "low", "high"]]
    return min(float(ends.min().min()), 1 / (1 + margin)), max(float(ends.max().max()), 1 + margin)


def _height(rows: pd.DataFrame) -> float:
    label = LONG if "\n" in _wrapped(rows["line"].iloc[0]) else 1.0
    return max(label, 1.0 if len(rows) == 1 else STRIP)


def _one(ax, top: float, height: float, rows: pd.DataFrame, limits: tuple[float, float], theme: Theme) -> None:
    """A line with its interval; where that goes on beyond the axis an arrow says so."""
    row, at = rows.iloc[0], top + height / 2
    look = _look(row["verdict"], theme)
    ends = {"color": look["color"], "linewidth": 2, "solid_capstyle": "butt", "zorder": 3.5, "label": "interval"}
    low, high = limits
    ax.plot([max(row["low"], low), min(row["high"], high)], [at, at], **ends)
    for beyond, place, marker in ((row["low"] < low, low, "<"), (row["high"] > high, high, ">")):
        if beyond:
            ax.plot(place, at, marker=marker, markersize=6, color=look["color"], zorder=3.5, label="beyond")
    ax.plot(row["value"], at, zorder=4, **look | {"markersize": 6.5})
    words = ratio(row["value"])
    if np.isfinite(row["low"]):
        words += f"  [{ratio(row['low'])}, {ratio(row['high'])}{shortfall(row['level'])}]"
    _beside(ax, at, words, theme)


def _strip(
    ax, top: float, height: float, rows: pd.DataFrame, limits: tuple[float, float], theme: Theme, noun: str
) -> None:
    for verdict, part in rows.groupby("verdict", sort=False):
        above = 3.0 + (verdict not in ("same", "undecided", CONTROL))
        look = {"linestyle": "none", "zorder": above, "label": "points", **_look(verdict, theme, strip=True)}
        at, value = top + height * (0.15 + 0.7 * part["height"]), part["value"]
        inside = value.between(*limits)
        ax.plot(value[inside], at[inside], **look)
        for there, place, marker in ((value < limits[0], limits[0], "<"), (value > limits[1], limits[1], ">")):
            if there.any():
                ax.plot([place] * int(there.sum()), at[there], **look | {"marker": marker})
    _beside(ax, top + height / 2, counted(len(rows), noun), theme)


def _beside(ax, at: float, words: str, theme: Theme) -> None:
    ax.annotate(words, (1.02, at), xycoords=("axes fraction", "data"), va="center", fontsize=8, color=theme.text)


def _look(verdict: str, theme: Theme, strip: bool = False) -> dict[str, Any]:
    _, marker, number, filled = LOOKS[verdict]
    colour = theme.muted if number is None else theme.series[number]
    look = {"color": colour, "marker": marker, "markersize": 4.5, "markeredgecolor": theme.background}
    look |= {"markeredgewidth": 0.4}
    if not filled:
        look |= {"markerfacecolor": theme.background, "markeredgecolor": colour, "markeredgewidth": 1.0}
    if strip:
        look |= {"alpha": 0.8} if number is None else {"markersize": 6}
    return look


def _legend(data: pd.DataFrame, limits: tuple[float, float], theme: Theme, margin: float) -> list[Artist]:
    drawn: Mapping[str, tuple] = {verdict: look for verdict, look in LOOKS.items() if verdict in set(data["verdict"])}
    handles: list[Artist] = [
        Line2D([], [], linestyle="none", label=words, **_look(verdict, theme) | {"markersize": 6})
        for verdict, (words, *_) in drawn.items()
    ]
    lone = data.groupby("position")["value"].transform("size") == 1
    cut = lone & ((data["low"] < limits[0]) | (data["high"] > limits[1]))
    if cut.any() or (~lone & ~data["value"].between(*limits)).any():
        outside = _look("undecided", theme) | {"marker": ">", "markersize": 6}
        handles.append(Line2D([], [], linestyle="none", label="beyond the axis", **outside))
    return [*handles, marks.patch_key(f"within {100 * margin:g} %", theme.shade)]


def _wrapped(words: str) -> str:
    """A label in at most two lines."""
    if len(words) <= WRAP:
        return words
    cut = words.rfind(", ", 0, WRAP)
    first, rest = (words[: cut + 1], words[cut + 2 :]) if cut > 0 else (words[:WRAP], words[WRAP:])
    return f"{first}\n{rest if len(rest) <= WRAP else rest[: WRAP - 1] + '…'}"


def _alt(data: pd.DataFrame, label: str) -> str:
    said = []
    for _, rows in data.groupby("position"):
        first, where = rows.iloc[0], f"{rows['panel'].iloc[0]}: " if rows["panel"].iloc[0] else ""
        if len(rows) == 1:
            between = f" [{ratio(first['low'])}, {ratio(first['high'])}]" if np.isfinite(first["low"]) else ""
            said.append(f"{where}{first['line']}: {first['verdict']}, {ratio(first['value'])}{between}")
        else:
            counts = ", ".join(f"{count} {verdict}" for verdict, count in rows["verdict"].value_counts().items())
            ends = f"{ratio(rows['value'].min())} to {ratio(rows['value'].max())}"
            said.append(f"{where}{first['line']}: {counts}, from {ends}")
    return f"{label}. {'; '.join(said)}."
