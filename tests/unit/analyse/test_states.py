"""Trials of one state: which a level or a ratio is made of."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from pipeline.analyse import blocks, estimates, states
from pipeline.analyse.states import UNTOLD

RANKS = st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 1)), min_size=1, max_size=40)


def side(*ranks: tuple[int, int]) -> np.ndarray:
    return np.array(ranks, int).reshape(-1, 2)


def rows(ranks, values, blocks_of=None, noisy=False) -> pd.DataFrame:
    blocks_of = range(len(values)) if blocks_of is None else blocks_of
    told = pd.DataFrame(side(*ranks), columns=list(states.RANKS))
    return told.assign(block=list(blocks_of), value=values, noisy=noisy, steady=True)


@given(st.lists(RANKS, min_size=1, max_size=3))
def test_what_is_compared_is_of_one_state_and_nothing_is_lost_where_there_is_but_one(sides):
    every = [side(*one) for one in sides]
    kept = states.chosen(every)
    left = np.concatenate([one[keep] for one, keep in zip(every, kept, strict=True)])
    for at in range(2):
        known = set(left[:, at]) - {UNTOLD, states.MOVED}
        possible = {rank for one in every for rank in one[:, at] if rank >= 0}
        assert len(known) <= 1 and known <= possible
    if len({tuple(one) for ranks in every for one in ranks}) == 1 and -2 not in np.concatenate(every):
        assert all(one.all() for one in kept)


def test_the_first_state_of_which_there_is_enough_is_meant_else_that_of_most():
    near, far = [(0, 0)] * 6, [(1, 0)] * 9
    assert states.chosen([side(*near, *far)])[0].tolist() == [True] * 6 + [False] * 9
    assert states.chosen([side(*near[:5], *far)])[0].tolist() == [False] * 5 + [True] * 9
    assert states.chosen([side(*near[:5], *far[:4])])[0].tolist() == [True] * 5 + [False] * 4


def test_sides_are_compared_in_a_state_that_they_share():
    one, other = side(*[(0, 0)] * 9, *[(1, 0)] * 7), side(*[(0, 0)] * 2, *[(1, 0)] * 8)
    kept = states.chosen([one, other])
    assert kept[0].tolist() == [False] * 9 + [True] * 7 and kept[1].tolist() == [False] * 2 + [True] * 8


def test_one_worker_goes_with_two_in_any_way_of_the_same_core():
    alone, two = side(*[(UNTOLD, 0), (UNTOLD, 1)] * 8), side(*[(1, 0)] * 8)
    kept = states.chosen([alone, two])
    assert kept[0].tolist() == [True, False] * 8 and kept[1].all()


def test_moved_trials_are_of_no_state():
    (kept,) = states.chosen([side(*[(-2, -2)] * 20, *[(0, 0)] * 3, *[(0, 1)] * 2)])
    assert np.flatnonzero(kept).tolist() == [20, 21, 22]


def test_where_all_moved_all_are_compared():
    moved, others = side(*[(-2, -2)] * 7), side(*[(0, 0)] * 7, *[(1, 0)] * 9)
    assert states.chosen([moved])[0].all()
    kept = states.chosen([moved, others])
    assert kept[0].all() and kept[1].tolist() == [True] * 7 + [False] * 9


def test_trials_without_the_columns_are_all_of_one_state():
    plain = rows([(0, 0)] * 8, range(8)).drop(columns=list(states.RANKS))
    assert len(estimates.used(plain)) == 8 and (states.told(plain) == UNTOLD).all()


def test_an_estimate_is_no_median_over_two_states():
    mixed = rows([(0, 0)] * 6 + [(1, 0)] * 8, [10.0] * 6 + [30.0] * 8)
    assert set(estimates.used(mixed)["value"]) == {10.0}


def test_a_ratio_is_of_blocks_in_which_both_sides_were_in_one_state():
    above = rows([(0, 0), (1, 0)] * 8, [10.0, 30.0] * 8)
    below = rows([(0, 0), (0, 0), (1, 0), (1, 0)] * 4, [5.0, 5.0, 10.0, 10.0] * 4)
    found = blocks.shared([above, below])
    assert set((found.values[:, 0] / found.values[:, 1]).tolist()) == {2.0} and len(found.values) == 8


@given(st.lists(st.sets(st.integers(0, 20)), min_size=1, max_size=3), st.integers(0, 3))
def test_blocks_that_go_together_are_the_same_or_next_to_each_other_and_each_is_used_once(sides, reach):
    every = [np.array(sorted(one), int) for one in sides]
    places = blocks._paired(every, reach)
    paired = np.stack([one[place] for one, place in zip(every, places, strict=True)])
    assert all(len(set(row)) == len(row) for row in paired.tolist())
    assert (np.abs(paired - paired[np.argmin([len(one) for one in sides])]) <= max(2 * reach, 0)).all()
    common = set.intersection(*sides)
    assert sum(len(set(column)) == 1 for column in paired.T.tolist()) == len(common) if len(sides) > 1 else True
    assert paired.shape[1] == len(common) if reach == 0 else paired.shape[1] >= len(common)
