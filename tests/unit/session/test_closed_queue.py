"""The queue's predictions become metrics of the session, and what a figure by the work outside shows with them."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from analyse_tables import entry, tables

from pipeline.analyse import estimates, queueing
from pipeline.models import finite_source
from pipeline.models.finite_source import Times
from pipeline.session.closed_queue import ClosedQueue
from pipeline.session.session import Session

pytestmark = pytest.mark.thorough

FREE, QUEUED = 40, 90
METRICS = {"throughput": "ops/s", "outside_time": "ns", "service_free": "ns", "service_queued": "ns"}
AXES = {"threads": "int", "outside": "int", "outside_law": "str"}


@pytest.fixture
def lab() -> Session:
    """Two threads at a lock that is the queue itself; with the longest work outside nobody waits."""
    rows, trials, iterations, buckets, measures = [], [], [], [], []
    for block in (1, 2, 3):
        for outside, queued in ((200, QUEUED), (10_000, FREE)):
            x = finite_source.throughput(2, outside, Times.of(FREE), Times.of(queued))[0]
            trial = f"{outside}-{block}"
            about = {"trial": trial, "variant": "native", "runtime": "c", "threads": 2}
            about |= {"outside": outside, "outside_law": "exponential", "block": block, "noisy": False}
            rows.append(about | {"metric": "throughput", "value": x, "steady": True})
            trials.append(about)
            kinds = {"service_free": FREE} | ({"service_queued": QUEUED} if queued == QUEUED else {})
            for iteration, factor in enumerate((1, 1, 3)):  # one of them is disturbed
                measures.append((trial, iteration, "", "outside_mean_ns", float(factor * outside)))
                for series, value in kinds.items():
                    iterations.append((trial, iteration, "measured", series, 0, round(5e12 / x * factor), 5000, 5))
                    buckets.append((trial, iteration, series, factor * value, 1, 5))
    session = Session.__new__(Session)
    session.entry = entry({name: {"kind": "cost", "unit": unit} for name, unit in METRICS.items()})
    session.entry = replace(session.entry, axes=AXES)
    session.tables = tables(trials, iterations=iterations, buckets=buckets, measures=measures)
    session.metrics = pd.DataFrame(rows)
    session.estimates = estimates.compute(session.entry, session.metrics)
    return session


def test_predictions_and_knees_are_metrics_and_with_a_figure(lab):
    queue = ClosedQueue(lab, variant=["native"], outside_law="exponential")
    assert lab.derived == {"knee", "predicted", "predicted_residence"}
    assert queue.rows["predicted"].to_numpy() == pytest.approx(queue.rows["throughput"].to_numpy(), rel=1e-6)
    assert set(queue.rows["asked"]) == {200, 10_000}
    drawn = queue.drawn("predicted")
    assert drawn["fits"][["outside", "estimate", "model"]].values.tolist() == [
        [outside, pytest.approx(queue.rows.query("asked == @outside")["throughput"].iloc[0]), "M/G/1//N"]
        for outside in (200, 10_000)
    ]
    knees = drawn["knees"][["variant", "runtime", "outside", "threads"]]
    assert knees.values.tolist() == [["native", "c", 2 * QUEUED - FREE, 2]]
    assert drawn["others"] == {"threads": "{} threads"}
    by_threads = queue.lines("predicted")
    assert by_threads["fits"].equals(drawn["fits"]) and by_threads["others"] == {"outside": "{ns} outside"}
    assert ClosedQueue(lab, outside_law="constant").drawn("predicted")["fits"].empty


def test_a_lock_that_never_is_the_limit_has_no_knee_to_draw(lab, monkeypatch):
    """Of a host on which the hand-over seldom shows, and of which the page ended in a division by zero."""
    monkeypatch.setattr(queueing, "knees", lambda rows: pd.Series(0.0, index=rows.index))
    drawn = ClosedQueue(lab, variant=["native"], outside_law="exponential").drawn("predicted")
    assert len(drawn["fits"]) and drawn["knees"].empty
