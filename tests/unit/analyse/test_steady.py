import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.analyse.steady import steady


def noise(count, seed=1, relative=0.01):
    return np.random.default_rng(seed).normal(1.0, relative, count)


def test_a_level_with_noise_is_steady_from_the_first_iteration():
    found = steady(40 * noise(50))
    assert found.steady and found.start == 0
    assert found.level == pytest.approx(40, rel=0.01)


def test_warm_up_inside_the_measured_phase_is_trimmed():
    found = steady(np.r_[np.full(15, 80.0), np.full(35, 40.0)] * noise(50))
    assert found.steady and found.start == 15
    assert found.level == pytest.approx(40, rel=0.01)


def test_a_trial_that_settles_only_in_its_second_half_is_unsteady_and_not_trimmed():
    found = steady(np.r_[np.full(30, 80.0), np.full(20, 40.0)] * noise(50))
    assert not found.steady and found.start == 0
    assert "levels" in found.reason


def test_a_staircase_never_settles():
    assert not steady(np.repeat([10.0, 20.0, 30.0, 40.0, 50.0], 10) * noise(50)).steady


def test_a_slow_drift_is_unsteady():
    assert not steady(np.linspace(10, 20, 50) * noise(50, relative=0.002)).steady


@pytest.mark.parametrize("at", [[0], [25], [49], [3, 11, 17, 29, 30, 44], [24, 25, 26]])
def test_single_slow_iterations_do_not_matter(at):
    costs = 40 * noise(50)
    costs[at] *= 8
    assert steady(costs).steady and steady(costs).start == 0


def test_a_burst_that_passes_does_not_matter():
    costs = 40 * noise(50)
    costs[30:40] *= 2
    assert steady(costs).steady and steady(costs).start == 0


def test_a_shift_below_the_tolerance_is_one_level():
    assert steady(np.r_[np.full(30, 40.0), np.full(20, 41.0)] * noise(50, relative=0.001)).start == 0


def test_too_few_iterations_are_not_judged():
    assert steady(np.array([1.0, 9.0, 1.0])).steady


def test_an_iteration_without_operations_does_not_break_it():
    costs = 40 * noise(50)
    costs[7] = np.inf
    assert steady(costs).steady
    assert not steady(np.full(20, np.inf)).steady


def test_the_unit_does_not_matter():
    costs = np.r_[np.full(15, 80.0), np.full(35, 40.0)] * noise(50)
    assert steady(costs / 2.7).start == steady(costs).start


def test_flutter_below_a_fifth_of_a_per_cent_is_no_level_and_noise_of_five_per_cent_hides_none():
    """The floor of sigma: what is steadier than it is one level; what scatters more is judged by its own scatter."""
    wide = steady(np.r_[np.full(30, 80.0), np.full(20, 40.0)] * noise(50, relative=0.05))
    assert not wide.steady
    calm = steady(np.r_[np.full(30, 43.0), np.full(20, 40.0)] * noise(50, relative=0.001))
    assert not calm.steady and "2 levels" in calm.reason


def test_costs_that_are_not_positive_count_as_the_largest():
    costs = 40 * noise(50)
    costs[[3, 30]] = [0.0, -1.0]
    assert steady(costs).steady and np.isfinite(steady(costs).level)
    assert steady(np.zeros(20)).reason == "no iteration completed an operation"


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60))
def test_start_is_always_an_index_and_zero_when_unsteady(costs):
    found = steady(np.array(costs))
    assert 0 <= found.start < len(costs)
    assert found.steady or found.start == 0
