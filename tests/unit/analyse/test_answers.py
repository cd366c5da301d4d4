"""Answers of cards: by which interval one side is more, both are the same, or nothing is said yet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from analyse_tables import entry
from claim_rules import blocks
from hypothesis import given
from hypothesis import strategies as st

from pipeline.analyse.answers import answers
from pipeline.analyse.claim_test import INCONCLUSIVE, REPRODUCED
from pipeline.analyse.sequential_test import level
from pipeline.analyse.undecided import OPEN
from pipeline.models.median_interval import median_interval
from pipeline.words.comparisons import Comparison

TWO_TO_ONE = {
    "sentence": "Two threads compared with one",
    "metric": "m",
    "where": {"variant": "fast"},
    "of": {"threads": 2},
    "to": {"threads": 1},
}


def table(ratios, ends=(), **changed):
    data = blocks(ratios, ends)
    declared = entry({"m": {"kind": "cost", "unit": "ns"}}, answers={"two": TWO_TO_ONE | changed})
    return answers(declared, data.tables, data.metrics, 8, data.looks)


@pytest.mark.parametrize(
    ("ratios", "verdict", "why"),
    [
        ([1.2, 1.3, 1.25, 1.3, 1.22, 1.28], REPRODUCED, ""),
        ([0.8, 0.7, 0.75, 0.7, 0.72, 0.78], REPRODUCED, ""),
        ([0.99, 1.01, 1.0, 1.02, 0.98, 1.0], REPRODUCED, ""),
        ([0.96, 1.08, 1.05, 1.07, 1.06, 1.03], INCONCLUSIVE, OPEN),
        ([1.2, 1.3], INCONCLUSIVE, OPEN),
    ],
)
def test_a_side_or_sameness_answers_and_a_wide_interval_is_open(ratios, verdict, why):
    (row,) = table(ratios).to_dict("records")
    assert (row["answer"], row["scope"], row["verdict"], row["why"]) == ("two", "jdk17", verdict, why)
    assert (row["configurations"] != "[]") == (why == OPEN)


@pytest.mark.thorough
@given(st.lists(st.floats(0.5, 2.0), min_size=5, max_size=12))
def test_what_is_answered_is_what_the_card_says(ratios):
    """No card says less, or more, than was decided about it."""
    (row,) = table(ratios).to_dict("records")
    said = Comparison(row["estimate"], row["low"], row["high"], row["level"])
    assert (row["verdict"] == REPRODUCED) == bool(said.side or said.same)


def test_a_later_look_is_paid_for():
    ratios = [0.97, 1.08, 1.02, 1.09, 1.01, 1.03, 1.04, 1.06, 1.05, 1.07, 1.08, 1.02]
    (row,) = table(ratios, (6, 12)).to_dict("records")
    assert row["looks"] == 2
    both = [median_interval(np.array(ratios[:end]), level(look)) for look, end in ((1, 6), (2, 12))]
    assert (row["low"], row["high"]) == (max(one.low for one in both), min(one.high for one in both))


def test_a_runtime_without_both_sides_has_no_row():
    data = blocks([1.0] * 6)
    one = replace(data, metrics=data.metrics[data.metrics["threads"] == 1])
    declared = entry({"m": {"kind": "cost", "unit": "ns"}}, answers={"two": TWO_TO_ONE})
    assert answers(declared, one.tables, one.metrics, 8).empty


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"metric": "speed"}, "unknown metric 'speed'"),
        ({"where": {"variant": "quick"}}, "unknown variant 'quick'"),
        ({"of": {"thread": 2}}, "names 'thread'"),
    ],
)
def test_an_answer_names_what_the_entry_has(changed, told):
    declared = entry({"m": {"kind": "cost", "unit": "ns"}}, answers={"two": TWO_TO_ONE | changed})
    ((where, what),) = {one for one in declared.problems() if one[0][0] == "answers"}
    assert where[:2] == ("answers", "two") and told in what


def test_an_answer_has_a_sentence():
    with pytest.raises(ValueError, match="sentence"):
        entry({}, answers={"two": {name: one for name, one in TWO_TO_ONE.items() if name != "sentence"}})
