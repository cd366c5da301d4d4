"""Lines, the saturated lock, Little's law and steps: recovery on seeded simulations, and refusals."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ground.errors import LabError
from pipeline.models.fit import combined
from pipeline.models.handover import handover, handover_by_trial
from pipeline.models.linear import fit_line
from pipeline.models.littles import littles_law
from pipeline.models.median_interval import median_interval
from pipeline.models.retries import retries
from pipeline.models.steps import segments

pytestmark = pytest.mark.thorough


def covered(estimate, truth):
    return estimate.low <= truth <= estimate.high


# --- line ------------------------------------------------------------------------------------------------------------


def test_a_line_by_hand():
    fit = fit_line([1, 2, 3], [3.0, 5.0, 7.0], errors="absolute")
    assert [fit.parameters[name].estimate for name in "ab"] == pytest.approx([1, 2])
    weighted = fit_line([0, 0, 1, 1], [1.0, 1.0, 3.0, 6.0])  # minimises (1 - m/3)^2 + (1 - m/6)^2 at x = 1: m = 3.6
    assert weighted.parameters["a"].estimate + weighted.parameters["b"].estimate == pytest.approx(3.6)


@pytest.mark.usefixtures("fewer_resamples")
@pytest.mark.parametrize("repeats", [1, 6])
def test_intervals_of_a_line_cover_what_they_state(repeats):
    rng = np.random.default_rng(4)
    sizes = np.repeat(np.geomspace(512, 1 << 20, 20 if repeats == 1 else 6), repeats)
    inside = np.zeros(2)
    for i in range(200):
        y = (800 + 0.3 * sizes) * np.exp(rng.normal(0, 0.05, len(sizes)))
        fit = fit_line(sizes, y, seed=i)
        inside += covered(fit.parameters["a"], 800), covered(fit.parameters["b"], 0.3)
    assert (inside / 200 >= 0.86).all() and (inside / 200 <= 0.99).all(), inside


def test_lines_that_cannot_be_drawn():
    for x, y in (([1, 2], [1, 2]), ([3, 3, 3], [1, 2, 3]), ([], []), ([1, 2, 3], [1, 2, 0])):
        fit = fit_line(x, y)
        assert not fit.identified and fit.model is None and math.isnan(fit.parameters["b"].estimate)
        assert json.dumps(fit.to_dict(), allow_nan=False)
    for x, y, errors in (([1, 2], [1], "relative"), ([1, math.nan, 2], [1, 2, 3], "absolute")):
        with pytest.raises(LabError, match="one finite x and one finite y"):
            fit_line(x, y, errors=errors)
    assert fit_line([1, 2, 3], [0, 1, 2.1], errors="absolute").identified
    assert fit_line([1, 2, 3], [1, 2, 0]).sentence == "A value is 0, to which no error is relative: no line."


@pytest.mark.parametrize(
    ("x", "said"),
    [
        ([1, 2], "Too few trials (2) for a line."),
        ([4, 4, 4], "All trials lie at one value: no line."),
        ([1, 1, 4], "Of two values one has a single trial: no line."),
    ],
)
def test_a_line_that_cannot_be_drawn_says_why(x, said):
    assert fit_line(x, [1.0] * len(x)).sentence == said
    assert fit_line([1, 1, 4, 4], [1.0, 1.1, 4.0, 4.1]).identified, "two values with two trials each tell their scatter"


def test_a_line_through_one_cloud_of_trials_is_not_identified():
    """As a message by the bare word of its trial, where every trial lay as far apart as the others: a and b may be
    anything that meets there. Over a wide x the same scatter tells both, and a slope of nothing is one."""
    rng = np.random.default_rng(7)
    scatter_of_y = np.exp(rng.normal(0, 0.05, 12))
    close, wide = np.linspace(100, 103, 12), np.linspace(20, 400, 12)
    cloud = fit_line(close, (40 + 2 * close) * scatter_of_y)
    assert not cloud.identified and cloud.sentence.startswith(
        "The line cannot be identified here: the intervals of a = "
    )
    assert cloud.parameters["a"].low < 0 < cloud.parameters["a"].high, "the parameters are told all the same"
    assert fit_line(wide, (40 + 2 * wide) * scatter_of_y).identified
    flat = fit_line(wide, 40 * scatter_of_y)
    assert flat.identified and covered(flat.parameters["b"], 0)


# --- saturated lock --------------------------------------------------------------------------------------------------


def owners(cost, run_length, trials="t", runs=100):
    """Turns of one iteration per trial."""
    cost, run_length = np.broadcast_arrays(np.asarray(cost, float), np.asarray(run_length, float))
    names = [f"{trials}{number}" for number in range(len(cost))]
    return pd.DataFrame({"trial": names, "cost": cost, "run_length": run_length, "runs": runs})


def scatter(rng, value, count, sd):
    return value * np.exp(rng.normal(0, sd, count))


@pytest.mark.parametrize("run_length", [1, 10, 100, 1000])
def test_the_interval_of_a_handover_cost_holds_the_error_of_the_local_cost(run_length):
    """s scatters by 2 %: 0.4 ns of 20, which a run of 1,000 multiplies. Taken as exact it leaves the truth out.

    Many runs are fitted at once; a few of them one by one, with the same result."""
    rng = np.random.default_rng(run_length)
    count, every, local = 200, [], []
    for number in range(count):
        local.append(scatter(rng, 20, 9, 0.02))
        runs = scatter(rng, run_length, 9, 0.1)
        every.append(owners(scatter(rng, 1, 9, 0.01) * (20 + 150 / runs), runs, f"{number:03}-"))
    turns = pd.concat(every)

    def h_at(of_each):
        found = handover_by_trial(turns, pd.Series(np.repeat(of_each, 9), turns["trial"]))
        return median_interval(found.to_numpy().reshape(count, 9).T)

    s = median_interval(np.transpose(local))
    exact, least, most = h_at(s.estimate), h_at(s.high).estimate, h_at(s.low).estimate
    found = [
        combined(h, (low, high), ends)
        for h, low, high, *ends in zip(exact.estimate, exact.low, exact.high, least, most, strict=True)
    ]
    for number in range(10):
        assert handover(every[number], local[number]).parameters["h"] == found[number]
    inside = sum(covered(one, 150) for one in found)
    assert inside / count >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / count)
    assert run_length < 100 or np.mean((exact.low <= 150) & (150 <= exact.high)) < 0.85


def test_handover_by_hand():
    turns = owners([95.0] * 5, 2)
    assert handover_by_trial(turns, pd.Series(20.0, turns["trial"])).tolist() == [150.0] * 5
    h = handover(turns, [20.0] * 5).parameters["h"]
    assert (h.estimate, h.low, h.high) == (150, 150, 150)
    # s is 19 to 21, so that h is 152 to 148; the distances of two inputs add as squares
    assert (handover(turns, [19, 19, 20, 21, 21]).parameters["h"].low) == pytest.approx(148)
    both = combined(10.0, (7.0, 13.0), (6.0, 22.0))
    assert (both.low, both.high) == pytest.approx((5.0, 10 + math.hypot(3, 12)))


def test_a_handover_cost_is_checked_where_it_was_not_measured():
    """h = 200 ns between two owners; three run 6 operations each: 20 + 200 / 6 ns, or what the other laws say."""
    rng = np.random.default_rng(7)

    def fit(law, sd=0.01):
        turns = owners(scatter(rng, law(2), 9, sd), 2)
        held_out = owners(scatter(rng, law(6), 9, sd), 6, "held")
        return handover(turns, scatter(rng, 20, 9, 0.01), held_out, at="3 threads")

    good = fit(lambda run_length: 20 + 200 / run_length)
    assert good.identified and covered(good.parameters["h"], 200) and covered(good.parameters["x"], 1)
    assert "explains the throughput of 3 threads within 20 %" in good.sentence
    for other in (lambda run_length: 120.0, lambda run_length: 20 + 400 / run_length**2, lambda run_length: 60.0):
        found = fit(other)
        assert not found.identified and "does not explain the throughput of 3 threads" in found.sentence, found
    doubtful = fit(lambda run_length: 20 + 200 / run_length, sd=0.3)
    assert not doubtful.identified and doubtful.short == "undecided for 3 threads"
    x = doubtful.parameters["x"]
    assert good.times_trials is None and doubtful.times_trials == x.times_trials(0.8, 1.2)


def test_handover_says_when_there_is_nothing_to_see():
    local = [20.0] * 5
    none = handover(owners([10.0] * 5, 1), local)
    assert not none.identified and "no handover cost is visible" in none.sentence
    lone = handover(owners([170.0] * 5, 1), local, moved="cache line")
    assert (
        not lone.identified
        and "Moving the cache line" in lone.sentence
        and "nothing else was measured" in lone.sentence
    )
    wide = handover(owners([100.0, 180, 220, 260, 500], 1), local, owners([170.0] * 5, 1))
    assert not wide.identified and "wider than itself" in wide.sentence
    for few in (handover(owners([50.0, 60.0], 1), local), handover(owners([50.0] * 5, 1), [20.0])):
        assert not few.identified and "Too few trials (" in few.sentence and math.isnan(few.parameters["h"].low)
    for bad in ([0.0], [math.nan], [-1.0], [math.inf]):
        with pytest.raises(LabError, match="time per operation must be positive"):
            handover(owners(bad, 1), [1.0])
    for nothing in ((owners([], 1), local), (owners([9.0], 1), [])):
        with pytest.raises(LabError, match="measure one thread and several"):
            handover(*nothing)


def test_a_lock_that_changes_its_ways_has_the_handover_cost_of_its_handovers():
    """Half of the time the owners alternate at 5,000 ns a handover, half of it one is alone: in sums over the trial
    the run length is that of the lonely one."""
    alternating = pd.DataFrame({"cost": [5020.0] * 10, "run_length": 1.0, "runs": 800})
    alone = pd.DataFrame({"cost": [20.1] * 12, "run_length": 65536.0, "runs": 1})
    turns = pd.concat([alternating, alone]).assign(trial="a")
    found = handover_by_trial(pd.concat([turns, turns.assign(trial="unknown")]), pd.Series({"a": 20.0}))
    assert found.to_dict() == {"a": pytest.approx(5000)}
    assert handover_by_trial(turns, pd.Series(dtype=float)).empty


@given(st.lists(st.tuples(st.floats(25, 1e4), st.integers(1, 50)), min_size=1, max_size=12))
def test_the_median_over_handovers_counts_each_iteration_as_often_as_the_lock_was_passed_on(rows):
    costs, runs = map(list, zip(*rows, strict=True))
    turns = pd.DataFrame({"trial": "a", "cost": costs, "run_length": 2.0, "runs": runs})
    each = np.sort(np.repeat(2 * (np.array(costs) - 20), runs))
    assert handover_by_trial(turns, pd.Series({"a": 20.0}))["a"] == pytest.approx(each[(len(each) - 1) // 2])


# --- retries ---------------------------------------------------------------------------------------------------------


def test_the_success_rate_explains_a_loop_or_does_not():
    rng = np.random.default_rng(9)
    unconditional, failed = 5e7 * np.exp(rng.normal(0, 0.01, 12)), 0.25 * np.exp(rng.normal(0, 0.01, 12))
    good = retries(0.8 * unconditional, unconditional, failed)
    assert good.identified and covered(good.parameters["p"], 0.8) and covered(good.parameters["r"], 1)
    assert "80 % of the attempts succeed; that alone explains" in good.sentence
    dear = retries(0.4 * unconditional, unconditional, failed)
    assert dear.parameters["r"].estimate == pytest.approx(0.5, rel=0.02)
    assert "an attempt costs 2 times an operation that always succeeds" in dear.sentence
    assert "does what an attempt does" in dear.kind.rule
    nearly = retries(0.8 * 0.89 * unconditional, unconditional, failed)
    assert "does not explain" in nearly.sentence and "costs 1.12 times" in nearly.sentence
    few = retries([1e7], [1e7], [0.0])
    assert few.parameters["r"].estimate == 1 and not few.identified and "Too few trials (1)" in few.sentence
    for bad in (([1e7], [1e7], [-0.1]), ([0.0], [1e7], [0.1]), ([1e7], [math.nan], [0.1]), ([], [], [])):
        with pytest.raises(LabError, match="remove incomplete trials"):
            retries(*bad)


@pytest.mark.parametrize(("sd", "once"), [(0.2, 0.2), (0.4, 0.5)])
def test_imprecision_does_not_explain_a_loop(sd, once):
    """An attempt costs 1 / 0.7 of an unconditional operation: an interval that meets 1 +- 10 % is no agreement."""
    rng, rounds, explained, met = np.random.default_rng(10), 200, 0, 0
    for _ in range(rounds):
        unconditional = scatter(rng, 5e7, 5, sd)
        fit = retries(0.7 * 0.8 * scatter(rng, 5e7, 5, sd), unconditional, np.full(5, 0.25))
        r = fit.parameters["r"]
        met += r.low <= 1.1 and r.high >= 0.9
        explained += "alone explains the throughput within" in fit.sentence and "whether" not in fit.sentence
    assert met / rounds > once and explained / rounds <= 0.02


# --- Little's law ----------------------------------------------------------------------------------------------------


def test_littles_law_agrees_and_disagrees():
    rng = np.random.default_rng(8)
    rate, residence = (value * np.exp(rng.normal(0, 0.02, 12)) for value in (1e6, 4e-6))
    good = littles_law(rate * residence * np.exp(rng.normal(0, 0.01, 12)), rate, residence)
    assert good.identified and covered(good.parameters["ratio"], 1) and "they agree within 10 %" in good.sentence
    assert good.short == "agree" and "within 10 % of 1" in good.kind.rule
    bad = littles_law(1.2 * rate * residence, rate, residence)
    assert "disagree by 20 %" in bad.sentence
    slightly = littles_law(1.05 * rate * residence, rate, residence)
    assert slightly.parameters["ratio"].low > 1 and "they agree within 10 %" in slightly.sentence
    scattered = littles_law(scatter(rng, 1, 12, 0.5) * rate * residence, rate, residence)
    assert covered(scattered.parameters["ratio"], 1) and "is undecided" in scattered.sentence
    few = littles_law([4.0], [1e6], [4e-6])
    assert few.parameters["ratio"].estimate == pytest.approx(1) and not few.identified
    with pytest.raises(LabError, match="one value each per trial"):
        littles_law([1, 2], [1], [1])
    with pytest.raises(LabError, match="residence time must be positive"):
        littles_law([1], [1], [0])


# --- steps -----------------------------------------------------------------------------------------------------------


def test_the_steps_of_dispatch_are_found():
    rng = np.random.default_rng(3)
    levels = [2.4, 2.2, 0.14, 0.11]
    found = segments(np.repeat(levels, 60) * np.exp(rng.normal(0, 0.03, 240)))
    assert [one.start for one in found] == pytest.approx([0, 60, 120, 180], abs=1)
    assert [one.end for one in found][:-1] == [one.start for one in found][1:] and found[-1].end == 240
    for one, level in zip(found, levels, strict=True):
        assert one.level == pytest.approx(level, rel=0.02)


def test_noise_and_lone_spikes_are_no_steps():
    rng = np.random.default_rng(4)
    split = 0
    for _ in range(100):
        values = 100 * np.exp(rng.normal(0, 0.05, 100))
        values[rng.integers(0, 100, 3)] *= 5
        heavy = 100 * np.exp(0.03 * rng.standard_t(3, 100))
        split += (len(segments(values)) > 1) + (len(segments(heavy)) > 1)
    assert split <= 0.03 * 200, split


def test_small_changes_are_joined_and_constant_series_are_whole():
    values = np.repeat([100.0, 101.0, 150.0], 30)
    assert [(one.start, one.end) for one in segments(values)] == [(0, 60), (60, 90)]
    assert len(segments(values, min_change=0.005)) == 3
    assert [(one.start, one.end, one.level) for one in segments(np.full(50, 7.0))] == [(0, 50, 7.0)]
    assert len(segments([1.0, 9.0, 1.0])) == 1


@pytest.mark.parametrize("bad", [[], [1.0, 0.0], [1.0, math.nan], [-1.0]])
def test_steps_refuse_what_has_no_logarithm(bad):
    with pytest.raises(LabError, match="positive, finite values"):
        segments(bad)
