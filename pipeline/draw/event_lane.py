"""Rows for the labels of events beside a timeline, so that no two of them touch."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure as Canvas

from pipeline.draw import layout

# kind of an event -> its marker and its name
MARKERS = {
    "compile": ("^", "compiled"),
    "compile_osr": ("v", "compiled while running (OSR)"),
    "made_not_entrant": ("X", "made not entrant"),
}
TEXT_POINTS = 7.5
MARK_INCHES = 0.06
MOST_ROWS = 9


@dataclass(frozen=True)
class Mark:
    x: float
    row: int
    kind: str
    text: str
    text_x: float
    left: bool


@dataclass(frozen=True)
class Lane:
    marks: list[Mark]
    rows: int


def lane(figure: Canvas, events: pd.DataFrame, inch: float, right: float) -> Lane:
    """Give every event the first row in which its mark and label touch nothing.

    events: columns x, series (the kind), text, count. inch: units of the axis per inch; right: the axis' end, before
    which a label goes to the left of its mark. What finds no room in nine rows is marked in a tenth, without labels.
    """
    taken: list[list[tuple[float, float]]] = []
    placed = []
    for one in events.sort_values(["x", "series", "text"]).itertuples():
        text = one.text + (f" ×{int(one.count)}" if one.count > 1 else "")
        mark, width = MARK_INCHES * inch, (layout.text_width(figure, text, TEXT_POINTS) + 0.05) * inch
        left = one.x + mark + width > right
        need = (one.x - mark - width, one.x + mark) if left else (one.x - mark, one.x + mark + width)
        row = next((at for at, spans in enumerate(taken) if _free(spans, need)), len(taken))
        if row >= MOST_ROWS:
            row, text = MOST_ROWS, ""
        else:
            taken += [[]] if row == len(taken) else []
            taken[row].append(need)
        placed.append(Mark(one.x, row, one.series, text, one.x + (-mark if left else mark) * 1.1, left))
    return Lane(placed, max((one.row + 1 for one in placed), default=0))


def _free(spans: list[tuple[float, float]], need: tuple[float, float]) -> bool:
    return all(need[1] < low or need[0] > high for low, high in spans)
