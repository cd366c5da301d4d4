"""Trials that do not settle: the effect with either of their regimes, and what may be decided by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from analyse_tables import costs_to_iterations, entry, tables
from claim_rules import effect
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.analyse import regimes
from pipeline.analyse.claim_test import EITHER, INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED, judge
from pipeline.analyse.metrics import compute
from pipeline.analyse.selection import Data

pytestmark = pytest.mark.thorough

COST = {"m": {"kind": "cost", "series": "t*", "estimator": "median", "better": "lower"}}
RATIO = {"kind": "ratio", "metric": "m", "of": {"variant": "slow"}, "to": {"variant": "fast"}}


def measured(**costs) -> Data:
    """Trials by variant: of each block the costs of its iterations."""
    return ran((variant, 1, each) for variant, each in costs.items())


def several(slow: list, fast: list) -> Data:
    """A run of slow on 1, 2, ... threads, and of fast on 0."""
    return ran([("fast", 0, fast), *(("slow", threads, each) for threads, each in enumerate(slow, 1))])


def ran(configurations: Iterable[tuple[str, int, list]]) -> Data:
    trials, iterations = [], []
    for variant, threads, costs in configurations:
        for block, one in enumerate(costs, 1):
            name = f"{variant}-{threads}-{block}"
            trials.append({"trial": name, "variant": variant, "threads": threads, "block": block})
            iterations += costs_to_iterations(name, one)
    declared, made = entry(COST), tables(trials, iterations=iterations)
    return Data(declared, made, compute(declared, made), "jdk17")


def stepped(first: float, second: float, at: int = 12, count: int = 20) -> list[float]:
    """One step, and a scatter of a hundredth. On neither level for two thirds of the iterations, nor from half on."""
    scatter = 1 + 0.01 * np.sin(np.arange(count))
    return list(np.where(np.arange(count) < at, first, second) * scatter)


def test_both_regimes_of_a_trial_that_does_not_settle_bound_what_it_says():
    data = measured(slow=[stepped(100, 200)] * 6, fast=[[10.0] * 20] * 6)
    rows = data.rows({"variant": "slow", "metric": "m"})
    assert not rows["steady"].any()
    found = regimes.bounds(data.entry, data.tables, rows)
    assert found["least"].tolist() == pytest.approx([100] * 6, rel=0.02)
    assert found["most"].tolist() == pytest.approx([200] * 6, rel=0.02)


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ({"low": 5}, REPRODUCED),  # 10 and 20 times: either way
        ({"low": 15}, INCONCLUSIVE),  # by one of the two
        ({"below": 5}, NOT_REPRODUCED),
    ],
)
def test_a_verdict_that_both_regimes_give_holds_and_says_so(rule, verdict):
    judged = judge(
        effect(reproduced=rule, **{k: v for k, v in RATIO.items()}),
        measured(slow=[stepped(100, 200)] * 6, fast=[[10.0] * 20] * 6),
    )
    assert judged.verdict == verdict
    assert (EITHER in judged.reason) == (verdict != INCONCLUSIVE)
    if verdict == INCONCLUSIVE:
        assert "rests on 6 unsteady trials" in judged.reason
    else:
        assert judged.effect.low == pytest.approx(10, rel=0.02) and judged.effect.high == pytest.approx(20, rel=0.02)


def test_below_the_line_the_regimes_count_the_other_way():
    data = measured(slow=[[100.0] * 20] * 6, fast=[stepped(10, 20)] * 6)
    judged = judge(effect(**RATIO, reproduced={"low": 4}), data)
    assert (judged.verdict, judged.effect.low, judged.effect.high) == (
        REPRODUCED,
        pytest.approx(5, rel=0.02),
        pytest.approx(10, rel=0.02),
    )


def test_a_level_and_a_rank_are_decided_so_and_a_jump_is_not():
    data = measured(slow=[stepped(100, 200)] * 6, fast=[[10.0] * 20] * 6, native=[[50.0] * 20] * 6)
    level = effect(kind="level", metric="m", of={"variant": "slow"}, reproduced={"high": 300})
    over = {"over": [{}], "metric": "m"}
    rank = effect(kind="rank", subject="fast", rivals=["slow"], against="best", reproduced={"above": 5}, **over)
    jump = effect(kind="jump", metric="m", over=[{"variant": "fast"}, {"variant": "slow"}], reproduced={"above": 5})
    assert [judge(one, data).verdict for one in (level, rank, jump)] == [REPRODUCED, REPRODUCED, INCONCLUSIVE]


def test_what_is_unsteady_for_another_reason_stays_so():
    data = measured(slow=[[100.0] * 20] * 6, fast=[[10.0] * 20] * 6)
    data.metrics["steady"] = False
    assert judge(effect(**RATIO, reproduced={"low": 5}), data).verdict == INCONCLUSIVE


@settings(max_examples=20)
@given(st.floats(10, 1000), st.floats(1.1, 20), st.integers(11, 13))
def test_the_whole_trial_lies_between_its_regimes(first, times, at):
    data = measured(slow=[stepped(first, first * times, at)])
    rows = data.rows({"variant": "slow", "metric": "m"})
    found = regimes.bounds(data.entry, data.tables, rows)
    if len(found):
        assert found["least"].iloc[0] <= rows["value"].iloc[0] <= found["most"].iloc[0]


def test_where_the_truth_lies_on_the_bound_few_verdicts_are_wrong(monkeypatch):
    """Trials change between two regimes at a random iteration; the bound is the ratio of whole trials in the long run.
    Both regimes together err in no more cases than the 5 % of steady trials."""
    rng, found, repetitions = np.random.default_rng(7), Counter(), 42

    def costs(level: float, times: float, count: int = 6) -> list[list[float]]:
        ends = rng.integers(11, 14, count)
        return [list(level * np.where(np.arange(20) < end, 1, times) * np.exp(rng.normal(0, 0.05, 20))) for end in ends]

    whole = [np.median(one) for one in costs(10.0, 1.3, 4000)]
    bound = float(np.median(whole)) / 1.0
    # Each repetition is a place of the axis of one run, and the regimes of all its trials are found at once.
    data = several([costs(10.0, 1.3) for _ in range(repetitions * 4 // 3)], [[1.0] * 20] * 6)
    rows = data.metrics[~data.metrics["steady"].astype(bool)]
    both = regimes.bounds(data.entry, data.tables, rows)
    monkeypatch.setattr(regimes, "bounds", lambda entry, tables, rows: both[both.index.isin(rows["trial"])])

    def verdict(place: int, **rules) -> str:
        sides = {"of": {"variant": "slow", "threads": place}, "to": {"variant": "fast", "threads": 0}}
        return judge(effect(**RATIO | sides, **rules), data).verdict

    for place in range(1, repetitions + 1):
        found[verdict(place, reproduced={"above": bound}, not_reproduced={"below": bound})] += 1
    assert found[REPRODUCED] + found[NOT_REPRODUCED] <= 0.05 * repetitions + 2 * np.sqrt(0.05 * 0.95 * repetitions)
    for place in range(repetitions + 1, repetitions * 4 // 3 + 1):
        found["far", verdict(place, reproduced={"above": bound / 1.5})] += 1
    assert found["far", REPRODUCED] > 0.9 * (repetitions // 3), "what lies far from the bound is decided"
