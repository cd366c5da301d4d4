"""Percentile curves of many hosts: a line for each; of more hosts than can be told apart, where most of them lie."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
from matplotlib.artist import Artist

from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.percentile import nines, position
from pipeline.draw.style import Look, Theme
from pipeline.ground.errors import LabError
from pipeline.words.numbers import counted, place, quantity

COLUMNS = ["panel", "host", "percentile", "value"]
TOLD_APART = 8  # lines
MIDDLE = (0.1, 0.5, 0.9)  # quantiles over hosts
TOLD = (50.0, 99.0, 99.9)


def host_curves(rows: pd.DataFrame, *, name: str, unit: str, label: str, order: Sequence[str], alt: str = "") -> Figure:
    """A panel for each configuration: values by percentile, a line for each host.

    rows: columns panel, host, percentile, value. order: panels. With more than TOLD_APART hosts the median host and the
    band of the middle 80 %, percentile by percentile, with the two outermost hosts as lines. LabError without a row.
    """
    if rows.empty:
        raise LabError(f"figure {name}: no host has a percentile of these; check the selection")
    data = marks.table([rows], COLUMNS)
    shown = [panel for panel in order if panel in set(data["panel"])]
    return Figure(name, alt or _alt(data, shown, unit), data, partial(_draw, data, shown, unit=unit, label=label))


def _draw(data: pd.DataFrame, order: list[str], theme: Theme, *, unit: str, label: str) -> Drawing:
    hosts = sorted(set(data["host"]))
    looks = style.looks(hosts)
    figure, axes = layout.panels(len(order), height=2.6, columns=2)
    handles: list[Artist] = []
    for ax, panel in zip(axes, order, strict=True):
        rows = data[data["panel"] == panel]
        ax.set_title(panel)
        if len(hosts) <= TOLD_APART:
            for host, own in rows.groupby("host", sort=True):
                own, look = own.sort_values("percentile", kind="stable"), looks[host]
                ax.plot(
                    position(own["percentile"]),
                    own["value"],
                    color=look.colour(theme),
                    linestyle=look.line,
                    linewidth=1.6,
                )
        else:
            _band(ax, rows, theme)
        units.scale(ax.yaxis, data["value"], unit, label, log=True, inches=2.4)
        ax.set_xlabel("Percentile")
    nines(axes[0], max(float(position(data["percentile"]).max()), 0.3), 5.6 / min(len(order), 2))
    layout.outer_labels(axes)
    if len(hosts) <= TOLD_APART:
        handles = [marks.key(host.replace("$", r"\$"), looks[host], theme) for host in hosts]
        for handle in handles:
            handle.set_marker("none")
    else:
        colour = Look(0).colour(theme)
        handles = [marks.key("median host", Look(0), theme), marks.patch_key("80 % of the hosts", colour, 0.22)]
        handles[0].set_marker("none")
    return figure, handles


def _band(ax, rows: pd.DataFrame, theme: Theme) -> None:
    colour = Look(0).colour(theme)
    found = rows.groupby("percentile")["value"].quantile(list(MIDDLE), interpolation="nearest").unstack()
    x = position(found.index.to_numpy())
    ax.fill_between(x, found[MIDDLE[0]], found[MIDDLE[2]], color=colour, alpha=0.22, linewidth=0)
    ax.plot(x, found[MIDDLE[1]], color=colour, linewidth=1.8)


def _alt(data: pd.DataFrame, order: list[str], unit: str) -> str:
    parts = []
    for panel in order:
        rows = data[(data["panel"] == panel) & data["percentile"].isin(TOLD)]
        said = []
        for percent, own in rows.groupby("percentile", sort=True):
            ends = " to ".join(quantity(one, unit) for one in dict.fromkeys((own["value"].min(), own["value"].max())))
            said.append(f"{ends} at {place(percent)} % ({counted(len(own), 'host')})")
        parts.append(f"{panel}: {', '.join(said)}")
    return f"{'. '.join(parts)}."
