"""Shift function: after / before at every percentile, on an axis that gives every further nine the same room."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from pipeline.draw import layout, marks
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.percentile import nines, position
from pipeline.draw.ratios import ratio_ticks
from pipeline.draw.style import Look, Theme
from pipeline.ground.errors import LabError
from pipeline.words.numbers import ratio

COLUMNS = ["panel", "percentile", "value", "low", "high", "before", "after"]
TOLD = (50.0, 90.0, 99.0, 99.9, 99.99)


def shift_curve(data: pd.DataFrame, *, name: str, label: str, margin: float, alt: str = "") -> Figure:
    """A panel per configuration: the ratio by percentile with its band.

    data: columns panel and those of `pipeline.analyse.shift`. margin: 0.05 shades what counts as the same within 5 %.
    LabError when it is empty.
    """
    if data.empty:
        raise LabError(f"figure {name}: no histogram on both sides; check the selection")
    order = list(dict.fromkeys(data["panel"]))
    data = marks.table([data], COLUMNS)
    return Figure(name, alt or _alt(data, label, order), data, partial(_draw, data, order, label=label, margin=margin))


def _draw(data: pd.DataFrame, order: list[str], theme: Theme, *, label: str, margin: float) -> Drawing:
    figure, axes = layout.panels(len(order), height=2.4 if len(order) > 1 else 3.2, columns=2)
    reach = max(float(position(data["percentile"]).max()), 0.3)
    colour = Look(0).colour(theme)
    for ax, panel in zip(axes, order, strict=True):
        rows = data[data["panel"] == panel].sort_values("percentile", kind="stable")
        x = position(rows["percentile"])
        ax.set_title(panel)
        ax.set_yscale("log")
        ax.axhspan(1 / (1 + margin), 1 + margin, color=theme.shade, linewidth=0, zorder=0)
        ax.axhline(1, color=theme.text, linewidth=1, zorder=1)
        ax.fill_between(x, rows["low"], rows["high"], color=colour, alpha=0.22, linewidth=0, label="band")
        ax.plot(x, rows["value"], color=colour, linewidth=1.8, label="shift")
        ax.set_ylabel(label)
        ax.set_xlabel("Percentile")
    # By the curve: bands of a tail may span decades, and would flatten what there is to see.
    ratio_ticks(axes[0], np.r_[data["value"], 1 / (1 + margin), 1 + margin], "y")
    nines(axes[0], reach, 5.6 / min(len(order), 2))
    layout.outer_labels(axes)
    handles = [Line2D([], [], color=colour, linewidth=1.8, label="all trials' samples together")]
    if data["low"].notna().any():
        handles.append(marks.patch_key("95 % of resampled trials", colour, 0.22))
    return figure, [*handles, marks.patch_key(f"within {100 * margin:g} %", theme.shade)]


def _alt(data: pd.DataFrame, label: str, order: list[str]) -> str:
    parts = []
    for panel in order:
        rows = data[(data["panel"] == panel) & data["percentile"].isin(TOLD)].sort_values("percentile", kind="stable")
        said = ", ".join(f"{ratio(row.value)} at {row.percentile:.7g} %" for row in rows.itertuples())
        parts.append(f"{panel}: {said}")
    return f"{label} by percentile. {'; '.join(parts)}."
