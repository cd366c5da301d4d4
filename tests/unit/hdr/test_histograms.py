"""Histograms of many trials at once do what a slow loop over rows does."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.hdr import histograms
from pipeline.hdr.counts import Counts, Geometry
from pipeline.hdr.merge import merge

TRIALS, SERIES = ("a", "b", "c", "d"), ("t0", "t1", "read")
LAYOUT = (histograms.DIGITS, histograms.LOWEST_NS, histograms.HIGHEST_NS)
# (trial, iteration, series, value, count); few of each, so that they meet
ROWS = st.lists(
    st.tuples(
        st.sampled_from(TRIALS),
        st.integers(0, 4),
        st.sampled_from(SERIES),
        st.one_of(st.integers(1, 3000), st.integers(1, histograms.HIGHEST_NS)),
        st.integers(1, 2**40),
    ),
    max_size=40,
)
WANTED = st.lists(st.tuples(st.sampled_from((*TRIALS, "z")), st.integers(0, 6), st.sampled_from(SERIES)), max_size=12)


def buckets(rows, categories: bool) -> pd.DataFrame:
    """Rows as ingest gives them: a bucket of the layout for every value; text as categories or as plain text."""
    low, width = Geometry.of(*LAYOUT[:2]).buckets(
        Geometry.of(*LAYOUT[:2]).index(np.array([row[3] for row in rows], np.int64))
    )
    frame = pd.DataFrame(
        {
            "trial": [row[0] for row in rows],
            "iteration": np.array([row[1] for row in rows], np.int32),
            "series": [row[2] for row in rows],
            "low_ns": low,
            "width_ns": width,
            "count": np.array([row[4] for row in rows], np.int64),
        }
    )
    frame = frame.astype({"trial": str, "series": str})
    if not categories:
        return frame
    # Categories of which some have no row, in an order of their own.
    return frame.assign(
        trial=pd.Categorical(frame["trial"], ["d", "x", "b", "a", "c"]), series=pd.Categorical(frame["series"])
    )


@given(st.lists(st.sampled_from(TRIALS)), st.lists(st.sampled_from((*TRIALS, "z")), unique=True), st.booleans())
def test_positions_are_those_of_a_search_one_by_one(column, index, category):
    values = pd.Series(column, dtype="category" if category else str)
    found = histograms.positions(values, pd.Index(index, dtype=str))
    assert found.tolist() == [index.index(one) if one in index else -1 for one in column]


@pytest.mark.thorough
@settings(max_examples=60)
@given(ROWS, WANTED, st.booleans(), st.booleans())
def test_within_keeps_exactly_the_buckets_of_the_rows(rows, wanted, categories, as_categories):
    frame = buckets(rows, categories)
    keys = pd.DataFrame(wanted, columns=["trial", "iteration", "series"]).astype({"trial": str, "series": str})
    keys["iteration"] = keys["iteration"].astype(np.int32)
    if as_categories:
        keys = keys.astype({"trial": "category", "series": "category"})
    found = histograms.wanted(keys)(frame)
    assert found.dtype == bool and found.tolist() == [row[:3] in set(wanted) for row in rows]


@pytest.mark.parametrize("iteration", [-1, 7])
def test_a_bucket_outside_the_iterations_of_the_rows_is_not_within(iteration):
    frame = buckets([("a", iteration, "t0", 5, 1), ("a", 0, "t0", 5, 1)], True)
    rows = pd.DataFrame({"trial": ["a"], "iteration": [0], "series": ["t0"]})
    assert histograms.wanted(rows)(frame).tolist() == [False, True]


@pytest.mark.thorough
@settings(max_examples=60)
@given(ROWS, st.lists(st.sampled_from((*TRIALS, "z")), unique=True), st.booleans())
def test_by_trial_sums_every_trials_buckets_and_no_others(rows, trials, categories):
    found = histograms.by_trial(buckets(rows, categories), pd.Index(trials, dtype=str))
    assert set(found) == {position for position, name in enumerate(trials) if any(row[0] == name for row in rows)}
    for position, counts in found.items():
        mine = [row for row in rows if row[0] == trials[position]]
        plain = buckets(mine, False)
        summed = Counter()
        for low, count in zip(plain["low_ns"], plain["count"], strict=True):
            summed[int(low)] += int(count)
        assert list(zip(counts.low.tolist(), counts.count.tolist(), strict=True)) == sorted(summed.items())
        assert (counts.digits, counts.lowest, counts.highest) == LAYOUT
        one_by_one = merge(
            Counts(*(plain[name].to_numpy()[at : at + 1] for name in ("low_ns", "width_ns", "count")), *LAYOUT)
            for at in range(len(plain))
        )
        for column in ("low", "width", "count"):
            np.testing.assert_array_equal(getattr(counts, column), getattr(one_by_one, column))


def test_the_largest_value_of_the_contract_keeps_its_trial():
    rows = [("d", 0, "t0", histograms.HIGHEST_NS, 3), ("a", 0, "t0", 1, 2)]
    found = histograms.by_trial(buckets(rows, True), pd.Index(["a", "d"]))
    assert [(found[at].total, len(found[at].low)) for at in (0, 1)] == [(2, 1), (3, 1)]
    assert found[1].low[0] <= histograms.HIGHEST_NS < found[1].low[0] + found[1].width[0]
