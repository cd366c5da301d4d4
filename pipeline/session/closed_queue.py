"""Threads that work outside a lock as a queue with one server: what it predicts, and what a session measured."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pipeline.analyse import queueing
from pipeline.analyse.trials import Trials
from pipeline.catalogue.metric import Metric
from pipeline.hdr.counts import Counts
from pipeline.models.finite_source import Times
from pipeline.session.session import Session

# Which metric of locks with work outside, or which of their axes, is which word of the model.
WORDS = {"throughput": "throughput", "think": "outside_time", "free": "service_free", "queued": "service_queued"}
AXES = {"asked": "outside", "law": "outside_law"}
# Of each iteration that was logged: the series of both kinds of service, and the measure of the time outside.
SERIES, OUTSIDE = {"free": "service_free", "queued": "service_queued"}, "outside_mean_ns"


class ClosedQueue:
    """The predictions of `pipeline.analyse.queueing`: `rows`, one per trial, and metrics of the session: knee (ns of
    work outside), predicted (ops/s) and predicted_residence (ns). `where`: the configurations that are drawn.
    """

    def __init__(self, lab: Session, /, **where) -> None:
        self.metrics, self.axis = list(WORDS.values()), AXES["asked"]
        trials = lab.wide(WORDS["throughput"]).rename(columns={name: word for word, name in AXES.items()})
        self.lab, self.where, self.rows = lab, where, queueing.predictions(trials, _seen(lab))
        lab.derive("knee", "ns", queueing.knees(self.rows))
        lab.derive("predicted", "ops/s", self.rows["predicted"])
        lab.derive("predicted_residence", "ns", self.rows["predicted_residence"])

    def drawn(self, predicted: str) -> dict[str, Any]:
        """How a scaling figure by the work outside is drawn, with the predictions of that metric and the knees."""
        knees = self.lab.chosen(metric="knee", **self.where)[1]
        knees = knees[knees["estimate"] > 0]  # of 0 the lock never is the limit: no place on a logarithmic axis
        return {
            **self.lines(predicted),
            "axis": self.axis,
            "axis_label": "Work outside the lock",
            "axis_unit": "ns",
            "knees": knees.assign(**{self.axis: knees["estimate"]}),
            "others": {"threads": "{} threads"},
        }

    def lines(self, predicted: str) -> dict[str, Any]:
        """How predictions of that metric are drawn in a scaling figure, by threads if nothing else is said."""
        fits = self.lab.chosen(metric=predicted, **self.where)[1].assign(model="M/G/1//N")
        return {"panels": "variant", "fitted": "prediction", "fits": fits, "others": {self.axis: "{ns} outside"}}


def _seen(lab: Session) -> pd.DataFrame:
    """What the logs of operations say, a row for each measured iteration (`queueing.SEEN`)."""
    trials = Trials(lab.entry, lab.tables)
    names = trials.table["trial"].astype(str)
    kinds = {kind: trials.single(_of(series)) for kind, series in SERIES.items()}
    logged = lab.tables.iterations
    logged = logged[logged["series"].isin(SERIES.values()) & (logged["elapsed_ns"] > 0)]
    rates = (1e9 * logged["operations"] / logged["elapsed_ns"]).groupby(
        [logged["trial"].astype(str), logged["iteration"]]
    )
    outside = lab.tables.measures
    outside = outside[outside["name"] == OUTSIDE]
    think = dict(
        zip(zip(outside["trial"].astype(str), outside["iteration"], strict=True), outside["value"], strict=True)
    )
    rate, rows = rates.first().to_dict(), []
    for trial, iteration in sorted({key for kind in kinds.values() for key in kind}):
        at = names.loc[trial], iteration
        times = [_times(kind.get((trial, iteration))) for kind in kinds.values()]
        rows.append((at[0], rate.get(at, float("nan")), think.get(at, float("nan")), *times))
    return pd.DataFrame(rows, columns=queueing.SEEN)


def _of(series: str) -> Metric:
    return Metric(kind="mean", series=series, unit="ns", label=series)


def _times(counts: Counts | None) -> Times | None:
    return None if counts is None or not counts.total else Times.of(counts.low + (counts.width - 1) / 2, counts.count)
