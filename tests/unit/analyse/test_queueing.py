"""Predictions of the closed queue from the services that were seen."""

import numpy as np
import pandas as pd
import pytest

from pipeline.analyse import queueing
from pipeline.models import closed_queue, finite_source
from pipeline.models.finite_source import Times

FREE, QUEUED = Times.of([30.0, 50.0]), Times.of([100.0, 180.0])
LAWS = {
    "exponential": lambda n, z: finite_source.throughput(n, z, FREE, QUEUED)[0],
    "constant": lambda n, z: closed_queue.bound(n, z, QUEUED.mean, 1, FREE.mean)[0],
}


def trials(law="exponential", blocks=3, threads=(2,)):
    """Threads whose lock is the queue itself; the time outside is not quite what was asked for."""
    rows = [
        {"variant": "lock", "runtime": "c", "threads": n, "asked": outside, "law": law, "block": block}
        for block in range(1, blocks + 1)
        for n in threads
        for outside in (50, 1000, 10_000)
    ]
    return pd.DataFrame(rows, index=pd.Index([f"t{n}" for n in range(len(rows))], name="trial"))


def seen(rows, free=FREE, queued=QUEUED, factor=1.0):
    """Three iterations of each trial, one of them disturbed."""
    found = []
    for trial, row in rows.iterrows():
        z = row["asked"] * (1.02 + row["block"] / 100)
        x = factor * LAWS[row["law"] or "constant"](row["threads"], z)
        found += [(trial, x, z, free, queued), (trial, x, z, free, queued), (trial, x / 9, 20 * z, free, None)]
    return pd.DataFrame(found, columns=queueing.SEEN)


def predicted(rows, **how):
    return queueing.predictions(rows, seen(rows, **how))


@pytest.mark.parametrize("law", list(LAWS))
def test_a_lock_that_is_the_queue_is_predicted(law):
    rows = trials(law)
    found = predicted(rows)
    assert found.index.tolist() == rows.index.tolist()
    assert found["predicted"].to_numpy() == pytest.approx(found["throughput"])
    assert found["predicted_residence"].to_numpy() == pytest.approx(2e9 / found["throughput"] - found["think"])
    assert found["unhindered"].to_numpy() == pytest.approx(2e9 / (found["think"] + 40))
    assert (found["free"] == 40).all() and (found["queued"] == 140).all()


def test_what_is_predicted_does_not_depend_on_what_it_is_compared_with():
    rows = trials()
    there, here = predicted(rows), predicted(rows, factor=3.0)
    assert here["predicted"].to_numpy() == pytest.approx(there["predicted"].to_numpy())


def test_a_kind_of_service_that_was_not_seen_is_taken_as_the_other():
    rows = trials()
    alone = predicted(rows, queued=None)
    assert (alone["queued"] == 40).all()
    assert alone["predicted"].to_numpy() == pytest.approx(
        [finite_source.throughput(2, z, FREE, FREE)[0] for z in alone["think"]]
    )
    assert (predicted(rows, free=None)["free"] == 140).all()


def test_without_services_or_with_one_thread_nothing_is_predicted():
    rows = trials(threads=(1, 2))
    assert set(predicted(rows)["threads"]) == {2}
    assert queueing.predictions(rows, pd.DataFrame([], columns=queueing.SEEN)).empty
    assert predicted(rows, free=None, queued=None).empty and predicted(rows, free=Times.of(0.0), queued=None).empty


def test_a_run_without_work_outside_predicts_nothing():
    rows = trials()
    found = queueing.predictions(rows.assign(asked=np.nan, law=None), seen(rows))
    assert found.empty and {"predicted", "predicted_residence", "throughput"} <= set(found)
    assert queueing.knees(found).empty


def test_a_lock_that_is_the_queue_is_explained_by_it():
    fit = queueing.judged(predicted(trials()))
    assert fit.identified and "explains the throughput" in fit.sentence
    assert "does not explain it" in queueing.judged(predicted(trials(), factor=0.5)).sentence


def test_the_knee_is_that_of_the_trials_in_which_threads_queue():
    found = queueing.knees(predicted(trials(threads=(3,))))
    assert found.index.tolist() == ["t0", "t3", "t6"] and (found == 3 * 140 - 40).all()


def test_knee_and_limit_are_those_of_the_most_threads():
    rows = predicted(trials(threads=(2, 4)).query("asked == 50"))
    rows.loc[rows["threads"] == 2, "throughput"] = 5e6
    rows.loc[rows["threads"] == 4, "throughput"] = 4e6
    fit = queueing.limits(rows)
    knee, limit, most = (fit.parameters[name] for name in ("knee", "limit", "most"))
    think = rows[rows["threads"] == 4]["think"].median()
    assert knee.estimate == pytest.approx((think + 40) / 140) and limit.estimate == pytest.approx(1e9 / 140)
    assert most.estimate == pytest.approx(5e6 / limit.estimate) and fit.short == "most with 2 threads"
