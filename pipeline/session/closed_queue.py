"""Threads that work outside a lock as a queue with one server: what it predicts, beside what a session measured."""

from __future__ import annotations

from typing import Any

from pipeline.analyse import queueing
from pipeline.session.session import Session

# Which metric of locks with work outside, or which of their axes, is which word of the model.
WORDS = {"throughput": "throughput", "think": "outside_time", "residence": "lock_time"}
AXES = {"asked": "outside", "law": "outside_law"}


class ClosedQueue:
    """The predictions of `pipeline.analyse.queueing`: `rows`, one per trial, and metrics of the session: knee (ns of
    work outside), predicted (ops/s) and predicted_residence (ns). `where`: the configurations that are drawn.
    """

    def __init__(self, lab: Session, /, **where) -> None:
        words = WORDS | AXES
        self.metrics, self.axis = [words[word] for word in queueing.METRICS], words["asked"]
        served = lab.wide(*self.metrics).rename(columns={name: word for word, name in words.items()})
        self.lab, self.where, self.rows = lab, where, queueing.predictions(served)
        lab.derive("knee", "ns", queueing.knees(served))
        lab.derive("predicted", "ops/s", self.rows["predicted"])
        lab.derive("predicted_residence", "ns", self.rows["predicted_residence"])

    def drawn(self, predicted: str) -> dict[str, Any]:
        """How a scaling figure by the work outside is drawn, with the predictions of that metric and the knees."""
        knees = self.lab.chosen(metric="knee", **self.where)[1]
        return {
            "axis": self.axis,
            "axis_label": "Work outside the lock",
            "axis_unit": "ns",
            "panels": "variant",
            "fitted": "prediction",
            "fits": self.lab.chosen(metric=predicted, **self.where)[1].assign(model="M/M/1//N"),
            "knees": knees.assign(**{self.axis: knees["estimate"]}),
            "others": {"threads": "{} threads"},
        }
