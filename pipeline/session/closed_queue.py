"""Threads that work outside a lock as a queue with one server: what it predicts, and what a session measured."""

from __future__ import annotations

from typing import Any

from pipeline.analyse import queueing
from pipeline.analyse.trials import Trials
from pipeline.hdr.percentiles import Counts
from pipeline.models.finite_source import Times
from pipeline.session.session import Session

# Which metric of locks with work outside, or which of their axes, is which word of the model.
WORDS = {"throughput": "throughput_mean", "think": "outside_total", "free": "service_free", "queued": "service_queued"}
AXES = {"asked": "outside", "law": "outside_law"}
SERVICES = "free", "queued"


class ClosedQueue:
    """The predictions of `pipeline.analyse.queueing`: `rows`, one per trial, and metrics of the session: knee (ns of
    work outside), predicted (ops/s) and predicted_residence (ns). `where`: the configurations that are drawn.
    """

    def __init__(self, lab: Session, /, **where) -> None:
        words = WORDS | AXES
        self.metrics, self.axis = list(WORDS.values()), words["asked"]
        served = lab.wide(*(words[word] for word in queueing.METRICS))
        served = served.rename(columns={name: word for word, name in words.items()})
        self.lab, self.where, self.rows = lab, where, queueing.predictions(served, _services(lab))
        lab.derive("knee", "ns", queueing.knees(self.rows))
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
            "fits": self.lab.chosen(metric=predicted, **self.where)[1].assign(model="M/G/1//N"),
            "knees": knees.assign(**{self.axis: knees["estimate"]}),
            "others": {"threads": "{} threads"},
        }


def _services(lab: Session) -> dict[str, tuple[Times | None, ...]]:
    """By trial the services of both kinds, as they were recorded."""
    trials = Trials(lab.entry, lab.tables)
    kinds = [trials.merged(lab.entry.metrics[WORDS[kind]]) for kind in SERVICES]
    names = trials.table["trial"].astype(str)
    return {name: tuple(_times(one.get(row)) for one in kinds) for row, name in names.items()}


def _times(counts: Counts | None) -> Times | None:
    return None if counts is None or not counts.total else Times.of(counts.low + (counts.width - 1) / 2, counts.count)
