"""The static cell that draws and saves the figure of a state, as a notebook of the Lab would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pipeline.analyse.estimates import configurations
from pipeline.explore.selected import Opened
from pipeline.explore.state import State

MOST_FIGURES = 4
HEAD = """from pipeline.session.notebook import Display, Session

lab = Session({experiment!r}, {run!r}, measuring=False)
page = Display(lab)"""


def opening(run: str, experiment: str, against: str, state: State) -> str:
    """The line that opens the explorer at a state."""
    other = f", against={against!r}" if against else ""
    return f"Explorer({run!r}, {experiment!r}{other}, state={state.told()!r})"


def cell(opened: Opened, state: State) -> str:
    """The cell of a state; of two runs that are overlaid it is the first's."""
    head = HEAD.format(experiment=opened.experiment, run=opened.run)
    doubtful = ["# noisy and unsteady trials too: figures show them, hollow"] if state.settled else []
    return "\n".join([head, *doubtful, *DRAWN[state.view](opened, state)])


def _estimates(opened: Opened, state: State) -> list[str]:
    """A figure per place, but for the axis along x."""
    metric = opened.lab.entry.metrics[state.metric]
    by = state.by if opened.lab.entry.axes.get(state.by) == "int" else ""
    kind, how = ("scaling", f", axis={by!r}") if by else ("levels", "")
    lines = []
    for number, place in enumerate(_places(opened, state, by)):
        title, name = _title(metric.label, place), f"explored_{state.metric}{number or ''}"
        lines += [
            f"rows = lab.chosen({_where(state, place)})",
            f"page.figure({title!r}, '').{kind}({name!r}, {state.metric!r}, {metric.label!r}, rows{how})",
        ]
    return lines


def _percentiles(opened: Opened, state: State) -> list[str]:
    """A figure per place, for trials of two places have no histogram in common."""
    lines = []
    for number, place in enumerate(_places(opened, state)):
        lines += [
            f"trials = lab.chosen_trials({_where(state, place)})",
            f"page.figure({_title('Time per sample', place)!r}, '').percentiles(",
            f"    'explored_percentiles{number or ''}', {state.series!r}, 'Time per sample', trials,"
            f" phase={state.phase!r}, clock=lab.clock",
            ")",
        ]
    return lines


def _timeline(opened: Opened, state: State) -> list[str]:
    place = _places(opened, state)[0]
    one = State(variants=state.variants[:1], runtimes=state.runtimes[:1])
    return [
        f"went = lab.course({state.metric!r}, (), {_where(one, place)})",
        "page.figure('One trial in time', '').timeline('explored_timeline', 'Throughput', went, unit='ops/s')",
    ]


def _trials(opened: Opened, state: State) -> list[str]:
    return [f"lab.chosen_trials({_where(state, state.axes)})"]


def _places(opened: Opened, state: State, by: str = "") -> list[dict[str, Any]]:
    """The values of the axes at which there are trials of the choice, but of `by`; as few as are drawn."""
    kinds = {axis: kind for axis, kind in opened.lab.entry.axes.items() if axis != by}
    keys = [key for key, _ in configurations(opened.trials(state, by), list(kinds))] if kinds else [{}]
    return [
        {axis: None if pd.isna(value) else int(value) if kinds[axis] == "int" else value for axis, value in key.items()}
        for key in keys[:MOST_FIGURES]
    ] or [{axis: value for axis, value in state.axes.items() if axis != by}]


def _where(state: State, axes: Mapping[str, Any]) -> str:
    chosen = {"variant": list(state.variants), "runtime": list(state.runtimes)} | dict(axes)
    return ", ".join(f"{name}={value!r}" for name, value in chosen.items())


def _title(label: str, place: Mapping[str, Any]) -> str:
    at = ", ".join(f"{axis.replace('_', ' ')} {value}" for axis, value in place.items() if value is not None)
    return f"{label}, {at}" if at else label


DRAWN = {
    "estimates": _estimates,
    "histogram": _percentiles,
    "percentiles": _percentiles,
    "timeline": _timeline,
    "trials": _trials,
}
