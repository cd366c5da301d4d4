"""Matrix: a value by two ordinal axes, the number in every cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.style import Theme
from pipeline.ground.errors import LabError
from pipeline.words.numbers import quantity, short

COLUMNS = ["row", "column", "value"]
CELL_INCHES = 0.36
MOST_INCHES = 6.0  # height of all rows: with more of them each is lower
WIDE_INCHES = layout.WIDTH - 1.3  # about what axis label, ticks and the bar of colours leave for the columns
TEXT_SIZE, TEXT_INCHES = 8, 0.17  # points of a number in a cell, and the height it needs there
ON_LIGHT, ON_DARK = "#000000", "#fefefe"  # of no theme: cells have the same colours in all


def matrix(
    values: pd.DataFrame,
    *,
    name: str,
    row: str,
    column: str,
    value: str = "value",
    unit: str,
    label: str,
    row_label: str,
    column_label: str,
    names: Mapping[str, str] | Iterable[str] | None = None,
    from_zero: bool = False,
    alt: str = "",
) -> Figure:
    """A heat map of `value` by the columns `row` and `column` of a table; a missing cell is hatched, and the legend
    counts them. Where rows and columns are the same things, the diagonal is left empty: nothing was missed there.

    names: order and labels of text rows and columns; numbers are sorted. The colours (cividis) grow in lightness only,
    so they survive print and every kind of colour vision. from_zero: a linear scale of colours begins at 0, so that
    close values look close, instead of at the least value. Numbers are left out of cells too small for them, and so
    are all tick labels but every second, fourth ... where they would touch. LabError when a pair occurs twice.
    """
    cells = values.rename(columns={row: "row", column: "column", value: "value"})
    if cells.empty or cells.duplicated(["row", "column"]).any():
        raise LabError(f"figure {name}: every pair of {row} and {column} must occur once; select or summarise first")
    data = marks.table([cells], COLUMNS)
    draw = partial(
        _draw,
        data,
        unit=unit,
        label=label,
        row_label=row_label,
        column_label=column_label,
        names=names,
        from_zero=from_zero,
    )
    ends = [
        f"{quantity(data.loc[at, 'value'], unit)} at {data.loc[at, 'row']} by {data.loc[at, 'column']}"
        for at in (data["value"].idxmin(), data["value"].idxmax())
    ]
    gaps = _missing(*_grid(data, names))
    gaps = f" {gaps.sum():,} of {len(data) + gaps.sum():,} cells were not measured." if gaps.any() else ""
    alt = alt or f"{label} by {row_label.lower()} and {column_label.lower()}: from {ends[0]} to {ends[1]}.{gaps}"
    return Figure(name, alt, data, draw)


def _draw(data, theme: Theme, *, unit, label, row_label, column_label, names, from_zero) -> Drawing:
    grid, sides = _grid(data, names)
    finite = grid[np.isfinite(grid)]
    log = units.spans_decades(finite)
    norm = (LogNorm if log else Normalize)(0 if from_zero and not log else finite.min(), finite.max())
    colours = matplotlib.colormaps["cividis"]
    rows_inches = max(min(CELL_INCHES * len(sides[0]), MOST_INCHES), 0.9)
    high, wide = rows_inches / len(sides[0]), WIDE_INCHES / len(sides[1])
    figure = layout.canvas(rows_inches + 0.9)
    ax = figure.subplots()
    mesh = ax.pcolormesh(
        grid,
        cmap=colours,
        norm=norm,
        edgecolors=theme.background,
        linewidth=min(1.5, 5 * high),
        rasterized=grid.size > marks.RASTERISE_FROM,
    )
    handles = _hatch(ax, grid, sides, theme)
    texts = {at: short(number, unit, finite.max()) for at, number in np.ndenumerate(grid) if np.isfinite(number)}
    if high >= TEXT_INCHES and wide >= 1.1 * _widest(figure, texts.values()):
        for (i, j), words in texts.items():
            dark = np.dot(colours(norm(grid[i, j]))[:3], (0.3, 0.6, 0.1)) < 0.5
            ax.text(
                j + 0.5,
                i + 0.5,
                words,
                ha="center",
                va="center",
                fontsize=TEXT_SIZE,
                color=ON_DARK if dark else ON_LIGHT,
            )
    for axis, labels, cell, room in (
        (ax.xaxis, sides[1].values(), wide, 1.6 * _widest(figure, sides[1].values())),
        (ax.yaxis, sides[0].values(), high, TEXT_INCHES),
    ):
        step = next(2**power for power in range(len(labels)) if 2**power * cell >= room or 2**power >= len(labels))
        axis.set_ticks(np.arange(len(labels))[::step] + 0.5, list(labels)[::step])
    ax.set(xlabel=column_label, ylabel=row_label)
    ax.invert_yaxis()
    ax.grid(False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = figure.colorbar(mesh, ax=ax, aspect=30, pad=0.02, use_gridspec=False)
    bar.outline.set_visible(False)
    units.scale(bar.ax.yaxis, finite, unit, label, log=log, inches=figure.get_figheight())
    bar.ax.set_ylim(norm.vmin, norm.vmax)
    return figure, handles


def _grid(data: pd.DataFrame, names) -> tuple[np.ndarray, list[dict[Any, str]]]:
    """The values by row and column, NaN where there is none, and the labels of both sides in order."""
    sides = [_order(data[side], names) for side in ("row", "column")]
    table = data.pivot(index="row", columns="column", values="value").reindex(list(sides[0]), columns=list(sides[1]))
    return table.to_numpy(float), sides


def _missing(grid: np.ndarray, sides: list[dict[Any, str]]) -> np.ndarray:
    """Which cells have no value and could have one."""
    same = np.eye(len(grid), dtype=bool) if list(sides[0]) == list(sides[1]) else False
    return ~np.isfinite(grid) & ~same


def _hatch(ax: Axes, grid: np.ndarray, sides: list[dict[Any, str]], theme: Theme) -> list[Patch]:
    """Hatch the missing cells; returns the legend's entry for them, if there are any."""
    missing = _missing(grid, sides)
    if not missing.any():
        return []
    look = {"facecolor": "none", "edgecolor": (theme.muted, 0.5), "hatch": "/////", "linewidth": 0}
    # One path for all: a hatch starts anew in every patch, and would not run on from cell to cell.
    corners = [np.array([(j, i), (j + 1, i), (j + 1, i + 1), (j, i + 1), (j, i)]) for i, j in np.argwhere(missing)]
    ax.add_patch(PathPatch(Path.make_compound_path(*map(Path, corners)), zorder=0.9, **look))
    known = np.isfinite(grid).sum()
    return [Patch(label=f"not measured ({missing.sum():,} of {known + missing.sum():,})", **look)]


def _widest(figure: Canvas, texts: Iterable[str]) -> float:
    """Width of the longest text in inches."""
    return layout.text_width(figure, max(texts, key=len), TEXT_SIZE)


def _order(found: pd.Series, names) -> dict[Any, str]:
    if pd.api.types.is_numeric_dtype(found):
        return {one: f"{one:g}" for one in sorted(found.unique())}
    known = style.labels(names, found)
    return {one: text for one, text in known.items() if one in set(found)}
