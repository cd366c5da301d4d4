"""Readings of the state of a trial's CPUs, by gap between its iterations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.bundle import readings

NS = st.floats(0.1, 1000)


def told(iterations, threads: int, first: int = 0, chain: float = 0.3, wide: float = 0.6, word: float = 50.0) -> dict:
    """The object of a part: worker t has `first + t` tenths more of everything."""
    rows = [(at, thread, 1 + (first + thread) / 10) for at in iterations for thread in range(threads)]
    return {
        "readings": {
            "iteration": [at for at, _, _ in rows],
            "thread": [thread for _, thread, _ in rows],
            "chain_ns": [chain for _ in rows],
            "wide_ns": [wide * more for _, _, more in rows],
            "word_ns": [word * more if thread < threads - 1 else None for _, thread, more in rows],
        }
    }


def test_one_worker_has_no_word():
    found = readings.gaps([told([5, 6, 7], 1)])
    assert list(found.iteration) == [5, 6, 7] and np.isnan(found.word_ns).all() and np.allclose(found.width, 2)
    assert found.summary() == {"width": [2.0, 2.0, 2.0], "chain_ns": [0.3, 0.3, 0.3]}


def test_of_several_the_widest_core_and_of_neighbours_median_and_greatest_count():
    found = readings.gaps([told([5, 6], 4)])
    assert np.allclose(found.width, 2 * 1.3) and np.allclose(found.word_ns, 55) and np.allclose(found.word_most_ns, 60)


def test_parts_count_together_in_the_gaps_that_all_of_them_read():
    found = readings.gaps([told([5, 6, 7], 1), told([6, 7, 8], 1, first=5)])
    assert list(found.iteration) == [6, 7] and np.allclose(found.width, 2 * 1.5)


def test_what_a_thread_beside_the_workers_read_at_the_ends_counts_in_the_gaps_between():
    objects = [told(range(5, 10), 1)]
    for iteration, word, wide in ((5, 100.0, 1.2), (9, 300.0, 0.6)):
        beside = {"iteration": iteration, "thread": 1, "chain_ns": 0.3, "wide_ns": wide, "word_ns": word}
        for name, value in beside.items():
            objects[0]["readings"][name].append(value)
    found = readings.gaps(objects)
    assert list(found.iteration) == [5, 6, 7, 8, 9]
    assert list(found.word_ns) == [100, 100, 100, 300, 300] and np.allclose(found.width, [4, 4, 4, 2, 2])


@pytest.mark.parametrize("objects", [[], [{}], [{"readings": None}], [told([1], 2), {"readings": None}]])
def test_where_a_part_reads_nothing_there_is_nothing(objects):
    assert readings.gaps(objects) is None


def test_parts_without_a_gap_in_common_tell_nothing():
    assert readings.gaps([told([1, 2], 1), told([3], 1)]) is None


@given(st.lists(st.tuples(NS, NS, NS), min_size=2, max_size=20), st.randoms())
def test_the_order_of_rows_does_not_matter(values, chance):
    rows = [(at, thread, *values[at]) for at in range(len(values)) for thread in range(2)]

    def of(rows):
        names = ("iteration", "thread", "chain_ns", "wide_ns", "word_ns")
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        columns["word_ns"] = [
            None if thread else word for thread, word in zip(columns["thread"], columns["word_ns"], strict=True)
        ]
        return vars(readings.gaps([{"readings": columns}]))

    expected = of(rows)
    chance.shuffle(rows)
    for name, column in of(rows).items():
        assert np.array_equal(column, expected[name])
    assert np.allclose(expected["word_ns"], [word for _, _, word in values])
    assert np.allclose(expected["width"], [wide / chain for chain, wide, _ in values])
