"""The panel of the live harness: controls, and two charts that follow it."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd
from IPython.display import display

from pipeline.catalogue import catalogue
from pipeline.draw.percentile import drawn_percents
from pipeline.explore import captions, charts
from pipeline.explore.live import Curve, Loop, variants
from pipeline.ground.errors import LabError
from pipeline.hdr import percentiles
from pipeline.hdr.counts import Counts
from pipeline.words.numbers import quantity

NO_MEASUREMENT = (
    "Nothing here is a measurement: one process, warm from what ran before, and a kernel and a browser at work."
)
GREY, COLOUR = charts.ink("#9a9fa6", "#7d838c"), charts.ink("#0072b2", "#4ea6e6")
LATEST, FROZEN = "now", "frozen"


class Live:
    """A variant of the Java harness, run in the kernel for as long as one looks.

    parameters: of the harness, by name with _ for -. LabError for an experiment without such variants.
    """

    def __init__(self, experiment: str, variant: str = "", threads: int = 1, iteration_ms: int = 2, **parameters: Any):
        known = variants(catalogue.experiment(experiment))
        if not known or (variant and variant not in known):
            there = ", ".join(known) or "none"
            raise LabError(f"{experiment}: {variant or 'nothing'} does not run in a kernel; there are: {there}")
        self._parameters = {name.replace("_", "-"): value for name, value in parameters.items()}
        self._frozen: Curve | None = None
        self._curve: Curve | None = None
        self.loop = Loop(experiment, self._tell, self._draw)
        self.variant = widgets.Dropdown(
            options=[(label, name) for name, label in known.items()],
            value=variant or next(iter(known)),
            description="Variant",
        )
        self.threads = widgets.BoundedIntText(value=threads, min=1, max=64, description="Threads")
        self.length = widgets.BoundedIntText(value=iteration_ms, min=1, max=1000, description="Iteration ms")
        self.start, self.stop, self.freeze = (
            widgets.Button(description=word, layout=widgets.Layout(width="90px"))
            for word in ("Start", "Stop", "Freeze")
        )
        self.status, self.chart = widgets.HTML(), widgets.Output(layout=widgets.Layout(min_height="420px"))
        self.start.on_click(lambda _: self._start())
        self.stop.on_click(lambda _: self._stop())
        self.freeze.on_click(lambda _: self._freeze())
        for one in (self.variant, self.threads, self.length):
            one.layout.width = "240px"

    def _start(self) -> None:
        try:
            self.loop.start(self.variant.value, self.threads.value, self.length.value, **self._parameters)
        except LabError as error:
            self.status.value = captions.box(str(error))

    def _stop(self) -> None:
        if not self.loop.stop():
            self._tell("The trial has not returned. If it never does, restart the kernel.")

    def _freeze(self) -> None:
        """Keep what is shown, in grey, beside what comes."""
        self._frozen = self._curve
        if self._curve is not None:
            self._draw(self._curve)

    def _tell(self, sentence: str) -> None:
        self.status.value = captions.notes([sentence])

    def _draw(self, curve: Curve) -> None:
        self._curve = curve
        shown = [(FROZEN, self._frozen)] if self._frozen not in (None, curve) else []
        self.chart.outputs = (charts.display_data(chart([*shown, (LATEST, curve)])),)

    @property
    def widget(self) -> widgets.Widget:
        buttons = widgets.HBox([self.start, self.stop, self.freeze])
        warning = f'<p style="color:#c62828;max-width:220px;line-height:1.4">{NO_MEASUREMENT}</p>'
        left = [self.variant, self.threads, self.length, buttons, widgets.HTML(warning), self.status]
        return widgets.HBox([widgets.VBox(left, layout=widgets.Layout(width="260px", flex="0 0 auto")), self.chart])

    def _ipython_display_(self) -> None:
        display(self.widget)


def chart(curves: list[tuple[str, Curve]], width: int = charts.WIDTH) -> charts.Spec:
    """The cost of the latest iterations, and below it the percentiles of all samples; a frozen curve is grey."""
    labels = {name: f"{curve.label} ({name})" if name == FROZEN else curve.label for name, curve in curves}
    costs = pd.concat(
        pd.DataFrame({"curve": labels[name], "iteration": _numbers(curve), "value": list(curve.costs)})
        for name, curve in curves
    )
    colour = {
        "field": "curve",
        "type": "nominal",
        "scale": {"domain": list(labels.values()), "range": [GREY if name == FROZEN else COLOUR for name in labels]},
        "legend": {"orient": "bottom", "title": None, "labelLimit": 400, "columns": 1},
    }
    line = {
        "data": charts.rows(costs),
        "mark": {"type": "line", "strokeWidth": 1.2, "clip": True},
        "encoding": {
            "x": {
                "field": "iteration",
                "type": "quantitative",
                "axis": {"title": "Iteration", "grid": False},
                "scale": {"zero": False, "nice": False},
            },
            "y": charts.value_axis("value", costs["value"], "ns", "Cost per operation"),
            "color": colour,
        },
    }
    parts = [charts.sized(line, width, 150)]
    sampled = [(labels[name], curve.merged) for name, curve in curves if curve.merged is not None]
    if sampled:
        tails = pd.concat(_percentiles(label, merged) for label, merged in sampled)
        parts.append(
            charts.sized(
                {
                    "data": charts.rows(tails),
                    "mark": {"type": "line", "interpolate": "step-before", "strokeWidth": 1.6, "clip": True},
                    "encoding": {
                        "x": charts.nines_axis(tails["nines"].max()),
                        "y": charts.value_axis("value", tails["value"].dropna(), "ns", "Time per sample"),
                        "color": colour,
                    },
                },
                width,
                150,
            )
        )
    now = curves[-1][1]
    median = quantity(float(np.median(now.costs)), "ns") if now.costs else "nothing yet"
    told = f"Live, no measurement: {now.label}, cost per operation {median} in the median of the latest iterations."
    return charts.spec(told, {"vconcat": parts, "spacing": 14})


def _numbers(curve: Curve) -> range:
    return range(curve.iterations - len(curve.costs), curve.iterations)


def _percentiles(label: str, merged: Counts) -> pd.DataFrame:
    percents = drawn_percents(merged.total)
    values = percentiles.percentiles(merged, percents)
    nines = -np.log10(1 - percents / 100)
    return pd.DataFrame({"curve": label, "nines": nines, "value": [float(value) or np.nan for value in values]})
