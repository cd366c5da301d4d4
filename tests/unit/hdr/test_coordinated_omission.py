"""The correction for coordinated omission, by hand and value by value; the Java library is asked elsewhere."""

import numpy as np
import pytest
from hdr_logs import counts_of
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ground.errors import LabError
from pipeline.hdr.coordinated_omission import corrected


def recorded(counts) -> list[tuple[int, int]]:
    return list(zip(counts.low.tolist(), counts.count.tolist(), strict=True))


def test_a_value_stands_for_those_that_waited_behind_it():
    assert recorded(corrected(counts_of([40, 450], [9, 2]), 100)) == [(40, 9), (150, 2), (250, 2), (350, 2), (450, 2)]
    assert recorded(corrected(counts_of([199]), 100)) == [(199, 1)]  # what is left is less than the interval
    assert recorded(corrected(counts_of([200]), 100)) == [(100, 1), (200, 1)]
    assert recorded(corrected(counts_of([]), 100)) == []


def test_a_stall_becomes_a_ramp():
    found = corrected(counts_of([1000, 50_000_000]), 1000)
    assert found.total == pytest.approx(50_000, rel=1e-3)  # as many as the stall held up
    halves = found.count[found.low < 25_000_000].sum() / found.total
    assert halves == pytest.approx(0.5, abs=0.01)


@given(st.lists(st.integers(0, 10**7), max_size=20), st.integers(500, 10**5))
def test_it_is_what_recording_each_missing_value_would_give(values, interval):
    plain = counts_of(values)
    every = []
    for low, width, count in zip(plain.low.tolist(), plain.width.tolist(), plain.count.tolist(), strict=True):
        every += [low + width - 1] * count
        for missing in range(low + width - 1 - interval, interval - 1, -interval):
            every += [missing] * count
    assert recorded(corrected(plain, interval)) == recorded(counts_of(every))


def test_an_interval_of_nothing_is_refused():
    with pytest.raises(LabError, match="expected interval 0"):
        corrected(counts_of([5]), 0)


def test_the_counts_stay_whole_numbers():
    assert corrected(counts_of([10**6], [2**40]), 10).count.dtype == np.int64
