"""Change points: the least sum over all partitions, found by trying them all."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.change_points import autocorrelation, change_points, of_noisy, running_median

pytestmark = pytest.mark.thorough


def cost(values, ends, penalty):
    return sum(((part - part.mean()) ** 2).sum() + penalty for part in np.split(values, ends[:-1]))


def partitions(count, min_size):
    for number in range(count // min_size):
        for cuts in combinations(range(min_size, count - min_size + 1), number):
            if min(np.diff([0, *cuts, count])) >= min_size:
                yield [*cuts, count]


# Whole numbers around a large level make ties, and show a sum that loses its digits.
@settings(max_examples=60)
@given(
    st.lists(st.integers(-5, 5), min_size=4, max_size=12),
    st.integers(1, 4),
    st.floats(0.01, 50),
    st.sampled_from([0.0, 1e4]),
)
def test_no_partition_is_better(given, min_size, penalty, level):
    values = np.array(given, dtype=float) + level
    found = change_points(values, penalty, min_size)
    assert min(np.diff([0, *found])) >= min_size and found[-1] == len(values)
    least = min(cost(values, one, penalty) for one in partitions(len(values), min_size))
    assert cost(values, found, penalty) == pytest.approx(least, abs=1e-6)


def test_a_start_that_falls_behind_may_still_win():
    """The first ten values are best parted in two, all thirteen are best whole: 36.9 and a penalty, not 30 and two.

    A search that drops the first start at the tenth value, although the last segment cannot start there, answers
    [5, 13]; ruptures 1.1.10 does.
    """
    values = np.array([3, 3, 3, 3, 3, 0, 0, 0, 0, 0, 4, 4, 4.0])
    assert change_points(values[:10], 8.0, 5) == [5, 10]
    assert cost(values, [5, 13], 8.0) == pytest.approx(30 + 16)
    assert cost(values, [13], 8.0) == pytest.approx(93 - 27**2 / 13 + 8)
    assert change_points(values, 8.0, 5) == [13]


def test_a_penalty_decides_the_number_of_segments():
    values = np.repeat([0.0, 1.0, 5.0], 6)  # joining the first two costs 3, all three 84
    assert change_points(values, 2.9, 5) == [6, 12, 18]
    assert change_points(values, 3.1, 5) == [12, 18]
    assert change_points(values, 90.0, 5) == [18]


def test_a_series_too_short_to_part_is_one_segment():
    assert change_points(np.arange(7.0), 1e-9, 4) == [7]
    assert change_points(np.arange(3.0), 1e-9, 4) == [3]


def test_the_running_median_mirrors_at_the_ends():
    assert running_median(np.array([5.0, 1.0, 4.0, 2.0, 8.0]), 3).tolist() == [1.0, 4.0, 2.0, 4.0, 2.0]


def noisy(values, **how):
    how = {"window": 5, "floor": 1e-3, "spikes": "clipped"} | how
    return of_noisy(values, 5, **how)


def correlated(rng, count, rho, sd=0.03):
    shocks, values = rng.normal(0, sd * np.sqrt(1 - rho**2), count), np.empty(count)
    values[0] = rng.normal(0, sd)
    for i in range(1, count):
        values[i] = rho * values[i - 1] + shocks[i]
    return values


@pytest.mark.parametrize(("count", "power"), [(25, 0.75), (50, 0.95)])
@pytest.mark.parametrize("spikes", ["clipped", "replaced"])
def test_how_often_noise_is_a_step_and_a_step_is_found(count, power, spikes):
    """Scatter 3 %. With the penalty of independent values four of ten correlated series of 25 had a step, half of 50.

    The limits are 3 %, 12 % and the power; three standard errors of so many series are allowed for.
    """
    rng, series = np.random.default_rng(21), 250
    step = np.log(1.1) * (np.arange(count) >= count // 2)
    made = {
        "white": (lambda: rng.normal(0, 0.03, count), 0.03),
        "correlated": (lambda: correlated(rng, count, 0.5), 0.12),
        "heavy": (lambda: 0.03 * rng.standard_t(3, count), 0.03),
    }
    for name, (make, most) in made.items():
        found = np.mean([len(noisy(make(), spikes=spikes)) > 1 for _ in range(series)])
        assert found <= most + 3 * np.sqrt(most * (1 - most) / series), (name, found)
    found = np.mean([len(noisy(rng.normal(0, 0.03, count) + step, spikes=spikes)) > 1 for _ in range(series)])
    assert found >= power - 3 * np.sqrt(power * (1 - power) / series), found


def test_the_penalty_grows_with_the_scatter_and_its_floor():
    """Two levels of 25 values, alternately above and below by d: sigma is 1.4826 * 2 d / sqrt(2)."""
    wiggle = 0.01 * (-1.0) ** np.arange(50)
    sigma = 1.4826 * 0.02 / np.sqrt(2)
    threshold = np.sqrt(3.5 * sigma**2 * np.log(50) * 4 / 50)  # a step t gains 25 * 25 / 50 * t^2
    step = np.arange(50) >= 25
    assert noisy(wiggle + 0.97 * threshold * step, window=7) == [50]
    assert noisy(wiggle + 1.03 * threshold * step, window=7) == [25, 50]
    flat = np.sqrt(3.5 * 0.02**2 * np.log(50) * 4 / 50)
    assert noisy(0.97 * flat * step, floor=0.02) == [50] and noisy(1.03 * flat * step, floor=0.02) == [25, 50]


def test_autocorrelation_is_that_of_the_noise_not_of_steps():
    rng = np.random.default_rng(3)
    for rho in (0.0, 0.5, 0.8):
        found = np.mean([autocorrelation(correlated(rng, 400, rho)) for _ in range(20)])
        assert found == pytest.approx(rho, abs=0.08)
    stairs = np.repeat([0.0, 1.0, 3.0, 2.0], 25)
    assert np.mean([autocorrelation(stairs + rng.normal(0, 0.01, 100)) for _ in range(20)]) < 0.2
    assert autocorrelation(np.arange(100.0)) == 0.9 and autocorrelation(np.zeros(10)) == 0.0


def test_the_penalty_is_that_of_the_variance_of_sums(monkeypatch):
    """rho 0.5 makes it 1.5 / 0.5^2 = 6 times as large."""
    seen = []
    monkeypatch.setattr("pipeline.models.change_points.change_points", lambda _, penalty, __: seen.append(penalty))
    for rho in (0.0, 0.5):
        monkeypatch.setattr("pipeline.models.change_points.autocorrelation", lambda _, rho=rho: rho)
        noisy(np.zeros(50), floor=0.01)
    assert seen == pytest.approx([3.5 * 1e-4 * np.log(50), 6 * 3.5 * 1e-4 * np.log(50)])
