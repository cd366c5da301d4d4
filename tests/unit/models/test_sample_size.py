"""How many more trials decide: what the factor promises of an interval, and where no number of trials helps."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.models import littles
from pipeline.models.extrapolation import extrapolate
from pipeline.models.fit import Estimate
from pipeline.models.littles import littles_law
from pipeline.models.prediction import CONTROL, prediction
from pipeline.models.sample_size import to_decide
from pipeline.models.scaling import usl

REGION = (0.8, 1.25)
TRIALS = 12
NEARLY = 1 + 1e-6

ESTIMATES = st.floats(0.2, 5.0)
SPREADS = st.floats(1.001, 10.0)


def with_trials(one: Estimate, times: float) -> Estimate:
    """The interval of so many times the trials, on the logarithm."""
    low, high = (one.estimate * (end / one.estimate) ** (1 / math.sqrt(times)) for end in (one.low, one.high))
    return replace(one, low=low, high=high)


@given(at=ESTIMATES, below=SPREADS, above=SPREADS)
def test_so_many_times_the_trials_decide_and_fewer_do_not(at, below, above):
    one = Estimate(at, at / below, at * above)
    times = one.times_trials(*REGION)
    side = "inside" if REGION[0] < at < REGION[1] else "outside"
    if one.against(*REGION) != "across":
        assert times == 1 and to_decide([one], *REGION, TRIALS) is None
        return
    assert times >= 1 / NEARLY and to_decide([one], *REGION, TRIALS) == pytest.approx(times)
    if times < 1e9:
        assert with_trials(one, times * NEARLY).against(*REGION) == side
        assert with_trials(one, times / NEARLY).against(*REGION) == "across"


@given(at=st.floats(-3.0, 3.0), below=st.floats(0.01, 9.0), above=st.floats(0.01, 9.0))
def test_what_is_no_ratio_is_taken_as_it_is(at, below, above):
    one = Estimate(at, at - below, at + above)
    if one.against(-1.0, 2.0) != "across" or (times := one.times_trials(-1.0, 2.0)) > 1e9:
        return
    root = math.sqrt(times * NEARLY)
    side = "inside" if -1 < at < 2 else "outside"
    assert Estimate(at, at - below / root, at + above / root).against(-1.0, 2.0) == side


@given(bound=st.sampled_from(REGION), below=SPREADS, above=SPREADS)
def test_on_a_bound_no_number_of_trials_decides(bound, below, above):
    one = Estimate(bound, bound / below, bound * above)
    assert one.times_trials(*REGION) == math.inf == to_decide([one], *REGION, TRIALS)


def test_an_interval_without_an_end_or_without_any_takes_all_trials_there_are():
    assert Estimate(1.0, 0.9, math.inf).times_trials(*REGION) == math.inf
    assert Estimate(1.0).times_trials(*REGION) == math.inf


def test_of_several_all_must_lie_inside_or_one_outside():
    inside, wide, off = Estimate(1.0, 0.9, 1.1), Estimate(1.0, 0.64, 1.1), Estimate(0.64, 0.5, 1.0)
    assert wide.times_trials(*REGION) == pytest.approx(4) and off.times_trials(*REGION) == pytest.approx(4)
    further = Estimate(0.5, 0.4, 0.81)
    assert further.times_trials(*REGION) < 4
    assert to_decide([inside, wide], *REGION, TRIALS) == pytest.approx(4)
    assert to_decide([inside, wide, Estimate(1.0, 0.5, 1.1)], *REGION, TRIALS) > 4
    assert to_decide([off, wide, further], *REGION, TRIALS) == further.times_trials(*REGION)
    assert to_decide([inside, inside], *REGION, TRIALS) is None
    assert to_decide([wide, Estimate(0.5, 0.4, 0.6)], *REGION, TRIALS) is None, "one outside has decided it"
    assert to_decide([], *REGION, TRIALS) is None


def test_few_trials_have_intervals_that_are_too_narrow():
    """The range of 3 to 5 trials does not become narrower with one more."""
    wide = Estimate(1.0, 0.7, 1.1)
    times = [to_decide([wide], *REGION, trials) for trials in (3, 4, 5, 6, 7, 50)]
    assert times[0] * 3 > 6 and times[:4] == sorted(times[:4], reverse=True) and times[3:] == [times[3]] * 3
    assert to_decide([wide], *REGION, 2) is None


@pytest.mark.parametrize("scattered", [False, True])
def test_judges_tell_it_of_what_is_undecided_and_of_nothing_else(scattered):
    ratios = np.exp(np.random.default_rng(3).normal(0, 0.4 if scattered else 0.001, 10))
    threads = np.repeat((1, 2, 3, 4, 6, 8, 12, 16), 5)
    noise = np.random.default_rng(1).lognormal(0, 0.08 if scattered else 0.001, len(threads))
    fits = [
        littles_law(ratios, np.ones(10), np.ones(10)),
        prediction(ratios),
        prediction(ratios, within=CONTROL),
        extrapolate(threads, usl(threads, 1e6, 0.05, 0.004) * noise, 16)["usl"],
    ]
    for fit in fits:
        assert (fit.short == "undecided") == (fit.times_trials is not None) == scattered
    one, ratio = fits[0], fits[0].parameters["ratio"]
    assert one.times_trials == (ratio.times_trials(*littles.REGION) if scattered else None)
    assert prediction(ratios, controls={}).times_trials is None, "where there is no verdict none is near"
    assert prediction(ratios[:2]).times_trials is None
