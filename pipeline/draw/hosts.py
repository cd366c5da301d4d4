"""Hosts: one number of many hosts, a dot with its interval for each; of more than have room, their distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from pipeline.catalogue.selectors import runtime_label
from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.style import Look, Theme
from pipeline.ground.errors import LabError
from pipeline.words.numbers import counted, interval, quantity

COLUMNS = ["panel", "position", "host", "runtime", "value", "low", "high", "level", "unit", "trials"]
ROOM = 40  # hosts that get a row each
ROW_INCHES, PANEL_INCHES, CURVE_INCHES = 0.2, 0.75, 1.9
SPREAD = 0.5  # of a row, over the runtimes of a host
LABEL = 34  # characters of a host's name


def host_levels(
    rows: pd.DataFrame,
    *,
    name: str,
    labels: Mapping[str, str],
    marked: Sequence[str] = (),
    regions: Mapping[str, Sequence[Mapping[str, float]]] | None = None,
    alt: str = "",
) -> Figure:
    """A panel for each configuration: the hosts from the least to the greatest, colours for runtimes.

    rows: columns panel, host, runtime, value, low, high, level, unit, trials; low and high may be NaN. labels: panel ->
    what its axis says. marked: hosts to point out (this one). regions: panel -> regions of its numbers to shade, each
    with some of low, high, above and below. With more than ROOM hosts a panel shows which share of
    them lies at or below a value, and names the hosts at both ends. LabError when there is no row.
    """
    if rows.empty:
        raise LabError(f"figure {name}: no host has any of these numbers; check the selection")
    order = [panel for panel in labels if panel in set(rows["panel"])]
    position = {host: at for at, host in enumerate(_ordered(rows))}
    data = marks.table([rows.assign(position=rows["host"].map(position))], COLUMNS)
    draw = partial(_draw, data, order, labels=dict(labels), marked=list(marked), regions=dict(regions or {}))
    return Figure(name, alt or _alt(data, order), data, draw)


def _ordered(rows: pd.DataFrame) -> list[str]:
    """The hosts, those first whose numbers are least compared with the panel's median, in the middle over panels."""
    middle = rows.groupby(["panel", "runtime"])["value"].transform("median")
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.log(rows["value"] / middle).replace([np.inf, -np.inf], np.nan)
    by_host = apart.groupby(rows["host"]).median().fillna(0.0)
    return sorted(by_host.index, key=lambda host: (by_host[host], host))


def _draw(
    data: pd.DataFrame,
    order: list[str],
    theme: Theme,
    *,
    labels: Mapping[str, str],
    marked: list[str],
    regions: Mapping[str, Sequence[Mapping[str, float]]],
) -> Drawing:
    names = style.labels(None, data["runtime"])
    looks = style.looks(names)
    hosts = list(dict.fromkeys(data.sort_values("position", kind="stable")["host"]))
    dots = len(hosts) <= ROOM
    height = PANEL_INCHES + ROW_INCHES * len(hosts) if dots else CURVE_INCHES
    figure = layout.canvas(height * len(order))
    grid = figure.subplots(len(order), 1, squeeze=False)[:, 0]
    for ax, panel in zip(grid, order, strict=True):
        own = data[data["panel"] == panel]
        ax.set_title(panel)
        if dots:
            _dots(ax, own, hosts, looks, theme, marked)
        else:
            _shares(ax, own, looks, theme, marked)
        ends = pd.concat([own["value"], own["low"], own["high"]]).dropna()
        units.scale(ax.xaxis, ends, own["unit"].iloc[0], labels[panel], inches=4.5)
        if ax.get_xscale() == "log":
            ax.set_xlim(ends.min() / 1.3, ends.max() * 1.3)
        for region in regions.get(panel, ()):
            left, right = ax.get_xlim()
            low, high = region.get("low", region.get("above", left)), region.get("high", region.get("below", right))
            ax.axvspan(max(low, left), min(high, right), color=theme.shade, linewidth=0, zorder=0)
    handles: list[Artist] = [marks.key(label, looks[runtime], theme, line=not dots) for runtime, label in names.items()]
    return figure, handles


def _dots(
    ax: Axes, own: pd.DataFrame, hosts: list[str], looks: Mapping[str, Look], theme: Theme, marked: list[str]
) -> None:
    present = [runtime for runtime in looks if runtime in set(own["runtime"])]
    place = {host: at for at, host in enumerate(hosts)}
    for number, runtime in enumerate(present):
        rows = own[own["runtime"] == runtime]
        shift = SPREAD * ((number + 0.5) / len(present) - 0.5)
        y = rows["host"].map(place) + shift
        marks.interval(ax, rows["value"], y, rows["low"], rows["high"], looks[runtime], theme, along="x", markersize=5)
    ax.set_yticks(range(len(hosts)), [_short(host) for host in hosts])
    for tick, host in zip(ax.get_yticklabels(), hosts, strict=True):
        tick.set_fontweight("bold" if host in marked else "normal")
    ax.set_ylim(len(hosts) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)


def _shares(ax: Axes, own: pd.DataFrame, looks: Mapping[str, Look], theme: Theme, marked: list[str]) -> None:
    for runtime in [one for one in looks if one in set(own["runtime"])]:
        rows = own[own["runtime"] == runtime].sort_values(["value", "host"], kind="stable")
        share = 100 * (np.arange(len(rows)) + 1) / len(rows)
        look = looks[runtime]
        ax.step(rows["value"], share, where="post", color=look.colour(theme), linestyle=look.line, linewidth=1.6)
        for at in sorted({0, len(rows) - 1, *np.flatnonzero(rows["host"].isin(marked))}):
            x, y, host = rows["value"].iloc[at], share[at], rows["host"].iloc[at]
            ax.plot(x, y, marker=look.marker, color=look.colour(theme), markersize=6, zorder=4)
            first = looks and runtime == next(one for one in looks if one in set(own["runtime"]))
            if first:
                side = "left" if at < len(rows) / 2 else "right"
                near = {"xytext": (8 if side == "left" else -8, 8 if at < len(rows) / 2 else -14)}
                box = {"facecolor": theme.background, "edgecolor": "none", "pad": 1, "alpha": 0.8}
                words = {"textcoords": "offset points", "ha": side, "fontsize": 8, "color": theme.text, "bbox": box}
                ax.annotate(_short(host), (x, y), **near, **words, parse_math=False)
    ax.set_ylim(0, 105)
    ax.set_ylabel("Hosts (%)")


def _short(host: str) -> str:
    told = host if len(host) <= LABEL else host[: LABEL - 1] + "…"
    return told.replace("$", r"\$")


def _alt(data: pd.DataFrame, order: list[str]) -> str:
    parts = []
    for panel in order:
        own = data[data["panel"] == panel]
        said = []
        for runtime, rows in own.groupby("runtime", sort=True):
            rows = rows.sort_values(["value", "host"], kind="stable")
            ends = [rows.iloc[0], rows.iloc[-1]] if len(rows) > 1 else [rows.iloc[0]]
            words = " to ".join(
                f"{interval(one['value'], one['low'], one['high'], one['unit'], one['level'])} on {one['host']}"
                for one in ends
            )
            middle = f", median {quantity(rows['value'].median(), rows['unit'].iloc[0])}" if len(rows) > 2 else ""
            said.append(f"{runtime_label(runtime)} {words}{middle} ({counted(len(rows), 'host')})")
        parts.append(f"{panel}: {'; '.join(said)}")
    return f"{'. '.join(parts)}."
