"""Bootstrap helpers: determinism, coverage on seeded simulations, and refusals."""

import math

import numpy as np
import pytest

from pipeline.models.bootstrap import bootstrap_median, bootstrap_ratio, percentile_interval


def test_the_estimate_is_the_median_and_a_seed_fixes_the_interval():
    values = [5.0, 1.0, 4.0, 2.0, 3.0, 9.0]
    first, again, other = (bootstrap_median(values, seed) for seed in (1, 1, 2))
    assert first == again and first[0] == 3.5 and first[1] < 3.5 < first[2]
    assert other[0] == 3.5


def test_coverage_of_the_median():
    rng = np.random.default_rng(11)
    inside = sum(
        low <= 100 <= high
        for _, low, high in (
            bootstrap_median(100 * np.exp(rng.normal(0, 0.1, 15)), i, resamples=400) for i in range(400)
        )
    )
    assert 0.91 <= inside / 400 <= 0.99


def test_coverage_of_ratios_and_what_pairing_buys():
    rng = np.random.default_rng(12)
    inside, widths = np.zeros(2), np.zeros(2)
    for i in range(300):
        drift = np.exp(rng.normal(0, 0.3, 12))
        a, b = (value * drift * np.exp(rng.normal(0, 0.05, 12)) for value in (2.0, 1.0))
        for k, paired in enumerate((True, False)):
            _, low, high = bootstrap_ratio(a, b, paired, i, resamples=400)
            inside[k] += low <= 2 <= high
            widths[k] += high - low
    assert (inside / 300 >= 0.9).all()
    assert widths[0] < widths[1] / 3, "blocks share the host's drift: pairing must cancel it"


def test_too_few_trials_have_no_interval():
    assert bootstrap_median([7.0, 8.0], 1)[0] == 7.5
    for result in (bootstrap_median([7.0, 8.0], 1), bootstrap_ratio([1, 2], [1, 2]), bootstrap_ratio([1], [2], False)):
        assert math.isnan(result[1]) and math.isnan(result[2])


def test_many_values_are_resampled_in_chunks():
    values = np.arange(1_500_000.0)
    estimate, low, high = bootstrap_median(values, 1, resamples=5)
    assert estimate == 749_999.5 and abs(low - estimate) < 5000 and abs(high - estimate) < 5000


def test_infinite_resamples_do_not_spoil_the_finite_end():
    low, high = percentile_interval(np.array([1.0] * 50 + [math.inf] * 50 + [math.nan]))
    assert (low, high) == (1.0, math.inf)
    assert all(math.isnan(end) for end in percentile_interval(np.array([math.nan])))


@pytest.mark.parametrize("bad", [[], [1.0, math.nan], [math.inf], [[1.0], [2.0]]])
def test_bad_values(bad):
    with pytest.raises(ValueError, match="finite numbers"):
        bootstrap_median(bad, 1)


def test_bad_ratios():
    with pytest.raises(ValueError, match="b holds a zero"):
        bootstrap_ratio([1, 2], [1, 0])
    with pytest.raises(ValueError, match="cannot be paired"):
        bootstrap_ratio([1, 2], [1])
