"""The controls of the explorer: a widget for each choice, made of what there is to choose from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import ipywidgets as widgets

from pipeline.explore.choices import Choices
from pipeline.explore.state import HEIGHTS, UNITS, State
from pipeline.words.numbers import place

ALL, NOT_SET = "(all)", "(not set)"
WIDE, LABEL = {"width": "240px"}, "82px"
MEDIAN = ("the median one", "")
NEW_AXIS = ("metric", "by", "unit")  # with another one of these a visible range says nothing any more
# Which controls each view has beside variants, runtimes and axes.
OF_VIEW = {
    "estimates": ("metric", "by", "x", "settled"),
    "histogram": ("series", "phase", "unit", "height", "log_height", "x", "settled"),
    "percentiles": ("series", "phase", "unit", "limits", "x", "settled"),
    "timeline": ("metric", "series", "phase", "trial", "x", "settled"),
    "trials": ("metric",),
}


class Controls:
    """`changed` is called when a choice changes; `state` is what is chosen, None before anything is offered."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed, self._quiet = changed, True
        self.state: State | None = None
        self._of: dict[str, Any] = {}
        self._axes: dict[str, widgets.Dropdown] = {}
        self.widget = widgets.VBox([])

    def offer(self, choices: Choices, state: State) -> None:
        """New widgets for what there is, set to a state."""
        self._quiet, self.state, self.choices = True, state, choices
        labelled = [(label, name) for name, label in choices.metrics.items()]
        axes = [(axis.replace("_", " "), axis) for axis, values in choices.axes.items() if len(values) > 1]
        trials = sorted(choices.lab.tables.measured["trial"])
        self._of = {
            "variants": _several("Variants (Ctrl: several)", choices.variants, state.variants, 7),
            "runtimes": _several("Runtimes", choices.runtimes, state.runtimes, 4),
            "metric": _one("Metric", labelled, state.metric),
            "by": _one("By", [("variant", ""), *axes], state.by),
            "series": _one("Series", choices.series, state.series),
            "phase": _one("Phase", choices.phases, state.phase),
            "trial": _one("Trial", [MEDIAN, *((one, one) for one in trials)], state.trial),
            "unit": _one("Unit", list(UNITS), state.unit),
            "height": _one("Height", [(label, name) for name, label in HEIGHTS.items()], state.height),
            "log_height": _check("logarithmic height", state.log_height),
            "limits": widgets.Text(
                value=state.limits, description="Limits", placeholder="99.9: 2 us, 99: 500 ns", continuous_update=False
            ),
            "x": widgets.Text(value=state.x, description="Range of x", placeholder="10, 1e5", continuous_update=False),
            "settled": _check("quiet and steady trials only", state.settled),
        }
        self._axes = {
            axis: _one(
                axis.replace("_", " "),
                [(ALL, ALL), *((_said(value), _plain(value)) for value in values)],
                _plain(state.axes.get(axis, ALL)),
            )
            for axis, values in choices.axes.items()
            if len(values) > 1
        }
        for name, one in (self._of | self._axes).items():
            if not isinstance(one, widgets.VBox):
                one.layout.width, one.style.description_width = WIDE["width"], LABEL
            _value(one).observe(lambda _, name=name: self._read(name), "value")
        lists = [self._of["variants"], self._of["runtimes"]]
        rest = [one for name, one in self._of.items() if name not in ("variants", "runtimes")]
        self.widget.children = [*lists, *self._axes.values(), *rest]
        self._quiet = False

    def only(self, trials: list[str]) -> None:
        """Offer these trials alone; what was chosen of others is the median one."""
        one, self._quiet = self._of["trial"], True
        value = one.value if one.value in trials else ""
        one.options = [MEDIAN, *((name, name) for name in trials)]
        one.value, self._quiet = value, False

    def of_view(self, view: str) -> None:
        """Only the controls that a view has."""
        for name, one in self._of.items():
            seen = name in ("variants", "runtimes") or name in OF_VIEW[view]
            one.layout.display = None if seen else "none"
        for axis, one in self._axes.items():
            along = view == "estimates" and self.state is not None and self.state.by == axis
            one.layout.display = "none" if along else None

    def __getitem__(self, name: str) -> Any:
        """The widget of a choice or of an axis."""
        return _value(self._of[name] if name in self._of else self._axes[name])

    def whole(self) -> None:
        """The whole range of x, for what lies along it has become something else."""
        self._quiet, self._of["x"].value = True, ""
        self._quiet, self.state = False, replace(self.state, x="")

    def _read(self, name: str) -> None:
        if self._quiet:
            return
        if name in NEW_AXIS:
            self.whole()
        fixed = {axis: values[0] for axis, values in self.choices.axes.items() if len(values) == 1}
        chosen = {axis: one.value for axis, one in self._axes.items() if one.value != ALL}
        axes = {axis: None if value == NOT_SET else value for axis, value in chosen.items()}
        plain = {name: _value(one).value for name, one in self._of.items()}
        self.state = State(**plain, axes=fixed | axes)
        self._changed()


def _several(label: str, names: dict[str, str], value: tuple[str, ...], rows: int) -> widgets.VBox:
    options = [(text, name) for name, text in names.items()]
    chosen = widgets.SelectMultiple(options=options, value=value, rows=min(rows, max(len(options), 2)))
    chosen.layout.width = WIDE["width"]
    return widgets.VBox([widgets.Label(label), chosen])


def _one(label: str, options: list, value: Any) -> widgets.Dropdown:
    return widgets.Dropdown(options=options, value=value, description=label)


def _check(label: str, value: bool) -> widgets.Checkbox:
    return widgets.Checkbox(value=value, description=label, indent=False)


def _value(one: widgets.Widget) -> Any:
    return one.children[1] if isinstance(one, widgets.VBox) else one


def _plain(value: Any) -> Any:
    """A value of an axis as a widget's, where None is that nothing is chosen."""
    return NOT_SET if value is None else value


def _said(value: Any) -> str:
    return NOT_SET if value is None else place(value)
