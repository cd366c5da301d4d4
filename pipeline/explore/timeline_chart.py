"""The chart of trials in time: a stretch that is brushed above has its percentiles below, drawn by the browser.

The only numbers that do not come from the pipeline are those of a stretch. They follow its rule: the percentile is the
highest value of the first bucket at which so many samples are reached (pipeline.hdr.percentiles), and there is none
with fewer than ten samples beyond it.
"""

from __future__ import annotations

import math

from pipeline.draw.percentile import NINES
from pipeline.explore import charts
from pipeline.explore.charts import Spec
from pipeline.explore.data import Shown
from pipeline.hdr.percentiles import MIN_BEYOND

ABOVE, BELOW, ROW, NAMES = 170, 170, 18, 210  # pixels
TOLD = NINES[1:6]
STRETCH = "stretch"


def timeline(shown: Shown, *, label: str, width: int = charts.WIDTH, ends: tuple[float, float] | None = None) -> Spec:
    """Cost by time with the runtime's events, the percentiles of the brushed stretch, and the same as a table.

    ends: milliseconds, of the time that is seen.
    """
    buckets = shown.tables["buckets"]
    told = f"{label} by time of one trial each: {'; '.join(shown.labels)}. Below, percentiles of the brushed stretch."
    parts = [charts.sized(_above(shown, label, ends), width, ABOVE)]
    if len(buckets):
        most = math.log10(max(buckets.groupby("curve", observed=True)["count"].sum().max(), 10))
        stretch = {"data": {"name": STRETCH}, "transform": _merged()}
        parts.append(charts.sized(stretch | _curves(shown, most, buckets["high"]), width, BELOW))
        parts.append(charts.sized(stretch | _table(shown, width), width, ROW * len(shown.curves)))
    rows = {STRETCH: charts.rows(buckets)["values"]}  # once for both
    return charts.spec(told, {"datasets": rows, "vconcat": parts, "spacing": 14})


def _above(shown: Shown, label: str, ends: tuple[float, float] | None) -> Spec:
    points, events = shown.tables["points"], shown.tables["events"]
    x = {
        "field": "time",
        "type": "quantitative",
        "scale": {"nice": False, "padding": 6},
        "axis": {"title": "Time in the trial (ms); drag to choose a stretch", "grid": False},
    }
    x, y = charts.ranged(x, ends), charts.value_axis("value", points["value"], "ns", label)
    about = charts.tooltip(curve="curve", trial="trial", iteration="iteration", value="said")
    colour = charts.colour(shown.curves)
    fill = {"condition": {"test": "!datum.warm", **{k: v for k, v in colour.items()}}, "value": "transparent"}
    fill["condition"]["legend"] = None
    dots = {
        "data": charts.rows(points.drop(columns="start")),
        "params": [
            {"name": "brush", "select": {"type": "interval", "encodings": ["x"]}},
            {"name": "picked", "select": {"type": "point", "fields": ["curve"]}, "bind": "legend"},
        ],
        "mark": {"type": "point", "size": 14, "strokeWidth": 1, "clip": True},
        "encoding": {"x": x, "y": y, "color": colour, "fill": fill, "opacity": charts.faded(), "tooltip": about},
    }
    if ends:
        events = events[events["time"].between(*ends)]  # they stand above the chart, where nothing is clipped
    if events.empty:
        return dots
    lane = {
        "data": charts.rows(events),
        "mark": {"type": "tick", "thickness": 1.5, "orient": "vertical", "height": 10, "yOffset": -8},
        "encoding": {
            "x": x,
            "y": {"value": 0},
            "color": colour,
            "opacity": charts.faded(0.7),
            "tooltip": charts.tooltip(event="kind", method="method", curve="curve"),
        },
    }
    return {"layer": [dots, lane]}


def _merged() -> list[Spec]:
    """Buckets of the brushed iterations, summed, with the samples up to each (`below`) and of all."""
    return [
        {"filter": {"param": "brush"}},
        {"aggregate": [{"op": "sum", "field": "count", "as": "count"}], "groupby": ["curve", "high"]},
        {
            "window": [{"op": "sum", "field": "count", "as": "below"}],
            "sort": [{"field": "high", "order": "ascending"}],
            "groupby": ["curve"],
            "frame": [None, 0],
        },
        {"joinaggregate": [{"op": "sum", "field": "count", "as": "total"}], "groupby": ["curve"]},
    ]


def _curves(shown: Shown, most: float, values) -> Spec:
    drawn = [{"calculate": "-log(max(1 - datum.below / datum.total, 1 / datum.total)) / LN10", "as": "nines"}]
    x = charts.nines_axis(most, "Percentile of the stretch")
    y = charts.value_axis("high", values, "ns", "Time per sample")
    return {
        "layer": [
            {
                "params": [charts.window(["x", "y"])],
                "transform": drawn,
                "mark": {"type": "line", "interpolate": "step-before", "strokeWidth": 1.6},
                "encoding": {"x": x, "y": y, "opacity": charts.faded()} | charts.looks(shown.curves),
            }
        ]
    }


def _table(shown: Shown, width: int) -> Spec:
    """A line per curve, its name on the left: the percentiles of the stretch."""
    asked = [math.nextafter(percent, -math.inf) for percent in TOLD]
    steps = [
        {"calculate": f"{list(TOLD)}", "as": "percentile"},
        {"calculate": f"{asked}", "as": "asked"},
        {"flatten": ["percentile", "asked"]},
        {"filter": "datum.below >= max(ceil(datum.asked * datum.total / 100), 1)"},
        {"filter": f"datum.total * (100 - datum.percentile) >= {100 * MIN_BEYOND * (1 - 1e-9)}"},
        {"aggregate": [{"op": "min", "field": "high", "as": "value"}], "groupby": ["curve", "percentile", "total"]},
        {"calculate": charts.TIME.format("datum.value", 3), "as": "said"},
    ]
    axis = {"orient": "top", "title": None, "labelExpr": "'p' + datum.label", "domain": False, "ticks": False}
    scale = {"domain": list(TOLD), "range": [NAMES, width]}
    y = {"field": "curve", "type": "nominal", "scale": {"domain": shown.labels}, "axis": None}
    text = {"type": "text", "fontSize": 11, "color": charts.TEXT}
    number = {
        "transform": steps,
        "mark": text,
        "encoding": {
            "x": {"field": "percentile", "type": "ordinal", "scale": scale, "axis": axis | {"labelAngle": 0}},
            "y": y,
            "text": {"field": "said"},
            "description": {"field": "value"},
        },
    }
    names = {
        "data": {"values": [{"curve": label} for label in shown.labels]},
        "mark": text | {"align": "left", "limit": NAMES},
        "encoding": {"x": {"value": 0}, "y": y, "text": {"field": "curve"}},
    }
    return {"layer": [number, names]}
