"""Statistics of counts: the Java rules on cases small enough to check by hand, and merging."""

import math

import numpy as np
import pytest
from hdr_logs import counts_of
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Geometry
from pipeline.hdr.merge import merge
from pipeline.hdr.percentiles import greatest_of, maximum, mean, minimum, percentile, percentiles, supported

HIGHEST = 3_600_000_000_000


def test_the_case_the_python_library_gets_wrong():
    assert percentile(counts_of(range(1, 11)), 94) == 10


def test_rounding_up_stays_inside_the_bucket():
    ten = counts_of(range(1, 11))
    assert percentiles(ten, [0, 0.1, 10, 10.1, 50, 90, 90.1, 100]) == [1, 1, 1, 2, 5, 9, 10, 10]
    assert percentiles(ten, [-5, 250]) == [1, 10]


def test_bounds_of_wide_buckets():
    one = counts_of([1_000_001])
    low, width = int(one.low[0]), int(one.width[0])
    assert width == 512 and low <= 1_000_001 < low + width
    assert (minimum(one), maximum(one)) == (low, low + 511)
    assert (percentile(one, 0), percentile(one, 50)) == (low, low + 511)
    assert mean(one) == low + 256


def test_zeros_and_nothing():
    assert minimum(counts_of([0, 7])) == 0 and minimum(counts_of([7, 8])) == 7
    empty = counts_of([])
    assert (minimum(empty), maximum(empty), mean(empty), percentile(empty, 99)) == (0, 0, 0.0, 0)
    with pytest.raises(ValueError, match="not a number"):
        percentile(empty, float("nan"))


def test_ten_samples_must_lie_beyond_a_percentile():
    assert supported(1000, 99) and not supported(999, 99)
    assert supported(10_000, 99.9) and not supported(9_999, 99.9)
    assert supported(100_000, 99.99) and supported(20, 50) and not supported(19, 50) and not supported(10**9, 100)


def test_the_greatest_of_some_by_hand():
    values = counts_of([1, 2, 3, 4])
    assert greatest_of(values, 1) == pytest.approx(2.5) and greatest_of(values, 4) == 4
    assert greatest_of(values, 2) == pytest.approx((2 + 2 * 3 + 3 * 4) / 6)  # the six pairs
    assert math.isnan(greatest_of(values, 5)) and math.isnan(greatest_of(counts_of([]), 1))
    assert greatest_of(counts_of([7] * 10**6), 1000) == pytest.approx(7, rel=1e-12)


@pytest.mark.thorough
def test_the_greatest_of_some_does_not_grow_with_what_was_recorded():
    """Of an exponential distribution: mean of the greatest of m is H(m), whatever number it was drawn from."""
    rng = np.random.default_rng(5)
    harmonic = (1 / np.arange(1, 1001)).sum()
    for recorded in (1000, 25_600):
        found = [greatest_of(counts_of(rng.exponential(1e6, recorded)), 1000) for _ in range(150)]
        assert np.mean(found) == pytest.approx(harmonic * 1e6, rel=0.04)
    assert maximum(counts_of(rng.exponential(1e6, 256_000))) > 1.3 * harmonic * 1e6


@given(st.integers(0, 5), st.integers(1, 2**30), st.lists(st.integers(0, 2**62), max_size=30))
def test_a_bucket_contains_its_values_with_the_stated_precision(digits, lowest, values):
    geometry = Geometry.of(digits, lowest)
    values = np.array(values, dtype=np.int64)
    index = geometry.index(values)
    low, width = geometry.buckets(index)
    assert ((low <= values) & (values - low < width)).all()
    assert (width <= np.maximum(1 << geometry.unit, values / 10**digits + 1)).all()
    assert (index < geometry.length(2**62)).all()
    assert (geometry.index(low) == index).all()


@given(st.lists(st.lists(st.integers(0, HIGHEST), max_size=30), min_size=1, max_size=5))
def test_merging_equals_recording_together(lists):
    merged = merge([counts_of(values) for values in lists])
    together = counts_of([value for values in lists for value in values])
    for ours, expected in ((merged.low, together.low), (merged.width, together.width), (merged.count, together.count)):
        assert ours.dtype == np.int64 and ours.tolist() == expected.tolist()


def test_merging_different_precisions_uses_the_layout_of_the_first():
    coarse, fine = counts_of([100_003], digits=2), counts_of([100_003, 100_200], digits=4, highest=10**9)
    merged = merge([coarse, fine])
    assert merged.digits == 2 and merged.count.tolist() == [3] and merged.highest == HIGHEST
    assert merge([fine, coarse]).digits == 4


def test_merging_refuses_nothing_and_overflow():
    with pytest.raises(LabError, match="no histogram to merge"):
        merge([])
    big = counts_of([5])
    big.count[0] = 2**62
    assert merge([big]).total == 2**62
    with pytest.raises(LabError, match="more than 64 bits"):
        merge([big, big])
