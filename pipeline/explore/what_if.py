"""What if: a lock's throughput by threads as its times predict it, what would move that, and what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pipeline.bundle import entries, journal
from pipeline.bundle.bundle import Bundle
from pipeline.explore import captions, charts
from pipeline.models.contention import BASE, TAKEN_FOR_GRANTED, Curve, what_ifs
from pipeline.models.fit import Estimate
from pipeline.session import contention
from pipeline.session.contention import Measured
from pipeline.session.session import Session
from pipeline.words.numbers import counted, interval, quantity, scale

EACH = 64  # thread counts that are drawn one by one; of more as many again
NONE = "No lock of this run was measured with work outside it: `lab fit contention` takes the times as numbers."
PREDICTION = "prediction only"
HIGH = {"field": "high"}  # the other end of a band
Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Asked:
    """A lock, the work outside in ns, the most threads, and what is changed: names of `what_ifs` with `locks` of them
    in place of the one; the curve as it is comes in any case."""

    variant: str
    runtime: str
    outside: float
    threads: int
    changes: tuple[str, ...] = ()
    locks: int = 2


def opened(run: str) -> Session | None:
    """The first experiment of a run that has locks with work outside; None without any. LabError as `Bundle.open`."""
    bundle = Bundle.open(run)
    there = journal.experiments(bundle.journal())
    for name, entry in entries.of(bundle).items():
        if name in there and contention.holds(entry):
            lab = Session(name, run, measuring=False)
            if contention.locks(lab):
                return lab
    return None


def changes(locks: int) -> list[str]:
    """The names of what can be changed."""
    return [name for name in what_ifs([1], 1.0, 1.0, 0.0, locks) if name != BASE]


def view(lab: Session, asked: Asked, width: int = charts.WIDTH) -> tuple[charts.Spec, str]:
    """The chart of what is asked, and what stands below it. LabError as `measured` and `what_ifs`."""
    found = contention.measured(lab, asked.variant, asked.runtime, asked.outside)
    every = _curves(found, asked, _counts(asked.threads, found.throughput))
    named = f"{lab.labels()[asked.variant]}, {quantity(asked.outside, 'ns')} outside asked for"
    return chart(tables(every, found), asked.threads, named, width), _told(every, found, asked)


def tables(every: Mapping[str, Curve], found: Measured) -> dict[str, pd.DataFrame]:
    """lines (curve, threads, throughput, low, high, said), bounds (curve, threads, bound), which bend at knees (curve,
    threads, throughput, said), points (threads, estimate, low, high, said) that were measured, and beyond (threads):
    where fewer were, or none."""
    lines, bounds, knees = [], [], []
    for name, one in every.items():
        told = zip(one.threads.tolist(), one.throughput, one.bound.tolist(), strict=True)
        lines += [
            {"curve": name, "threads": count, "throughput": rate.estimate, "low": rate.low, "high": rate.high}
            | {"said": f"{_said(rate)}, bound {quantity(bound, 'ops/s')}"}
            for count, rate, bound in told
        ]
        bend = {one.knee.estimate: one.limit.estimate} if one.knee.estimate >= 2 else {}
        bent = sorted((bend | dict(zip(one.threads.tolist(), one.bound.tolist(), strict=True))).items())
        bounds += [{"curve": name, "threads": count, "bound": bound} for count, bound in bent]
        said = f"knee at {_said(one.knee, '1')} threads, limit {_said(one.limit)}"
        knees.append({"curve": name, "threads": one.knee.estimate, "throughput": one.limit.estimate, "said": said})
    points = [{"threads": count, **one.to_dict(), "said": _said(one)} for count, one in found.throughput.items()]
    return {
        "lines": pd.DataFrame(lines),
        "bounds": pd.DataFrame(bounds),
        "knees": pd.DataFrame(knees),
        "points": pd.DataFrame(points, columns=["threads", "estimate", "low", "high", "said"]),
        "beyond": pd.DataFrame({"threads": [max(found.throughput, default=1)]}),
    }


def chart(shown: Tables, most: int, named: str, width: int = charts.WIDTH) -> charts.Spec:
    """Curves by threads up to `most` with their bands, bounds (thin) and knees (diamonds), points that were measured
    with their intervals, and shaded what lies beyond these."""
    lines = shown["lines"]
    bounds, knees, points = (
        one[one["threads"] <= most] for one in (shown[name] for name in ("bounds", "knees", "points"))
    )
    curves = [charts.Line(name, at, at) for at, name in enumerate(lines["curve"].unique())]
    looks, x = charts.looks(curves, width), _threads(most)
    values = [*lines["high"].fillna(lines["throughput"]), *bounds["bound"], *points["high"], *points["estimate"]]
    y = {
        name: charts.value_axis(name, values, "ops/s", "Throughput", log=False, zero=True, stack=None)
        for name in ("throughput", "bound", "low", "estimate")
    }
    ink, place = {"color": charts.TEXT, "clip": True}, {"x": x}
    faded = {"opacity": charts.faded()}
    about = charts.tooltip(curve="curve", threads="threads", predicted="said")
    of_lines = [
        {
            "mark": {"type": "area", "clip": True},
            "encoding": place
            | {"y": y["low"], "y2": {"field": "high"}, "color": looks["color"], "opacity": charts.faded(0.16, 0.02)},
        },
        {
            "params": charts.interactions(["x", "y"]),
            "mark": {"type": "line", "strokeWidth": 2, "clip": True},
            "encoding": place | {"y": y["throughput"]} | looks | faded,
        },
        {
            "mark": {"type": "point", "size": 80, "filled": True, "opacity": 0, "clip": True},
            "encoding": place | {"y": y["throughput"], "tooltip": about},
        },
    ]
    of_bounds = {
        "data": charts.rows(bounds),
        "mark": {"type": "line", "strokeWidth": 0.8, "clip": True},
        "encoding": place | {"y": y["bound"], "opacity": charts.faded(0.8)} | looks,
    }
    of_knees = {
        "data": charts.rows(knees),
        "mark": {"type": "point", "shape": "diamond", "size": 110, "filled": True, "clip": True},
        "encoding": place
        | {"y": y["throughput"], "color": looks["color"], "tooltip": charts.tooltip(curve="curve", knee="said")}
        | faded,
    }
    said = charts.tooltip(threads="threads", measured="said")
    of_points = {
        "data": charts.rows(points),
        "layer": [
            {"mark": {"type": "rule", "strokeWidth": 2, **ink}, "encoding": place | {"y": y["low"], "y2": HIGH}},
            {
                "mark": {"type": "point", "size": 55, "filled": True, "opacity": 1, **ink},
                "encoding": place | {"y": y["estimate"], "tooltip": said},
            },
        ],
    }
    beyond = shown["beyond"]["threads"].iloc[0]
    shade = [] if beyond >= most else [_beyond(int(beyond), most, x)]
    told = f"Throughput by threads, predicted and measured: {named}. {'; '.join(one.label for one in curves)}."
    layers = [*shade, {"data": charts.rows(lines), "layer": of_lines}, of_bounds, of_knees, of_points]
    return charts.spec(told, charts.sized({"layer": layers}, width))


def _beyond(measured_to: int, most: int, x: charts.Spec) -> charts.Spec:
    """The shade over what is a prediction and nothing else, named at its foot, where no curve comes."""
    text = {"type": "text", "align": "right", "baseline": "bottom", "dx": -6, "dy": -4, "color": charts.MUTED}
    edges = {"x": {"value": {"expr": "width"}}, "y": {"value": {"expr": "height"}}}
    return {
        "data": {"values": [{"threads": measured_to, "most": most, "said": PREDICTION}]},
        "layer": [
            {
                "mark": {"type": "rect", "color": charts.SHADE, "opacity": 0.22, "clip": True},
                "encoding": {"x": x, "x2": {"field": "most"}},
            },
            {"mark": text, "encoding": edges | {"text": {"field": "said"}}},
        ],
    }


def _threads(most: int) -> charts.Spec:
    """The channel of threads; every doubling has the same room."""
    places = [2**power for power in range(most.bit_length())]
    axis = {"title": "Threads", "values": places, "format": ",~r", "grid": False}
    scale = {"type": "log", "base": 2, "nice": False, "domain": [1, max(most, 2)]}
    return {"field": "threads", "type": "quantitative", "scale": scale, "axis": axis}


def _counts(most: int, came: Mapping[int, Estimate]) -> list[int]:
    """Every number of threads, or of many as many again as are drawn one by one, with those that were measured."""
    further = np.round(np.geomspace(EACH, max(most, EACH), EACH)).astype(int).tolist()
    return sorted({count for count in (*range(1, EACH + 1), *further, *came) if count <= most})


def _curves(found: Measured, asked: Asked, counts: Iterable[int]) -> dict[str, Curve]:
    times = found.times
    every = what_ifs([*counts], times["outside"], times["section"], times["hand-over"], asked.locks)
    return {name: one for name, one in every.items() if name in (BASE, *asked.changes)}


def _told(every: Mapping[str, Curve], found: Measured, asked: Asked) -> str:
    """The table of the curves, the times that they are from, and what is a prediction."""
    came, base = found.throughput, every[BASE]
    last = base.threads.tolist()[-1]
    power = scale((rate.estimate for one in every.values() for rate in (one.limit, one.throughput[-1])), "ops/s")
    rows = [
        [name, _said(one.knee, "1"), _said(one.limit, power=power), _said(one.throughput[-1], power=power)]
        for name, one in every.items()
    ]
    heads = ["", "knee, threads", "limit", f"with {counted(last, 'thread')}"]
    times = "; ".join(f"{name} {_said(one, 'ns')} ({found.where[name]})" for name, one in found.times.items())
    most = max(came, default=0)
    if not came:
        beyond = "All of it is a prediction from these times: no throughput was measured with them."
    elif last > most:
        beyond = f"Beyond {counted(most, 'thread')} nothing was measured: there it is a prediction from these times."
    else:
        beyond = "No thread count here lies beyond what was measured; the curves are predicted from these times."
    marks = "Lines: predicted, with a band; thin: their bounds; diamonds: knees; points: measured, with intervals."
    sentences = [f"Times: {times}.", beyond, contention.compared(base, came), marks, captions.HOW, TAKEN_FOR_GRANTED]
    return captions.table(heads, rows, [False, True, True, True]) + captions.notes(sentences)


def _said(one: Estimate, unit: str = "ops/s", power: int | None = None) -> str:
    return interval(one.estimate, one.low, one.high, unit, power=power)
