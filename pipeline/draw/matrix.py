"""Matrix: a value by two ordinal axes, the number in every cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure as Canvas

from pipeline.draw import layout, marks, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.matrix_grid import Grid, Groups
from pipeline.draw.style import Theme
from pipeline.ground.errors import LabError
from pipeline.words.numbers import quantity, short

COLUMNS = ["row", "column", "value"]
CELL_INCHES = 0.36
MOST_INCHES = 5.3  # height of all rows: with more of them each is lower, and of as many columns cells are square
WIDE_INCHES = layout.WIDTH - 1.3  # about what axis label, ticks and the bar of colours leave for the columns
TEXT_SIZE, TEXT_INCHES = 8, 0.17  # points of a number in a cell, and the height it needs there
EDGE_INCHES = 0.12  # a lower cell has no edge: the edges of many would be what one sees
ON_LIGHT, ON_DARK = "#000000", "#fefefe"  # of no theme: cells have the same colours in all
# Of so many cells the few greatest, beyond so many times what all but a hundredth have, do not stretch the colours.
MANY, FEW, FAR = 100, 0.01, 1.5


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
    groups: Groups | None = None,
    from_zero: bool = False,
    alt: str = "",
) -> Figure:
    """A heat map of `value` by the columns `row` and `column` of a table; a missing cell is hatched, and the legend
    counts them. Where rows and columns are the same things, the diagonal is left empty: nothing was missed there. Of
    many things of which one alone was paired with the others, the two rows are that one with them, both ways.

    names: order and labels of text rows and columns; numbers are sorted. groups: what the legend calls where a group
    begins (`next package`) -> of rows and columns the group, the widest first: lines lie between those of different
    groups. The colours (cividis) grow in lightness only, so they survive print and every kind of colour vision; a few
    values far beyond all others do not stretch them, and the legend tells them. from_zero: a linear scale of colours
    begins at 0, so that close values look close, instead of at the least value. Numbers are left out of cells too small
    for them, and so are all tick labels but every second, fourth ... where they would touch. LabError when a pair
    occurs twice.
    """
    cells = values.rename(columns={row: "row", column: "column", value: "value"})
    if cells.empty or cells.duplicated(["row", "column"]).any():
        raise LabError(f"figure {name}: every pair of {row} and {column} must occur once; select or summarise first")
    data = marks.table([cells], COLUMNS)
    grid = Grid.star(data, names, (row_label, column_label)) or Grid.of(data, names)
    draw = partial(
        _draw,
        grid,
        unit=unit,
        label=label,
        row_label=row_label,
        column_label=column_label,
        groups=groups or {},
        from_zero=from_zero,
    )
    ends = [
        f"{quantity(data.loc[at, 'value'], unit)} at {data.loc[at, 'row']} by {data.loc[at, 'column']}"
        for at in (data["value"].idxmin(), data["value"].idxmax())
    ]
    possible = grid.possible
    gaps = f" {possible - len(data):,} of {possible:,} cells were not measured." if possible > len(data) else ""
    lines = " and ".join(f"the {word}" for word in grid.borders(groups or {}))
    lines = f" Lines show where {lines} begins." if lines else ""
    alt = alt or f"{label} by {row_label.lower()} and {column_label.lower()}: from {ends[0]} to {ends[1]}.{lines}{gaps}"
    return Figure(name, alt, data, draw)


def _draw(grid: Grid, theme: Theme, *, unit, label, row_label, column_label, groups, from_zero) -> Drawing:
    finite = grid.values[np.isfinite(grid.values)]
    top = most(finite)
    shown = finite[finite <= top]
    log = units.spans_decades(shown)
    norm = (LogNorm if log else Normalize)(0 if from_zero and not log else shown.min(), top)
    colours = matplotlib.colormaps["cividis"]
    rows_inches = max(min(CELL_INCHES * len(grid.rows), MOST_INCHES), 0.9)
    high, wide = rows_inches / len(grid.rows), WIDE_INCHES / len(grid.columns)
    figure = layout.canvas(rows_inches + 0.9)
    ax = figure.subplots()
    mesh = ax.pcolormesh(
        grid.values,
        cmap=colours,
        norm=norm,
        edgecolors=theme.background if min(high, wide) >= EDGE_INCHES or grid.of_one else "none",
        linewidth=min(1.5, 5 * min(high, wide)),
        rasterized=grid.values.size > marks.RASTERISE_FROM,
    )
    handles: list[Artist] = [*grid.hatch(ax, theme), *grid.part(ax, groups, theme)]
    if len(shown) < len(finite):
        share = f"{len(finite) - len(shown):,} of {len(finite):,}"
        beyond = f"beyond the colours ({share}): up to {quantity(finite.max(), unit)}"
        handles.append(marks.patch_key(beyond, matplotlib.colors.to_hex(colours(1.0))))
    texts = {at: short(number, unit, finite.max()) for at, number in np.ndenumerate(grid.values) if np.isfinite(number)}
    if high >= TEXT_INCHES and wide >= 1.1 * _widest(figure, texts.values()):
        for (i, j), words in texts.items():
            dark = np.dot(colours(norm(grid.values[i, j]))[:3], (0.3, 0.6, 0.1)) < 0.5
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
        (ax.xaxis, grid.columns.values(), wide, 1.6 * _widest(figure, grid.columns.values())),
        (ax.yaxis, grid.rows.values(), high, TEXT_INCHES),
    ):
        step = next(2**power for power in range(len(labels)) if 2**power * cell >= room or 2**power >= len(labels))
        axis.set_ticks(np.arange(len(labels))[::step] + 0.5, list(labels)[::step])
    ax.set(
        xlabel=f"{column_label} / {row_label}" if grid.of_one else column_label, ylabel="" if grid.of_one else row_label
    )
    ax.invert_yaxis()
    ax.grid(False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    more = {"extend": "max"} if len(shown) < len(finite) else {}
    bar = figure.colorbar(mesh, ax=ax, aspect=30, pad=0.02, use_gridspec=False, **more)
    bar.outline.set_visible(False)
    units.scale(bar.ax.yaxis, shown, unit, label, log=log, inches=figure.get_figheight())
    bar.ax.set_ylim(norm.vmin, norm.vmax)
    return figure, handles


def most(finite: np.ndarray) -> float:
    """The greatest value that has a colour of its own."""
    usual = FAR * np.quantile(finite, 1 - FEW) if len(finite) >= MANY else np.inf
    return float(finite[finite <= usual].max())


def _widest(figure: Canvas, texts: Iterable[str]) -> float:
    """Width of the longest text in inches."""
    return layout.text_width(figure, max(texts, key=len), TEXT_SIZE)
