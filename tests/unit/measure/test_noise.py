"""The one rule over recorded facts."""

from __future__ import annotations

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publish_toy import noise as facts
from publish_toy import noise_on_cpus as own
from publish_toy import trial

from pipeline.ground import paths
from pipeline.measure import noise
from pipeline.measure.noise import ADVICE, FEWEST_PEERS, LIMITS, Limits, judge, judge_together


def seen(reasons: list[str]) -> list[str]:
    """What was seen, without what to do about it, which every reason ends with."""
    assert all(reason.endswith(f": {ADVICE[noise.kind_of(reason)]}") for reason in reasons)
    return [reason.partition(":")[0] for reason in reasons]


def test_a_quiet_trial_and_one_that_was_never_measured_have_no_reason():
    assert judge(facts()) == [] and judge(None) == []


@pytest.mark.parametrize(
    ("steal", "said"), [(0.0, []), (9.999, []), (10.0, []), (10.001, ["steal 10.0 %"]), (55.04, ["steal 55.0 %"])]
)
def test_the_limit_of_steal_from_both_sides(steal, said):
    assert seen(judge(facts(steal_pct=steal))) == said


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
    assert seen(judge(facts(floor_before_ns=100.0, floor_after_ns=after))) == said


def test_both_reasons_are_told_in_one_order():
    assert seen(judge(facts(steal_pct=11.0, floor_after_ns=150.0, foreign_pct=12.0))) == [
        "steal 11.0 %",
        "calibration floor drifted +50.0 %",
        "other processes used 12.0 % of all CPUs",
    ]


@pytest.mark.parametrize(
    ("foreign", "error", "noisy"),
    [
        (10.0, 0.0, False),
        (10.001, 0.0, True),
        (13.0, 3.0, False),
        (13.1, 3.0, True),
        (50.0, 0.0, True),
        (-7.5, 3.0, False),
    ],
)
def test_foreign_cpu_counts_where_it_exceeds_the_limit_by_more_than_its_counter_s_error(foreign, error, noisy):
    assert bool(judge(facts(foreign_pct=foreign, foreign_error_pct=error))) == noisy


def test_what_an_old_run_did_not_record_is_not_judged():
    old = {name: value for name, value in facts(psi_pct=90.0).items() if not name.startswith("foreign")}
    assert judge(old) == [] and judge_together([old] * 5 + [None]) == [[]] * 6


@pytest.mark.parametrize(("above", "noisy"), [(20.0, False), (20.1, True)])
def test_pressure_is_judged_above_the_level_of_the_configuration(above, noisy):
    usual = [facts(psi_pct=level) for level in (30.0, 40.0, 50.0, 40.0)]
    found = judge_together([*usual, facts(psi_pct=40.0 + above)])
    assert [bool(reasons) for reasons in found] == [False] * 4 + [noisy]
    if noisy:
        assert seen(found[-1]) == ["waited for a CPU 60.1 % of the time, otherwise 40.0 %"]


def test_too_few_trials_have_no_level_of_pressure():
    assert judge_together([facts(psi_pct=0.0), facts(psi_pct=99.0)]) == [[], []] and FEWEST_PEERS == 3


def test_lines_are_judged_with_those_of_their_own_configuration():
    crowded = [trial(number, 1, variant="spin", noise=facts(psi_pct=95.0)) for number in (1, 2, 3)]
    quiet = [trial(number, 1, noise=facts(psi_pct=1.0)) for number in (4, 5, 6)]
    pressed = trial(7, 2, noise=facts(psi_pct=95.0))
    found = noise.judged([{"event": "planned", "experiment": "toy"}, *crowded, *quiet, pressed])
    assert [name for name, reasons in found.items() if reasons] == [pressed["trial"]] and len(found) == 7


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
    recorded = facts(steal_pct=steal, floor_before_ns=before, floor_after_ns=after)
    drift = noise.drift_pct(recorded)
    assert drift == pytest.approx(100 * (after - before) / before, abs=1e-6)
    said = judge(recorded, limits)
    assert [one.split()[0] for one in said] == [
        word
        for word, above in (("steal", steal > limits.steal_pct), ("calibration", abs(drift) > limits.drift_pct))
        if above
    ]
    assert bool(judge(recorded, Limits(100.0, float("inf")))) is False


def test_the_limits_of_the_method_are_those_of_the_code():
    text = (paths.ROOT / "docs" / "method.md").read_text(encoding="utf-8")
    told = re.search(
        r"Steal above (\d+) %, a drift\s+above (\d+) %, CPU used by others above (\d+) %,\s+"
        r"a sibling used above (\d+) %,\s+a worker that waited above (\d+) %,\s+pressure (\d+) points .*\s+"
        r"or a quota that ran out for more than (\d+) %",
        text,
    )
    assert told, "docs/method.md says no longer what makes a trial noisy"
    assert tuple(map(float, told.groups())) == dataclasses.astuple(LIMITS)


@pytest.mark.parametrize(
    ("name", "above", "said"),
    [
        ("cpus_steal_pct", 10.1, "steal 10.1 %"),
        ("cpus_foreign_pct", 10.1, "other processes used 10.1 % of its CPUs"),
        ("sibling_foreign_pct", 20.1, "a sibling of its CPUs was used 20.1 % of the time"),
        ("run_delay_pct", 10.1, "waited for a CPU 10.1 % of the time"),
    ],
)
def test_the_limits_of_what_others_did_on_a_trial_s_own_cpus(name, above, said):
    assert seen(judge(own(**{name: above}))) == [said] and judge(own(**{name: above - 0.1})) == []


@pytest.mark.parametrize("name", ["cpus_foreign_pct", "sibling_foreign_pct"])
def test_a_counter_in_ticks_must_exceed_its_limit_by_its_error(name):
    assert judge(own(**{name: 25.0, "cpus_error_pct": 20.0})) == [] != judge(own(**{name: 25.0, "cpus_error_pct": 1.0}))


@given(st.fixed_dictionaries({name: st.floats(0, 100) for name in ("steal_pct", "foreign_pct", "psi_pct")}))
def test_what_happens_elsewhere_condemns_no_trial_that_names_its_cpus(elsewhere):
    assert judge_together([own(**elsewhere), *[own()] * FEWEST_PEERS]) == [[]] * (1 + FEWEST_PEERS)


def test_without_the_kernel_s_account_of_waiting_pressure_tells():
    silent = {name: value for name, value in own().items() if name != "run_delay_pct"}
    found = judge_together([*[silent] * FEWEST_PEERS, silent | {"psi_pct": 90.0}, own(psi_pct=90.0)])
    assert [bool(reasons) for reasons in found] == [False] * FEWEST_PEERS + [True, False]


# A quota that ran out


def throttled(pct: float, cpus: float = 1.5, **more: float) -> dict:
    return own(quota_cpus=cpus, throttled_pct=pct, **more)


@pytest.mark.parametrize(("pct", "noisy"), [(0.0, False), (5.0, False), (5.1, True), (120.0, True)])
def test_the_limit_of_a_quota_that_ran_out_from_both_sides(pct, noisy):
    said = [f"its container's quota of 1.5 CPUs ran out, {pct:.1f} % of one CPU's time"] * noisy
    assert seen(judge(throttled(pct))) == said


def test_one_cpu_is_no_cpus():
    (reason,) = judge(throttled(50.0, cpus=1.0))
    assert reason.startswith("its container's quota of 1 CPU ran out, 50.0 %") and "docker run --cpus" in reason


def test_who_stands_still_is_not_told_to_stop_others_but_what_the_host_did_is_still_judged():
    others = dict.fromkeys(("cpus_foreign_pct", "sibling_foreign_pct", "run_delay_pct"), 90.0)
    assert len(judge(own(**others))) == 3
    assert [noise.kind_of(one) for one in judge(throttled(30.0, **others))] == [noise.QUOTA]
    whole = judge(facts(quota_cpus=2.0, throttled_pct=30.0, foreign_pct=90.0))
    assert [noise.kind_of(one) for one in whole] == [noise.QUOTA]
    host = judge(throttled(30.0, **others, cpus_steal_pct=50.0, floor_after_ns=200.0))
    assert [noise.kind_of(one) for one in host] == [noise.STEAL, noise.DRIFT, noise.QUOTA]
    assert len(judge(throttled(5.0, **others))) == 3, "a quota that hardly ran out explains nothing"


def test_pressure_that_a_quota_made_is_no_waiting_for_others():
    """On the whole machine, where no worker tells how long it waited."""
    usual = [facts(psi_pct=10.0)] * FEWEST_PEERS
    held = facts(psi_pct=80.0, quota_cpus=1.0, throttled_pct=70.0)
    assert [noise.kind_of(one) for one in judge_together([*usual, held])[-1]] == [noise.QUOTA]
    assert judge_together([*usual, facts(psi_pct=33.0, quota_cpus=1.0, throttled_pct=4.0)])[-1] == []
    assert seen(judge_together([*usual, facts(psi_pct=35.0, quota_cpus=1.0, throttled_pct=4.0)])[-1]) == [
        "waited for a CPU 31.0 % of the time, otherwise 10.0 %"
    ]
    # Peers that stood still have no level above which the others would be disturbed.
    pressed = judge_together([*[held] * FEWEST_PEERS, facts(psi_pct=60.0, quota_cpus=1.0, throttled_pct=0.0)])[-1]
    assert seen(pressed) == ["waited for a CPU 60.0 % of the time, otherwise 10.0 %"]


def test_what_a_group_held_back_without_its_quota_is_not_judged():
    assert judge(facts(throttled_pct=90.0)) == []
