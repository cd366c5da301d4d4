"""All looks at a run together err at most as often as promised, and what is decided stays decided."""

from __future__ import annotations

import math

import numpy as np
import pytest
from claim_rules import EFFECT, at_once, ratio
from claim_rules import blocks as data
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.analyse import effects, sequential_test
from pipeline.analyse.claim_test import INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED, judge, judge_claim
from pipeline.analyse.effect import Sample
from pipeline.catalogue.claims import Claim
from pipeline.models.median_interval import median_interval

RUNS = 4000
KINDS = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "heavy tails": lambda rng, size: rng.standard_t(2, size),
    "skewed": lambda rng, size: rng.exponential(size=size) - math.log(2),
    "two states": lambda rng, size: 0.3 * rng.standard_normal(size) + np.where(rng.random(size) < 0.5, -1.0, 1.0),
}


def crossing(values: np.ndarray, *ends: int, among: int = 1) -> float:
    """The share of runs (columns) of which an end of the interval is on the wrong side of the truth, 0, at any look."""
    low, high = np.full(values.shape[1], -np.inf), np.full(values.shape[1], np.inf)
    number = 1
    for end in ends:
        seen = values[:end]
        asked = sequential_test.level(number, among)
        if sequential_test.enough(end, asked, 1):
            number += 1
            found = median_interval(seen, asked)
            low, high = np.maximum(low, found.low), np.minimum(high, found.high)
    return max((low > 0).mean(), (high < 0).mean())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ends", [(6,), (6, 16), (6, 16, 26, 36), (5, 15), (4, 12), (6, 11, 16, 21, 26, 31)])
def test_all_looks_together_err_in_five_percent_at_most(kind, ends):
    values = KINDS[kind](np.random.default_rng(3), (ends[-1], RUNS))
    assert crossing(values, *ends) <= (0.056 if ends[0] == 5 else 0.05) + 2 * math.sqrt(0.05 * 0.95 / RUNS)


def test_looking_after_every_block_at_95_percent_would_not():
    values = KINDS["normal"](np.random.default_rng(3), (24, RUNS))
    low = np.max([median_interval(values[:end], 0.95).low for end in range(6, 25)], axis=0)
    assert (low > 0).mean() > 0.08


@pytest.mark.parametrize("effects_", [2, 4, 11])
def test_the_promise_is_the_claims_that_any_of_its_effects_refutes(effects_):
    rng = np.random.default_rng(4)
    values = [KINDS["normal"](rng, (22, RUNS // 4)) for _ in range(effects_)]
    asked = [sequential_test.level(number, effects_) for number in (1, 2)]
    refuted = np.zeros(RUNS // 4, dtype=bool)
    for one in values:
        for end, level in zip((12, 22), asked, strict=True):
            refuted |= median_interval(one[:end], level).low > 0
    assert refuted.mean() <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / (RUNS // 4))


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 4))
def test_the_blocks_that_a_level_takes_are_the_fewest_that_give_it(among, columns, look):
    asked, sample = sequential_test.level(look, among), Sample(np.ones((3, columns)), "count")
    needed = sequential_test.blocks_needed(sample, asked)
    assert sequential_test.enough(needed, asked, columns) and (
        needed <= 3 or not sequential_test.enough(needed - 1, asked, columns)
    )


def test_five_blocks_are_enough_for_one_effect_and_six_for_two():
    sample = Sample(np.ones((5, 1)))
    assert [sequential_test.blocks_needed(sample, sequential_test.level(1, among)) for among in (1, 2, 4, 11)] == [
        5,
        6,
        7,
        9,
    ]


# --- looks of a run ---------------------------------------------------------------------------------------------------
RATIOS = st.lists(st.floats(0.5, 2.0), min_size=12, max_size=20)


@pytest.mark.thorough
@settings(max_examples=25)
@given(RATIOS)
def test_one_look_at_all_is_what_there_is_without_sittings(values):
    effect = ratio(reproduced={"low": 1})
    assert effects.compute(effect, data(values)) == effects.compute(effect, data(values, (len(values),)))


@pytest.mark.thorough
@settings(max_examples=25)
@given(RATIOS)
def test_what_is_decided_stays_decided_and_a_sitting_that_is_not_over_changes_nothing(values):
    effect = ratio(reproduced={"low": 1})
    once = effects.compute(effect, data(values, (6,)))
    assert once == effects.compute(effect, data(values[:6]))
    twice = effects.compute(effect, data(values, (6, 11)))
    assert (twice.looks, twice.blocks) == (2, 11)
    assert twice.low >= once.low and twice.high <= once.high
    before, after = (judge(effect, data(values, ends)).verdict for ends in ((6,), (6, 11)))
    assert before == INCONCLUSIVE or after == before or twice.low > twice.high


def test_a_look_without_a_new_block_is_none():
    assert effects.compute(ratio(reproduced={"low": 1}), data([1.1] * 6, (6, 9, 12))).looks == 1


def test_a_look_that_could_decide_nothing_spends_nothing_and_narrows_nothing():
    """A quick run's Disruptor: of its whole blocks few had like words, and of all 3.07 [2.2, 3.07; 72.5 %] was told."""
    effect, values = ratio(reproduced={"low": 5}), [2.2, 3.0, 3.07, 3.07, 2.21, 3.25, 3.1, 3.3, 3.1, 2.9, 3.2]
    alone = effects.compute(effect, data(values))
    assert effects.compute(effect, data(values, (4, 11))) == alone and alone.level == 0.95 and alone.looks == 1
    few = effects.compute(effect, data(values[:4], (4,)))
    assert (few.looks, few.level, few.trials) == (0, 0.875, 4)
    assert effects.compute(effect, data(values * 2, (4, 11, 22))) == effects.compute(effect, data(values * 2, (11, 22)))


def test_the_level_told_is_that_of_all_looks_together():
    found = effects.compute(ratio(reproduced={"low": 1}), data([1.1, 1.2] * 8, (6, 16)))
    assert found.level == pytest.approx(0.925)
    shared = effects.compute(ratio(reproduced={"low": 1}), data([1.1, 1.2, 1.3, 1.4] * 4, (8, 16)), (1, 2))
    assert shared.level == found.level and shared.holds == (shared.low, shared.high)
    assert shared.fails[0] < shared.low and shared.fails[1] > shared.high


def test_looks_that_contradict_each_other_decide_nothing():
    judged = judge(ratio(reproduced={"low": 1.5}), data([2.0] * 6 + [1.0] * 30, (6, 36)))
    assert judged.verdict == INCONCLUSIVE and "contradict each other" in judged.reason


def test_what_so_few_blocks_cannot_give_decides_nothing_and_says_how_many_can():
    several, effect = data([1.1] * 6), ratio(reproduced={"low": 2})
    assert judge(effect, several, (1, 2)).verdict == NOT_REPRODUCED
    judged = judge(effect, several, (1, 3))
    assert judged.verdict == INCONCLUSIVE and "at its share of the claim's error this takes 7 blocks" in judged.reason
    assert judge(effect, data([1.1] * 7), (1, 3)).verdict == NOT_REPRODUCED


def test_a_claim_that_all_must_uphold_holds_at_the_level_of_one_and_alternatives_share_it():
    holds = ratio(reproduced={"low": 1})
    assert judge_claim(Claim(effects=[holds] * 8), data([1.1] * 5), 8).verdict == REPRODUCED
    either = EFFECT.validate_python({"kind": "any", "effects": [holds] * 3})
    assert judge_claim(Claim(effects=[either]), data([1.1] * 6), 8).verdict == INCONCLUSIVE
    assert judge_claim(Claim(effects=[either]), data([1.1] * 7), 8).verdict == REPRODUCED
    fails = ratio(reproduced={"low": 2})
    assert judge_claim(Claim(effects=[fails] * 3), data([1.1] * 6), 8).verdict == INCONCLUSIVE
    either = EFFECT.validate_python({"kind": "any", "effects": [fails] * 3})
    assert judge_claim(Claim(effects=[either]), data([1.1] * 5), 8).verdict == NOT_REPRODUCED


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["normal", "two states"])
def test_claims_that_are_false_hold_by_chance_in_five_percent_at_most_and_true_ones_fail_so(kind):
    """An effect at its bound over two looks: both verdicts as its intervals give them, in all runs at once. That the
    pipeline judges a run so is tried on runs of each verdict."""
    ratios = np.exp(0.2 * KINDS[kind](np.random.default_rng(8), (12, RUNS)))
    told = at_once(ratios, 6, 12)
    claim = Claim(effects=[ratio(reproduced={"low": 1})])
    for verdict, count in ((REPRODUCED, 12), (NOT_REPRODUCED, 12), (INCONCLUSIVE, 16)):
        tried = np.flatnonzero(told == verdict)[:count]
        assert len(tried) == count
        assert {judge_claim(claim, data(ratios[:, run], (6, 12)), 8).verdict for run in tried} == {verdict}
    wrong = max((told == verdict).mean() for verdict in (REPRODUCED, NOT_REPRODUCED))
    assert wrong <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / RUNS)
