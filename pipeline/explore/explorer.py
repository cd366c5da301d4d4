"""The explorer: controls beside a chart, in a notebook of JupyterLab.

`Explorer("reference", EXPERIMENT)`, or `Explorer("before", EXPERIMENT, against="after", state={"view": "percentiles"})`
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import ipywidgets as widgets
from IPython import get_ipython
from IPython.display import Javascript, display

from pipeline.bundle import entries, journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.explore import captions, charts, rendering
from pipeline.explore.code import cell, opening
from pipeline.explore.controls import LABEL, WIDE, Controls
from pipeline.explore.export import keep
from pipeline.explore.overlay import Overlaid
from pipeline.explore.selection import Opened
from pipeline.explore.state import VIEWS, State
from pipeline.ground import paths
from pipeline.ground.errors import LabError

DEBOUNCE_S = 0.15
AXIS = 80  # pixels that a chart is wider than its lines, for the labels of its axis
KEPT = ("settled", "unit", "height", "log_height", "limits")
KEEP = "Keep"
NO_OTHER = "(no other run)"
# A key pressed on a list would be a shortcut of JupyterLab: an arrow leaves the cell, two times D deletes it.
KEYS_STAY = """document.addEventListener("focusin", ({target}) =>
  target.matches(".jupyter-widgets *") && target.setAttribute("data-lm-suppress-shortcuts", ""))"""


class Explorer:
    """One experiment of a run, or of two overlaid, to be looked into.

    state: what is shown first (`pipeline.explore.state`); width: of the charts, pixels. A run that is missing or
    damaged is told in a red box; LabError for a state that the experiment does not have, or outside of a notebook.
    """

    def __init__(
        self,
        run: str = paths.REFERENCE,
        experiment: str = "",
        against: str = "",
        state: Mapping[str, Any] | None = None,
        width: int = charts.WIDTH,
    ) -> None:
        self.width, self._due, self._shown = width, None, ""
        self._known: dict[tuple[str, str], Opened] = {}
        self._compared: dict[tuple[str, str, str], Overlaid] = {}
        names = _experiments(run)
        if experiment and experiment not in names:
            raise LabError(f"unknown experiment {experiment!r}; the catalogue has: {', '.join(names)}")
        experiment = experiment or names[0]
        self.run = widgets.Dropdown(options=_runs(run, against), value=run, description="Run")
        self.against = widgets.Dropdown(
            options=[(NO_OTHER, ""), *((one, one) for one in _runs(run, against))],
            value=against,
            description="Second run",
        )
        self.experiment = widgets.Dropdown(options=names, value=experiment, description="Experiment")
        self.tabs = widgets.ToggleButtons(
            options=[(view.capitalize(), view) for view in VIEWS], style={"button_width": "auto"}
        )
        self.controls = Controls(self._later)
        self.chart = widgets.Output()
        self.below = widgets.HTML(layout=widgets.Layout(width=f"{width + AXIS}px"))
        self.code = widgets.Textarea(layout=widgets.Layout(width="98%", height="170px", display="none"))
        self.as_code = widgets.Button(
            description="Copy as code", tooltip="a cell that draws and saves this as a figure"
        )
        self.keep = widgets.Button(
            description=KEEP, tooltip="save the published figure of this, and what to paste of it"
        )
        self.refresh = widgets.Button(description="Refresh", tooltip="read the run again")
        for one in (self.as_code, self.keep, self.refresh):
            one.layout.width = "auto"
        self.as_code.on_click(lambda _: self._tell_code())
        self.keep.on_click(lambda _: self._keep())
        self.refresh.on_click(lambda _: self._opened_again())
        self.open(dict(state or {}))
        for one in (self.run, self.against, self.experiment):
            one.observe(lambda _: self._later(opening=True), "value")
        self.tabs.observe(lambda _: self._viewed(), "value")

    @property
    def opened(self) -> list[Opened]:
        """The runs that are shown."""
        return [self._open(run) for run in dict.fromkeys([self.run.value, self.against.value]) if run]

    @property
    def state(self) -> State:
        return replace(self.controls.state, view=self.tabs.value)

    def open(self, told: Mapping[str, Any] | None = None) -> None:
        """Show the experiment that the controls name, with what is told in place of its default."""
        names = _experiments(self.run.value)
        if list(self.experiment.options) != names:
            self.experiment.options = names
        try:
            here = self.opened
            choices = here[0].choices
        except LabError as error:
            self._show(captions.box(str(error)))
            return
        before = self.controls.state
        if told is None and before and self._shown == self.experiment.value:
            state = choices.fitting(self.state)
        else:  # of another experiment nothing but how it is looked at is kept
            same = {name: getattr(before, name) for name in KEPT} if before else {}
            state = State.of(same | {"view": self.tabs.value} | (told or {}), choices.default)
        self._shown = self.experiment.value
        choices.checked(state)
        self.tabs.value = state.view
        self.controls.offer(choices, state)
        self.update()

    def update(self) -> None:
        """Draw what is chosen."""
        try:
            self.controls.only(sorted(trial for one in self.opened for trial in one.trials(self.state)["trial"]))
            spec, below = rendering.view(self.opened, self.state, self.width, self._overlaid())
        except LabError as error:
            spec, below = None, captions.box(str(error))
        self.controls.of_view(self.state.view)
        self._show(below, spec)

    def _show(self, below: str, spec: Mapping[str, Any] | None = None) -> None:
        self.chart.outputs = () if spec is None else (charts.display_data(spec),)
        self.chart.layout.min_height = None if spec is None else "220px"  # while the next one is made
        self.below.value = self._told = below
        self.as_code.disabled = self.keep.disabled = self.controls.state is None
        self.code.layout.display = "none"
        unfinished = any(not journal.finished(one.lab.bundle.journal(), one.experiment) for one in self._known.values())
        self.refresh.layout.display = None if unfinished else "none"

    def _open(self, run: str) -> Opened:
        key = (run, self.experiment.value)
        if key not in self._known:
            self._known[key] = Opened(run, self.experiment.value)
        return self._known[key]

    def _overlaid(self) -> Overlaid | None:
        """The comparison of the two runs that are shown, when they are two."""
        key = (self.run.value, self.against.value, self.experiment.value)
        if key[1] in ("", key[0]):
            return None
        if key not in self._compared:
            self._compared[key] = Overlaid(*key)
        return self._compared[key]

    def _opened_again(self) -> None:
        self._known.clear()
        self._compared.clear()
        self.open()

    def _later(self, opening: bool = False) -> None:
        """Draw soon, and once where several controls change one after another: the last choice wins."""
        work = self.open if opening else self.update
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no notebook: at once
            work()
            return
        if self._due is not None:
            self._due[0].cancel()
            work = self.open if self._due[1] else work
        self._due = loop.call_later(DEBOUNCE_S, self._now, work), work == self.open

    def _now(self, work) -> None:
        self._due = None
        work()

    def _settle(self) -> None:
        """Draw what has been chosen but not drawn yet, which would else wipe away what a button says."""
        if self._due is not None:
            waiting, opening = self._due
            waiting.cancel()
            self._now(self.open if opening else self.update)

    def _viewed(self) -> None:
        if self.controls.state is not None:
            self.controls.whole()
        self._later()

    def _tell_code(self) -> None:
        self._settle()
        opened = opening(self.run.value, self.experiment.value, self.against.value, self.state)
        try:
            told = cell(self.opened[0], self.state)
        except LabError as error:
            self.below.value = captions.box(str(error)) + self._told
            return
        self.code.value = f"{told}\n\n# The same view again:\n# {opened}\n"
        self.code.layout.display = None

    def _keep(self) -> None:
        """Save the published figure of what is seen with its kit, and say where."""
        self._settle()
        self.keep.disabled, self.keep.description = True, "Keeping …"
        try:
            told = captions.kept(keep(self.opened[0], self.state))
        except LabError as error:
            told = captions.box(str(error))
        except OSError as error:
            told = captions.box(f"nothing was kept: {error.filename}: {error.strerror}")
        finally:
            self.keep.disabled, self.keep.description = False, KEEP
        self.below.value = told + self._told

    @property
    def widget(self) -> widgets.Widget:
        """All of it as one widget."""
        head = widgets.VBox([self.run, self.against, self.experiment])
        left = widgets.VBox(
            [head, self.controls.widget, widgets.HBox([self.as_code, self.keep, self.refresh])],
            layout=widgets.Layout(width="250px", flex="0 0 auto"),
        )
        right = widgets.VBox(
            [self.tabs, self.chart, self.below, self.code], layout=widgets.Layout(flex="1 1 0%", min_width="0")
        )
        for one in (self.run, self.against, self.experiment):
            one.layout.width, one.style.description_width = WIDE["width"], LABEL
        return widgets.HBox([left, right])

    def _ipython_display_(self) -> None:
        if get_ipython() is None or not hasattr(get_ipython(), "kernel"):
            raise LabError("the explorer needs a notebook: make lab, then explore/explorer.ipynb")
        display(Javascript(KEYS_STAY), self.widget)


def _experiments(run: str) -> list[str]:
    """What a run may hold: the catalogue, or what an imported run brings with it."""
    try:
        return list(entries.of(Bundle.open(run)))
    except LabError:  # which is said where its charts would be
        return list(catalogue.load())


def _runs(*also: str) -> list[str]:
    """The archived runs, then the local ones by name, and those that were asked for."""
    local = sorted(file.parent.name for file in paths.runs().glob("*/run.json"))
    return list(dict.fromkeys([*paths.archived(), *local, *filter(None, also)]))
