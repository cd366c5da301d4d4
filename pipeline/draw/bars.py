"""Levels: one row per variant with every trial, the median and its interval; panels by what else is varied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import pandas as pd
from pandas.api.types import is_numeric_dtype

from pipeline.catalogue.selectors import runtime_label
from pipeline.draw import layout, marks, style, units
from pipeline.draw.figure import Drawing, Figure
from pipeline.draw.style import Theme
from pipeline.words.numbers import places, quantity

COLUMNS = ["mark", "down", "across", "row", "series", "value", "low", "high", "trial", "noisy", "source"]
LANE_INCHES = 0.12
SPREAD = 0.76  # share of a row over which its lanes (series, published values) are spread
FOREIGN = {"published": ("D", "s", "v", "<", "p", "8"), "referee": ("*", "P", "X", "h")}


def levels(
    metrics: pd.DataFrame,
    estimates: pd.DataFrame,
    *,
    name: str,
    metric: str | Iterable[str],
    label: str,
    rows: str = "variant",
    series: str = "runtime",
    across: str | None = None,
    down: str | None = None,
    names: Mapping[str, str] | Iterable[str] | None = None,
    order: Iterable[str] | None = None,
    headings: Mapping[str, str] | None = None,
    published: pd.DataFrame | None = None,
    referees: pd.DataFrame | None = None,
    log: bool | None = None,
    alt: str = "",
) -> Figure:
    """A dot plot: a row per value of `rows`, in it a mark per value of `series`.

    metrics, estimates: docs/formats.md; metric: one name or several of the same unit (then across="metric").
    across, down: columns whose values become columns and bands of panels; headings: what to write over those values.
    Numbers that are not called otherwise are called with their column: `threads 2`.
    names: order and labels of the rows; order: of the series, alphabetical without it. published, referees: columns
    <rows>, value, source and, where panels are made of them, <across>, <down>; without such a column a value is drawn
    in every panel that has its row.
    log: whether the axis is logarithmic; None leaves it to the data. LabError when a metric is not in the tables.
    """
    wanted = metric if isinstance(metric, str) else list(metric)
    # What has no value in the column of a panel has no panel: a run interrupted before what decides it was measured.
    points, medians = (
        marks.select(frame, wanted, name, [value, *(at for at in (across, down) if at in frame)])
        for frame, value in ((metrics, "value"), (estimates, "estimate"))
    )
    shape = {"row": rows, "series": series, "across": across, "down": down}
    called = {"row": names, "series": order, "across": headings, "down": headings}

    def placed(frame: pd.DataFrame, mark: str) -> pd.DataFrame:
        own = {to: _texts(frame[at], at, called[to]) if at in frame else "" for to, at in shape.items()}
        return frame.assign(mark=mark, **own)

    parts = [
        placed(points, "trial"),
        placed(medians, "estimate").assign(value=medians["estimate"], trial="", noisy=False),
    ]
    panels = parts[0][["down", "across", "row"]].drop_duplicates()
    for mark, frame in (("published", published), ("referee", referees)):
        if frame is not None:
            own = [to for to in ("down", "across", "row") if shape[to] in frame]
            parts.append(
                placed(frame, mark)
                .drop(columns=[c for c in panels if c not in own])
                .merge(panels, on=own)
                .assign(series="", trial="", noisy=False)
            )
    data = marks.table(parts, COLUMNS)
    own = data[data["mark"].isin(["trial", "estimate"])]
    names, runtimes = style.labels(names, own["row"]), style.labels(order, own["series"])
    unit = medians["unit"].iloc[0]
    draw = partial(
        _draw, data, unit=unit, label=label, log=log, names=names, series=runtimes, headings=dict(headings or {})
    )
    what = f"{label}, median and interval of each {rows.replace('_', ' ')}"
    alt = alt or _alt(data, unit, what, names, runtimes, dict(headings or {}))
    return Figure(name, alt, data, draw)


def _draw(data, theme: Theme, *, unit, label, log, names, series, headings) -> Drawing:
    downs, acrosses = (style.headings(data[one], headings) for one in ("down", "across"))
    rows = {down: [one for one in names if one in set(data.loc[data["down"] == down, "row"])] for down in downs}
    looks = style.looks(series)
    lanes = data.groupby(["down", "across", "row"])["series"].nunique().max()
    row_inches = max(0.28, LANE_INCHES * lanes + 0.08)
    figure = layout.canvas(sum(row_inches * len(rows[down]) + 0.35 for down in downs) + 0.35)
    grid = figure.subplots(
        len(downs),
        len(acrosses),
        sharex=True,
        sharey="row",
        squeeze=False,
        height_ratios=[len(rows[down]) + 0.4 for down in downs],
    )
    units.scale(
        grid[0, 0].xaxis,
        data[["value", "low", "high"]].to_numpy().ravel(),
        unit,
        label,
        log=log,
        inches=4.7 / len(acrosses),
    )
    text = grid[0, 0].get_xlabel()
    raster = marks.crowded(data)
    for i, down in enumerate(downs):
        for j, across in enumerate(acrosses):
            ax = grid[i, j]
            here = data[(data["down"] == down) & (data["across"] == across)]
            _rows(ax, here, rows[down], looks, theme, raster)
            heading = [runtime_label(headings.get(one, one)) for one in (down, across) if one]
            ax.set_title(" · ".join(heading))
            ax.set_yticks(range(len(rows[down])), [names[one] for one in rows[down]])
            ax.set_ylim(len(rows[down]) - 0.4, -0.6)
            ax.tick_params(axis="y", length=0)
            ax.grid(axis="y", visible=False)
            ax.set_xlabel(text if i == len(downs) - 1 else "")
    handles = [
        marks.key(text, looks[one], theme, line=False) for one, text in series.items() if one in set(data["series"])
    ]
    handles += marks.trial_keys(theme, data["noisy"])
    for mark, (source, marker) in _foreign(data):
        handles.append(marks.published_key(f"{mark}: {source}", theme, marker=marker))
    return figure, handles


def _rows(ax, here, order, looks, theme, raster) -> None:
    """All marks of one panel; in a row every series has a lane, and published values and referees the last one."""
    place = {}
    for at, row in enumerate(order):
        if at % 2:
            ax.axhspan(at - 0.5, at + 0.5, color=theme.shade, linewidth=0, zorder=0)
        found = set(here.loc[here["row"] == row, "series"])
        lanes = [one for one in (*looks, "") if one in found]
        place |= {(row, one): at + SPREAD * ((lane + 0.5) / len(lanes) - 0.5) for lane, one in enumerate(lanes)}
    here = here.assign(y=[place[key] for key in zip(here["row"], here["series"], strict=True)])
    for one, look in looks.items():
        trials, medians = (here[(here["series"] == one) & (here["mark"] == mark)] for mark in ("trial", "estimate"))
        marks.trials(ax, trials["value"], trials["y"], trials["noisy"], look, theme, raster=raster)
        if len(medians):
            bars = medians["low"], medians["high"]
            marks.interval(ax, medians["value"], medians["y"], *bars, look, theme, along="x")
    for mark, (source, marker) in _foreign(here):
        values = here[(here["mark"] == mark) & (here["source"] == source)]
        marks.published(ax, values["value"], values["y"], theme, marker=marker, size=4.5)


def _foreign(data) -> list[tuple[str, tuple[str, str]]]:
    """(mark, (source, marker)) of every published source and referee."""
    return [
        (mark, (source, markers[at % len(markers)]))
        for mark, markers in FOREIGN.items()
        for at, source in enumerate(sorted(data.loc[data["mark"] == mark, "source"].unique()))
    ]


def _alt(data, unit, what, names, series, headings) -> str:
    parts = []
    for (down, across, row, one), rows in data[data["mark"] == "estimate"].groupby(["down", "across", "row", "series"]):
        where = ", ".join([names[row], series[one], *(headings.get(part, part) for part in (down, across) if part)])
        parts.append(f"{where}: {quantity(rows['value'].iloc[0], unit)}")
    return f"{what}. {'; '.join(parts)}."


def _texts(values: pd.Series, axis: str, called: Iterable | None) -> pd.Series:
    """Numbers of an axis that nobody calls otherwise as a panel or a row is called: `threads 2`."""
    if not is_numeric_dtype(values):
        return values
    return values.map(lambda one: one if one in (called or ()) else places({axis: one}))
