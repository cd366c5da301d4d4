"""How sure a change is: coverage on seeded simulations, false alarms, a slowdown found, sides exchanged."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from pipeline.catalogue.metric import Metric
from pipeline.compare import methods, verdicts
from pipeline.compare.methods import Controls

pytestmark = pytest.mark.thorough

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


@pytest.mark.parametrize(("before", "after"), [(3, 7), (3, 20), (5, 20), (20, 5)])
@pytest.mark.parametrize("scatter", [1.0, 2.0])
def test_far_fewer_runs_of_one_side_that_scatter_more_are_covered(before, after, scatter):
    """A pooled deviation would be that of the many: it covers 77 to 87 % here."""
    rng = np.random.default_rng(4)
    wide, narrow = 0.04 * scatter, 0.04
    first, second = (wide, narrow) if before < after else (narrow, wide)
    sides = rng.normal(0, first, (before, MANY)), rng.normal(0, second, (after, MANY))
    assert 0.915 <= covered(methods.repeated(*sides)) <= 0.97
    found = methods.repeated(sides[0][:, 0], sides[1][:, 0])
    told = stats.ttest_ind(sides[1][:, 0], sides[0][:, 0], equal_var=False).confidence_interval()
    assert (found.low, found.high) == pytest.approx(tuple(told))


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
        changes = [methods.shift(*both) for both in zip(before.T, after.T, strict=True)]
        known = Controls(np.array(changes[:-1]), methods.variance(before, after)[:-1])
        found.append(methods.single(before[:, -1], after[:, -1], known)[:3])
    return methods.Change(*np.array(found).T)


@pytest.mark.parametrize(
    ("common", "own", "controls", "spoilt"),
    [
        (0, 0, 12, 0),
        (0, 0, 60, 0),
        (0.02, 0, 12, 0),
        (0, 0.02, 12, 0),
        (0.02, 0.02, 6, 0),
        (0.04, 0.02, 40, 0),
        (0.02, 0.02, 12, 1),
        (0.02, 0.02, 60, 1),
    ],
)
def test_one_run_per_side_is_covered_when_controls_tell_of_the_drift(common, own, controls, spoilt):
    found = single_runs(common, own, 500, controls=controls, spoilt=spoilt)
    assert 0.92 <= covered(found) <= 0.995
    assert np.median(found.high - found.low) < 0.25  # and not by being endless: a spoilt control tells nothing


def test_controls_of_many_scatters_cover_those_of_each():
    """Half of the class scatters ten times as much: either half is judged by its own, whatever the law."""
    rng = np.random.default_rng(9)
    scatter = np.repeat([0.01, 0.1], 60)
    told = {0.01: [], 0.1: []}
    for _ in range(40):
        before, after = (two_states(rng, (6, 120)) * scatter / 0.05 for _ in range(2))
        changes = np.array([methods.shift(*both) for both in zip(before.T, after.T, strict=True)])
        variances = methods.variance(before, after)
        for at in range(0, 120, 10):
            others = np.arange(120) != at
            half = methods.reach(float(variances[at]), Controls(changes[others], variances[others]))
            told[scatter[at]].append((abs(changes[at]) <= half, half))
    quiet, loud = (np.array(one) for one in told.values())
    assert 0.9 <= quiet[:, 0].mean() and 0.9 <= loud[:, 0].mean()
    assert np.median(quiet[:, 1]) < 0.3 * np.median(loud[:, 1])


def test_without_controls_drift_is_not_covered():
    rng = np.random.default_rng(5)
    before, after = rng.normal(0, 0.02, (10, MANY)), rng.normal(0, 0.02, (10, MANY)) + rng.normal(0, 0.045, MANY)
    assert covered(methods.alone(before, after)) < 0.5


@pytest.mark.parametrize(("common", "most"), [(0.0, 0.05), (0.02, 0.08)])
def test_what_did_not_change_is_hardly_ever_called_slower_or_faster(common, most):
    found = single_runs(common, 0.0, 400)
    told = [verdicts.judge(methods.Change(*one), np.log1p(0.05), COST, False) for one in zip(*found[:3], strict=True)]
    assert np.mean([one in verdicts.CHANGED for one in told]) <= most


def test_ten_percent_slower_is_found_with_ten_trials():
    found = single_runs(0.0, 0.0, 400, count=10, scatter=0.02, slowdown=np.log(1.1))
    told = [verdicts.judge(methods.Change(*one), np.log1p(0.05), COST, False) for one in zip(*found[:3], strict=True)]
    assert np.mean([one == verdicts.SLOWER for one in told]) >= 0.9


def test_the_change_that_a_row_says_it_would_see_is_found_in_nine_of_ten():
    found = single_runs(0.01, 0.01, 400, controls=60, scatter=0.03)
    smallest = np.array(
        [methods.smallest(methods.Change(*one), np.log1p(0.05)) for one in zip(*found[:3], strict=True)]
    )
    there = methods.Change(*(one + smallest for one in found[:3]))
    told = [verdicts.judge(methods.Change(*one), np.log1p(0.05), COST, False) for one in zip(*there[:3], strict=True)]
    assert 0.86 <= np.mean([one == verdicts.SLOWER for one in told]) <= 0.96


@given(trials, trials, st.floats(0, 1))
@example(np.zeros((3, 1)), np.zeros((3, 1)), 1.3e-233)  # its square is 0
def test_exchanged_sides_give_the_same_numbers_with_the_other_sign(before, after, moved):
    known = Controls(np.full(7, moved), np.full(7, moved))
    controlled = lambda a, b: methods.single(a[:, 0], b[:, 0], known)  # noqa: E731
    for method in (methods.alone, methods.repeated, controlled):
        here, there = method(before, after), method(after, before)
        assert (here.estimate, here.low, here.high) == (-there.estimate, -there.high, -there.low)
    count = min(len(before), len(after))
    here, there = (methods.paired(sign * (after[:count] - before[:count])) for sign in (1, -1))
    assert (here.estimate, here.low, here.high, here.level) == (-there.estimate, -there.high, -there.low, there.level)


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.5))
def test_exchanged_sides_give_the_opposite_verdict(low, below, above, bound):
    opposite = {verdicts.SLOWER: verdicts.FASTER, verdicts.FASTER: verdicts.SLOWER}
    middle, high = low + below, low + below + above
    for alone in (False, True):
        here = verdicts.judge(methods.Change(middle, low, high), bound, COST, alone)
        there = verdicts.judge(methods.Change(-middle, -high, -low), bound, COST, alone)
        assert there == opposite.get(here, here)


@pytest.mark.parametrize("count", [3, 5, 7, 21])
def test_the_variance_of_a_median_is_that_of_its_bootstrap(count):
    values = np.random.default_rng(6).lognormal(0, 1, count)
    drawn = np.random.default_rng(7).choice(values, (40_000, count))
    assert methods.variance_of_median(values) == pytest.approx(np.median(drawn, axis=1).var(), rel=0.05)


def test_one_run_is_no_repetition():
    with pytest.raises(ValueError, match="at least two"):
        methods.repeated([1.0], [1.0, 2.0])
