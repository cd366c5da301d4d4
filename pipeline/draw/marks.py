"""The marks all kinds share: trials as points, medians with intervals, published values in hollow grey."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pipeline.draw.style import Look, Theme
from pipeline.ground.errors import LabError


class Nothing(LabError):
    """What a figure is to show was not measured: there is nothing wrong with it, and nothing to draw."""


ELSEWHERE = "elsewhere"  # in place of whether a trial is noisy: it was in another state of the CPUs than counts
CROSS = "x"  # the mark of such a trial
# A point is about 200 bytes of SVG: beyond this many they are drawn as pixels, and the file stays small.
RASTERISE_FROM = 500
NUMBERS = {"x", "y", "start", "end", "value", "low", "high", "before", "after", "percentile", "position", "height"}
NUMBERS |= {"level", "p", "samples", "trials", "count"}


def table(rows: Iterable[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    """All marks of a figure as one table, sorted, so that the order of the input cannot change a byte.

    Columns of numbers are such also where none of their rows has one: Matplotlib takes no others.
    """
    frames = [frame.reindex(columns=columns) for frame in rows if len(frame)]
    every = pd.concat(frames)
    bare = [name for name in columns if name in NUMBERS and not pd.api.types.is_numeric_dtype(every[name])]
    every = every.astype(dict.fromkeys(bare, float))
    return every.sort_values(columns, kind="stable", ignore_index=True, key=_sortable)


def _sortable(values: pd.Series) -> pd.Series:
    """A column; one that has ELSEWHERE next to truths as text."""
    return values.astype(str) if values.name == "noisy" and values.eq(ELSEWHERE).any() else values


def crowded(data: pd.DataFrame) -> bool:
    """Whether a figure's table has so many trials that they are drawn as pixels."""
    return bool((data["mark"] == "trial").sum() > RASTERISE_FROM)


def select(frame: pd.DataFrame, metric: str | Iterable[str], figure: str, needs: Iterable[str] = ()) -> pd.DataFrame:
    """The rows of a metric, or of several, that have a value in the columns `needs` (an axis a variant was not swept
    over is empty).

    LabError that lists the known metrics when there is none of one; Nothing where it has no such value.
    """
    found = []
    for one in [metric] if isinstance(metric, str) else metric:
        rows = frame[frame["metric"] == one]
        found.append(rows.dropna(subset=list(needs)))
        if len(rows) and found[-1].empty:
            raise Nothing(f"figure {figure}: the metric {one!r} has no value with {' and '.join(needs)}")
        if rows.empty:
            known = ", ".join(sorted(frame["metric"].unique())) or "none: the table is empty"
            raise LabError(f"figure {figure}: no value of the metric {one!r}; the table has: {known}")
    return pd.concat(found)


def trials(
    axes: Axes, x, y, noisy, look: Look, theme: Theme, *, size: float = 3.2, raster: bool = False, alpha=None
) -> None:
    """Every trial as a point: hollow where `noisy` is true, a cross where it is ELSEWHERE. alpha: in place of their
    usual ones."""
    x, y, noisy = np.asarray(x, float), np.asarray(y, float), np.asarray(noisy, object)
    elsewhere = np.array([one == ELSEWHERE for one in noisy], bool)
    hollow = noisy.astype(bool) & ~elsewhere
    colour = look.colour(theme)
    common = {"linestyle": "none", "marker": look.marker, "markersize": size, "rasterized": raster, "zorder": 2.5}
    edge = {"markerfacecolor": "none", "markeredgecolor": colour, "markeredgewidth": 0.7, "alpha": alpha or 0.8}
    ways = {
        "trial": (~hollow & ~elsewhere, {"markerfacecolor": colour, "markeredgewidth": 0, "alpha": alpha or 0.45}),
        "noisy": (hollow, edge),
        ELSEWHERE: (elsewhere, edge | {"marker": CROSS}),
    }
    for label, (which, how) in ways.items():
        if which.any():
            axes.plot(x[which], y[which], label=label, **common | how)


def published(axes: Axes, x, y, theme: Theme, *, marker: str, line="none", size: float = 6) -> None:
    """Published values: hollow and grey."""
    axes.plot(
        x,
        y,
        label="published",
        color=theme.muted,
        linestyle=line,
        linewidth=1,
        marker=marker,
        markersize=size,
        markerfacecolor="none",
        markeredgewidth=1.1,
        zorder=3,
    )


def interval(
    axes: Axes, x, y, low, high, look: Look, theme: Theme, *, line="none", along: str = "y", **differing
) -> None:
    """Medians, joined by `line`, with their intervals as bars along one axis; `differing` of Matplotlib's errorbar."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    value = y if along == "y" else x
    # An interval is about its estimate; NaN (too few trials) leaves the mark without a bar.
    bars = np.vstack([value - np.asarray(low, float), np.asarray(high, float) - value]).clip(min=0)
    colour = look.colour(theme)
    usual = {"label": "estimate", "color": colour, "linestyle": line, "marker": look.marker, "zorder": 4}
    usual |= {"markeredgecolor": theme.background, "markeredgewidth": 0.6, "elinewidth": 1.6}
    axes.errorbar(x, y, **{f"{along}err": bars}, **usual | differing)


def key(label: str, look: Look, theme: Theme, *, line: bool = True) -> Line2D:
    """Legend entry of a series."""
    return Line2D(
        [],
        [],
        color=look.colour(theme),
        linestyle=look.line if line else "none",
        marker=look.marker,
        markeredgecolor=theme.background,
        markeredgewidth=0.6,
        label=label,
    )


def trial_keys(theme: Theme, noisy: pd.Series, noun: str = "trial") -> list[Artist]:
    """Legend entries of the points: one trial (or block), and one of each doubt that is there (see `trials`)."""
    common = {"color": theme.text, "linestyle": "none", "marker": "o", "markersize": 3.6}
    keys = [Line2D([], [], alpha=0.55, markeredgewidth=0, label=f"one {noun}", **common)]
    edge = {"markerfacecolor": "none", "markeredgewidth": 0.8}
    doubts = {f"{noun} on a noisy host": (True, {}), f"{noun} in another state": (ELSEWHERE, {"marker": CROSS})}
    for label, (doubt, how) in doubts.items():
        if noisy.eq(doubt).any():
            keys.append(Line2D([], [], label=label, **common | edge | how))
    return keys


def published_key(label: str, theme: Theme, *, marker: str = "o", line="none") -> Line2D:
    """Legend entry of published values."""
    return Line2D(
        [],
        [],
        color=theme.muted,
        linestyle=line,
        linewidth=1,
        marker=marker,
        markersize=6,
        markerfacecolor="none",
        markeredgewidth=1.1,
        label=label,
    )


def patch_key(label: str, colour: str, alpha: float = 1.0) -> Patch:
    """Legend entry of an area."""
    return Patch(facecolor=colour, alpha=alpha, edgecolor="none", label=label)


def total_key(label: str, theme: Theme) -> Line2D:
    """Legend entry of a whole beside its parts."""
    return Line2D([], [], color=theme.text, linestyle="none", marker="D", markersize=4.5, label=label)
