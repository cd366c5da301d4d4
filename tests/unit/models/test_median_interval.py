"""Order-statistic intervals: textbook depths, true levels, coverage on seeded simulations, and the matching test."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st

from pipeline.models.median_interval import median_interval

pytestmark = pytest.mark.thorough

SIZES = [6, 7, 8, 9, 10, 12, 15, 20, 25, 30]
REPETITIONS = 6000
two_states = lambda rng, size: np.where(rng.random(size) < 0.8, 1.0, 1.5) * np.exp(rng.normal(0, 0.03, size))  # noqa: E731
DRAWN = {
    "normal": (lambda rng, size: rng.normal(10, 1, size), 10.0),
    "lognormal": (lambda rng, size: np.exp(rng.normal(0, 0.5, size)), 1.0),
    # Four of five processes are fast: the median is the 62.5th percentile of those.
    "two states": (two_states, math.exp(0.03 * 0.3186393639643752)),
}
finite = st.floats(-1e6, 1e6, allow_nan=False)


def test_the_end_is_interpolated_as_published():
    # n = 10: [2nd, 9th] has 97.85 %, [3rd, 8th] 89.06 %; for 95 % the share is 0.3246 and the way inward 0.658.
    numbers = median_interval(np.arange(1.0, 11.0))
    level_2, level_3 = 1 - 2 * 11 / 1024, 1 - 2 * 56 / 1024
    share = (level_2 - 0.95) / (level_2 - level_3)
    inward = 8 * share / (2 + 6 * share)
    assert numbers == pytest.approx((5.5, 2 + inward, 9 - inward, 0.95))


@pytest.mark.parametrize(("count", "level"), [(3, 0.75), (4, 0.875), (5, 0.9375)])
def test_with_few_values_the_interval_is_the_range_and_tells_its_true_level(count, level):
    values = [5.0, 1.0, 4.0, 2.0, 9.0][:count]
    assert median_interval(values) == (np.median(values), min(values), max(values), level)


def test_below_three_values_there_is_none():
    estimate, *rest = median_interval([7.0, 8.0])
    assert estimate == 7.5 and all(math.isnan(one) for one in rest)


def test_columns_are_intervals_of_their_own():
    table = np.random.default_rng(1).normal(size=(9, 4))
    together = median_interval(table)
    for k in range(4):
        one = median_interval(table[:, k])
        assert one == (together.estimate[k], together.low[k], together.high[k], together.level)


def test_a_million_values():
    estimate, low, high, level = median_interval(np.arange(1_000_001.0))
    assert estimate == 500_000 and high - estimate == estimate - low == pytest.approx(980, abs=2) and level == 0.95


def test_infinite_values_are_values():
    assert median_interval([1.0, 2.0, 3.0, math.inf, math.inf])[:3] == (3, 1, math.inf)
    assert median_interval([math.inf] * 8)[:3] == (math.inf,) * 3
    assert median_interval([-math.inf] * 2 + [1.0] * 8)[:2] == (1, -math.inf)


@pytest.mark.parametrize("bad", [[], [1.0, math.nan], [[[1.0]]]])
def test_bad_values(bad):
    with pytest.raises(ValueError, match="needs numbers"):
        median_interval(bad)


@pytest.mark.parametrize("name", DRAWN)
def test_coverage_from_six_trials_on(name):
    draw, truth = DRAWN[name]
    for count in SIZES:
        low, high = median_interval(draw(np.random.default_rng(count), (count, REPETITIONS)))[1:3]
        assert 0.93 <= np.mean((low <= truth) & (truth <= high)) <= 0.97, count


@pytest.mark.parametrize("name", DRAWN)
def test_coverage_of_paired_ratios_under_a_drift_that_both_sides_share(name):
    draw, _ = DRAWN[name]
    for count in SIZES:
        rng = np.random.default_rng(count)
        drift = np.exp(rng.normal(0, 0.3, (count, REPETITIONS)))
        low, high = median_interval(2 * draw(rng, drift.shape) * drift / (draw(rng, drift.shape) * drift))[1:3]
        assert 0.93 <= np.mean((low <= 2) & (2 <= high)) <= 0.97, count


@pytest.mark.parametrize("spread", [0.02, 0.04, 0.06, 0.1])
@pytest.mark.parametrize("name", ["normal", "two states"])
def test_coverage_when_measuring_ends_as_soon_as_the_interval_is_narrow(name, spread):
    """Blocks follow from 6 to 12 until the half-width is at most 5 %: to look again after each must cost little."""
    rng = np.random.default_rng(7)
    noise = np.exp(rng.normal(0, spread, (12, REPETITIONS)))
    trials, truth = noise, 1.0
    if name == "two states":
        trials, truth = noise * np.where(rng.random(noise.shape) < 0.8, 1.0, 1.5), math.exp(spread * 0.3186393639643752)
    going, inside = np.ones(REPETITIONS, dtype=bool), 0
    for count in range(6, 13):
        estimate, low, high, _ = median_interval(trials[:count])
        ends = going & (((high - low) / 2 / estimate <= 0.05) | (count == 12))
        inside += ((low <= truth) & (truth <= high))[ends].sum()
        going &= ~ends
    assert not going.any() and 0.93 <= inside / REPETITIONS <= 0.97
