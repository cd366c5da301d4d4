"""The static cell that draws and saves the figure of a state, as a notebook of the Lab would."""

from __future__ import annotations

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
    return "\n".join([head, *DRAWN[state.view](opened, state)])


def _estimates(opened: Opened, state: State) -> list[str]:
    metric = opened.lab.entry.metrics[state.metric]
    where = _where(state, {axis: value for axis, value in state.axes.items() if axis != state.by})
    by = state.by if opened.lab.entry.axes.get(state.by) == "int" else ""
    kind, how = ("scaling", f", axis={by!r}") if by else ("levels", "")
    title = f"{metric.label} by {by}" if by else metric.label
    return [
        f"rows = lab.chosen({where})",
        f"page.figure({title!r}, '').{kind}('explored_{state.metric}', {state.metric!r}, {metric.label!r}, rows{how})",
    ]


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


def _places(opened: Opened, state: State) -> list[dict]:
    """The values of the axes at which there are trials of the choice, as few as are drawn."""
    axes = list(opened.lab.entry.axes)
    keys = [key for key, _ in configurations(opened.trials(state), axes)] if axes else [{}]
    plain = [{axis: None if value != value else value for axis, value in key.items()} for key in keys]
    kinds = opened.lab.entry.axes
    return [
        {axis: int(value) if kinds[axis] == "int" and value is not None else value for axis, value in one.items()}
        for one in plain[:MOST_FIGURES]
    ] or [dict(state.axes)]


def _where(state: State, axes: dict) -> str:
    chosen = {"variant": list(state.variants), "runtime": list(state.runtimes)} | dict(axes)
    return ", ".join(f"{name}={value!r}" for name, value in chosen.items())


def _title(label: str, place: dict) -> str:
    at = ", ".join(f"{axis.replace('_', ' ')} {value}" for axis, value in place.items() if value is not None)
    return f"{label}, {at}" if at else label


DRAWN = {
    "estimates": _estimates,
    "histogram": _percentiles,
    "percentiles": _percentiles,
    "timeline": _timeline,
    "trials": _trials,
}
