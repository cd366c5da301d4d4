import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from analyse_tables import entry, tables
from claim_rules import effect as declared

from pipeline.analyse.effects import compute
from pipeline.analyse.selection import Data
from pipeline.ground.errors import LabError
from pipeline.models.median_interval import median_interval

ENTRY = entry(
    {
        "m": {"kind": "rate", "unit": "ops/s", "better": "higher"},
        "n": {"kind": "cost", "unit": "cycles", "better": "lower"},
    }
)


def rows(values, metric="m", variant="fast", runtime="jdk17", threads=1, noisy=(), unsteady=(), blocks=None):
    """Metric rows, one per block; `noisy` and `unsteady` are positions."""
    return [
        {
            "trial": f"{variant}-{metric}-{threads}-{k}",
            "variant": variant,
            "runtime": runtime,
            "threads": threads,
            "block": blocks[k] if blocks else k + 1,
            "noisy": k in noisy,
            "steady": k not in unsteady,
            "metric": metric,
            "value": float(value),
        }
        for k, value in enumerate(values)
    ]


def effect(kind, *parts, trials=(), facts=(), runtime=None, cpus=None, **fields):
    metrics = pd.DataFrame([row for part in parts for row in part] or rows([1]))
    data = Data(ENTRY, tables(list(trials) or [{}], facts=list(facts)), metrics, runtime, cpus)
    return compute(declared(kind=kind, **fields), data)


FAST, SLOW, NATIVE = {"variant": "fast"}, {"variant": "slow"}, {"variant": "native"}


def test_level_is_the_median_with_the_unit_of_the_metric():
    found = effect("level", rows([4, 4, 4, 4, 5]), metric="m", of=FAST)
    assert (found.estimate, found.unit, found.trials) == (4, "ops/s", 5)
    assert (found.low, found.high, found.level) == (4, 5, 0.9375)


def test_ratio_is_paired_so_that_drift_cancels():
    drift = np.array([1, 2, 4, 8, 16])
    found = effect("ratio", rows(6 * drift), rows(2 * drift, variant="slow"), metric="m", of=FAST, to=SLOW)
    assert (found.estimate, found.low, found.high, found.trials) == (3, 3, 3, 5)


def test_only_blocks_that_both_sides_have_are_compared():
    slow = rows([2, 2, 2, 99], variant="slow", blocks=[2, 3, 4, 9])
    found = effect("ratio", rows([50, 6, 6, 6], blocks=[1, 2, 3, 4]), slow, metric="m", of=FAST, to=SLOW)
    assert (found.estimate, found.trials) == (3, 3)


def test_of_a_repeated_trial_the_quiet_attempt_counts():
    fast = rows([600, 6, 6, 6], blocks=[1, 1, 2, 3], noisy=[0])
    found = effect("ratio", fast, rows([2, 2, 2], variant="slow"), metric="m", of=FAST, to=SLOW)
    assert (found.estimate, found.low, found.high, found.trials, found.noisy) == (3, 3, 3, 3, 0)


def test_blocks_with_a_doubtful_side_are_left_out_when_six_remain_and_counted_otherwise():
    slow = rows([2] * 8, variant="slow")
    found = effect("ratio", rows([6] * 6 + [50, 50], noisy=[6, 7]), slow, metric="m", of=FAST, to=SLOW)
    assert (found.high, found.trials, found.noisy) == (3, 6, 0)
    found = effect("ratio", rows([6, 6, 50, 50, 50], noisy=[2, 3, 4]), slow, metric="m", of=FAST, to=SLOW)
    assert (found.trials, found.noisy) == (5, 3)
    found = effect("ratio", rows([6] * 4, unsteady=[0, 1]), slow, metric="m", of=FAST, to=SLOW)
    assert (found.trials, found.unsteady) == (4, 2)


def test_a_denominator_of_zero_is_unbounded_and_two_zeros_are_nothing():
    found = effect("ratio", rows([5, 6, 7]), rows([0, 0, 0], variant="slow"), metric="m", of=FAST, to=SLOW)
    assert found.estimate == found.low == math.inf
    found = effect("ratio", rows([0, 0, 0]), rows([0, 0, 0], variant="slow"), metric="m", of=FAST, to=SLOW)
    assert found.trials == 0 and "0" in found.detail


def test_where_and_metric_complete_a_selection():
    parts = rows([6] * 3, threads=2), rows([9] * 3), rows([2] * 3, metric="n", threads=2)
    found = effect("ratio", *parts, where={"variant": "fast", "threads": 2}, of={"metric": "m"}, to={"metric": "n"})
    assert found.estimate == 3


def test_difference_is_paired_in_the_unit_of_the_metric():
    found = effect("difference", rows([11, 22, 33]), rows([1, 12, 23], variant="slow"), metric="m", of=FAST, to=SLOW)
    assert (found.estimate, found.low, found.high, found.unit) == (10, 10, 10, "ops/s")


def test_slope_over_the_values_of_an_axis():
    parts = [rows([1 + 2 * n] * 4, "n", threads=n) for n in (1, 2, 4, 8)]
    found = effect("slope", *parts, metric="n", of=FAST, by="threads")
    assert found.estimate == pytest.approx(2) and found.low == pytest.approx(2)
    assert (found.unit, found.trials) == ("cycles per thread", 4)
    assert "a slope needs 3" in effect("slope", *parts[:2], metric="n", of=FAST, by="threads").detail


def test_one_ratio_of_nothing_to_nothing_may_be_anything():
    parts = rows([8, 8, 8, 8, 0]), rows([2, 2, 2, 2, 0], variant="slow")
    found = effect("ratio", *parts, metric="m", of=FAST, to=SLOW)
    assert (found.estimate, found.low, found.high, found.p) == (4, 0, math.inf, 1)


def test_a_ratio_has_a_p_value_of_being_one():
    slow = rows([2] * 10, variant="slow")
    found = effect("ratio", rows([3, 3.1] * 5), slow, metric="m", of=FAST, to=SLOW)
    assert found.p < 1e-9 and found.low > 1
    found = effect("ratio", rows([4, 1] * 5), slow, metric="m", of=FAST, to=SLOW)
    assert found.p == pytest.approx(1) and found.low < 1 < found.high


def test_the_largest_of_several_is_corrected_for_their_number_where_any_could_push_it_out():
    levels = np.exp(np.random.default_rng(1).normal(0, 0.1, (12, 3)))
    parts = [rows(column, threads=n) for n, column in enumerate(levels.T)]
    over = [{"threads": n} for n in range(3)]
    found = effect("jump", *parts, metric="m", where=FAST, over=over)
    ratios = levels[:, 1:] / levels[:, :-1]
    assert found.low == median_interval(ratios, 0.975).low.max()
    assert found.high == median_interval(ratios).high.max() and found.level == pytest.approx(0.95)
    one = effect("jump", *parts, metric="m", where=FAST, over=over[:2])
    plain = effect("ratio", *parts, metric="m", where=FAST, of=over[1], to=over[0])
    assert (one.estimate, one.low, one.high, one.level) == (plain.estimate, plain.low, plain.high, plain.level)


def test_the_least_is_the_largest_turned_round():
    parts = [rows(values, threads=n) for n, values in enumerate(([2, 2, 2, 2, 2, 3], [6, 5, 6, 6, 7, 6], [4] * 6))]
    sides = {"metric": "m", "where": FAST, "over": [{"threads": n} for n in range(3)]}
    one = rows([1] * 6, "n") + rows([1] * 6, "n", threads=0) + rows([1] * 6, "n", threads=2)
    up = effect("growth", *parts, one, **sides | {"metric": None}, of={"metric": "m"}, to={"metric": "n"})
    down = effect("growth", *parts, one, **sides | {"metric": None}, of={"metric": "n"}, to={"metric": "m"})
    jump = effect("jump", *parts, **sides)
    assert (1 / down.estimate, 1 / down.high, 1 / down.low) == pytest.approx((jump.estimate, jump.low, jump.high))
    assert up.estimate == pytest.approx(4 / 6) and up.low <= up.estimate <= up.high


def test_the_least_of_ratios_to_nothing_is_unbounded():
    parts = [rows([2] * 6, threads=n) for n in range(3)]
    none = [rows([0] * 6, "n", threads=n) for n in range(3)]
    sides = {"where": FAST, "over": [{"threads": n} for n in range(3)]}
    found = effect("growth", *parts, *none, **sides, of={"metric": "n"}, to={"metric": "m"})
    assert math.isnan(found.estimate) and found.detail == "both sides of the ratio are 0"
    one = [rows([0 if n == 0 else 1] * 6, "n", threads=n) for n in range(3)]
    found = effect(
        "growth", *parts, *one, **sides | {"over": sides["over"][:2]}, of={"metric": "n"}, to={"metric": "m"}
    )
    assert found.estimate == math.inf


def test_spread_is_largest_over_smallest_median():
    parts = rows([10] * 3), rows([12] * 3, variant="slow"), rows([8] * 3, variant="native")
    assert effect("spread", *parts, metric="m", over=[FAST, SLOW, NATIVE]).estimate == 1.5


def test_steps_count_sure_falls_and_those_that_may_be():
    def over(*levels):
        parts = [rows(level, threads=n) for n, level in enumerate(levels)]
        return effect("steps", *parts, metric="m", where=FAST, over=[{"threads": n} for n in range(len(levels))])

    falls = over([31, 30, 32], [10, 11, 10], [3, 3, 3], [2, 2, 2])
    assert (falls.estimate, falls.low, falls.high) == (3, 3, 3)
    doubtful = over([30, 30, 30], [29, 27, 31], [3, 3, 3])
    assert (doubtful.estimate, doubtful.low, doubtful.high) == (1, 1, 2)
    rises = over([1, 1, 1], [2, 2, 2])
    assert (rises.estimate, rises.low, rises.high) == (0, 0, 0)
    assert math.isnan(over([9, 9], [2, 2]).low)
    within = over([100] * 6, [96] * 6), over([100] * 6, [94] * 6)
    assert [one.estimate for one in within] == [0, 1], "the margin is 5 % unless the claim says otherwise"


def test_jump_is_the_largest_rise_between_neighbours():
    parts = [rows([v] * 3, threads=n) for n, v in enumerate([2, 3, 12, 24])]
    assert effect("jump", *parts, metric="m", where=FAST, over=[{"threads": n} for n in range(4)]).estimate == 4


def test_growth_is_the_least_step_of_a_ratio():
    parts = [rows([v] * 3, threads=n) for n, v in ((1, 2), (2, 6), (4, 9))]
    parts += [rows([2] * 3, variant="slow", threads=n) for n in (1, 2, 4)]
    asked = {"metric": "m", "of": FAST, "to": SLOW}
    found = effect("growth", *parts, over=[{"threads": n} for n in (1, 2, 4)], **asked)
    assert (found.estimate, found.unit, found.trials) == (1.5, "ratio", 3)
    assert effect("growth", *parts, over=[{"threads": 2}, {"threads": 1}], **asked).estimate == pytest.approx(1 / 3)


def test_a_value_of_an_axis_may_be_relative_to_the_cpus_of_the_host():
    parts = rows([3] * 3, threads=4), rows([6] * 3, threads=8)
    asked = {"metric": "m", "where": FAST, "of": {"threads": "2*cpus"}, "to": {"threads": "cpus"}}
    assert effect("ratio", *parts, cpus=4, **asked).estimate == 2
    assert "fast with 6 threads was not measured" in effect("ratio", *parts, cpus=3, **asked).detail
    with pytest.raises(LabError, match="relative to the CPUs"):
        effect("ratio", *parts, **asked)


def test_rank_is_against_the_nearest_rival_of_the_side_asked():
    parts = rows([6] * 3), rows([3] * 3, variant="slow"), rows([4] * 3, variant="native")
    asked = {"metric": "m", "subject": "fast", "rivals": ["slow", "native"], "over": [{}]}
    found = effect("rank", *parts, against="best", **asked)
    assert found.estimate == pytest.approx(1.5) and found.detail == "best rival native"
    assert effect("rank", *parts, against="worst", **asked).estimate == pytest.approx(2)
    slowest = asked | {"subject": "slow", "rivals": ["fast", "native"]}
    assert effect("rank", *parts, against="worst", **slowest).estimate == pytest.approx(0.75)


def test_rank_over_several_cells_is_the_geometric_mean_and_lower_may_be_better():
    parts = rows([8] * 3), rows([2] * 3, variant="slow"), rows([9] * 3, "n"), rows([1] * 3, "n", variant="slow")
    asked = {"subject": "fast", "rivals": ["slow"], "against": "best"}
    assert effect("rank", *parts, over=[{"metric": "m"}, {"metric": "n"}], **asked).estimate == pytest.approx(2 / 3)
    over = [{"metric": "n", "variant": "{}"}]
    assert effect("rank", *parts, over=over, **asked).estimate == pytest.approx(1 / 9)


FACT = {"of": FAST, "name": "options.Delay", "equals": 4000}


@pytest.mark.parametrize(
    ("facts", "estimate", "shown"),
    [
        ([("t0", "options.Delay", "4000"), ("t1", "options.Delay", "4000")], 1, "is 4000"),
        ([("t0", "options.Delay", "0"), ("t1", "options.Delay", "0")], 0, "is 0"),
        ([("t0", "options.Other", "0"), ("t1", "options.Other", "0")], 0, "is absent"),
    ],
)
def test_fact_is_yes_no_and_an_absent_option_is_no(facts, estimate, shown):
    found = effect("fact", trials=[{}, {"block": 2}], facts=facts, **FACT)
    assert (found.estimate, found.low, found.high) == (estimate, estimate, estimate)
    assert shown in found.detail


def test_a_fact_that_trials_disagree_on_or_a_runtime_does_not_tell_is_undecided():
    facts = [("t0", "options.Delay", "4000"), ("t1", "options.Delay", "0")]
    found = effect("fact", trials=[{}, {"block": 2}], facts=facts, **FACT)
    assert (found.low, found.high) == (0, 1)
    assert "tells no options" in effect("fact", trials=[{}], facts=[("t0", "name", "vm")], **FACT).detail


def test_the_reason_of_a_missing_selection_is_told():
    trials = [{}, {"variant": "slow", "status": "unsupported", "reason": "needs JDK 22"}]
    level = lambda of: effect("level", metric="n", of=of, trials=trials, runtime="jdk17").detail  # noqa: E731
    assert (
        level(SLOW) == level(SLOW | {"threads": 9}) == "slow cannot be measured here: needs JDK 22"
    )  # whatever its axes
    assert level(FAST | {"threads": 9}) == "fast with 9 threads was not measured in this run"
    assert level(FAST | {"runtime": "c"}) == "fast on c was not measured in this run"
    assert level(FAST) == "fast was measured, but has no number for: n"


def test_a_reason_names_no_axis_that_only_the_entry_knows():
    several = replace(ENTRY, axes={"threads": "int", "size": "int"})
    data = Data(several, tables([{"size": 1}]), pd.DataFrame(rows([1])).assign(size=1), "jdk17")
    found = compute(declared(kind="level", metric="n", of=FAST | {"size": 9}), data)
    assert found.detail == "fast was not measured so in this run"


def test_an_ambiguous_selection_says_what_to_fix():
    found = effect("level", rows([1] * 3), rows([2] * 3, threads=2), metric="m", of=FAST)
    assert found.trials == 0 and "2 configurations that differ in threads" in found.detail


def test_a_runtime_restricts_every_selection():
    parts = rows([1] * 3), rows([2] * 3, runtime="jdk25")
    assert effect("level", *parts, metric="m", of=FAST, runtime="jdk25").estimate == 2


def test_few_blocks_have_no_interval():
    found = effect("ratio", rows([6, 6]), rows([2, 2], variant="slow"), metric="m", of=FAST, to=SLOW)
    assert found.estimate == 3 and math.isnan(found.low)
    far = rows([2, 2], variant="slow", blocks=[8, 9])
    assert "share no block" in effect("ratio", rows([6, 6]), far, metric="m", of=FAST, to=SLOW).detail


@pytest.mark.parametrize(("kind", "how"), [("ratio", {"of": FAST, "to": SLOW}), ("spread", {"over": [FAST, SLOW]})])
def test_configurations_that_differ_in_an_axis_nobody_named_are_not_compared(kind, how):
    fast, slow = rows([6] * 5, threads=1), rows([2] * 5, variant="slow", threads=8)
    found = effect(kind, fast, slow, metric="m", **how)
    assert math.isnan(found.estimate)
    assert found.detail == "fast and slow differ in threads (1, 8), so they are not compared"


def test_rivals_of_a_rank_are_alike_but_its_items_need_not_be():
    parts = [
        rows([value] * 5, metric=metric, variant=variant, threads=threads)
        for metric, threads, values in (("m", 1, (6, 2)), ("n", 8, (2, 6)))
        for variant, value in zip(("fast", "slow"), values, strict=True)
    ]
    ranked = {"subject": "fast", "rivals": ["slow"], "against": "best", "over": [{"metric": "m"}, {"metric": "n"}]}
    assert effect("rank", *parts, **ranked).estimate == pytest.approx(3)
    unlike = rows([2] * 5, variant="slow", threads=2)
    assert "differ in threads" in effect("rank", parts[0], unlike, *parts[2:], **ranked).detail
