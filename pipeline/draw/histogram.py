"""Histogram: the share of values by value, bins of one width on a logarithmic axis; a step line per series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.marks import Nothing
from pipeline.draw.style import Theme
from pipeline.words.numbers import counted, quantity

COLUMNS = ["panel", "series", "low", "high", "count", "value", "samples"]
MOST = 6  # panels
TAILS = 1e-4  # the share of all values at each end that does not stretch the axis


def histogram(
    bins: pd.DataFrame,
    *,
    name: str,
    label: str,
    unit: str = "ns",
    names: Mapping[str, str] | Iterable[str] | None = None,
    alt: str = "",
) -> Figure:
    """bins: columns panel, series, low, high (in the unit) and count (`pipeline.analyse.bins`), the bins of all panels
    of one width. names: order and labels of the series. Nothing where no value was recorded."""
    if bins.empty or not bins["count"].sum():
        raise Nothing(f"figure {name}: no value to draw")
    order = list(dict.fromkeys(bins["panel"]))[:MOST]
    bins = bins[bins["panel"].isin(order)]
    samples = bins.groupby(["panel", "series"])["count"].transform("sum")
    data = marks.table([bins.assign(value=100 * bins["count"] / samples, samples=samples)], COLUMNS)
    series = style.labels(names, data["series"])
    return Figure(
        name,
        alt or _alt(data, order, unit, label, series),
        data,
        partial(_draw, data, order, unit=unit, label=label, series=series),
    )


def _draw(
    data: pd.DataFrame, order: list[str], theme: Theme, *, unit: str, label: str, series: Mapping[str, str]
) -> Drawing:
    columns = 1 if len(order) == 1 else 2
    figure, axes = layout.panels(len(order), height=3.0 if columns == 1 else 2.4, columns=columns)
    looks = style.looks(series)
    low, high = _ends(data)
    units.scale(axes[0].xaxis, [low, high], unit, label, log=True, inches=6.5 / columns)
    words = axes[0].get_xlabel()
    for ax, panel in zip(axes, order, strict=True):
        ax.set_title(panel)
        ax.set_xlabel(words)
        ax.set_ylabel("Share of values (%)")
        for one in series:
            rows = data[(data["panel"] == panel) & (data["series"] == one)].sort_values("low", kind="stable")
            if rows.empty:
                continue
            x = np.r_[rows["low"], rows["high"].iloc[-1]]
            y = np.r_[rows["value"], 0.0]
            colour = looks[one].colour(theme)
            ax.fill_between(x, y, step="post", color=colour, alpha=0.12, linewidth=0)
            ax.step(x, y, where="post", color=colour, linestyle=looks[one].line, linewidth=1.2, label=one)
        ax.set_ylim(bottom=0)
    axes[0].set_xlim(low, high)
    layout.outer_labels(axes)
    present = set(data["series"])
    return figure, [marks.key(text, looks[one], theme) for one, text in series.items() if one in present]


def _ends(data: pd.DataFrame) -> tuple[float, float]:
    """The ends of the axis: nearly all values of each series lie between them."""
    ends = []
    for _, rows in data.groupby(["panel", "series"]):
        rows = rows.sort_values("low", kind="stable")
        share = rows["count"].cumsum() / rows["count"].sum()
        first = rows["low"][share > TAILS].iloc[0]
        ends.append((first, rows["high"][share >= 1 - TAILS].iloc[0]))
    return min(low for low, _ in ends), max(high for _, high in ends)


def _alt(data: pd.DataFrame, order: list[str], unit: str, label: str, series: Mapping[str, str]) -> str:
    parts = []
    for panel in order:
        for one in series:
            rows = data[(data["panel"] == panel) & (data["series"] == one)]
            if len(rows):
                peak = rows.loc[rows["value"].idxmax()]
                where = f"{quantity(peak['low'], unit)} to {quantity(peak['high'], unit)}"
                head = ", ".join(part for part in (panel, series[one]) if part)
                parts.append(f"{head} ({counted(int(rows['samples'].iloc[0]), 'value')}): most often {where}")
    return f"{label}: how the values are distributed. {'; '.join(parts)}."
