"""Signed ranks: exact, antisymmetric, as the test that they invert, and right as often as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.models.signed_rank import EXACT, depth_of, pairs_needed, signed_rank_interval

values = st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=40)


@given(values, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_exchanged_sides_turn_the_sign_and_nothing_else(differences, level):
    one, other = signed_rank_interval(differences, level), signed_rank_interval(-np.array(differences), level)
    assert (other.estimate, other.low, other.high, other.level) == (-one.estimate, -one.high, -one.low, one.level)
    assert one.low <= one.estimate <= one.high


@given(values, st.floats(-100, 100))
def test_it_moves_with_its_values(differences, by):
    one, moved = signed_rank_interval(differences, 0.9), signed_rank_interval(np.array(differences) + by, 0.9)
    assert moved.estimate == pytest.approx(one.estimate + by, abs=1e-6)


@pytest.mark.parametrize("count", [6, 9, 20, 60])
def test_it_excludes_no_change_where_the_exact_test_rejects(count):
    rng = np.random.default_rng(count)
    for shift in np.linspace(-1, 1, 21):
        differences = rng.standard_normal(count) + shift
        found = signed_rank_interval(differences, 0.95)
        rejected = stats.wilcoxon(differences, method="exact").pvalue <= 0.05
        assert (found.low > 0 or found.high < 0) == rejected


def test_the_known_table_of_the_signed_rank_statistic():
    # Hollander and Wolfe, table A.4: P(T <= 8) = 0.0244 for n = 10, and 0.0240 (T <= 25) for n = 15.
    assert depth_of(10, 0.95) == (9, pytest.approx(1 - 2 * 0.0244, abs=1e-4))
    assert depth_of(15, 0.95) == (26, pytest.approx(1 - 2 * 0.0240, abs=1e-4))


def test_too_few_pairs_decide_nothing():
    assert pairs_needed(0.95) == 6 and pairs_needed(0.5) == 2
    found = signed_rank_interval([1, 2, 3, 4, 5], 0.95)
    assert (found.low, found.high, found.level) == (-math.inf, math.inf, 0.0) and found.estimate == 3
    assert np.isfinite(signed_rank_interval([1, 2, 3, 4, 5, 6], 0.95).low)
    for wrong in ([], [math.nan], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match="signed ranks need numbers"):
            signed_rank_interval(wrong, 0.95)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.999])
def test_beyond_the_exact_counts_the_normal_law_goes_on(level):
    exact, normal = depth_of(EXACT, level)[0], depth_of(EXACT + 1, level)[0]
    assert 0 < normal - exact < 0.03 * exact


@pytest.mark.thorough
@pytest.mark.parametrize("shape", ["normal", "laplace", "t2", "two_states", "correlated"])
def test_a_pair_in_random_order_errs_no_oftener_than_it_says_whatever_the_host_does(shape):
    """Both sides are drawn from one host, whose state may last; which is which is drawn for each pair."""
    rng, count, wrong = np.random.default_rng(5), 30, 0
    studies = 2_000
    for _ in range(studies):
        both = rng.standard_normal((count, 2))
        if shape == "laplace":
            both = rng.laplace(size=(count, 2))
        elif shape == "t2":
            both = rng.standard_t(2, (count, 2))
        elif shape == "two_states":
            both += 8 * (np.cumsum(rng.random(count) < 0.1) % 2)[:, None] * (rng.random((count, 2)) < 0.7)
        elif shape == "correlated":
            both = np.cumsum(both, axis=0) * 0.3 + both
        signs = rng.choice([-1, 1], count)
        found = signed_rank_interval(signs * (both[:, 0] - both[:, 1]), 0.95)
        wrong += found.low > 0 or found.high < 0
    assert wrong / studies <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / studies)
