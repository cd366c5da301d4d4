"""The queue's predictions become metrics of the session, and what a figure by the work outside shows beside them."""

from __future__ import annotations

import pandas as pd
import pytest
from analyse_tables import entry

from pipeline.analyse import estimates
from pipeline.models import closed_queue
from pipeline.session.closed_queue import ClosedQueue
from pipeline.session.session import Session

SERVICE, METRICS = 40.0, {"throughput": "ops/s", "outside_time": "ns", "lock_time": "ns"}
AXES = {"threads": "int", "outside": "int", "outside_law": "str"}


@pytest.fixture
def lab() -> Session:
    """Two threads at a lock that is the queue itself, without and with very long work outside."""
    rows = []
    for block in (1, 2, 3):
        for outside in (200, 10_000):
            x = closed_queue.LAWS["exponential"](2, outside, SERVICE)[0]
            about = {"trial": f"{outside}-{block}", "variant": "native", "runtime": "c", "threads": 2}
            about |= {"outside": outside, "outside_law": "exponential"}
            about |= {"block": block, "noisy": False, "steady": True}
            values = {"throughput": x, "outside_time": float(outside), "lock_time": SERVICE}
            rows += [about | {"metric": name, "value": value} for name, value in values.items()]
    session = Session.__new__(Session)
    session.entry = entry({name: {"kind": "cost", "unit": unit} for name, unit in METRICS.items()})
    session.entry = session.entry.model_copy(update={"axes": AXES})
    session.metrics = pd.DataFrame(rows)
    session.estimates = estimates.compute(session.entry, session.metrics)
    return session


def test_predictions_and_knees_are_metrics_and_beside_a_figure(lab):
    queue = ClosedQueue(lab, variant=["native"], outside_law="exponential")
    assert lab.derived == {"knee", "predicted", "predicted_residence"}
    assert (queue.rows["predicted"] == queue.rows["throughput"]).all() and set(queue.rows["asked"]) == {200}
    drawn = queue.drawn("predicted")
    assert drawn["fits"][["outside", "estimate", "model"]].values.tolist() == [
        [200, pytest.approx(queue.rows["throughput"].iloc[0]), "M/M/1//N"]
    ]
    knees = drawn["knees"][["variant", "runtime", "outside", "threads"]]
    assert knees.values.tolist() == [["native", "c", SERVICE, 2]] and drawn["others"] == {"threads": "{} threads"}
    assert ClosedQueue(lab, outside_law="constant").drawn("predicted")["fits"].empty
