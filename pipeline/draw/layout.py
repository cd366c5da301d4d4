"""Panels, and the strips around them: a title above, the legend and the footer below, never over the data."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine

from pipeline.draw.style import Theme

WIDTH = 7.0  # inches: 700 px, the column of a blog
MARGIN = 0.09
FOOTER_KEYS = ("host", "date", "run", "profile", "git", "so_far")
ALONE = ("host", "date", "so_far")  # of them those that say what they are


def canvas(height: float) -> Canvas:
    """An empty figure of the blog's width, drawn without any global state."""
    figure = Canvas(figsize=(WIDTH, height))
    FigureCanvasAgg(figure)
    return figure


def panels(count: int, *, height: float = 2.5, columns: int = 3, share_y: bool = True) -> tuple[Canvas, list[Axes]]:
    """`count` small multiples with common axes, each row `height` inches; four go two by two."""
    columns = 2 if count == 4 and columns > 1 else min(count, columns)
    rows = math.ceil(count / columns)
    figure = canvas(rows * height)
    grid = figure.subplots(rows, columns, sharex=True, sharey=share_y, squeeze=False)
    for column in range(columns):
        used = [row for row in range(rows) if row * columns + column < count]
        grid[used[-1], column].tick_params(labelbottom=True)
    for axes in grid.flat[count:]:
        axes.set_axis_off()
    return figure, list(grid.flat[:count])


def outer_labels(axes: Sequence[Axes]) -> None:
    """Keep the y label on the first column and the x label on the lowest panel of every column."""
    lowest = {one.get_subplotspec().colspan.start: one for one in axes}
    for one in axes:
        if one.get_subplotspec().colspan.start:
            one.set_ylabel("")
        if one is not lowest[one.get_subplotspec().colspan.start]:
            one.set_xlabel("")


def footer(provenance: dict[str, Any]) -> str:
    """host · date · run · profile · git · how far measuring has come, of what is known."""
    known = [(key, str(provenance[key])) for key in FOOTER_KEYS if provenance.get(key)]
    return " · ".join(value if key in ALONE else f"{key} {value}" for key, value in known)


def finish(
    figure: Canvas, theme: Theme, *, title: str, handles: Sequence[Artist], provenance: dict[str, Any]
) -> Canvas:
    """Add the strips and make the figure higher by as much, so that the panels keep their size.

    The legend takes as many columns as fit the width.
    """
    body = figure.get_figheight()
    heading = figure.text(0, 0, _wrap(title, 84), fontsize=11, fontweight="bold", va="top")
    line = figure.text(0, 0, _wrap(footer(provenance), 118), fontsize=7, color=theme.muted, va="bottom")
    legend = _legend(figure, handles) if handles else None
    heights = [_inches(figure, artist)[1] if artist else 0.0 for artist in (heading, legend, line)]
    top, middle, bottom = (height + MARGIN if height else 0.0 for height in heights)
    below = bottom + middle + MARGIN
    total = body + top + below
    figure.set_figheight(total)
    heading.set_position((MARGIN / WIDTH, 1 - MARGIN / total))
    line.set_position((MARGIN / WIDTH, MARGIN / total))
    if legend:
        legend.set_bbox_to_anchor((MARGIN / WIDTH, (bottom + MARGIN) / total), transform=figure.transFigure)
    _settle(figure, (0, below / total, 1, body / total))
    return figure


def _settle(figure: Canvas, rect: tuple[float, float, float, float]) -> None:
    """Lay the panels out within `rect` once and for all, to a ten-thousandth of the figure.

    The solver behind the layout orders its equations by memory addresses, so the last bits of a position differ from
    process to process, and with them the identifiers inside an SVG. The figure itself has no layout engine: saving it
    would draw it an extra time for the engine.
    """
    ConstrainedLayoutEngine(rect=rect).execute(figure)
    for axes in figure.axes:
        axes.set_position([round(edge, 4) for edge in axes.get_position(original=True).bounds])


def text_width(figure: Canvas, words: str, size: float) -> float:
    """Width of a line of text in inches."""
    artist = figure.text(0, 0, words, fontsize=size)
    width = _inches(figure, artist)[0]
    artist.remove()
    return width


def _legend(figure: Canvas, handles: Sequence[Artist]):
    for columns in range(min(len(handles), 5), 0, -1):
        legend = figure.legend(handles=list(handles), loc="lower left", ncols=columns)
        if columns == 1 or _inches(figure, legend)[0] <= WIDTH - 2 * MARGIN:
            return legend
        legend.remove()


def _inches(figure: Canvas, artist: Artist) -> np.ndarray:
    if getattr(artist, "get_text", lambda: "x")() == "":
        return np.zeros(2)
    return artist.get_window_extent(figure.canvas.get_renderer()).size / figure.dpi


def _wrap(words: str, columns: int) -> str:
    return "\n".join(textwrap.wrap(words, columns))
