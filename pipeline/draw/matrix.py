"""Matrix: a value by two ordinal axes, the number in every cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure as Canvas

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Figure
from pipeline.draw.style import Theme
from pipeline.errors import LabError

COLUMNS = ["row", "column", "value"]
CELL_INCHES = 0.36
ON_LIGHT, ON_DARK = "#000000", "#fefefe"  # of no theme: cells have the same colours in all


def matrix(
    values: pd.DataFrame, *, name: str, row: str, column: str, value: str = "value", unit: str, label: str,
    row_label: str, column_label: str, names: Mapping[str, str] | Iterable[str] | None = None, from_zero: bool = False,
    title: str = "", caption: str = "", alt: str = "", provenance: Mapping[str, Any] | None = None,
) -> Figure:  # fmt: skip
    """A heat map of `value` by the columns `row` and `column` of a table; a missing pair is left empty.

    names: order and labels of text rows and columns; numbers are sorted. The colours (cividis) grow in lightness only,
    so they survive print and every kind of colour vision. from_zero: a linear scale of colours begins at 0, so that
    close values look close, instead of at the least value. LabError when a pair occurs twice.
    """
    cells = values.rename(columns={row: "row", column: "column", value: "value"})
    if cells.empty or cells.duplicated(["row", "column"]).any():
        raise LabError(f"figure {name}: every pair of {row} and {column} must occur once; select or summarise first")
    data = marks.table([cells], COLUMNS)
    draw = partial(_draw, data, unit=unit, label=label, row_label=row_label, column_label=column_label, names=names,
                   from_zero=from_zero, title=title, provenance=dict(provenance or {}))  # fmt: skip
    ends = [f"{units.text(data.loc[at, 'value'], unit)} at {data.loc[at, 'row']} by {data.loc[at, 'column']}"
            for at in (data["value"].idxmin(), data["value"].idxmax())]  # fmt: skip
    alt = alt or f"{label} by {row_label.lower()} and {column_label.lower()}: from {ends[0]} to {ends[1]}."
    return Figure(name, alt, caption, data, dict(provenance or {}), draw, title)


def _draw(data, theme: Theme, *, unit, label, row_label, column_label, names, from_zero, title, provenance) -> Canvas:
    sides = [_order(data[side], names) for side in ("row", "column")]
    table = data.pivot(index="row", columns="column", values="value").reindex(list(sides[0]), columns=list(sides[1]))
    grid = table.to_numpy(float)
    finite = grid[np.isfinite(grid)]
    log = units.spans_decades(finite)
    norm = (LogNorm if log else Normalize)(0 if from_zero and not log else finite.min(), finite.max())
    colours = matplotlib.colormaps["cividis"]
    figure = layout.canvas(max(CELL_INCHES * len(sides[0]) + 0.9, 1.8))
    ax = figure.subplots()
    mesh = ax.pcolormesh(grid, cmap=colours, norm=norm, edgecolors=theme.background, linewidth=1.5)
    for (i, j), number in np.ndenumerate(grid):
        if np.isfinite(number):
            dark = np.dot(colours(norm(number))[:3], (0.3, 0.6, 0.1)) < 0.5
            ax.text(j + 0.5, i + 0.5, units.short(number, unit, finite.max()), ha="center", va="center", fontsize=8,
                    color=ON_DARK if dark else ON_LIGHT)  # fmt: skip
    ax.set_xticks(np.arange(len(sides[1])) + 0.5, list(sides[1].values()))
    ax.set_yticks(np.arange(len(sides[0])) + 0.5, list(sides[0].values()))
    ax.set(xlabel=column_label, ylabel=row_label)
    ax.invert_yaxis()
    ax.grid(False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = figure.colorbar(mesh, ax=ax, aspect=30, pad=0.02, use_gridspec=False)
    bar.outline.set_visible(False)
    units.scale(bar.ax.yaxis, finite, unit, label, log=log, inches=figure.get_figheight())
    bar.ax.set_ylim(norm.vmin, norm.vmax)
    return layout.finish(figure, theme, title=title, handles=[], provenance=provenance)


def _order(found: pd.Series, names) -> dict[Any, str]:
    if pd.api.types.is_numeric_dtype(found):
        return {one: f"{one:g}" for one in sorted(found.unique())}
    known = style.labels(names, found)
    return {one: text for one, text in known.items() if one in set(found)}
