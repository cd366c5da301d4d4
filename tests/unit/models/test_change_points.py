"""Change points: the least sum over all partitions, found by trying them all."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.change_points import change_points, running_median


def cost(values, ends, penalty):
    return sum(((part - part.mean()) ** 2).sum() + penalty for part in np.split(values, ends[:-1]))


def partitions(count, min_size):
    for number in range(count // min_size):
        for cuts in combinations(range(min_size, count - min_size + 1), number):
            if min(np.diff([0, *cuts, count])) >= min_size:
                yield [*cuts, count]


# Whole numbers around a large level make ties, and show a sum that loses its digits.
@settings(deadline=None, max_examples=60)
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
