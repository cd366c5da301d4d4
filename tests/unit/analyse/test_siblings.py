"""Siblings: two CPUs on one core are told by comparison, on hosts of two CPUs to two sockets."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest

from pipeline.analyse.siblings import by_cpus, siblings


def told_by(cost, cpus=(0, 1, 2, 3), told=None, pairs=None):
    """(cpu, other) -> (kernel, value) of a host where a hop from a to b takes cost(a, b) ns."""
    pairs = list(itertools.permutations(cpus, 2) if pairs is None else pairs)
    frame = pd.DataFrame([(a, b, cost(a, b)) for a, b in pairs], columns=["ping", "pong", "estimate"])
    found = siblings(frame, told or {})
    return {(row.cpu, row.other): (row.kernel, row.value) for row in found.itertuples()}


def yes(found) -> set:
    return {pair for pair, (_, value) in found.items() if value == "yes"}


NONE = "cannot be told from one pair"


@pytest.mark.parametrize(("ns", "says"), [(14.9, "yes"), (15.0, NONE), (29.0, NONE), (110.0, NONE)])
def test_one_pair_is_compared_with_nothing(ns, says):
    assert told_by(lambda a, b: ns, cpus=(0, 1)) == {(0, 1): ("not told", says)}


def test_slow_siblings_are_told_by_comparison():
    """Two cores of two threads each, 29 ns within a core and 60 to 100 between: no fixed bound of 15 ns sees them."""
    assert yes(told_by(lambda a, b: 29 if a % 2 == b % 2 else 60 + 10 * max(a, b))) == {(0, 2), (1, 3)}
    assert yes(told_by(lambda a, b: 29 if (a + b) == 1 else 70, cpus=(0, 1, 2))) == {(0, 1)}
    assert not yes(told_by(lambda a, b: 60 + 20 * max(a, b)))


@pytest.mark.parametrize("within", [8, 29])
def test_a_second_socket_makes_no_siblings_of_the_cores_of_the_first(within):
    def cost(a, b):
        return within if a % 8 == b % 8 else 60 if a // 4 % 2 == b // 4 % 2 else 200

    every = told_by(cost, cpus=range(16))
    assert yes(every) == {(cpu, cpu + 8) for cpu in range(8)} and {v for _, v in every.values()} == {"yes", "no"}
    first = told_by(cost, pairs=[pair for cpu in range(1, 16) for pair in ((0, cpu), (cpu, 0))])
    assert yes(first) == {(0, 8)} and len(first) == 15


def test_too_few_pairs_to_compare_with():
    assert told_by(lambda a, b: 60, pairs=[(0, 1), (0, 2)])[0, 1][1] == "cannot be told from two pairs"
    assert told_by(lambda a, b: 60, pairs=[(0, 1), (2, 3)])[2, 3][1] == "cannot be told from one pair"
    assert told_by(lambda a, b: 60, pairs=[]) == {}


def test_both_directions_are_one_pair_and_the_kernel_s_word_stands_beside_it():
    frame = pd.DataFrame({"ping": [3, 0], "pong": [0, 3], "estimate": [10.0, 14.0]})
    (row,) = siblings(frame, {"0": [0, 2]}).to_dict("records")
    assert row == {"cpu": 0, "other": 3, "one_way": 12.0, "kernel": "no", "value": "yes"}
    assert siblings(frame, {"0": [0, 3]})["kernel"].tolist() == ["yes"]
    assert siblings(frame, {"0": []})["kernel"].tolist() == ["not told"]


def test_a_placement_that_names_two_cpus_is_a_pair_of_them():
    rows = pd.DataFrame({"placement": ["0,1", "spread", "12,3", "0-1"], "estimate": [1.0, 2.0, 3.0, 4.0]})
    found = by_cpus(rows)
    assert found[["ping", "pong", "estimate"]].to_numpy().tolist() == [[0, 1, 1.0], [12, 3, 3.0]]
    assert by_cpus(rows[:0]).empty and {"ping", "pong"} <= set(by_cpus(rows[:0]))
