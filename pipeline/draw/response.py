"""Response curve: a latency (or any metric) against the load, as a share of capacity or as a measured rate.

Each panel holds, per series, every trial, the median with its interval joined by a line, a second metric thin beside
the first (a tail beside the middle), and what models say: dashed what they say from the capacity alone, a broad pale
stroke what they say from measured parts. Near capacity an error of the load is magnified, so loads beyond a bound are
drawn faint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from pipeline.draw import marks, response_panels, style
from pipeline.draw.figure import Figure
from pipeline.draw.response_panels import PERCENT
from pipeline.words.numbers import quantity

# `faint`: drawn pale; of a line: a model's from the capacity alone.
COLUMNS = ["mark", "panel", "series", "metric", "x", "value", "low", "high", "trial", "noisy", "source", "faint"]


def response_curve(
    metrics: pd.DataFrame,
    estimates: pd.DataFrame,
    *,
    name: str,
    metric: str | Sequence[str],
    label: str,
    x: str = "load",
    x_label: str = "Load, share of own capacity",
    x_unit: str = PERCENT,
    panels: str | None = "variant",
    series: str = "runtime",
    names: Mapping[str, Mapping] | None = None,
    words: Sequence[str] = ("median", "99th percentile"),
    lines: pd.DataFrame | None = None,
    knees: pd.DataFrame | None = None,
    faint: tuple[str, float] | None = ("load", 90),
    log: bool | None = None,
    columns: int = 2,
    alt: str = "",
) -> Figure:
    """A metric by load, or by another metric: every trial, medians with intervals, models and knees.

    metrics, estimates: docs/formats.md. metric: one, or two of a unit, the second drawn thin; `words` call them.

    x: an axis in percent of capacity, or a metric: every trial then stands at its own value of it. panels, series:
    columns of the tables (variant, runtime or an axis) whose values become panels (None: one for all) and lines;
    names: column -> value -> label of every value, in the order that fixes the looks.
    lines: columns <panels>, <series>, model, <x>, estimate, and where `low` and `high` are there a band; a row whose
    `measured` is true is of a model that was given measured parts, or is called `fitted ...`.
    knees: <panels>, <series>, <x>: dotted lines.
    faint: column and value beyond which marks are pale.
    LabError when a metric is not in the tables, or `names` lacks a value of its column.
    """
    wanted = [metric] if isinstance(metric, str) else list(metric)
    points = marks.select(_placed(metrics, "value", x, name), wanted, name, ["value", "x"])
    medians = marks.select(_placed(estimates, "estimate", x, name), wanted, name, ["estimate", "x"])
    pale = [frame[faint[0]] > faint[1] if faint else False for frame in (points, medians)]
    shape = {"panel": panels, "series": series}

    def shaped(frame: pd.DataFrame, mark: str, **columns) -> pd.DataFrame:
        told = {to: frame[at].astype(str) if at else "" for to, at in shape.items()}
        return frame.assign(mark=mark, **told, **columns)

    parts = [shaped(points, "trial", faint=pale[0])]
    parts.append(shaped(medians, "estimate", value=medians["estimate"], faint=pale[1]))
    for mark, frame in (("line", lines), ("knee", knees)):
        if frame is not None:  # a panel is of what was measured, and so is a line in it
            frame = frame[np.all([frame[at].isin(medians[at]) for at in (panels, series) if at], axis=0)]
        if frame is not None and len(frame):
            told = {"x": frame[x].astype(float), "value": frame.get("estimate"), "source": frame.get("model")}
            measured = frame["measured"].astype(bool) if "measured" in frame else False
            parts.append(shaped(frame, mark, faint=~measured if mark == "line" else False, **told))
    data = marks.table(parts, COLUMNS)
    labels = [_labels(column, medians[column], names) if column else {"": ""} for column in (panels, series)]
    how = {"unit": medians["unit"].iloc[0], "label": label, "x_label": x_label, "x_unit": x_unit}
    how |= {"wanted": wanted, "words": dict(zip(wanted, words, strict=False)), "panels": labels[0], "series": labels[1]}
    bound = None if faint is None else faint[1]
    draw = partial(response_panels.draw, data, log=log, columns=columns, bound=bound, **how)
    return Figure(name, alt or _alt(data, **how), data, draw)


def _placed(frame: pd.DataFrame, value: str, x: str, figure: str) -> pd.DataFrame:
    """The frame with its place `x`: an axis, or the value of the metric of that name in the same trial or row."""
    if x in frame:
        return frame.assign(x=frame[x].astype(float))
    where = marks.select(frame, x, figure)
    keys = ["trial"] if "trial" in frame else list(frame.columns[: frame.columns.get_loc("metric")])
    return frame.merge(where[[*keys, value]].rename(columns={value: "x"}), on=keys, how="left")


def _labels(column: str, present: pd.Series, names: Mapping[str, Mapping] | None) -> dict[str, str]:
    """What the values of a column are called, in order; LabError when `names` has the column and lacks a value."""
    if names and column in names:
        return style.labels({str(key): text for key, text in names[column].items()}, present.astype(str))
    if column in ("runtime", "variant"):
        return style.labels(None, present)
    return {str(value): f"{column} {value}" for value in sorted(present.unique())}


def _alt(data, *, unit, label, x_label, x_unit, wanted, words, panels, series) -> str:
    def place(value: float) -> str:
        return f"{value:g} %" if x_unit == PERCENT else quantity(value, x_unit)

    parts = []
    for (panel, one, metric), rows in data[data["mark"] == "estimate"].groupby(
        ["panel", "series", "metric"], sort=True
    ):
        rows = rows.sort_values("x", kind="stable")
        said = [f"{quantity(row.value, unit)} at {place(row.x)}" for row in rows.itertuples()]
        which = f" ({words.get(metric, metric)})" if len(wanted) > 1 else ""
        where = f", {panels[panel]}" if panels[panel] else ""
        parts.append(f"{series[one]}{where}{which}: {', '.join(said)}")
    models = " Lines of models are shown with them." if (data["mark"] == "line").any() else ""
    return f"{label} by {x_label.lower()}. {'; '.join(parts)}.{models}"
