"""Percentile curve: a latency by percentile, on an axis that gives every further nine the same room.

Two things are shown that are not the same. The curve is that of all trials' samples together: what a sample is worth.
The bars are about trials, as the tables are: the median of the trials' own percentiles and its interval, at the nines
that every trial supports. A trial with a long tail moves the one and not the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import cycle
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.marks import Nothing
from pipeline.draw.style import Theme
from pipeline.hdr import histograms, percentiles
from pipeline.hdr.counts import Counts
from pipeline.hdr.merge import merge
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.words.numbers import quantity

COLUMNS = ["mark", "panel", "series", "percentile", "value", "low", "high", "samples", "trials"]
NINES = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)
STEP = 0.05  # of log10(1 / (1 - p)): 20 points per nine
BELOW_CLOCK = "below one clock reading"
CHARACTER = 0.075  # inches of a character of a tick label
TAIL = {"linestyle": (0, (3, 2)), "linewidth": 0.9}  # of a curve with too few samples beyond
LIMIT = {"linewidth": 1.6, "alpha": 0.7}
APART = 0.012  # of the axis, between the bars of two series


def percentile_curve(
    buckets: pd.DataFrame,
    trials: pd.DataFrame,
    *,
    name: str,
    label: str,
    unit: str = "ns",
    panels: Literal["runtime", "variant"] = "runtime",
    names: Mapping[str, str] | Iterable[str] | None = None,
    runtimes: Iterable[str] | None = None,
    published: pd.DataFrame | None = None,
    clock: float | None = None,
    limits: Iterable[tuple[float, float]] = (),
    alt: str = "",
) -> Figure:
    """The percentiles of all trials' samples together, with the least and greatest of the single trials as a band and
    the interval of their median.

    buckets, trials: docs/formats.md; hand in only the iterations and series that count. Histograms are merged, never
    percentiles averaged. A curve is dashed where fewer than ten samples are expected beyond it, and ends where fewer
    than one is; the band ends where fewer than two trials have ten beyond, the bars where fewer than all. names: order
    and labels of the variants, runtimes: order of those. clock: what one clock reading costs, in the unit; values below
    it are shaded, for the clock does not resolve them.
    published: columns variant, percentile, value, source (`pipeline.draw.published.percentiles`), drawn in the panel of
    the variant, or in every panel that has its curve. limits: (percent, value) that are to be kept, drawn as steps.
    Nothing when no trial has a bucket, or too few for a curve.
    """
    where = trials.drop_duplicates("trial").set_index("trial")[["runtime", "variant"]]
    found = histograms.by_trial(buckets, where.index)
    if not found:
        raise Nothing(f"figure {name}: no histogram of the trials given")
    series = "variant" if panels == "runtime" else "runtime"
    groups = defaultdict(list)
    for (panel, one), counts in zip(where.iloc[list(found)][[panels, series]].to_numpy(), found.values(), strict=True):
        groups[panel, one].append(counts)
    parts = [_curve(groups[panel, one]).assign(panel=panel, series=one) for panel, one in sorted(groups)]
    if not any(part["mark"].eq("curve").any() for part in parts):
        raise Nothing(f"figure {name}: too few samples for a percentile")
    if published is not None:
        panel_of = pd.concat(parts)[["panel", "series"]].drop_duplicates()
        panel_of = panel_of.assign(variant=panel_of["panel" if panels == "variant" else "series"])
        panel_of = panel_of[["variant", "panel"]].drop_duplicates()
        parts.append(
            published.merge(panel_of, on="variant").rename(columns={"source": "series"}).assign(mark="published")
        )
    if clock is not None and min(part["value"].min() for part in parts) < clock:
        parts.append(pd.DataFrame({"mark": ["clock"], "value": [clock]}))
    if limits := sorted(limits):
        asked = pd.DataFrame(limits, columns=["percentile", "value"])
        parts.append(asked.assign(mark="limit"))
    data = marks.table(parts, COLUMNS)
    variants, labels = style.labels(names, where["variant"]), style.labels(runtimes, where["runtime"])
    sides = (labels, variants) if panels == "runtime" else (variants, labels)
    draw = partial(_draw, data, unit=unit, label=label, panels=sides[0], series=sides[1])
    return Figure(name, alt or _alt(data, unit, label, *sides), data, draw)


def _curve(trials: list[Counts]) -> pd.DataFrame:
    merged = merge(trials)
    grid = drawn_percents(merged.total)
    values = percentiles.percentiles(merged, grid)
    single = np.full((len(trials), len(grid)), np.nan)
    for at, counts in enumerate(trials):
        reach = sum(percentiles.supported(counts.total, percent) for percent in grid)
        single[at, :reach] = percentiles.percentiles(counts, grid[:reach])
    enough = (~np.isnan(single)).sum(axis=0) >= 2
    low, high = (np.where(enough, end.reduce(single), np.nan) for end in (np.fmin, np.fmax))
    curve = {"percentile": grid, "value": np.asarray(values, float), "low": low, "high": high}
    marked = ["curve" if percentiles.supported(merged.total, percent) else "tail" for percent in grid]
    rows = pd.DataFrame({"mark": marked, **curve})
    return pd.concat([rows, _medians(grid, single)]).assign(samples=merged.total, trials=len(single))


def _medians(grid: np.ndarray, single: np.ndarray) -> pd.DataFrame:
    """Median of the trials' own percentiles, with its interval, at the nines that all of them support."""
    wanted = np.isin(grid, NINES[1:]) & ~np.isnan(single).any(axis=0) & (len(single) >= FEWEST)
    found = [median_interval(values)[:3] for values in single[:, wanted].T]
    rows = pd.DataFrame(found, columns=["value", "low", "high"], dtype=float)
    return rows.assign(mark="interval", percentile=grid[wanted])


def drawn_percents(samples: int) -> np.ndarray:
    """The percentiles at which a curve of so many samples is drawn: up to the last with one sample beyond."""
    reach = np.log10(samples)
    fine = 100 * (1 - 10.0 ** -np.arange(0, reach + 1e-9, STEP))
    ticks = [p for p in NINES if position(np.array([p]))[0] <= reach + 1e-9]
    return np.unique(np.round(np.concatenate([fine, ticks]), 9))


def position(percent: np.ndarray) -> np.ndarray:
    """Place on the axis: 0 % at 0, 90 % at 1, 99 % at 2."""
    return -np.log10(1 - np.asarray(percent, float) / 100)


def _draw(data, theme: Theme, *, unit, label, panels, series) -> Drawing:
    titles = [panel for panel in panels if panel in set(data["panel"])]
    looks = style.looks(series)
    columns = min(len(titles), 2)
    figure, axes = layout.panels(len(titles), height=2.9 if len(titles) > 1 else 3.6, columns=2)
    units.scale(axes[0].yaxis, data[["value", "low", "high"]].to_numpy().ravel(), unit, label)
    words = axes[0].get_ylabel()
    clock = data.loc[data["mark"] == "clock", "value"]
    limits = data[data["mark"] == "limit"].sort_values("percentile", kind="stable")
    data = data[~data["mark"].isin(["clock", "limit"])]
    reach = max(float(position(data["percentile"]).max()), STEP)
    for ax, panel in zip(axes, titles, strict=True):
        ax.set_title(panels[panel])
        ax.set_ylabel(words)
        ax.set_xlabel("Percentile")
        here = data[data["panel"] == panel]
        present = [one for one in series if one in set(here["series"])]
        for at_bar, one in enumerate(present):
            mine = here[here["series"] == one].sort_values("percentile", kind="stable")
            rows, tail = mine[mine["mark"] == "curve"], mine[mine["mark"].isin(["curve", "tail"])]
            x, colour = position(rows["percentile"]), looks[one].colour(theme)
            at = np.flatnonzero(rows["percentile"].isin(NINES).to_numpy())
            ax.fill_between(x, rows["low"], rows["high"], color=colour, alpha=0.15, linewidth=0, label="band")
            look = {
                "color": colour,
                "linestyle": looks[one].line,
                "marker": looks[one].marker,
                "markersize": 5.5,
                "markeredgecolor": theme.background,
                "markeredgewidth": 0.5,
            }
            ax.plot(x, rows["value"], markevery=list(at), label="curve", **look)
            tail = tail.iloc[max(len(rows) - 1, 0) :]
            ax.plot(position(tail["percentile"]), tail["value"], color=colour, label="tail", **TAIL)
            bars = mine[mine["mark"] == "interval"]
            aside = (at_bar - (len(present) - 1) / 2) * APART * reach
            ends = [bars["value"] - bars["low"], bars["high"] - bars["value"]]
            bar = {"color": colour, "linestyle": "none", "elinewidth": 1.4, "capsize": 2.5, "zorder": 4}
            ax.errorbar(position(bars["percentile"]) + aside, bars["value"], yerr=ends, label="interval", **bar)
        _limits(ax, limits, reach, theme)
        for marker, told in _sources(data, panel):
            marks.published(ax, position(told["percentile"]), told["value"], theme, marker=marker, line=":")
    bottom = axes[0].get_ylim()[0]
    for ax in axes if len(clock) else []:  # shared: shading it panel by panel would stretch it every time
        ax.axhspan(bottom, clock.iloc[0], color=theme.shade, linewidth=0, zorder=0)
        ax.set_ylim(bottom=bottom)
    nines(axes[0], reach, 5.6 / columns)
    layout.outer_labels(axes)
    drawn = set(data.loc[data["mark"] == "curve", "series"])
    handles = [marks.key(text, looks[one], theme) for one, text in series.items() if one in drawn]
    if data.loc[data["mark"] == "curve", "low"].notna().any():
        handles.append(marks.patch_key("lowest to highest trial", theme.muted, 0.35))
    if (data["mark"] == "interval").any():
        bar = {"linestyle": "none", "marker": "|", "markersize": 9, "markeredgewidth": 1.4, "color": theme.text}
        handles.append(Line2D([], [], label="interval of the trials' median", **bar))
    handles += [marks.patch_key(f"{BELOW_CLOCK} ({quantity(value, unit)})", theme.shade, 1.0) for value in clock]
    handles.append(
        Line2D(
            [], [], label=f"fewer than {percentiles.MIN_BEYOND} samples beyond; ends at one", color=theme.text, **TAIL
        )
    )
    if len(limits):
        handles.append(Line2D([], [], label="limit", color=theme.text, **LIMIT))
    for marker, told in _sources(data):
        text = f"published: {told['series'].iloc[0]}"
        handles.append(marks.published_key(text, theme, marker=marker, line=":"))
    return figure, handles


def _limits(ax, limits: pd.DataFrame, reach: float, theme: Theme) -> None:
    """Steps from each limit's percentile down to the one before: what lies above them is beyond the limit."""
    before = 0.0
    for percent, value in limits[["percentile", "value"]].itertuples(index=False):
        at = min(float(position(np.array([percent]))[0]), reach)
        ax.plot([before, at, at], [value, value, value * 1.25], color=theme.text, label="limit", **LIMIT)
        before = at


def _sources(data: pd.DataFrame, panel: str | None = None) -> list[tuple[str, pd.DataFrame]]:
    """(marker, rows) of every published source, in order of percentile; those of one panel when it is named."""
    told = data[data["mark"] == "published"].sort_values("percentile", kind="stable")
    markers = dict(zip(sorted(told["series"].unique()), cycle(style.MARKERS), strict=False))
    here = told if panel is None else told[told["panel"] == panel]
    return [(markers[source], rows) for source, rows in here.groupby("series", sort=True)]


def nines(ax, reach: float, inches: float) -> None:
    """A tick at every nine, its label only where it does not touch the one before."""
    places, words, last = [], [], -1.0
    for percent in NINES:
        place = float(position(np.array([percent]))[0])
        if place > reach:
            break
        word = f"{percent:.7g}"
        centre, half = place / reach * inches, CHARACTER * len(word) / 2
        fits = centre - half > last + 0.04
        last = centre + half if fits else last
        places.append(place)
        words.append(word if fits else "")
    ax.xaxis.set_major_locator(FixedLocator(places))
    ax.xaxis.set_major_formatter(FixedFormatter(words))
    ax.set_xlim(-0.02 * reach, 1.03 * reach)


def _alt(data, unit, label, panels, series) -> str:
    parts = []
    for (panel, one), rows in data[data["mark"] == "curve"].groupby(["panel", "series"], sort=True):
        said = [
            f"{quantity(row.value, unit)} at {row.percentile:.7g} %"
            for row in rows[rows["percentile"].isin(NINES[1:])].itertuples()
        ]
        parts.append(f"{series[one]}, {panels[panel]} ({rows['samples'].iloc[0]:,.0f} samples): {', '.join(said)}")
    clock = data.loc[data["mark"] == "clock", "value"]
    parts += [f"values {BELOW_CLOCK} of {quantity(value, unit)} are not resolved" for value in clock]
    published = " Published values are shown next to the measured ones." if (data["mark"] == "published").any() else ""
    return f"{label} by percentile. {'; '.join(parts)}.{published}"
