"""The catalogue entry that an imported run brings with it: what is compared, the axes, and its trials' numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.catalogue import check
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.profile import PROFILES
from pipeline.foreign.reading import Found, Measure, Thing
from pipeline.foreign.windows import total
from pipeline.ground.errors import LabError
from pipeline.hdr.percentiles import supported
from pipeline.ingest.imported import HARNESS, PHASE, beyond
from pipeline.words.numbers import counted, place, quantity

NAME = "own"  # of the experiment of every imported run, and of its page
NOTEBOOK = "explore/own_data.ipynb"
PERCENTS = (50.0, 90.0, 99.0, 99.9, 99.99)
FIRST = ("p99", "p50", "p90", "p99_9", "p99_99")  # in the order in which they are asked about
FEWEST = 1_000  # samples of the least trial whose greatest value is told
BEYOND = beyond(0).rstrip("0")  # begins the names of the shares beyond limits
BLOCKS = 10_000


def entry(title: str, sessions: Sequence[Found], limits: Sequence[tuple[float, float]], value: str) -> Experiment:
    """The entry of sessions. title: of the page; limits: (percent, ns); value: what one recorded value is."""
    things = list(dict.fromkeys(thing for one in sessions for thing in one.things))
    axes = _axes(things)
    metrics = _metrics(sessions, limits)
    if taken := next((name for name in axes if name in metrics), ""):
        advice = f"call it otherwise, as {{{taken}_of_run}}"
        raise LabError(f"axis {taken!r}: is also what a number of these files is called; {advice}")
    names = list(dict.fromkeys(thing.name for thing in things))
    profile = {"min_blocks": 1, "max_blocks": BLOCKS, "budget_s": 1.0, "sweeps": [{"variants": names}]}
    return check.experiment(
        {
            "name": NAME,
            "number": 0,
            "title": title,
            "question": _question(metrics),
            "value": value,
            "posts": [],
            "axes": axes,
            "variants": {name: {"label": name, "harness": HARNESS, "runs": name} for name in names},
            "profiles": dict.fromkeys(PROFILES, profile),
            "metrics": metrics,
            "headlines": [{"metric": name} for name in _order(metrics)],
            "notebook": NOTEBOOK,
        }
    )


def metric_of(percent: float) -> str:
    """`p99_9` of 99.9."""
    return f"p{place(percent)}".replace(".", "_")


def _axes(things: Sequence[Thing]) -> dict[str, str]:
    """The axes of all things; one is of whole numbers where each of its values is."""
    values: dict[str, list[Any]] = {}
    for thing in things:
        for name, value in thing.axes:
            values.setdefault(name, []).append(value)
    return {name: "int" if all(type(one) is int for one in each) else "str" for name, each in values.items()}


def _metrics(sessions: Sequence[Found], limits: Sequence[tuple[float, float]]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    samples = [total(windows).total for one in sessions for windows in one.windows.values()]
    if samples:
        time = {"unit": "ns", "phase": PHASE, "better": "lower"}
        for percent in PERCENTS:
            if supported(max(samples), percent):
                about = {"kind": "percentile", "label": f"{place(percent)}th percentile", "percentile": percent}
                found[metric_of(percent)] = about | time
        exact = not any(one.bounds for one in sessions)  # else a mean or a greatest value would be of bounds
        if exact:
            found["mean"] = {"kind": "mean", "label": "Mean"} | time
        if exact and (least := min(samples)) >= FEWEST:
            label = f"Greatest of {counted(least, 'value')}"
            found["greatest"] = {"kind": "greatest", "label": label, "samples": least} | time
        for _, most in limits:
            about = {"kind": "measure", "name": beyond(most), "label": f"Share beyond {quantity(most, 'ns')}"}
            found[beyond(most)] = about | {"unit": "1", "better": "lower", "phase": PHASE}
    measures = dict.fromkeys(value.measure for one in sessions for values in one.values.values() for value in values)
    for one in measures:
        found[one.name] = _measure(one)
    return found


def _measure(one: Measure) -> dict[str, Any]:
    told = {"kind": "measure", "name": one.name, "unit": one.unit, "label": one.label, "phase": PHASE}
    return told | ({"better": one.better} if one.better else {})


def _order(metrics: Mapping[str, Any]) -> list[str]:
    """What is asked about first: the score of a benchmark, or the 99th percentile of a latency."""
    first = [name for name in FIRST if name in metrics]
    others = [name for name in metrics if name not in first]
    return [*first, *others]


def _question(metrics: Mapping[str, Any]) -> str:
    if "p50" in metrics:
        return "How long does it take, for most and for the few, and is it steady over time?"
    return "What was measured, and how far do the sessions lie apart?"
