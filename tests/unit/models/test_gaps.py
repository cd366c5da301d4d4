"""Gaps: values are parted where they leave one, wherever that lies, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.models import gaps

FACTOR = 1.5


def sizes(values) -> list[int]:
    return np.bincount(gaps.groups(values, FACTOR)).tolist()


def test_values_are_numbered_by_group_in_the_order_they_came_in():
    assert gaps.groups([131, 48, 50, 9, 129, 49], FACTOR) == [2, 1, 1, 0, 2, 1]


@pytest.mark.parametrize("values", [[], [48], [48, 48], [48, 71], [80, 100, 100, 120, 120, 120], [5] * 9])
def test_without_a_gap_there_is_one_group(values):
    assert set(gaps.groups(values, FACTOR)) <= {0}


@pytest.mark.parametrize(("ratio", "groups"), [(1.49, 1), (1.51, 2)])
def test_a_gap_is_as_great_as_asked(ratio, groups):
    assert len(sizes([10.0, 10.0, 10.0, 10.0 * ratio, 10.0 * ratio])) == groups


def test_a_gap_is_wider_than_its_groups():
    """The upper group is a factor of 1.96 wide, its lower quartile as far from the others as the number says."""
    lower, upper = [1.0] * 4, np.exp(np.linspace(-0.5, 1.5, 21) * np.log(1.4))
    assert sizes([*lower, *(1.8 * upper)]) == [25]
    assert sizes([*lower, *(2.0 * upper)]) == [4, 21]


def test_evenly_spread_values_are_one_group_and_so_are_normal_ones():
    assert sizes(np.exp(np.linspace(0, np.log(20), 200))) == [200]
    assert sizes(np.exp(np.random.default_rng(1).normal(0, 0.2, 500))) == [500]


def test_a_value_between_two_groups_neither_hides_their_gap_nor_is_a_group():
    near, far = np.linspace(45, 50, 40), np.linspace(125, 140, 60)
    assert sizes([*near, *far]) == [40, 60]
    assert sizes([*near, 80, *far]) in ([41, 60], [40, 61])
    assert sizes([*near, 64, 80, 92, *far]) in ([41, 62], [42, 61])


def test_few_of_many_values_must_lie_farther_apart():
    """A single pair of hardware threads among 119 pairs of cores, and one measured wrong."""
    many = np.linspace(95, 105, 119)
    assert sizes([55, *many]) == [120]
    assert sizes([40, *many]) == [1, 119]
    assert sizes([55, *many[:15]]) == [1, 15]


def test_a_small_group_is_found_within_a_large_one_of_other_values():
    """96 pairs of a cache's cores are less than a quarter of all that are not hardware threads, so quartiles of both
    together would not see them."""
    threads, cache, far = np.linspace(6.4, 6.6, 23), np.linspace(19, 28, 96), np.linspace(71, 104, 1008)
    assert sizes([*threads, *cache, *far]) == [23, 96, 1008]


@given(
    st.lists(st.floats(0.8, 1.2), min_size=3, max_size=12),
    st.lists(st.floats(0.8, 1.2), min_size=3, max_size=12),
    st.floats(1e-3, 1e3),
    st.randoms(use_true_random=False),
)
def test_far_apart_groups_are_found_in_any_unit_and_order(low, high, unit, random):
    values = [(0, value * unit) for value in low] + [(1, value * unit * 1000) for value in high]
    random.shuffle(values)
    found = gaps.groups([value for _, value in values], 300)
    assert found == [group for group, _ in values]


@given(st.lists(st.floats(1e-2, 1e6), min_size=1, max_size=25))
def test_groups_are_in_the_order_of_values_and_none_is_empty(values):
    found = np.array(gaps.groups(values, FACTOR))
    assert (np.diff(found[np.argsort(values, kind="stable")]) >= 0).all()
    assert set(found) == set(range(found.max() + 1)) and found.max() < gaps.MOST
    for one, other in zip(*(np.unique(found)[part] for part in (slice(None, -1), slice(1, None))), strict=True):
        low, high = (np.log(np.array(values)[found == group]) for group in (one, other))
        assert np.quantile(high, 0.25) - np.quantile(low, 0.75) > np.log(FACTOR) - 1e-9
