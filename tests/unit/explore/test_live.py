"""The live harness as far as it starts no JVM: what it asks for, what it refuses, and the lock."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from explored import ENTRY, schema, without_rows

from pipeline.bundle import lock
from pipeline.catalogue import catalogue
from pipeline.explore import live
from pipeline.explore.live_panel import Live, chart
from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts

ROWS = {
    "iterations": {
        "iteration": [0, 0, 1, 1],
        "series": ["t0", "t1"] * 2,
        "operations": [10, 10, 20, 20],
        "elapsed_ns": [1000, 1000, 1000, 1000],
    }
}


def record(value: int, tag: str = "t0") -> SimpleNamespace:
    """A line of a log: five samples of a value, as a bucket of width 1."""
    low, width, count = (np.array([one], np.int64) for one in (value, 1, 5))
    return SimpleNamespace(tag=tag, counts=Counts(low, width, count, 3, 1, 3_600_000_000_000))


Logged = SimpleNamespace(records=[record(40), record(60)])


class Fake:
    """A harness that needs no JVM; it counts its trials."""

    version, trials = "25", 0

    def trial(self, words):
        Fake.trials += 1
        time.sleep(0.001)
        return ROWS, Logged


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, own_lock: None) -> None:
    monkeypatch.setattr(catalogue, "load", lambda folder=None: {"toy": ENTRY})
    monkeypatch.setattr(live, "Harness", Fake)


def until(holds, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    assert holds()


def test_the_cost_of_an_iteration_is_that_of_all_its_threads():
    curve = live.Curve("a")
    curve.add(ROWS, Logged)
    assert list(curve.costs) == [50.0, 25.0] and curve.iterations == 2 and curve.merged.total == 10
    curve.add(ROWS, Logged)
    assert curve.merged.total == 20 and curve.iterations == 4


def test_series_that_count_are_those_of_the_metrics():
    entry = catalogue.load()["lock_scaling"]
    costs, values = live.series(entry, "cost", "rate"), live.series(entry, "percentile")
    rows = {key: [*value, value[-1]] for key, value in ROWS["iterations"].items()} | {
        "series": [*ROWS["iterations"]["series"], "owned"]
    }
    log = SimpleNamespace(records=[record(40, "residence"), record(3, "owned")])
    curve = live.Curve("a")
    curve.add({"iterations": rows}, log, costs, values)
    assert list(curve.costs) == [50.0, 25.0], "a row of the log of owners is no operation of a thread"
    assert curve.merged.total == 5, "run lengths are no times"


def test_what_the_harness_is_asked_for():
    words = live.arguments(ENTRY, "late", 2, 3, Path("x.hlog"), window=64)
    assert words[:3] == ["toy", "--variant", "late"] and words[-2:] == ["--out", "x.hlog"]
    told = dict(zip(words[1::2], words[2::2], strict=True))
    assert told["--threads"] == "2" and told["--iteration-ms"] == "3" and told["--window"] == "64"
    with pytest.raises(LabError, match="'never' does not run in a kernel"):
        live.arguments(ENTRY, "never", 1, 2, Path("x"))
    with pytest.raises(LabError, match="0 threads"):
        live.arguments(ENTRY, "late", 0, 2, Path("x"))


def test_it_runs_under_the_lock_until_it_is_stopped(toy):
    panel = Live("toy", "late", threads=2)
    panel.start.click()
    until(lambda: panel.chart.outputs)
    with pytest.raises(LabError, match="run 'live'"), lock.alone("quick"):
        pass
    panel.stop.click()
    assert not panel.loop.running and "Stopped." in panel.status.value
    with lock.alone("quick"):
        pass
    (output,) = panel.chart.outputs
    assert "no measurement" in output["data"]["text/plain"]


def test_it_waits_while_a_run_measures(toy):
    panel = Live("toy")
    before = Fake.trials
    with lock.alone("quick"):
        panel.start.click()
        until(lambda: "live waits" in panel.status.value)
        assert "run 'quick'" in panel.status.value.replace("&#x27;", "'") and Fake.trials == before
        panel.stop.click()
    assert not panel.loop.running


def test_a_fault_of_a_trial_is_told(toy, monkeypatch):
    def fails(self, words):
        raise LabError("counter is 3, not 4", 4)

    monkeypatch.setattr(Fake, "trial", fails)
    panel = Live("toy")
    panel.start.click()
    until(lambda: "counter is 3" in panel.status.value)
    assert not panel.loop.running or panel.loop.stop()


def test_an_experiment_without_java_is_refused(toy):
    with pytest.raises(LabError, match="does not run in a kernel"):
        Live("toy", "never")


def test_its_chart_is_valid_and_a_frozen_curve_is_another():
    curves = [live.Curve("a"), live.Curve("b")]
    for one in curves:
        one.add(ROWS, Logged)
    drawn = chart([("frozen", curves[0]), ("now", curves[1])])
    assert list(schema().iter_errors(without_rows(drawn))) == []
    assert {row["curve"] for row in drawn["vconcat"][0]["data"]["values"]} == {"a (frozen)", "b"}
