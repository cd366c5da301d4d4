import json
import math
from dataclasses import replace

import pandas as pd
import pytest
from analyse_tables import entry, tables, trials
from claim_rules import rule
from hypothesis import given
from hypothesis import strategies as st

from pipeline.analyse import claim_test, effects, rules
from pipeline.analyse import verdicts as claims
from pipeline.analyse.claim_test import INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED, decide
from pipeline.analyse.effect import Effect
from pipeline.analyse.source import Source
from pipeline.analyse.undecided import Undecided
from pipeline.catalogue import catalogue
from pipeline.ground.errors import LabError
from pipeline.host import cpus as host
from pipeline.plan import plan

METRICS = {"m": {"kind": "rate", "unit": "ops/s"}}
number = st.floats(-1e6, 1e6, allow_nan=False)


def verdict(low, high, reproduced, not_reproduced="outside", count=5, noisy=0, unsteady=0):
    effect = Effect((low + high) / 2, low, high, "ratio", count, noisy, unsteady)
    return decide(rule(reproduced), rule(not_reproduced), effect)[0]


@given(st.lists(number, min_size=4, max_size=4, unique=True))
def test_an_interval_inside_the_region_is_reproduced_outside_it_is_not_and_across_it_is_neither(bounds):
    a, b, c, d = sorted(bounds)
    assert verdict(b, c, {"low": a, "high": d}) == REPRODUCED
    assert verdict(a, b, {"low": c, "high": d}) == verdict(c, d, {"low": a, "high": b}) == NOT_REPRODUCED
    assert verdict(a, c, {"low": b, "high": d}) == verdict(b, d, {"low": a, "high": c}) == INCONCLUSIVE
    assert verdict(a, d, {"low": b, "high": c}) == INCONCLUSIVE


@given(st.lists(number, min_size=3, max_size=3, unique=True))
def test_a_gap_between_the_regions_is_inconclusive(bounds):
    a, b, c = sorted(bounds)
    regions = {"low": c}, {"below": a}
    assert verdict(b, b, *regions) == INCONCLUSIVE
    assert verdict(c, c + 1, *regions) == REPRODUCED
    assert verdict(a - 1, math.nextafter(a, -math.inf), *regions) == NOT_REPRODUCED


def test_bounds_included_and_excluded():
    assert verdict(4, 5, {"low": 4}) == REPRODUCED
    assert verdict(4, 5, {"above": 4}) == INCONCLUSIVE
    assert verdict(3, 4, {"above": 4}) == NOT_REPRODUCED
    assert verdict(3, 4, {"low": 4}) == INCONCLUSIVE
    assert verdict(3, 4, {"high": 4}) == REPRODUCED
    assert verdict(3, 4, {"below": 4}) == INCONCLUSIVE
    assert verdict(math.inf, math.inf, {"low": 10}) == REPRODUCED


def test_never_and_lists_of_regions():
    assert verdict(1, 1, {"low": 2}, "never") == INCONCLUSIVE
    regions = {"low": 0.3, "high": 5}, [{"below": 0.15}, {"above": 5}]
    assert verdict(-1, 0.1, *regions) == verdict(6, 7, *regions) == NOT_REPRODUCED
    assert verdict(0.1, 1, *regions) == verdict(-1, 6, *regions) == INCONCLUSIVE
    either = [{"below": 1}, {"above": 2}]
    assert verdict(0, 3, either) == verdict(0, 1.5, either) == INCONCLUSIVE, "in neither region as a whole"
    assert verdict(1, 2, either) == NOT_REPRODUCED


@pytest.mark.parametrize(("asked", "said"), [(({"low": 4},), "does not decide"), (({"low": 9}, "never"), "not enough")])
def test_why_it_is_inconclusive_tells_an_interval_outside_the_rule_from_one_across_its_bound(asked, said):
    reproduced, not_reproduced = (*asked, "outside")[:2]
    reason = decide(rule(reproduced), rule(not_reproduced), Effect(4, 3, 5, "ratio", 5, 0, 0))[1]
    assert said in reason


@pytest.mark.parametrize("doubt", ["noisy", "unsteady"])
def test_an_interval_on_more_than_a_third_of_doubtful_trials_decides_nothing(doubt):
    assert verdict(5, 6, {"low": 4}, count=6, **{doubt: 2}) == REPRODUCED
    assert verdict(5, 6, {"low": 4}, count=6, **{doubt: 3}) == INCONCLUSIVE


def test_without_an_interval_nothing_is_decided():
    assert verdict(math.nan, math.nan, {"low": 4}, count=2) == INCONCLUSIVE


def test_a_verdict_needs_five_trials():
    assert verdict(5, 6, {"low": 4}, count=4) == INCONCLUSIVE
    assert verdict(5, 6, {"low": 4}, count=5) == REPRODUCED
    reason = decide(rule({"low": 4}), "outside", Effect(5, 5, 6, "ratio", 4, 0))[1]
    assert reason == "a verdict needs 5 trials"


def test_rules_in_words():
    told = [
        {"low": 4},
        {"low": 5.6, "high": 22.4},
        {"above": 1},
        {"low": 4, "high": 4},
        {"above": 0, "below": 2},
        [{"high": 1}, {"low": 9}],
    ]
    assert [rules.words(rule(one)) for one in told] == [
        "at least 4",
        "5.6 to 22.4",
        "above 1",
        "exactly 4",
        "above 0 and below 2",
        "at most 1 or at least 9",
    ]
    assert rules.words(rule({"low": 4}), "ns") == "at least 4 ns"
    assert rules.words(rule({"low": 1e9, "high": 3.5e9}), "ops/s") == "1,000,000,000 to 3,500,000,000 ops/s"
    assert rules.words(rule({"below": 0.5}), "ratio") == "a ratio of below 0.5"


def rows(values, variant="fast", runtime="jdk17", noisy=()):
    return [
        {
            "trial": f"{variant}-{runtime}-{k}",
            "variant": variant,
            "runtime": runtime,
            "threads": 1,
            "block": k + 1,
            "noisy": k in noisy,
            "steady": True,
            "metric": "m",
            "value": float(value),
        }
        for k, value in enumerate(values)
    ]


def judged(declared, *parts, cpus=8, **claim):
    """Verdict rows of a claim C39 with these effects; the run has the runtimes of the metric rows."""
    made = entry(METRICS, claims={"C39": {"effects": declared} | claim})
    metrics = pd.DataFrame([row for part in parts for row in part])
    measured = [{"variant": row["variant"], "runtime": row["runtime"]} for row in metrics.to_dict("records")]
    return claims.verdicts(made, tables(measured), metrics, cpus)


def level(variant="fast", **rule):
    return {"kind": "level", "metric": "m", "of": {"variant": variant}, "reproduced": rule}


def test_a_row_tells_numbers_units_trials_published_and_rule():
    effect = {
        "kind": "ratio",
        "label": "cost ratio",
        "metric": "m",
        "of": {"variant": "slow"},
        "to": {"variant": "fast"},
        "reproduced": {"low": 4},
        "published": 8.46,
    }
    found = judged([effect], rows([10] * 5), rows([89] * 5, "slow"))
    assert list(found) == claims.COLUMNS and len(found) == 1
    row = found.iloc[0]
    assert (row["claim"], row["topic"], row["verdict"], row["trials"]) == ("C39", "locks", REPRODUCED, 5)
    assert row["text"] == "Biased locking is a huge benefit for 1 thread"
    assert row["reason"] == "cost ratio 8.9 [8.9, 8.9; 93.75 %], 5 trials; published 8.46; rule: a ratio of at least 4"
    assert json.loads(row["rule"]) == [{"low": 4}]


def test_a_row_says_what_it_rests_on():
    effect = {
        "kind": "ratio",
        "metric": "m",
        "of": {"variant": "slow"},
        "to": {"variant": "fast"},
        "reproduced": {"low": 4},
    }
    row = judged([effect], rows([10] * 5), rows([89] * 5, "slow"), runtimes=["jdk"]).iloc[0]
    (source,) = [Source.of(one) for one in json.loads(row["sources"])]
    assert source.words() == "ratio of m: variant slow / variant fast, runtime jdk17; 5 trials in 5 blocks"


def test_effects_are_a_conjunction():
    yes, no, perhaps = level(low=1), level(low=9), level("slow", low=6)
    parts = rows([5] * 7), rows([4, 5, 5, 6, 7, 7, 8], "slow")
    verdicts = lambda *declared: judged(list(declared), *parts)["verdict"].tolist()  # noqa: E731
    assert verdicts(yes, yes) == [REPRODUCED]
    assert verdicts(yes, perhaps) == [INCONCLUSIVE]
    assert verdicts(perhaps, no, yes) == [NOT_REPRODUCED]


def test_where_a_control_does_not_hold_nothing_is_decided():
    """C24 was to be inconclusive where the host itself is late, and was refuted there."""
    holds, fails, perhaps = level("slow", low=1), level("slow", low=9), level("slow", low=6)
    parts = rows([5] * 5), rows([4, 5, 6, 7, 8], "slow")
    for bound, verdict in ((1, REPRODUCED), (9, NOT_REPRODUCED)):
        assert judged([level(low=bound)], *parts, controls=[holds])["verdict"].tolist() == [verdict]
        for control in (fails, perhaps):
            row = judged([level(low=bound)], *parts, controls=[holds, control]).iloc[0]
            assert row["verdict"] == INCONCLUSIVE and row["effect"] == 5
            assert row["reason"].startswith("the control does not hold: ") and len(json.loads(row["sources"])) == 2


def test_any_is_a_disjunction():
    yes, no, perhaps = level(low=1), level(low=9), level("slow", low=6)
    parts = rows([5] * 7), rows([4, 5, 5, 6, 7, 7, 8], "slow")
    verdicts = lambda *among: judged([{"kind": "any", "effects": list(among)}], *parts)["verdict"].tolist()  # noqa: E731
    assert verdicts(no, yes) == [REPRODUCED]
    assert verdicts(no, perhaps) == [INCONCLUSIVE]
    assert verdicts(no, no) == [NOT_REPRODUCED]


def test_an_alternative_that_the_runtime_refuses_does_not_count():
    no, yes, other = level(low=9), level(low=1), level("slow", low=1)
    made = entry(METRICS, claims={"C39": {"effects": [{"kind": "any", "effects": [no, other]}]}})

    def verdict(entry, status):
        trials = [{"block": n} for n in range(5)] + [{"block": 1, "variant": "slow", "status": status}]
        return claims.verdicts(entry, tables(trials), pd.DataFrame(rows([5] * 5)), 2)["verdict"].tolist()

    assert verdict(made, "unsupported") == [NOT_REPRODUCED]
    assert verdict(made, "crashed") == [INCONCLUSIVE]
    made = entry(METRICS, claims={"C39": {"effects": [{"kind": "any", "effects": [yes, other]}]}})
    assert verdict(made, "unsupported") == [REPRODUCED]
    alone = entry(METRICS, claims={"C39": {"effects": [{"kind": "any", "effects": [other]}]}})
    assert verdict(alone, "unsupported") == [INCONCLUSIVE]


def test_one_verdict_per_runtime_that_matches():
    parts = rows([5] * 5), rows([1] * 5, runtime="jdk25"), rows([5] * 5, "native", "c")
    found = judged([level(low=4)], *parts, runtimes=["jdk"])
    assert dict(zip(found["scope"], found["verdict"], strict=True)) == {"jdk17": REPRODUCED, "jdk25": NOT_REPRODUCED}
    found = judged([level(low=4)], *parts, runtimes=["jdk<11"]).iloc[0]
    assert found["verdict"] == INCONCLUSIVE and "JDK below 11" in found["reason"]


def test_too_few_cpus_are_inconclusive_but_the_number_is_kept():
    row = judged([level(low=4)], rows([5] * 3), cpus=2, needs_cpus=4).iloc[0]
    assert row["verdict"] == INCONCLUSIVE and row["effect"] == 5
    assert row["reason"].startswith("needs 4 CPUs, this host has 2; ")


def test_an_effect_that_few_cpus_can_answer_is_asked_there():
    """C69 asks for 50 million a second and four CPUs, and two reached 199; C43's two threads need no third CPU."""
    refuted, perhaps = level(low=9) | {"needs_cpus": 2}, level(low=4)
    assert judged([refuted, perhaps], rows([5] * 7), cpus=2, needs_cpus=4)["verdict"].tolist() == [NOT_REPRODUCED]
    met, missed = level(low=4) | {"met_with_fewer": True}, level(low=9) | {"met_with_fewer": True}
    assert judged([met], rows([5] * 7), cpus=2, needs_cpus=4)["verdict"].tolist() == [REPRODUCED]
    row = judged([missed], rows([5] * 7), cpus=2, needs_cpus=4).iloc[0]
    assert row["verdict"] == INCONCLUSIVE and row["reason"].startswith("needs 4 CPUs, this host has 2; ")


def test_where_nothing_was_measured_the_reason_speaks_of_no_runtime():
    made = entry(METRICS, claims={"C39": {"effects": [level(low=4)], "runtimes": ["jdk"], "needs_cpus": 2}})
    some = tables([{}])
    row = claims.verdicts(made, replace(some, trials=some.trials[:0]), pd.DataFrame(), 1).iloc[0]
    told = "needs 2 CPUs, this host has 1; nothing of it was measured in this run"
    assert (row["verdict"], row["reason"]) == (INCONCLUSIVE, told)


def test_missing_data_and_a_claim_without_effects_give_their_reason():
    row = judged([level("slow", low=4)], rows([5] * 3)).iloc[0]
    assert row["verdict"] == INCONCLUSIVE and row["reason"] == "slow was not measured in this run"
    row = judged([], rows([5] * 3), note="not measurable yet").iloc[0]
    assert (row["verdict"], row["reason"]) == (INCONCLUSIVE, "not measurable yet")


@pytest.mark.parametrize(("value", "verdict", "told"), [("4000", REPRODUCED, "yes"), ("0", NOT_REPRODUCED, "no")])
def test_a_fact_is_told_as_yes_or_no(value, verdict, told):
    fact = {
        "kind": "fact",
        "label": "delay is 4000",
        "of": {"variant": "fast"},
        "name": "options.Delay",
        "equals": "4000",
        "reproduced": {"low": 1},
    }
    made = entry(METRICS, claims={"C41": {"effects": [fact]}})
    facts = [(f"t{n}", "options.Delay", value) for n in range(5)]
    row = claims.verdicts(made, tables([{"block": n} for n in range(5)], facts=facts), pd.DataFrame(rows([5])), 2)
    assert row["verdict"].tolist() == [verdict]
    assert row["reason"].tolist() == [f"delay is 4000 {told}, 5 trials; options.Delay is {value}; rule: yes"]


def test_noisy_trials_make_it_inconclusive():
    row = judged([level(low=4)], rows([5] * 5, noisy=[0, 1])).iloc[0]
    assert row["verdict"] == INCONCLUSIVE and "rests on 2 noisy trials" in row["reason"]


@pytest.mark.parametrize("hogged", range(7))
def test_a_hog_that_doubles_the_cost_of_some_blocks_flips_no_verdict(hogged):
    """Truth: a ratio of 1. Marked trials never make "at least 1.5" reproduced, and alone they decide nothing."""
    marked = list(range(hogged))
    ratio = {"kind": "ratio", "metric": "m", "of": {"variant": "fast"}, "to": {"variant": "slow"}}
    costs = [10.0 + k / 100 if k < hogged else 5.0 + k / 100 for k in range(6)]
    declared = ratio | {"reproduced": {"low": 1.5}}
    row = judged([declared], rows(costs, noisy=marked), rows([5.0] * 6, "slow")).iloc[0]
    assert row["verdict"] != REPRODUCED
    if hogged > 3:
        assert row["verdict"] == INCONCLUSIVE and f"rests on {hogged} noisy trials" in row["reason"]


def test_an_unknown_claim_is_an_error():
    made = entry(METRICS, claims={"C999": {"effects": [level(low=1)]}})
    with pytest.raises(LabError, match="C999"):
        claims.verdicts(made, tables([{}]), pd.DataFrame(rows([5])), 2)


def test_every_published_claim_is_implemented_once():
    implemented = [name for one in catalogue.load().values() for name in one.claims]
    assert sorted(implemented) == sorted(claims.published_claims().index)
    left = claims.untested(catalogue.load())
    assert left.empty and list(left) == claims.COLUMNS


@pytest.mark.thorough
@pytest.mark.parametrize("profile", ["quick", "full"])
@pytest.mark.parametrize("name", list(catalogue.load()))
def test_what_a_profile_plans_is_enough_for_every_claim(name, profile, monkeypatch):
    """Claims that need more than two CPUs are asked on a host that has them: a smaller one leaves such threads out."""
    entry, small = catalogue.load()[name], 2
    larger = {claim: one for claim, one in entry.claims.items() if one.needs_cpus > small}
    others = {claim: one for claim, one in entry.claims.items() if claim not in larger}
    for cpus, asked in ((small, others), (max([small, *(one.needs_cpus for one in larger.values())]), larger)):
        if asked:
            monkeypatch.setattr(host, "usable", lambda cpus=cpus: list(range(cpus)))
            enough_is_planned(replace(entry, claims=asked), profile, cpus, monkeypatch)


def asked_of(entry) -> set[str]:
    """The metrics that the claims of an entry are about, all where they are about facts alone."""
    waiting = [effect for claim in entry.claims.values() for effect in (*claim.effects, *claim.controls)]
    found = set()
    while waiting:
        one = waiting.pop()
        if one.kind == "any":
            waiting += one.effects
        else:
            found |= {selection["metric"] for selection in one.selections() if "metric" in selection}
    return found or set(entry.metrics)


def enough_is_planned(one, profile, cpus, monkeypatch):
    measured = [
        {"variant": c.variant, "runtime": c.runtime, "block": block, "trial": f"{c.key}-{block}"} | dict(c.axes)
        for c in plan.configurations(one, profile, {"c": None, "jdk17": None, "jdk25": None})
        for block in (1, 2)
    ]
    rows = pd.DataFrame(measured).assign(noisy=False, steady=True, value=1.0)
    metrics = pd.concat(rows.assign(metric=metric) for metric in sorted(asked_of(one)))
    facts = pd.DataFrame(
        [(row["trial"], "options.TieredCompilation", "true") for row in measured], columns=["trial", "name", "value"]
    )
    made = tables([{}])
    made.trials, made.facts = trials(measured), facts
    computed = []

    def compute(effect, data, shares=(1, 1)):
        computed.append(effects.compute(effect, data, shares))
        return computed[-1]

    monkeypatch.setattr(claim_test, "compute", compute)
    monkeypatch.setattr(claims.undecided, "of", lambda *_: Undecided())  # what would decide them is not asked
    for claim, declared in one.claims.items():
        assert all(claims.scopes(declared, made)) or not declared.effects, f"{claim}: none is {declared.runtimes}"
    assert len(claims.verdicts(one, made, metrics, cpus)) >= len(one.claims)
    assert [effect.detail for effect in computed if not effect.trials] == []
    assert computed or not any(declared.effects for declared in one.claims.values())
