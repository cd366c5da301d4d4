"""`to_cpus`: which numbers of threads it stands for on a host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.catalogue import thread_counts
from pipeline.catalogue.selectors import absolute


@pytest.mark.parametrize(
    ("cpus", "cores", "whole", "eight"),
    [
        (1, 1, [1], [1]),
        (2, 2, [1, 2], [1, 2]),
        (6, 3, [1, 2, 3, 4, 6], [1, 2, 3, 4, 6]),
        (16, 16, [1, 2, 3, 4, 6, 8, 12, 16], [1, 2, 3, 4, 6, 8, 12, 16]),
        (20, 14, [1, 2, 3, 4, 6, 8, 12, 14, 16, 20], [1, 2, 3, 4, 6, 8, 14, 20]),
        (192, 96, [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192], [1, 2, 3, 6, 16, 48, 96, 192]),
    ],
)
def test_what_it_stands_for(cpus, cores, whole, eight):
    assert thread_counts.expand(["to_cpus"], cpus, cores) == whole
    found = thread_counts.expand(["to_cpus<=8"], cpus, cores)
    assert len(found) == len(eight) and {1, min(2, cpus), min(3, cpus), cores, cpus} <= set(found) <= set(whole)


@given(st.integers(1, 512), st.integers(1, 8), st.integers(5, 12), st.lists(st.integers(1, 16), max_size=3))
def test_a_limit_counts_what_is_written_and_keeps_the_ends(cpus, threads, most, written):
    cores = max(cpus // threads, 1)
    found = thread_counts.expand([*written, f"to_cpus<={most}"], cpus, cores)
    kept = {*written, *(one for one in (1, 2, 3, cores, cpus) if one <= cpus)}
    assert len(found) == len(set(found)) and kept <= set(found)
    assert len(found) <= max(most, len(kept)) and set(found) - kept <= set(thread_counts.steps(cpus))
    whole = thread_counts.expand([*written, "to_cpus"], cpus, cores)
    assert set(found) <= set(whole) and (set(found) == set(whole) or len(found) == max(most, len(kept)))


def test_without_a_cpu_for_whoever_is_not_counted():
    assert thread_counts.expand([1, "to_cpus-1"], 8, 8) == [1, 2, 3, 4, 6, 7] and thread_counts.expand(
        ["to_cpus-1"], 1, 1
    ) == [1]


def test_other_values_stay_as_they_are():
    assert thread_counts.expand(["cpus", 2, "to_cpus", "spread"], 2, 2) == ["cpus", 2, 1, "spread"]


@pytest.mark.parametrize(
    ("value", "cpus", "stands_for"),
    [
        ("cpus", 6, 6),
        ("2*cpus", 6, 12),
        ("cpus/2", 6, 3),
        ("cpus/2", 1, 1),
        ("cpus/2<=16", 192, 16),
        ("cpus/2<=16", 20, 10),
    ],
)
def test_a_number_relative_to_the_cpus(value, cpus, stands_for):
    assert absolute(value, cpus) == stands_for
