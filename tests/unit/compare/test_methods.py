"""How sure a change is: coverage on seeded simulations, false alarms, a slowdown found, sides exchanged."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from pipeline.catalogue.metric import Metric
from pipeline.compare import methods, verdicts
from pipeline.compare.methods import Drift

MANY = 6000
COST = Metric(kind="cost", unit="ns", label="cost", better="lower")
two_states = lambda rng, size: rng.normal(0, 0.02, size) + 0.1 * (rng.random(size) < 0.2)  # noqa: E731
trials = arrays.arrays(float, st.tuples(st.integers(3, 9), st.just(1)), elements=st.floats(-50, 50, width=32))


def covered(change, truth=0.0):
    return float(np.mean((change.low <= truth) & (truth <= change.high)))


@pytest.mark.parametrize("blocks", [6, 10, 20])
def test_paired_blocks_cover(blocks):
    rng = np.random.default_rng(1)
    assert 0.93 <= covered(methods.paired(0.1 + rng.normal(0, 0.03, (blocks, MANY))), 0.1) <= 0.97


@pytest.mark.parametrize(("before", "after"), [(2, 2), (3, 3), (4, 4), (2, 5)])
def test_repeated_runs_cover_whatever_they_drift_by(before, after):
    rng = np.random.default_rng(2)
    sides = (rng.normal(0, 0.04, (count, MANY)) for count in (before, after))
    assert 0.93 <= covered(methods.repeated(*sides)) <= 0.97


@pytest.mark.parametrize("count", [6, 10, 20])
@pytest.mark.parametrize("drawn", [lambda rng, size: rng.normal(0, 0.03, size), two_states])
def test_two_runs_that_do_not_drift_are_covered_by_their_trials(count, drawn):
    rng = np.random.default_rng(3)
    assert 0.94 <= covered(methods.alone(drawn(rng, (count, MANY)), drawn(rng, (count, MANY)))) <= 0.99


def single_runs(common, own, repetitions, count=6, controls=12, scatter=0.03, spoilt=0, slowdown=0.0):
    """The change of one configuration per pair of runs that drift, with controls."""
    rng, found = np.random.default_rng(4), []
    for _ in range(repetitions):
        before = rng.normal(0, scatter, (count, controls + 1))
        moved = rng.normal(0, common) + rng.normal(0, own, controls + 1)
        after = rng.normal(0, scatter, (count, controls + 1)) + moved
        after[:, :spoilt] += 0.4
        after[:, -1] += slowdown
        changes = np.median(after, axis=0) - np.median(before, axis=0)
        variances = methods.variance_of_median(before) + methods.variance_of_median(after)
        drift = methods.drift(changes[:-1], variances[:-1])
        found.append(methods.single(before[:, -1], after[:, -1], drift)[:3])
    return methods.Change(*np.array(found).T)


@pytest.mark.parametrize(
    ("common", "own", "controls", "spoilt"),
    [(0, 0, 12, 0), (0.02, 0, 12, 0), (0, 0.02, 12, 0), (0.02, 0.02, 6, 0), (0.04, 0.02, 40, 0), (0.02, 0.02, 12, 1)],
)
def test_one_run_per_side_is_covered_when_controls_tell_of_the_drift(common, own, controls, spoilt):
    found = single_runs(common, own, 500, controls=controls, spoilt=spoilt)
    assert 0.92 <= covered(found) <= 0.995
    assert np.median(found.high - found.low) < 0.25  # and not by being endless: a spoilt control tells nothing


def test_without_controls_drift_is_not_covered():
    rng = np.random.default_rng(5)
    before, after = rng.normal(0, 0.02, (10, MANY)), rng.normal(0, 0.02, (10, MANY)) + rng.normal(0, 0.045, MANY)
    assert covered(methods.alone(before, after)) < 0.5


@pytest.mark.parametrize(("common", "most"), [(0.0, 0.05), (0.02, 0.08)])
def test_what_did_not_change_is_hardly_ever_called_slower_or_faster(common, most):
    found = single_runs(common, 0.0, 400)
    told = [verdicts.judge(low, high, np.log1p(0.05), COST, False) for low, high in zip(*found[1:3], strict=True)]
    assert np.mean([one in verdicts.CHANGED for one in told]) <= most


def test_ten_percent_slower_is_found_with_ten_trials():
    found = single_runs(0.0, 0.0, 400, count=10, scatter=0.02, slowdown=np.log(1.1))
    told = [verdicts.judge(low, high, np.log1p(0.05), COST, False) for low, high in zip(*found[1:3], strict=True)]
    assert np.mean([one == verdicts.SLOWER for one in told]) >= 0.9


@given(trials, trials, st.floats(0, 1))
@example(np.zeros((3, 1)), np.zeros((3, 1)), 1.3e-233)  # its square is 0
def test_exchanged_sides_give_the_same_numbers_with_the_other_sign(before, after, variance):
    for method in (methods.alone, methods.repeated, lambda a, b: methods.single(a, b, Drift(variance, 7))):
        here, there = method(before, after), method(after, before)
        assert (here.estimate, here.low, here.high) == (-there.estimate, -there.high, -there.low)
    count = min(len(before), len(after))
    here, there = (methods.paired(sign * (after[:count] - before[:count])) for sign in (1, -1))
    assert (here.estimate, here.low, here.high, here.level) == (-there.estimate, -there.high, -there.low, there.level)


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 0.5))
def test_exchanged_sides_give_the_opposite_verdict(low, width, bound):
    opposite = {verdicts.SLOWER: verdicts.FASTER, verdicts.FASTER: verdicts.SLOWER}
    for alone in (False, True):
        here = verdicts.judge(low, low + width, bound, COST, alone)
        assert verdicts.judge(-(low + width), -low, bound, COST, alone) == opposite.get(here, here)


@pytest.mark.parametrize("count", [3, 5, 7, 21])
def test_the_variance_of_a_median_is_that_of_its_bootstrap(count):
    values = np.random.default_rng(6).lognormal(0, 1, count)
    drawn = np.random.default_rng(7).choice(values, (40_000, count))
    assert methods.variance_of_median(values) == pytest.approx(np.median(drawn, axis=1).var(), rel=0.05)


def test_controls_that_scatter_tell_little_of_those_that_do_not():
    still, wild = np.full(10, 0.001), np.full(10, 0.5)
    found = methods.drift(np.r_[still, wild], np.r_[np.full(10, 1e-6), np.full(10, 0.25)])
    assert found == methods.drift(np.r_[wild, still], np.r_[np.full(10, 0.25), np.full(10, 1e-6)])
    assert found.variance < 1e-5 and found.controls == 18


def test_the_drift_is_what_the_controls_scatter_by_beyond_their_trials():
    rng = np.random.default_rng(8)
    of_trials = rng.choice([1e-4, 9e-4], 4000)
    found = methods.drift(rng.normal(0, np.sqrt(of_trials + 4e-4)), of_trials)
    assert found.variance == pytest.approx(4e-4, rel=0.1)


@pytest.mark.parametrize(("controls", "kept"), [(6, 5), (10, 9), (11, 9), (20, 18), (21, 18)])
def test_one_control_in_ten_is_left_out_and_at_least_one(controls, kept):
    assert methods.drift(np.full(controls, 0.1), np.full(controls, 1e-6)).controls == kept


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_degrees_of_freedom_are_those_of_what_the_variance_comes_from(share):
    """Satterthwaite, by hand: 7 + 5 trials have 10, the controls 8; both with half of the variance 160 / 9."""
    before, after = np.arange(7.0) * share, np.arange(5.0) * share
    of_trials = methods.variance_of_median(before) + methods.variance_of_median(after)
    drift = Drift(float(of_trials) if share == 0.5 else 1.0 if share == 0 else 0.0, 8)
    found = methods.single(before, after, drift)
    half = stats.t.ppf(0.975, {0.0: 8, 0.5: 160 / 9, 1.0: 10}[share]) * np.sqrt(of_trials + drift.variance)
    assert found.estimate == -share
    assert (found.low, found.high) == pytest.approx((-share - half, -share + half))


def test_controls_that_never_move_add_nothing():
    assert methods.drift(np.zeros(12), np.zeros(12)).variance == 0
    # All by the same: more than a normal scatter of that size would need, never less.
    assert 0.01 <= methods.drift(np.full(12, 0.1), np.zeros(12)).variance <= 0.025


def test_one_run_is_no_repetition():
    with pytest.raises(ValueError, match="at least two"):
        methods.repeated([1.0], [1.0, 2.0])
