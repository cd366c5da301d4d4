"""The panel of what-ifs: a lock of a run, its work outside, what is changed, and the chart of that.

`WhatIf("reference")`
"""

from __future__ import annotations

import ipywidgets as widgets
from IPython.display import display

from pipeline.catalogue.selectors import runtime_label
from pipeline.explore import captions, charts, what_if
from pipeline.explore.controls import LABEL, WIDE
from pipeline.explore.what_if import Asked
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.session import contention
from pipeline.words.numbers import quantity

OTHER = "another"  # work outside than was measured
MOST_THREADS, MOST_LOCKS = 4096, 1024
USUAL_THREADS = 64  # or twice the CPUs of the host, if they are more
AXIS = 80  # pixels that a chart is wider than its lines


class WhatIf:
    """The first experiment of a run that has locks with work outside; a sentence where it has none, and a red box where
    the run is missing or damaged. width: of the chart, pixels."""

    def __init__(self, run: str = paths.REFERENCE, width: int = charts.WIDTH) -> None:
        self.width, self._quiet, self.lab = width, True, None
        self.variant, self.runtime, self.outside = (
            widgets.Dropdown(description=name) for name in ("Lock", "Runtime", "Outside")
        )
        self.other = widgets.BoundedFloatText(value=1000.0, min=0.0, max=1e9, description="ns")
        self.locks = widgets.BoundedIntText(value=2, min=2, max=MOST_LOCKS, description="Locks")
        self.threads = widgets.BoundedIntText(value=USUAL_THREADS, min=2, max=MOST_THREADS, description="Threads to")
        self.changes = widgets.SelectMultiple(rows=3)
        self.chart = widgets.Output()
        self.below = widgets.HTML(layout=widgets.Layout(width=f"{width + AXIS}px"))
        self.controls = [self.variant, self.runtime, self.outside, self.other, self.locks, self.threads]
        for one in self.controls:
            one.layout.width, one.style.description_width = WIDE["width"], LABEL
        self.changes.layout.width = WIDE["width"]
        try:
            self.lab = what_if.opened(run)
        except LabError as error:
            self.below.value = captions.box(str(error))
            return
        if self.lab is None:
            self.below.value = captions.notes([what_if.NONE])
            return
        self._known = contention.locks(self.lab)
        labels = self.lab.labels(list(self._known))
        self.threads.value = max(USUAL_THREADS, 2 * self.lab.cpus)
        self.variant.options = [(label, name) for name, label in labels.items()]
        self.variant.value = next(iter(labels))
        self._offer_changes()
        self._offer_runtimes()
        for one in (*self.controls, self.changes):
            one.observe(self._changed, "value")
        self._quiet = False
        self.update()

    @property
    def asked(self) -> Asked:
        """What is chosen."""
        outside = self.other.value if self.outside.value == OTHER else self.outside.value
        changed = tuple(self.changes.value)
        return Asked(self.variant.value, self.runtime.value, outside, self.threads.value, changed, self.locks.value)

    def update(self) -> None:
        """Draw what is chosen."""
        self.other.layout.display = None if self.outside.value == OTHER else "none"
        try:
            spec, below = what_if.view(self.lab, self.asked, self.width)
        except LabError as error:
            self.chart.outputs, self.below.value = (), captions.box(str(error))
            return
        self.chart.outputs, self.below.value = (charts.display_data(spec),), below

    def _changed(self, change) -> None:
        if self._quiet:
            return
        self._quiet = True
        if change["owner"] is self.variant:
            self._offer_runtimes()
        elif change["owner"] is self.runtime:
            self._offer_works()
        elif change["owner"] is self.locks:
            self._offer_changes()
        self._quiet = False
        self.update()

    def _offer_runtimes(self) -> None:
        """Those that the lock was measured on: the one that was chosen before, else the newest."""
        there, before = self._known[self.variant.value], self.runtime.value
        self.runtime.options = [(runtime_label(one), one) for one in there]
        self.runtime.value = before if before in there else there[-1]
        self._offer_works()

    def _offer_works(self) -> None:
        """The work outside that was measured: first what the times are not from, where threads meet."""
        there, before = contention.works(self.lab, self.variant.value, self.runtime.value), self.outside.value
        self.outside.options = [*((quantity(one, "ns"), one) for one in there), (OTHER, OTHER)]
        usual = there[-2] if len(there) > 1 else [*there, OTHER][0]
        self.outside.value = before if before in (*there, OTHER) else usual

    def _offer_changes(self) -> None:
        """What can be changed, with the number of locks in its name; what was chosen stays, at first all."""
        names, before = what_if.changes(self.locks.value), self.changes.options
        chosen = [at for at, name in enumerate(before) if name in self.changes.value] if before else range(len(names))
        self.changes.options = names
        self.changes.value = [names[at] for at in chosen]

    @property
    def widget(self) -> widgets.Widget:
        """All of it as one widget."""
        if self.lab is None:
            return self.below
        label = widgets.Label("What if (Ctrl: several)")
        left = widgets.VBox(
            [*self.controls[:4], label, self.changes, *self.controls[4:]],
            layout=widgets.Layout(width="250px", flex="0 0 auto"),
        )
        right = widgets.VBox([self.chart, self.below], layout=widgets.Layout(flex="1 1 0%", min_width="0"))
        return widgets.HBox([left, right])

    def _ipython_display_(self) -> None:
        display(self.widget)
