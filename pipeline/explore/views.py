"""The chart of each view, of the tables that `data` and `times` make."""

from __future__ import annotations

import math

import pandas as pd

from pipeline.draw.percentile import BELOW_CLOCK
from pipeline.explore import charts
from pipeline.explore.charts import Spec
from pipeline.explore.data import Shown
from pipeline.explore.state import HEIGHTS, State, span
from pipeline.hdr.percentiles import MIN_BEYOND
from pipeline.words.numbers import quantity

Ends = tuple[float, float]
ROW, SHORT, LONGEST = 30, 45, 210  # pixels: of a variant that has a row of its own, of a tick's label, of a name


def estimates(
    shown: Shown, *, unit: str, label: str, by: str, width: int = charts.WIDTH, ends: Ends | None = None
) -> Spec:
    """A metric by an axis: medians over trials with intervals, and every trial; by the variants when there is none.

    ends: of the quantitative x axis, which is the metric's where names stand on the other one.
    """
    points, trials = shown.tables["points"], shown.tables["trials"]
    across = not pd.api.types.is_numeric_dtype(points["x"])
    values = [*trials["value"], *points["estimate"]]
    value = {"zero": True, "stack": None} if min(values, default=1) >= 0 else {"stack": None}
    places = list(dict.fromkeys(points["x"]))
    along = _rows(places, by) if across else charts.ranged(_along(sorted(places), by), ends)
    side, other = ("x", "y") if across else ("y", "x")
    offset = {"yOffset": {"field": "curve", "type": "nominal", "sort": shown.labels}} if across else {}
    channel = {
        name: charts.ranged(charts.value_axis(name, values, unit, label, **value), ends if across else None)
        for name in ("value", "estimate", "low")
    }
    dodge = offset if len(shown.curves) > 1 else {}
    common = {other: along, **dodge, "opacity": charts.faded()}
    about = charts.tooltip(curve="curve", **({by.replace("_", " "): "x"} if by else {}), value="said")
    sort = {"order": {"field": "x", "type": "quantitative"}}
    dots = {
        "data": charts.rows(trials),
        "params": charts.interactions([side] if across else ["x", "y"]),
        "mark": {"type": "point", "size": 16, "strokeWidth": 1},
        "encoding": common
        | {
            side: channel["value"],
            "color": charts.colour(shown.curves),
            # A hollow point is a trial that is noisy or did not settle.
            "fill": {
                "condition": {"test": "datum.doubt === ''", **_no_legend(charts.colour(shown.curves))},
                "value": "transparent",
            },
            "opacity": charts.faded(0.55),
            "tooltip": [*about, *charts.tooltip(trial="trial", doubt="doubt")],
        },
    }
    bars = {
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": common
        | {side: channel["low"], f"{side}2": {"field": "high"}, "color": charts.colour(shown.curves), "tooltip": about},
    }
    marks = {
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
        "encoding": common | {side: channel["estimate"], "color": charts.colour(shown.curves), "tooltip": about},
    }
    line = {
        "mark": {"type": "line", "strokeWidth": 1.5},
        "encoding": common | {side: channel["estimate"]} | charts.looks(shown.curves) | sort,
    }
    medians = {"data": charts.rows(points), "layer": [bars, marks] if across else [line, bars, marks]}
    height = max(len(places) * max(ROW, 10 * len(shown.curves)), 160) if across else charts.HEIGHT
    # Names that stand where another chart has its short tick labels take their room from the chart.
    width -= int(max(0, min(LONGEST, 6.2 * max(map(len, places))) - SHORT)) if across else 0
    told = f"{label} by {by.replace('_', ' ') or 'variant'}: {_named(shown)}. Medians over trials with intervals."
    return charts.spec(told, charts.sized({"layer": [dots, medians]}, width, height))


def _along(places: list[float], by: str) -> Spec:
    log = places[0] > 0 and places[-1] / places[0] > 16
    axis = {"title": by.replace("_", " ").capitalize(), "values": places, "format": ",~r", "grid": False}
    scale = {"type": "log", "base": 2, "nice": False, "padding": 12} if log else {"zero": False, "padding": 12}
    return {"field": "x", "type": "quantitative", "scale": scale, "axis": axis}


def _rows(places: list[str], by: str) -> Spec:
    title = by.replace("_", " ").capitalize() if by else None
    axis = {"title": title, "labelLimit": LONGEST, "grid": False, "ticks": False, "domain": False}
    return {"field": "x", "type": "nominal", "sort": places, "axis": axis, "scale": {"paddingInner": 0.25}}


def _no_legend(channel: Spec) -> Spec:
    return {name: value for name, value in channel.items() if name != "legend"} | {"legend": None}


def histogram(shown: Shown, state: State, *, label: str, width: int = charts.WIDTH) -> Spec:
    """How the samples of each curve lie on a logarithmic axis."""
    bins = shown.tables["bins"]
    heights = bins["height"].where(bins["height"] > 0) if state.log_height else bins["height"]
    bins = bins.assign(height=heights)
    title = HEIGHTS[state.height].capitalize()
    y = charts.value_axis("height", bins["height"].dropna(), "1", title, log=state.log_height, zero=True, stack=None)
    y["axis"]["labelExpr"] = _shares() if state.height == "share" else charts.tick("1")
    x = charts.ranged(charts.value_axis("low", bins["low"], state.unit, label, log=True), span(state))
    line = {
        "params": charts.interactions(["x", "y"]),
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.5, "clip": True},
        "encoding": {"x": x, "y": y, "opacity": charts.faded()} | charts.looks(shown.curves),
    }
    pointed = {
        "mark": {"type": "rule", "strokeWidth": 4, "opacity": 0, "clip": True},
        "transform": [{"filter": "datum.count > 0"}],
        "encoding": {"x": x, "tooltip": charts.tooltip(curve="curve", values="said", samples="count")},
    }
    told = f"{label}: {title.lower()} by value on a logarithmic axis: {_named(shown)}."
    return charts.spec(told, charts.sized({"data": charts.rows(bins), "layer": [pointed, line]}, width))


def _shares() -> str:
    return "format(100 * datum.value, '.3~r') + ' %'"


def percentiles(
    shown: Shown, state: State, *, label: str, clock: float | None = None, width: int = charts.WIDTH
) -> Spec:
    """The percentiles of all samples of each curve: thin where fewer than ten samples lie beyond."""
    curves = shown.tables["curves"]
    known, tail = curves[~curves["tail"]], curves[curves["tail"]]
    # The thin line begins where the thick one ends.
    tail = pd.concat([known.groupby("curve", sort=False).tail(1), tail])
    limits = shown.tables.get("wanted")
    values = [*curves["value"].dropna(), *([] if limits is None else limits["value"])]
    ends = span(state) and tuple(-math.log10(1 - percent / 100) for percent in span(state))
    x = charts.ranged(charts.nines_axis(curves["nines"].max()), ends)
    y = charts.value_axis("value", values, state.unit, label)
    common = {"x": x, "y": y, "opacity": charts.faded()} | charts.looks(shown.curves)
    about = charts.tooltip(curve="curve", percentile="percentile", value="said")
    layers = [
        {
            "data": charts.rows(known),
            "params": charts.interactions(["x", "y"]),
            "mark": {"type": "line", "interpolate": "step-before", "strokeWidth": 2, "clip": True},
            "encoding": common,
        },
        {
            "data": charts.rows(tail),
            "mark": {"type": "line", "interpolate": "step-before", "strokeWidth": 0.8, "clip": True},
            "encoding": common,
        },
        {
            "data": charts.rows(curves),
            "mark": {"type": "point", "size": 90, "filled": True, "opacity": 0, "clip": True},
            "encoding": {"x": x, "y": y, "tooltip": about},
        },
    ]
    if clock and state.unit == "ns" and min(values, default=clock) < clock:
        layers = [_clock(clock, min(values), y), *layers]
    if limits is not None:
        layers += _limits(limits, x, y)
    told = f"{label} by percentile: {_named(shown)}. Thin: fewer than {MIN_BEYOND} samples beyond."
    return charts.spec(told, charts.sized({"layer": layers}, width))


def _clock(clock: float, least: float, y: Spec) -> Spec:
    said = f"{BELOW_CLOCK} ({quantity(clock, 'ns')})"
    data = {"values": [{"low": least, "value": clock, "said": said}]}
    shade = {"type": "rect", "color": charts.SHADE, "opacity": 0.3, "clip": True}
    text = {"type": "text", "align": "right", "baseline": "top", "dx": -4, "dy": 4, "color": charts.MUTED, "clip": True}
    place = {"x": {"value": {"expr": "width"}}, "y": y}
    return {
        "data": data,
        "layer": [
            {"mark": shade, "encoding": {"y": y, "y2": {"field": "low"}}},
            {"mark": text, "encoding": place | {"text": {"field": "said"}}},
        ],
    }


def _limits(limits: pd.DataFrame, x: Spec, y: Spec) -> list[Spec]:
    ink = {"color": charts.TEXT, "clip": True}
    place = {"y": y}
    return [
        {
            "data": charts.rows(limits),
            "layer": [
                {"mark": {"type": "rule", "strokeDash": [4, 3], **ink}, "encoding": place},
                {"mark": {"type": "point", "shape": "diamond", "size": 90, **ink}, "encoding": place | {"x": x}},
                {
                    "mark": {"type": "text", "align": "left", "dx": 5, "dy": -7, **ink},
                    "encoding": place | {"x": {"value": 0}, "text": {"field": "text"}},
                },
            ],
        }
    ]


def _named(shown: Shown) -> str:
    return "; ".join(shown.labels)
