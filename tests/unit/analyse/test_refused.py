"""Numbers that are measured and not told: what refuses them, of which trials, and that it is said why."""

from __future__ import annotations

import pandas as pd
import pytest
from analyse_tables import entry, tables

from pipeline.analyse import effects, estimates, metrics, refused
from pipeline.analyse.selection import Data, Missing
from pipeline.catalogue import check
from pipeline.catalogue.declared import plain

pytestmark = pytest.mark.thorough

DECLARED = {
    "latency_p50": {"kind": "measure", "name": "intended"},
    "sent_p50": {"kind": "measure", "name": "sent"},
    "late_p50": {"kind": "measure", "name": "late"},
    "behind": {"kind": "quotient", "of": ["latency_p50", "sent_p50"], "unit": "1"},
    "late_share": {"kind": "quotient", "of": ["late_p50", "latency_p50"], "unit": "1"},
    "rate": {"kind": "measure", "name": "rate", "better": "higher"},
    "handled": {"kind": "measure", "name": "rate"},
    "regimes": {"kind": "measure", "name": "regimes", "unit": "1"},
}
WHY = "the generator cannot follow"
LATE = {"metrics": ["latency_*"], "metric": "behind", "above": 1.111, "why": WHY}
RULES = [
    LATE,
    LATE | {"metric": "late_share", "above": 0.1},
    {"metrics": ["rate"], "metric": "regimes", "above": 2, "ratios": True, "why": "two regimes"},
]


def declared(rules=RULES):
    made = entry(DECLARED)
    return check.experiment(plain(made) | {"refusals": rules})


def trials(*rows: dict):
    """A trial per row: its measures, and what of the trials table it has."""
    about = [{key: row[key] for key in ("variant", "runtime", "block", "threads") if key in row} for row in rows]
    names = {"intended", "sent", "late", "rate", "regimes"}
    measures = [(f"t{at}", -1, "", name, row[name]) for at, row in enumerate(rows) for name in names & set(row)]
    return tables(about, measures=measures)


def told(found: pd.DataFrame, metric: str) -> list[str]:
    return sorted(found.loc[found["metric"] == metric, "trial"])


def test_a_latency_whose_generator_is_late_is_not_told_and_the_rest_of_its_trial_is():
    # The published case: 450,815 ns from the due time, 622 from the sending.
    found = refused.compute(declared(), trials({"intended": 450_815, "sent": 622}))
    assert told(found, "latency_p50") == [] and told(found, "sent_p50") == ["t0"] == told(found, "behind")
    kept = refused.compute(declared(), trials({"intended": 1208, "sent": 1158}))
    assert told(kept, "latency_p50") == ["t0"]


@pytest.mark.parametrize(("late", "expected"), [(100, ["t0"]), (101, [])])
def test_the_recorded_lateness_decides_where_there_is_one(late, expected):
    found = refused.compute(declared(), trials({"intended": 1000, "sent": 990, "late": late}))
    assert told(found, "latency_p50") == expected


def test_what_decides_is_computed_also_where_it_is_not_asked_for():
    late = trials({"intended": 450_815, "sent": 622})
    assert refused.compute(declared(), late, ["latency_p50"]).empty
    assert set(refused.compute(declared(), late, ["sent_p50"])["metric"]) == {"sent_p50"}


@pytest.mark.parametrize(("late", "left"), [(1, 3), (2, 0)])
def test_where_half_of_the_trials_are_refused_all_are(late, left):
    rows = [{"intended": 1000, "sent": 100 if at < late else 990, "block": at} for at in range(4)]
    found = refused.compute(declared(), trials(*rows))
    assert len(told(found, "latency_p50")) == left


def test_a_trial_without_what_decides_keeps_its_meaning():
    assert told(refused.compute(declared(), trials({"intended": 1000})), "latency_p50") == ["t0"]


def test_it_is_said_how_many_are_refused_and_why_once_for_rules_of_one_reason():
    rows = [{"intended": 1000, "sent": 100, "late": 900, "block": at} for at in range(3)]
    found = refused.compute(declared(), trials(*rows))
    (row,) = refused.told(found, declared()).to_dict("records")
    assert row["instead"] == ""  # a table of numbers withheld says nothing in their place
    assert (row["metric"], row["why"], row["trials"], row["of"]) == ("latency_p50", WHY, 3, 3)
    fine = refused.compute(declared(), trials({"intended": 1000, "sent": 990}))
    assert refused.told(fine, declared()).empty


def test_an_effect_says_why_there_is_no_number():
    data = trials(*({"intended": 1000, "sent": 100, "block": at} for at in range(5)))
    asked = Data(declared(), data, refused.compute(declared(), data))
    with pytest.raises(Missing, match=f"has no number for: latency_p50, because {WHY}"):
        effects.level(asked, {"metric": "latency_p50", "variant": "fast"})


def test_a_rate_near_that_of_a_twin_is_not_told():
    """A throughput within 1.5 times that of the same handler in a loop of its own thread is the handler's."""
    rule = {"metrics": ["rate"], "metric": "handled", "above": 1 / 1.5, "why": "it is its handler's"}
    rule |= {"variants": ["fast"], "over": {"variant": "slow", "metric": "handled"}}
    alone = [{"variant": "slow", "rate": rate, "block": at} for at, rate in enumerate((290, 300, 310))]
    for rate, expected in ((199, ["t3"]), (201, [])):
        found = refused.compute(declared([rule]), trials(*alone, {"rate": rate, "block": 0}))
        assert told(found, "rate") == ["t0", "t1", "t2", *expected]
    # On another runtime there is no twin, and nothing is known.
    found = refused.compute(declared([rule]), trials(*alone, {"rate": 299, "block": 0, "runtime": "jdk25"}))
    assert "t3" in told(found, "rate")
    # And it is said why a claim has no number, though what decides is another variant's.
    data = trials(*alone, {"rate": 299, "block": 0})
    asked = Data(declared([rule]), data, refused.compute(declared([rule]), data))
    with pytest.raises(Missing, match="has no number for: rate, because it is its handler's"):
        effects.level(asked, {"metric": "rate", "variant": "fast"})


@pytest.mark.parametrize(("rates", "expected"), [((32, 23, 94, 189, 160), 94), ((32, 189, 160, 94, 170), None)])
def test_a_median_is_not_of_the_trials_that_a_bound_on_it_leaves(rates, expected):
    """A quick run's JCTools queue, M events/s: told as 32, the median of the three slowest of five trials."""
    rule = {"metrics": ["rate"], "metric": "handled", "above": 1 / 1.5, "outcome": True, "why": "it is its handler's"}
    rule |= {"variants": ["fast"], "over": {"variant": "slow", "metric": "handled"}}
    rows = [
        {"variant": name, "rate": n, "block": at}
        for at, each in enumerate(rates)
        for name, n in (("fast", each), ("slow", 225))
    ]
    found = refused.compute(declared([rule]), trials(*rows))
    fast = found[(found["metric"] == "rate") & (found["variant"] == "fast")]["value"]
    assert fast.empty if expected is None else fast.median() == expected


def ratio(rows: list[dict], **rules):
    data = trials(*rows)
    made = declared(**rules)
    of, to = ({"metric": "rate", "variant": name} for name in ("fast", "slow"))
    return effects.ratio(Data(made, data, refused.compute(made, data)), of, to)


def pairs(count: int, **fast) -> list[dict]:
    sides = {"fast": {"rate": 200, "regimes": 1} | fast, "slow": {"rate": 100, "regimes": 1}}
    return [{"variant": name, "block": at} | side for at in range(count) for name, side in sides.items()]


def test_no_ratio_is_of_a_trial_with_two_regimes_whose_level_is_told():
    assert ratio(pairs(6)).blocks == 6
    rows = pairs(6)
    rows[0] |= {"regimes": 2.5}
    assert ratio(rows).blocks == 5
    with pytest.raises(Missing, match="fast is not compared, because two regimes"):
        ratio(pairs(6, regimes=2.5))
    data = trials(*pairs(6, regimes=2.5))
    assert len(told(refused.compute(declared(), data), "rate")) == 12


def test_without_rules_the_table_is_that_of_the_metrics():
    data = trials({"intended": 450_815, "sent": 622})
    plain = declared([])
    pd.testing.assert_frame_equal(refused.compute(plain, data), metrics.compute(plain, data))
    assert estimates.compute(plain, refused.compute(plain, data))["estimate"].max() == 450_815
