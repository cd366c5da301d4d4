"""The times of a lock whose times are known, as a run measured them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from made_up_lock import HANDOVER, SECTION, session

from pipeline.ground.errors import LabError
from pipeline.models.fit import Estimate
from pipeline.session import contention

pytestmark = pytest.mark.thorough


def without(lab, metric, **where):
    gone = lab.estimates["metric"] == metric
    for name, value in where.items():
        gone &= lab.estimates[name] == value
    lab.estimates = lab.estimates[~gone]
    return lab


def test_locks_are_those_with_work_outside_and_several_threads():
    lab = session()
    assert contention.holds(lab.entry)
    assert contention.locks(lab) == {"kept_outside": ["jdk17", "jdk25"], "other_outside": ["c"]}
    assert contention.locks(session(threads=())) == {}
    assert not contention.holds(replace(lab.entry, axes={"threads": "int"}))
    assert not contention.holds(replace(lab.entry, metrics={}))


@pytest.mark.parametrize("threads", [(2, 4), (4, 8)])
def test_section_and_handover_are_those_where_the_fewest_threads_meet(threads):
    found = contention.measured(session(threads), "kept_outside", "jdk25")
    assert {name: one.estimate for name, one in found.times.items()} == pytest.approx(
        {"section": SECTION, "hand-over": HANDOVER, "outside": 1100}
    )
    handover = found.times["hand-over"]
    assert 0.9 * HANDOVER < handover.low < HANDOVER < handover.high < 1.1 * HANDOVER
    fewest = f"{threads[0]} threads, 1 µs outside asked for"
    assert found.where == {"section": fewest, "hand-over": fewest, "outside": fewest}
    assert list(found.throughput) == list(threads)


def test_the_work_outside_that_is_asked_for_is_the_measured_one():
    found = contention.measured(session(), "kept_outside", "jdk25", 300.0)
    assert found.times["outside"].estimate == pytest.approx(330) and len(found.throughput) == 2
    other = contention.measured(session(), "kept_outside", "jdk25", 5000.0)
    assert other.times["outside"] == pytest.approx(Estimate(5000.0), nan_ok=True) and other.throughput == {}
    assert other.where["outside"] == "given; with so much nothing was measured"
    assert other.where["section"] == "2 threads, 10 µs outside asked for", "the nearest"
    assert contention.measured(session(), "kept_outside", "jdk25", 0.0).where["section"].startswith("2 threads, 300 ns")
    alone = contention.measured(session(outside=(10_000,)), "kept_outside", "jdk25")
    assert alone.times["outside"].estimate == pytest.approx(11_000), "there is no other"


def test_a_lock_that_is_faster_among_others_has_no_handover():
    lab = session()
    lab.estimates.loc[lab.estimates["metric"] == "service_queued", ["estimate", "low", "high"]] = 15.0, 14.0, 25.0
    found = contention.measured(lab, "kept_outside", "jdk25").times["hand-over"]
    assert (found.estimate, found.low) == (0, 0) and 0 < found.high < 20


def test_too_few_trials_have_no_interval():
    lab = session()
    lab.estimates.loc[lab.estimates["metric"] == "service_free", ["low", "high"]] = math.nan
    found = contention.measured(lab, "kept_outside", "jdk25").times["hand-over"]
    assert found.estimate == pytest.approx(HANDOVER) and math.isnan(found.low)


@pytest.mark.parametrize("metric", ["service_free", "service_queued", "outside_time"])
def test_what_a_run_lacks_is_named(metric):
    with pytest.raises(LabError, match=f"run 'r' has no {metric} of kept_outside with several threads"):
        contention.measured(without(session(), metric), "kept_outside", "jdk25")
