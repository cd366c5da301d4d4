"""Agreement: what a model predicted and what was measured, with the line on which both are the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from pipeline.catalogue.selectors import runtime_label
from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.marks import Nothing
from pipeline.draw.style import Look, Theme
from pipeline.words.numbers import quantity

COLUMNS = ["mark", "panel", "variant", "runtime", "control", "where", "x", "y", "trial", "noisy"]


def agreement(
    rows: pd.DataFrame,
    *,
    name: str,
    unit: str,
    label: str,
    x: str = "measured",
    y: str = "predicted",
    by: Collection[str] = (),
    panels: str | None = None,
    headings: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
    controls: Collection[str] = (),
    within: float = 0.25,
    alt: str = "",
) -> Figure:
    """Predicted by measured: every trial, and the median of each configuration.

    rows: one per trial: trial, variant, runtime, <x>, <y> (positive, in `unit`), noisy, and the columns `by`, which
    with variant and runtime tell configurations apart: each has a large mark at the medians of its trials.

    Both axes are logarithmic and alike; the band holds predictions from 1/(1 + within) to 1 + within of what was
    measured. panels: a column whose values become panels, called as `headings` says. names: order and labels of the
    variants; those in `controls` have a star. A row that lacks a value is left out; Nothing when none has both.
    """
    rows = rows[(rows[x] > 0) & (rows[y] > 0) & np.isfinite(rows[[x, y]].astype(float)).all(axis=1)]
    if rows.empty:
        raise Nothing(f"figure {name}: no trial with both {x} and {y}; check the predictions")
    panel = rows[panels].astype(str) if panels else ""
    rows = rows.assign(panel=panel, x=rows[x].astype(float), y=rows[y].astype(float))
    rows = rows.assign(control=rows["variant"].isin(list(controls)))
    others = [column for column in by if column not in ("variant", "runtime")]
    told = [", ".join(f"{k} {v}" for k, v in zip(others, row, strict=True)) for row in rows[others].to_numpy()]
    rows = rows.assign(where=told)
    about = ["panel", "variant", "runtime", "control", "where"]
    medians = rows.groupby(about, dropna=False, observed=True)[["x", "y"]].median().reset_index()
    data = marks.table([rows.assign(mark="trial"), medians.assign(mark="estimate")], COLUMNS)
    titles = style.headings(data["panel"], headings)
    labels = style.labels(names, rows["variant"])
    draw = partial(_draw, data, unit=unit, label=label, titles=titles, names=labels, within=within)
    return Figure(name, alt or _alt(data, unit, label, titles, labels, within), data, draw)


def _draw(data, theme: Theme, *, unit, label, titles, names, within) -> Drawing:
    looks = style.looks(names)
    columns = min(len(titles), 2)
    figure, axes = layout.panels(len(titles), height=3.5 if columns > 1 else 5.4, columns=columns)
    raster = marks.crowded(data)
    ends = data[["x", "y"]].to_numpy(float)
    ends = np.array([ends.min() / 1.4, ends.max() * 1.4])
    for axis, words in ((axes[0].xaxis, f"{label}, measured"), (axes[0].yaxis, f"{label}, predicted")):
        units.scale(axis, ends, unit, words, log=True, inches=5.4 / columns)
    texts = axes[0].get_xlabel(), axes[0].get_ylabel()
    axes[0].set(xlim=ends, ylim=ends)
    for ax, (panel, heading) in zip(axes, titles.items(), strict=True):
        ax.set_title(heading)
        ax.set_xlabel(texts[0])
        ax.set_ylabel(texts[1])
        ax.fill_between(ends, ends / (1 + within), ends * (1 + within), color=theme.shade, linewidth=0, zorder=0.5)
        for bound in (1 / (1 + within), 1 + within):
            ax.plot(ends, ends * bound, color=theme.muted, linewidth=0.6, linestyle=(0, (1, 2)), zorder=1)
        ax.plot(ends, ends, color=theme.muted, linewidth=1, zorder=1)
        for (variant, control), mine in data[data["panel"] == panel].groupby(["variant", "control"], observed=True):
            _variant(ax, mine, looks[variant], theme, control, raster)
    layout.outer_labels(axes)
    return figure, _legend(data, theme, names, looks, within)


def _variant(ax, rows: pd.DataFrame, look: Look, theme: Theme, control: bool, raster: bool) -> None:
    trials, medians = (rows[rows["mark"] == mark] for mark in ("trial", "estimate"))
    marks.trials(ax, trials["x"], trials["y"], trials["noisy"], look, theme, size=2.6, raster=raster)
    ax.plot(medians["x"], medians["y"], label="estimate", zorder=4, **_mark(look, theme, control))


def _mark(look: Look, theme: Theme, control: bool) -> dict[str, Any]:
    """Of a configuration: its variant's mark, a star where the answer is known."""
    own = {"marker": "*", "markersize": 11} if control else {"marker": look.marker, "markersize": 6}
    edge = {"markeredgecolor": theme.text if control else theme.background, "markeredgewidth": 0.8}
    return {"color": look.colour(theme), "linestyle": "none", **own, **edge}


def _legend(data, theme: Theme, names, looks, within) -> list:
    drawn = data.drop_duplicates(["variant", "control"]).set_index("variant")["control"]
    handles = []
    for one, text in names.items():
        if one in drawn.index:
            control = bool(drawn[one])
            words = f"{text} (control)" if control and "control" not in text else text
            handles.append(Line2D([], [], label=words, **_mark(looks[one], theme, control)))
    handles += marks.trial_keys(theme, data["noisy"])
    handles.append(Line2D([], [], color=theme.muted, linewidth=1, label="predicted = measured"))
    handles.append(marks.patch_key(f"within a factor {1 + within:g}", theme.shade))
    return handles


def _alt(data, unit, label, titles, names, within) -> str:
    medians = data[data["mark"] == "estimate"]
    ratio = medians["y"] / medians["x"]
    inside = int(ratio.between(1 / (1 + within), 1 + within).sum())
    said = [
        ", ".join(filter(None, [names[row.variant], runtime_label(row.runtime), row.where, titles[row.panel]]))
        + f": {quantity(row.y, unit)} for {quantity(row.x, unit)}"
        for row in medians.itertuples()
    ]
    return (
        f"{label}, predicted compared with measured: {inside} of {len(medians)} configurations are within "
        f"a factor {1 + within:g}. {'; '.join(said)}."
    )
