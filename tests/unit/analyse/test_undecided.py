"""Why a verdict is undecided, and how likely further blocks decide it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from claim_rules import EFFECT, at_once, ratio
from claim_rules import blocks as data
from hypothesis import given
from hypothesis import strategies as st

from pipeline.analyse import advice, undecided
from pipeline.analyse.claim_test import INCONCLUSIVE, judge, judge_claim
from pipeline.analyse.undecided import BETWEEN, DOUBT, FAR, HOST, MISSING, OPEN, PROFILE, RULE, Undecided
from pipeline.catalogue.claims import Claim

pytestmark = pytest.mark.thorough


def found(ratios, *declared, cpus=8, **claim):
    """What is undecided of a claim of these effects, where blocks have these ratios."""
    seen = data(ratios)
    judged = judge_claim(Claim(effects=list(declared), **claim), seen, cpus)
    assert judged.verdict == INCONCLUSIVE
    return undecided.of(judged, seen)


WIDE = [0.8, 0.9, 1.1, 1.2, 1.15, 1.3]


def test_a_wide_interval_is_open_and_takes_its_own_configurations():
    one = found(WIDE, ratio(reproduced={"low": 1}))
    assert one.why == OPEN and 1 < one.rounds < 60
    assert one.configurations == ("fast-jdk17-threads=1", "fast-jdk17-threads=2")
    assert len(one.chances) == 60 and one.chances[-1] > one.chances[0]


@pytest.mark.parametrize(
    ("ratios", "effects", "claim", "why"),
    [
        (WIDE, [], {}, RULE),
        (WIDE, [ratio(reproduced={"low": 1})], {"needs_cpus": 16}, HOST),
        (WIDE, [ratio(reproduced={"low": 1})], {"runtimes": ["c"]}, MISSING),
        ([1.5] * 6, [ratio(reproduced={"low": 2}, not_reproduced={"below": 1})], {}, BETWEEN),
        ([1.5] * 6, [ratio(reproduced={"low": 2}, not_reproduced="never")], {}, PROFILE),
        ([1.3, 1.6] * 3, [ratio(reproduced={"low": 2}, not_reproduced="never")], {}, BETWEEN),
        ([0.5, 2.0] * 4, [ratio(reproduced={"low": 0.99, "high": 1.01}, not_reproduced={"below": 0.01})], {}, FAR),
        ([0.5, np.inf] * 4, [ratio(reproduced={"low": 0.99, "high": 1.01}, not_reproduced={"below": 0.01})], {}, FAR),
    ],
)
def test_each_has_its_reason(ratios, effects, claim, why):
    one = found(ratios, *effects, **claim)
    assert one.why == why and bool(one.chances) == (why == FAR)


def test_trials_that_do_not_settle_are_not_measured_on():
    seen = data(WIDE)
    seen.metrics["steady"] = False
    judged = judge_claim(Claim(effects=[ratio(reproduced={"low": 1})]), seen, 8)
    one = undecided.of(judged, seen)
    assert one.why == DOUBT and "do not settle (6 of 6)" in one.advice


def test_an_effect_that_cannot_change_the_verdict_is_not_useful():
    """Once an effect of a conjunction lies between its rules, only a refutation is left."""
    stuck = ratio(reproduced={"low": 2}, not_reproduced={"below": 0.5})
    hopes = ratio(reproduced={"low": 1}, not_reproduced="never")
    assert found(WIDE * 2, stuck, hopes).why in (BETWEEN, PROFILE)
    refutable = ratio(reproduced={"low": 1.2})
    assert found(WIDE * 2, stuck, refutable).why in (OPEN, FAR)


def test_what_a_longer_trial_would_decide_is_not_called_too_wide():
    """C24 is refuted by lateness in a second and confirmed by a minute: where nothing is late, quick cannot do it."""
    watched = ratio(reproduced={"low": 60}, not_reproduced="never")
    for late in (5, 1.405):  # clearly in time, and too close to tell, which may one day refute it
        assert found([1.4, 1.41] * 4, watched, ratio(reproduced={"high": late})).why == PROFILE


def test_of_alternatives_one_is_enough():
    stuck = ratio(reproduced={"low": 2}, not_reproduced={"below": 0.5})
    either = EFFECT.validate_python({"kind": "any", "effects": [stuck, ratio(reproduced={"low": 1})]})
    assert found(WIDE * 2, either).why in (OPEN, FAR)


@given(st.lists(st.one_of(st.floats(0.5, 2.0), st.sampled_from([0.0, np.inf])), min_size=6, max_size=9))
def test_chances_are_chances(ratios):
    seen = data(ratios)
    judged = judge_claim(Claim(effects=[ratio(reproduced={"low": 0.9, "high": 1.1})]), seen, 8)
    assert all(0 <= undecided.chance(judged, rounds) <= 1 for rounds in (1, 60))
    assert undecided.of(judged, seen).why or judged.verdict != INCONCLUSIVE


def test_of_what_has_an_even_chance_about_half_is_decided():
    """Futures drawn from a run's own blocks: the prediction is neither a promise nor a shrug."""
    rng, decided, asked = np.random.default_rng(6), 0, 0
    for _ in range(150):
        ratios = np.exp(0.25 * rng.standard_normal(6) + rng.choice([-0.2, 0.1, 0.2, 0.3]))
        judged = judge(ratio(reproduced={"low": 1}), data(ratios))
        if judged.verdict != INCONCLUSIVE:
            continue
        rounds = next((n for n in range(1, 61) if undecided.chance(judged, n) >= undecided.EVEN), 0)
        if not rounds:
            continue
        weights = rng.dirichlet(np.ones(6))
        more = rng.choice(ratios, rounds, p=weights) * np.exp(0.05 * rng.standard_normal(rounds))
        decided += at_once(np.array([[*ratios, *more]]).T, 6, 6 + rounds)[0] != INCONCLUSIVE
        asked += 1
    assert asked > 60 and 0.4 <= decided / asked <= 0.7


# --- in words ---------------------------------------------------------------------------------------------------------
COST = {("example", "fast-jdk17-threads=1"): 30.0, ("example", "fast-jdk17-threads=2"): 60.0}


def row(one: Undecided, **more):
    return {"claim": "C38", "scope": "jdk25", "verdict": INCONCLUSIVE} | one.columns() | more


def test_minutes_are_rounds_of_a_minute_at_least():
    one = found(WIDE, ratio(reproduced={"low": 1}))
    assert advice.minutes(one, "example", {}) == one.rounds
    assert advice.minutes(one, "example", COST) == 1.5 * one.rounds


def test_what_to_do_is_a_command():
    one = Undecided(OPEN, "", (0.1, 0.3, 0.5), ("fast-jdk17-threads=1",))
    told = advice.of_row(row(one), "quick", "example", COST, " CLAIMS=C38")
    assert told == "too wide: an even chance in about 3 more minutes: make report RUN=quick MORE=3 CLAIMS=C38"
    archived = advice.of_row(row(one), "", "example", COST, " CLAIMS=C38")
    assert archived == "too wide: an even chance in about 3 more minutes"
    far = found([0.5, 2.0] * 4, ratio(reproduced={"low": 0.9, "high": 1.1}, not_reproduced={"below": 0.01}))
    assert advice.of_row(row(far), "quick", "example", COST).startswith("too wide: not within an hour of measuring")
    assert advice.of_row(row(Undecided(HOST)), "quick", "example", COST) == ""


def test_a_run_says_how_many_more_minutes_would_decide():
    one = Undecided(OPEN, "", (0.5,) * 60, ("a",))
    far = Undecided(FAR, "", (0.1,) * 60, ("b",))
    rows = [row(one), row(one, claim="C39"), row(far, claim="C40"), row(Undecided(HOST), claim="C41")]
    frame = pd.DataFrame(rows).assign(experiment="example")
    assert advice.outlook(frame, "quick", {}) == (
        "More measuring can change 3 verdicts; 10 more minutes would decide about 1 of them: "
        "make report RUN=quick MORE=10"
    )
    assert advice.outlook(frame, "", {}).endswith("10 more minutes would decide about 1 of them")
    assert advice.reasons(frame) == (
        "1 needs more CPUs than this host has, 1 is too wide for an hour of measuring and 2 are open"
    )
    assert advice.outlook(frame[frame["why"] == HOST], "quick", {}) == ""
    assert "; 10 more minutes would decide hardly any of them: " in advice.outlook(frame[frame["why"] == FAR], "r", {})
    # A round of all three takes two minutes; without the least likely it takes one, and the other two have ten.
    late = frame.assign(chances=[json.dumps([0.1] * 5 + [0.9] * 55)] * 2 + ["[0.1]", "[]"])
    assert "would decide about 2 of them" in advice.outlook(late, "quick", {("example", "b"): 120.0})


@pytest.mark.parametrize("why", [DOUBT, FAR, OPEN])
def test_a_claim_that_lies_between_its_rules_on_one_runtime_is_undecided_for_the_other(why):
    frame = pd.DataFrame([row(Undecided(BETWEEN)), row(Undecided(why))])
    assert advice.by_reason(frame) == {why: 1}
    assert advice.reasons(frame.iloc[:1]) == "1 lies between its rules"


def test_what_is_written_into_the_table_is_read_again():
    one = found(WIDE, ratio(reproduced={"low": 1}))
    assert Undecided.of_columns(one.columns()) == one and json.loads(one.columns()["chances"])[0] == one.chances[0]
