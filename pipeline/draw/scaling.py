"""Scaling curve: a metric by number of threads (or another whole-number axis), per variant and runtime."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Literal

import pandas as pd

from pipeline.draw import marks, scaling_panels, style
from pipeline.draw.figure import Figure
from pipeline.draw.line_groups import LineGroups
from pipeline.draw.steps import Step, told, within
from pipeline.ground.errors import LabError
from pipeline.words.numbers import place, quantity

COLUMNS = ["mark", "panel", "series", "x", "value", "low", "high", "trial", "noisy", "source"]
HEADING = 27  # letters over a panel where three stand side by side


def scaling_curve(
    metrics: pd.DataFrame,
    estimates: pd.DataFrame,
    *,
    name: str,
    metric: str,
    label: str,
    cpus: int | None,
    axis: str = "threads",
    axis_label: str = "Threads",
    panels: Literal["runtime", "variant"] = "runtime",
    variants: Mapping[str, str] | Iterable[str] | None = None,
    axis_unit: str | None = None,
    others: Mapping[str, str] | None = None,
    steps: Sequence[Step] = (),
    fits: pd.DataFrame | None = None,
    fitted: str = "fit",
    knees: pd.DataFrame | None = None,
    published: pd.DataFrame | None = None,
    log: bool | None = None,
    alt: str = "",
) -> Figure:
    """A metric by threads: every trial, the median with its interval, fits, and published values.

    metrics, estimates: docs/formats.md. variants: their order (it fixes the looks) and labels. panels: one panel per
    runtime with a line per variant, and one per published machine; or one per variant with a line per runtime, the
    published values in it. cpus: threads beyond it are shaded, and from 8 on the axis is one to base 2 with a tick at
    each measured number; None when the axis is not threads. steps: where something new begins, as
    `pipeline.host.order.steps` has it: a thin line before that number, with its word above.
    axis_unit: of an axis that is no count, such as ns; it is logarithmic then.
    others: the other axes, with how a value of each is written (`{} threads`, `{ns} outside` for a time). No line joins
    points that differ in one of them: where one would, there is a panel per variant and runtime, and in it a line for
    each value.
    fits: columns variant, runtime, model, <axis>, estimate, low, high: the fitted curve, in place of the joining line;
    `fitted` is what the legend calls it, for a prediction is no fit; low and high may be missing. knees: columns
    variant, runtime, <axis>: a dotted line across the panel there.
    published: columns variant, <axis>, value, source (`pipeline.draw.published.overlay`). log: whether the metric has a
    logarithmic axis; None leaves it to the data.
    LabError when the metric is not in the tables, or two estimates of one line are at the same place.
    """
    points = marks.select(metrics, metric, name, ["value", axis])
    medians = marks.select(estimates, metric, name, ["estimate", axis])
    series = "variant" if panels == "runtime" else "runtime"
    labels = {
        "variant": style.labels(variants, [*points["variant"], *medians["variant"]]),
        "runtime": style.labels(None, [*points["runtime"], *medians["runtime"]]),
    }
    divided = LineGroups.of(medians, [panels, series], others or {})

    def shaped(frame: pd.DataFrame, mark: str, **columns: str) -> pd.DataFrame:
        return divided.drawn(frame, panels, series, name).rename(columns={axis: "x"} | columns).assign(mark=mark)

    placed = shaped(points, "trial")
    middle = shaped(medians, "estimate", estimate="value")[["mark", "panel", "series", "x", "value", "low", "high"]]
    _once(middle, axis, name)
    parts = [placed, middle]
    if fits is not None:
        parts.append(shaped(fits, "fit", estimate="value", model="source"))
    if knees is not None:
        parts.append(shaped(knees, "knee")[["mark", "panel", "series", "x"]])
    if published is not None:
        parts.append(_published(published, points, placed, panels).assign(x=lambda rows: rows[axis]))
    data = marks.table(parts, COLUMNS)
    unit = medians["unit"].iloc[0]
    if divided.axes:
        lines, over = divided.labels(points), divided.headings(points, panels, series, labels[panels], labels[series])
    else:
        lines, over = labels[series], labels[panels]
    titles = over if divided.axes else style.headings(data["panel"], over)
    titles |= {one: one for one in sorted(set(data["panel"]) - set(titles))}  # of published machines
    begin = within(steps, middle["x"])
    sources = sorted(data.loc[data["mark"] == "published", "source"].unique())
    draw = partial(
        scaling_panels.draw,
        data,
        unit=unit,
        label=label,
        axis_label=axis_label,
        axis_unit=axis_unit,
        fitted=fitted,
        cpus=cpus,
        steps=begin,
        log=log,
        titles=titles,
        columns=2 if divided.axes and max(map(len, titles.values())) > HEADING else 3,
        series=lines,
        seen=labels["variant"] if panels == "runtime" else sources,
    )
    words = _alt(data, unit, label, axis_label, axis_unit, cpus, begin, titles if divided.axes else over, lines)
    return Figure(name, alt or words, data, draw)


def _once(medians: pd.DataFrame, axis: str, figure: str) -> None:
    """LabError where a line would join two estimates at one place: it would go up and down between them."""
    twice = medians[medians.duplicated(["panel", "series", "x"])]
    if len(twice):
        one = twice.iloc[0]
        at = f"{one['series']} in {one['panel']} has two estimates at {axis} {place(one['x'])}"
        raise LabError(f"figure {figure}: {at}; select one, or say in which axis they differ (others)")


def _published(published: pd.DataFrame, points: pd.DataFrame, placed: pd.DataFrame, panels: str) -> pd.DataFrame:
    """The published values of what was measured: in a panel per machine, or in all panels of their variant."""
    seen = published[published["variant"].isin(points["variant"])].assign(mark="published").drop(columns="trial")
    if panels == "runtime":
        return seen.assign(panel=seen["source"], series=seen["variant"])
    where = placed.assign(variant=points["variant"])[["variant", "panel"]].drop_duplicates()
    return seen.assign(series=seen["source"]).merge(where, on="variant")


def _alt(data, unit, label, axis_label, axis_unit, cpus, steps, panels, series) -> str:
    medians = data[data["mark"] == "estimate"]
    parts = []
    for (panel, one), rows in medians.groupby(["panel", "series"], sort=True):
        rows = rows.sort_values("x", kind="stable")
        first, last = rows.iloc[0], rows.iloc[-1]
        ends = [
            f"{quantity(row.value, unit)} at {quantity(row.x, axis_unit) if axis_unit else f'{row.x:.0f}'}"
            for row in ([first, last] if len(rows) > 1 else [first])
        ]
        parts.append(f"{series[one]}, {panels[panel]}: {', '.join(ends)}")
    shaded = f" Beyond {cpus} threads there are more threads than CPUs." if cpus and data["x"].max() > cpus else ""
    published = " Published values are shown next to the measured ones." if (data["mark"] == "published").any() else ""
    begin = told(steps, axis_label.lower())
    begin = f" {begin[:1].upper()}{begin[1:]}." if begin else ""
    return f"{label} by {axis_label.lower()}, one line per series. {'; '.join(parts)}.{begin}{shaded}{published}"
