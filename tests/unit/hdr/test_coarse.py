"""Histograms with fewer digits: nothing is lost or moved far."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.hdr import encode, v2
from pipeline.hdr.coarse import BITS, coarse
from pipeline.hdr.counts import Counts, Geometry
from pipeline.hdr.percentiles import percentile

HIGHEST = 3_600_000_000_000
VALUES = st.dictionaries(st.integers(0, HIGHEST), st.integers(1, 10**6), min_size=1, max_size=60)


def counts(values: dict[int, int]) -> Counts:
    geometry = Geometry.of(3, 1)
    sums: dict[int, int] = {}
    for value, count in values.items():
        at = int(geometry.index(np.array([value]))[0])
        sums[at] = sums.get(at, 0) + count
    places = np.array(sorted(sums))
    return Counts(*geometry.buckets(places), np.array([sums[at] for at in places.tolist()]), 3, 1, HIGHEST)


@given(VALUES, st.floats(0, 100))
def test_every_percentile_is_off_by_half_of_a_step_and_a_bucket_at_most(values, percent):
    exact, found = counts(values), coarse(counts(values))
    assert found.total == exact.total and (np.diff(found.low) > 0).all() and len(found.low) <= len(exact.low)
    was, now = percentile(exact, percent), percentile(found, percent)
    assert abs(now - was) <= was / 2**BITS + was / 1024 + 1


@given(VALUES)
def test_it_is_a_histogram_like_any_other_and_made_coarse_again_it_stays(values):
    found = coarse(counts(values))
    again, read = coarse(found), v2.decode_plain(encode.plain(found))
    for one in (again, read):
        assert all(np.array_equal(getattr(one, name), getattr(found, name)) for name in ("low", "width", "count"))


def test_small_values_and_an_empty_histogram_stay_what_they_are():
    small = counts({value: value + 1 for value in range(2**BITS)})
    assert np.array_equal(coarse(small).low, small.low) and np.array_equal(coarse(small).count, small.count)
    assert len(coarse(small).low) == 2**BITS and len(coarse(counts({1000: 2, 1001: 3, 1007: 1, 1008: 1})).low) == 2
    nothing = Counts(*(np.empty(0, np.int64) for _ in range(3)), 3, 1, HIGHEST)
    assert coarse(nothing).total == 0
