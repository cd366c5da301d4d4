"""Predictions of the closed queue never use the values that they are compared with."""

import numpy as np
import pandas as pd
import pytest

from pipeline.analyse import queueing
from pipeline.models import closed_queue


def trials(service=40.0, law="exponential", blocks=3):
    """Two threads whose lock is the queue itself; the time outside is not quite what was asked for."""
    rows = []
    for block in range(1, blocks + 1):
        s = service * (1 + block / 100)
        for outside in (50, 1000, 10_000):
            z = outside * 1.02
            x = closed_queue.LAWS[law](2, z, s)[0]
            at_lock = s if outside == 10_000 else closed_queue.residence(2, z, x)
            about = {"variant": "lock", "runtime": "c", "threads": 2, "asked": outside, "law": law}
            rows.append(about | {"block": block, "throughput": x, "think": z, "residence": at_lock})
    index = pd.Index([f"t{n}" for n in range(len(rows))], name="trial")
    return pd.DataFrame(rows, index=index)


@pytest.mark.parametrize("law", list(closed_queue.LAWS))
def test_service_is_that_of_the_longest_work_outside_in_the_same_block(law):
    found = queueing.predictions(trials(law=law))
    assert set(found["asked"]) == {50, 1000}
    assert found["service"].to_numpy() == pytest.approx(40 * (1 + found["block"] / 100))
    assert found["predicted"].to_numpy() == pytest.approx(found["throughput"])
    assert found["predicted_residence"].to_numpy() == pytest.approx(found["residence"])
    assert found["unhindered"].to_numpy() == pytest.approx(2e9 / (found["think"] + found["service"]))


def test_what_is_predicted_does_not_depend_on_what_it_is_compared_with():
    rows = trials()
    near = rows["asked"] < 10_000
    rows.loc[near, "throughput"] *= 3
    rows.loc[near, "residence"] *= 5
    there, here = queueing.predictions(trials()), queueing.predictions(rows)
    for column in ("predicted", "predicted_residence", "service"):
        assert here[column].to_numpy() == pytest.approx(there[column].to_numpy())


def test_a_block_without_its_service_has_no_prediction():
    rows = trials()
    rows = rows[~((rows["block"] == 2) & (rows["asked"] == 10_000))]
    assert set(queueing.predictions(rows)["block"]) == {1, 3}


def test_a_run_without_work_outside_predicts_nothing():
    rows = trials().drop(columns=["think", "residence"]).assign(asked=np.nan, law=None)
    found = queueing.predictions(rows)
    assert found.empty and {"predicted", "predicted_residence", "throughput"} <= set(found)
    assert queueing.knees(rows).empty


def test_a_lock_that_is_the_queue_is_explained_by_it():
    fit = queueing.judged(queueing.predictions(trials()))
    assert fit.identified and "explains the throughput" in fit.sentence
    slower = queueing.predictions(trials()).assign(throughput=lambda rows: rows["throughput"] / 2)
    assert "does not explain it" in queueing.judged(slower).sentence


def test_the_knee_is_that_of_the_trials_in_which_the_service_is_measured():
    rows = trials()
    longest = rows[rows["asked"] == 10_000]
    found = queueing.knees(rows.assign(threads=3))
    assert found.to_dict() == pytest.approx((2 * longest["residence"]).to_dict())
