"""The published figures of a state, drawn as a notebook of the Lab draws them: as the static cell, or at once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from pipeline.analyse.estimates import configurations
from pipeline.draw.figure import Figure
from pipeline.explore.selection import Opened
from pipeline.explore.state import State, span
from pipeline.ground.errors import LabError
from pipeline.session.figures import TitledFigure
from pipeline.session.session import Session

MOST_FIGURES = 4
WIDEST = 120
HEAD = """from pipeline.session.notebook import Display, Session

lab = Session({experiment!r}, {run!r}, measuring=False)
page = Display(lab)"""


class OfLab(str):
    """The name of what a session knows by itself."""

    def __repr__(self) -> str:
        return f"lab.{self}"


@dataclass(frozen=True)
class Drawing:
    """One figure: `select` with `of` and `where` is what is called of the session, `kind` with `words`, what was
    selected and `how` what draws it (`pipeline.session.figures`). The name tells it from every other choice's figure.
    """

    experiment: str
    about: str
    title: str
    kind: str
    words: tuple[str, ...]
    select: str
    where: Mapping[str, Any]
    how: Mapping[str, Any]
    of: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        told = repr((self.title, self.kind, self.words, self.select, self.of, self.where, self.how))
        return f"explored_{self.experiment}_{self.about}_{hashlib.sha256(told.encode()).hexdigest()[:6]}"

    def lines(self) -> list[str]:
        """As code."""
        given = [*map(repr, self.of), *(f"{name}={value!r}" for name, value in self.where.items())]
        asked = [*map(repr, (self.name, *self.words)), "rows", *(f"{name}={one!r}" for name, one in self.how.items())]
        call, inside = f"page.figure({self.title!r}, '').{self.kind}", ", ".join(asked)
        drawn = [f"{call}({inside})"] if len(call) + len(inside) < WIDEST else [f"{call}(", f"    {inside}", ")"]
        return [f"rows = lab.{self.select}({', '.join(given)})", *drawn]

    def draw(self, lab: Session, folder: Path) -> Figure | str:
        """Draw it and save it in a folder; a sentence where nothing of it was measured."""
        rows = getattr(lab, self.select)(*self.of, **self.where)
        how = {name: getattr(lab, one) if isinstance(one, OfLab) else one for name, one in self.how.items()}
        return getattr(TitledFigure(lab, self.title, "", folder), self.kind)(self.name, *self.words, rows, **how)


def opening(run: str, experiment: str, against: str, state: State) -> str:
    """The line that opens the explorer at a state."""
    other = f", against={against!r}" if against else ""
    return f"Explorer({run!r}, {experiment!r}{other}, state={state.told()!r})"


def cell(opened: Opened, state: State) -> str:
    """The cell of a state; of two runs that are overlaid it is the first's."""
    head = HEAD.format(experiment=opened.experiment, run=opened.run)
    doubtful = ["# noisy and unsteady trials too: figures show them, hollow"] if state.settled else []
    whole = (
        ["# the whole range: the figure takes no part of its x axis"] if state.x and not _along(opened, state) else []
    )
    found = drawings(opened, state)
    drawn = [line for one in found for line in one.lines()] or [f"lab.chosen_trials({_where(state, state.axes)})"]
    return "\n".join([head, *doubtful, *whole, *drawn])


def drawings(opened: Opened, state: State) -> list[Drawing]:
    """The figures of a state, a few where its trials lie at several places; none where it is a table."""
    return DRAWN[state.view](opened, state) if state.view in DRAWN else []


def _along(opened: Opened, state: State) -> str:
    """The axis along x of which a figure can show a part: its values are measured one by one."""
    return state.by if state.view == "estimates" and opened.lab.entry.axes.get(state.by) == "int" else ""


def _estimates(opened: Opened, state: State) -> list[Drawing]:
    """A figure per place, but for the axis along x."""
    metric, by = opened.lab.entry.metrics[state.metric], _along(opened, state)
    kind, how = ("scaling", {"axis": by}) if by else ("levels", {})
    words, found = (state.metric, metric.label), []
    inside = {by: _inside(opened, state, by)} if by and span(state) else {}
    for place in _places(opened, state, by):
        told, where = _title(metric.label, place), _chosen(state, place) | inside
        found.append(Drawing(opened.experiment, state.metric, told, kind, words, "chosen", where, how))
    return found


def _inside(opened: Opened, state: State, by: str) -> list[int]:
    """The values of an axis in the visible range; LabError where none is."""
    low, high = span(state)
    values = [value for value in opened.choices.axes[by] if value is not None and low <= value <= high]
    if not values:
        raise LabError(f"range {state.x!r}: no value of {by} lies in it; there are: {opened.choices.axes[by]}")
    return values


def _percentiles(opened: Opened, state: State) -> list[Drawing]:
    """A figure per place, for trials of two places have no histogram in common."""
    label, how = "Time per sample", {"phase": state.phase, "clock": OfLab("clock")}
    kind, words, select = "percentiles", (state.series, label), "chosen_trials"
    return [
        Drawing(opened.experiment, kind, _title(label, place), kind, words, select, _chosen(state, place), how)
        for place in _places(opened, state)
    ]


def _timeline(opened: Opened, state: State) -> list[Drawing]:
    one = State(variants=state.variants[:1], runtimes=state.runtimes[:1])
    where, of, title = _chosen(one, _places(opened, state)[0]), (state.metric, ()), "One trial in time"
    how, words = {"unit": "ops/s"}, ("Throughput",)
    return [Drawing(opened.experiment, "timeline", title, "timeline", words, "course", where, how, of)]


def _places(opened: Opened, state: State, by: str = "") -> list[dict[str, Any]]:
    """The values of the axes at which there are trials of the choice, but of `by`; as few as are drawn."""
    kinds = {axis: kind for axis, kind in opened.lab.entry.axes.items() if axis != by}
    keys = [key for key, _ in configurations(opened.trials(state, by), list(kinds))] if kinds else [{}]
    return [
        {axis: None if pd.isna(value) else int(value) if kinds[axis] == "int" else value for axis, value in key.items()}
        for key in keys[:MOST_FIGURES]
    ] or [{axis: value for axis, value in state.axes.items() if axis != by}]


def _chosen(state: State, axes: Mapping[str, Any]) -> dict[str, Any]:
    return {"variant": list(state.variants), "runtime": list(state.runtimes)} | dict(axes)


def _where(state: State, axes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in _chosen(state, axes).items())


def _title(label: str, place: Mapping[str, Any]) -> str:
    at = ", ".join(f"{axis.replace('_', ' ')} {value}" for axis, value in place.items() if value is not None)
    return f"{label}, {at}" if at else label


DRAWN = {"estimates": _estimates, "histogram": _percentiles, "percentiles": _percentiles, "timeline": _timeline}
