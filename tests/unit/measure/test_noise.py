"""The one rule over recorded facts, and what is recorded."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publish_toy import noise as facts

from pipeline import paths
from pipeline.measure import noise
from pipeline.measure.noise import LIMITS, Counters, Limits, Probe, judge


def test_a_quiet_trial_and_one_that_was_never_measured_have_no_reason():
    assert judge(facts()) == [] and judge(None) == []


@pytest.mark.parametrize(
    ("steal", "said"), [(0.0, []), (9.999, []), (10.0, []), (10.001, ["steal 10.0 %"]), (55.04, ["steal 55.0 %"])]
)
def test_the_limit_of_steal_from_both_sides(steal, said):
    assert judge(facts(steal_pct=steal)) == said


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (100.0, []),
        (119.9, []),
        (120.0, []),
        (120.1, ["calibration floor drifted +20.1 %"]),
        (80.0, []),
        (79.9, ["calibration floor drifted -20.1 %"]),
        (250.0, ["calibration floor drifted +150.0 %"]),
    ],
)
def test_the_limit_of_the_drift_from_both_sides_and_in_both_directions(after, said):
    assert judge(facts(floor_before_ns=100.0, floor_after_ns=after)) == said


def test_both_reasons_are_told_in_one_order():
    assert judge(facts(steal_pct=11.0, floor_after_ns=150.0)) == ["steal 11.0 %", "calibration floor drifted +50.0 %"]


def test_nothing_else_condemns_a_trial():
    assert judge(facts(psi_pct=99.0, involuntary=10**6, hiccup_max_ns=1e9, hiccup_p99_ns=1e9, cycle_ns=9.0)) == []


def test_an_old_line_with_a_verdict_of_its_own_is_judged_anew():
    assert judge(facts() | {"noisy": True, "reasons": ["steal 2.0 %"]}) == []


@given(
    st.floats(0, 100),
    st.floats(0.1, 1e4),
    st.floats(0.1, 1e4),
    st.builds(Limits, steal_pct=st.floats(0, 100), drift_pct=st.floats(0, 1000)),
)
def test_whatever_the_limits_a_trial_is_noisy_exactly_above_them(steal, before, after, limits):
    seen = facts(steal_pct=steal, floor_before_ns=before, floor_after_ns=after)
    drift = noise.drift_pct(seen)
    assert drift == pytest.approx(100 * (after - before) / before, abs=1e-6)
    said = judge(seen, limits)
    assert [one.split()[0] for one in said] == [
        word
        for word, above in (("steal", steal > limits.steal_pct), ("calibration", abs(drift) > limits.drift_pct))
        if above
    ]
    assert bool(judge(seen, Limits(100.0, float("inf")))) is False


def test_the_limits_of_the_method_are_those_of_the_code():
    text = (paths.ROOT / "docs" / "method.md").read_text(encoding="utf-8")
    told = re.search(r"Steal above (\d+) % or a drift\s+above (\d+) % marks the trial noisy", text)
    assert told, "docs/method.md says no longer what makes a trial noisy"
    assert (float(told[1]), float(told[2])) == (LIMITS.steal_pct, LIMITS.drift_pct)


def test_what_is_recorded_of_a_trial():
    before, after = Probe(100.0, 0.50, 700.0, 8000.0, 0.9), Probe(104.0, 0.48, 900.0, 9000.0, 4.2)
    start, end = Counters(1000, 10, 5_000, 1.0), Counters(1400, 16, 65_000, 4.0)
    assert noise.facts(before, after, start, end, 7, 3) == {
        "steal_pct": 1.5,  # 6 of 400 ticks
        "psi_pct": 2.0,  # 60 ms of 3 s
        "voluntary": 7,
        "involuntary": 3,
        "floor_before_ns": 100.0,
        "floor_after_ns": 104.0,
        "cycle_ns": 0.48,
        "hiccup_p99_ns": 900.0,
        "hiccup_max_ns": 9000.0,
    }


def test_a_trial_shorter_than_a_tick_has_no_steal():
    probe, now = Probe(1.0, 1.0, 1.0, 1.0, 0.0), Counters(1000, 10, 0, 1.0)
    assert noise.facts(probe, probe, now, Counters(1000, 10, 0, 1.001), 0, 0)["steal_pct"] == 0.0


@pytest.mark.parametrize(
    ("pressure", "us"),
    [("some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\nfull avg10=0 total=9\n", 1234), ("some\n", 0), (None, 0)],
)
def test_counters_as_the_kernel_writes_them_and_without_pressure(monkeypatch, tmp_path, pressure, us):
    (tmp_path / "stat").write_text("cpu  10 20 30 400 5 6 7 8 90 100\ncpu0 1 1 1 1 1 1 1 1 1 1\n")
    if pressure is not None:
        (tmp_path / "cpu").write_text(pressure)
    monkeypatch.setattr(noise, "Path", lambda name: tmp_path / name.rsplit("/", 1)[1])
    seen = noise.counters()
    assert (seen.total, seen.steal, seen.pressure_us) == (486, 8, us)  # guests are in user time already
