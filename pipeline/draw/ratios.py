"""Paired ratios: a forest plot of ratios with their intervals against 1."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from pipeline.catalogue.selectors import runtime_label
from pipeline.draw import layout, marks
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.style import Look, Theme
from pipeline.ground.errors import LabError
from pipeline.models import multiplicity
from pipeline.words.numbers import ratio, shortfall

COLUMNS = ["mark", "panel", "position", "label", "value", "low", "high", "level", "trials", "p", "stands"]
COLUMNS += ["block", "noisy", "source"]
ROW_INCHES = 0.38
BELOW = 0.27  # rows by which blocks and published ratios are drawn below their estimate
# Of a decade, from coarse to fine.
TICKS = ((1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.1, 1.2, 1.4, 1.6, 2, 2.5, 3, 4, 5, 6, 7, 8, 9))
CLEAR = Look(0)
# What an interval says of 1 by shape, ink and fill, so that black and white tells it too.
STANDS, EXCLUDES, INCLUDES, UNKNOWN = "stands", "excludes", "includes", "unknown"
WORDS = {
    STANDS: "median; its interval excludes 1",
    EXCLUDES: "excludes 1, but among {count} ratios such a one may come by chance",
    INCLUDES: "includes 1: no difference shown",
    UNKNOWN: "too few blocks for an interval",
}


def paired_ratios(
    ratios: pd.DataFrame,
    *,
    name: str,
    label: str = "Ratio",
    points: pd.DataFrame | None = None,
    published: pd.DataFrame | None = None,
    alt: str = "",
) -> Figure:
    """A row per ratio, in the order of the table, with its numbers written beside it.

    ratios: columns label, estimate, low, high, level, trials (pairs), p (of the ratio being 1) and optionally panel;
    every label once per panel. Which differences stand, at most 5 % of them false, is told over all ratios of the
    figure (`pipeline.models.multiplicity`); none stands whose own interval includes 1.
    points: label, block, value, noisy (and panel): the ratio of each block. published: label, value, source
    (and panel).
    LabError when a ratio is not `drawable`.
    """
    if ratios.empty or not drawable(ratios["estimate"]).all():
        raise LabError(f"figure {name}: every ratio must be positive and there must be one; check the table of ratios")
    main = ratios.assign(panel=ratios.get("panel", ""), position=range(len(ratios)), mark="estimate")
    apart = (main["low"] > 1) | (main["high"] < 1)
    main["stands"] = apart & multiplicity.standing(main["p"])
    parts = [main.rename(columns={"estimate": "value"})]
    for mark, frame in (("trial", points), ("published", published)):
        if frame is not None:
            frame = frame.assign(panel=frame.get("panel", ""), mark=mark)
            parts.append(frame.merge(main[["panel", "label", "position"]], on=["panel", "label"]))
    data = marks.table(parts, COLUMNS)
    draw = partial(_draw, data, label=label)
    return Figure(name, alt or _alt(main, label), data, draw)


def drawable(ratios: pd.Series) -> pd.Series:
    """Which have a place on the axis: it is logarithmic, so that 2 and 1/2 are equally far from 1."""
    return ratios.gt(0) & np.isfinite(ratios)


def _draw(data, theme: Theme, *, label) -> Drawing:
    main = data[data["mark"] == "estimate"].sort_values("position", kind="stable")
    panels = {panel: rows for panel, rows in main.groupby("panel", sort=False)}
    figure = layout.canvas(sum(ROW_INCHES * len(rows) + 0.35 for rows in panels.values()) + 0.35)
    grid = figure.subplots(
        len(panels), 1, sharex=True, squeeze=False, height_ratios=[len(rows) + 0.4 for rows in panels.values()]
    )
    says = {row.position: _says(row) for row in main.itertuples()}
    for ax, (panel, rows) in zip(grid[:, 0], panels.items(), strict=True):
        ax.set_title(runtime_label(panel))
        ax.set_xscale("log")
        ax.axvline(1, color=theme.text, linewidth=1, zorder=1)
        for at, row in enumerate(rows.itertuples()):
            _row(ax, at, row, data[data["position"] == row.position], theme, says[row.position])
        ax.set_yticks(range(len(rows)), rows["label"])
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="y", visible=False)
    ratio_ticks(grid[-1, 0], data[["value", "low", "high"]].to_numpy(float).ravel())
    grid[-1, 0].set_xlabel(label)
    there = [one for one in WORDS if one in says.values()]
    handles = [Line2D([], [], label=WORDS[one].format(count=len(main)), **_look(one, theme)) for one in there]
    if (data["mark"] == "trial").any():
        handles += marks.trial_keys(theme, data["noisy"], "block")
    for source in sorted(data.loc[data["mark"] == "published", "source"].unique()):
        handles.append(marks.published_key(f"published: {source}", theme, marker="D"))
    return figure, handles


def _says(row) -> str:
    if math.isnan(row.low):
        return UNKNOWN
    if row.low <= 1 <= row.high:
        return INCLUDES
    return STANDS if row.stands else EXCLUDES


def _look(says: str, theme: Theme) -> dict[str, Any]:
    """Filled: stands; hollow: excludes 1, but not beyond chance; a grey square: includes it; a hollow grey
    circle: there is no interval."""
    colour = theme.muted if says in (INCLUDES, UNKNOWN) else CLEAR.colour(theme)
    look = {"color": colour, "linewidth": 2, "marker": "o", "markersize": 6.5, "markeredgecolor": theme.background}
    if says in (EXCLUDES, UNKNOWN):
        look |= {"markerfacecolor": theme.background, "markeredgecolor": colour, "markeredgewidth": 1.6}
    return look | ({"marker": "s", "markersize": 5} if says == INCLUDES else {})


def _row(ax, at: int, row, mine, theme: Theme, says: str) -> None:
    trials, foreign = mine[mine["mark"] == "trial"], mine[mine["mark"] == "published"]
    marks.trials(ax, trials["value"], [at + BELOW] * len(trials), trials["noisy"], CLEAR, theme, size=3)
    marks.published(ax, foreign["value"], [at + BELOW] * len(foreign), theme, marker="D", size=5.5)
    look = _look(says, theme)
    bar = {"color": look["color"], "linewidth": 2, "solid_capstyle": "butt", "zorder": 3.5, "label": "estimate"}
    ax.plot([row.low, row.high], [at, at], **bar)
    ax.plot(row.value, at, **look, zorder=4)
    words = "  ".join([ratio(row.value), *_between(row), f"n = {row.trials:.0f}"])
    ax.annotate(words, (1.02, at), xycoords=("axes fraction", "data"), va="center", fontsize=8, color=theme.text)


def _between(row) -> list[str]:
    """The interval as it is written, when there is one."""
    if math.isnan(row.low):
        return []
    return [f"[{ratio(row.low)}, {ratio(row.high)}{shortfall(row.level)}]"]


def ratio_ticks(ax, values: np.ndarray, side: str = "x") -> None:
    """Ticks at round ratios on the axis `side`, at least three: finer the closer to 1 all values are."""
    values = values[np.isfinite(values) & (values > 0)]
    low, high = min(values.min(), 1), max(values.max(), 1)
    span = math.log10(high / low)
    margin = 10 ** max(0.06 * span, 0.01)
    start, end = low / margin, high * margin
    getattr(ax, f"set_{side}lim")(start, end)
    if span < 0.15:
        step = next(step for step in (0.01, 0.02, 0.05, 0.1) if (end - start) / step <= 8)
        places = [1 + step * k for k in range(-60, 60) if start <= 1 + step * k <= end]
    else:
        decades = range(math.floor(math.log10(start)), math.ceil(math.log10(end)) + 1)
        stride = max(1, math.ceil(len(decades) / 8))
        for mantissas in ((1,), *TICKS) if span >= 3 else TICKS:
            every = [m * 10.0**k for k in decades if k % stride == 0 for m in mantissas]
            places = [place for place in every if start <= place <= end]
            if len(places) >= 3:
                break
    axis = getattr(ax, f"{side}axis")
    axis.set_major_locator(FixedLocator(places))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.4g}"))


def _alt(main, label) -> str:
    said = [
        " ".join([f"{row.panel} {row.label}:".strip(), ratio(row.estimate), *_between(row)])
        for row in main.itertuples()
    ]
    return f"{label} with intervals, paired by block. {'; '.join(said)}."
