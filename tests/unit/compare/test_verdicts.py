"""What a change is called at the very ends of its margin, and how a row is told."""

from __future__ import annotations

import math

import pytest

from pipeline.catalogue.metric import Metric
from pipeline.compare import verdicts
from pipeline.compare.methods import Change

NAN = math.nan
COST = Metric(kind="cost", unit="ns", label="cost", better="lower")
ROW = {"kind": "ratio", "ratio": 1.17, "low": 1.08, "high": 1.26, "level": 0.95, "unit": "ns", "reason": ""}
ROW |= {"verdict": "slower", "trials_before": 5, "trials_after": 6}
ROW |= {"before": 2.0, "before_low": 1.5, "before_high": 3.0}


@pytest.mark.parametrize(
    ("middle", "low", "high", "verdict", "alone"),
    [
        (0.0501, 0.001, 0.2, "slower", "differs"),
        (-0.0501, -0.2, -0.001, "faster", "differs"),
        (0.0501, 0.0, 0.2, "undecided", "undecided"),
        (-0.0501, -0.2, 0.0, "undecided", "undecided"),
        (0.05, 0.001, 0.2, "undecided", "undecided"),
        (0.04, 0.03, 0.0501, "undecided", "undecided"),
        (0.04, 0.03, 0.05, "same", "undecided"),
        (0.0, -0.05, 0.05, "same", "undecided"),
        (0.0, -0.0501, 0.05, "undecided", "undecided"),
        (0.0, -0.05, 0.0501, "undecided", "undecided"),
        (0.1, NAN, 0.2, "undecided", "undecided"),
        (0.1, 0.1, NAN, "undecided", "undecided"),
    ],
)
def test_a_change_is_surely_not_none_and_beyond_the_margin_or_wholly_within_it(middle, low, high, verdict, alone):
    change = Change(middle, low, high)
    assert verdicts.judge(change, 0.05, COST, False) == verdict
    assert verdicts.judge(change, 0.05, COST, True) == alone


@pytest.mark.parametrize(
    ("kind", "smallest", "told"),
    [("ratio", 0.0712, "7.1 %"), ("ratio", 1.41, "2.4x"), ("ratio", NAN, "–"), ("difference", 12.0, "12 ns")],
)
def test_what_a_row_would_have_seen_is_told(kind, smallest, told):
    assert verdicts.seen(ROW | {"kind": kind, "smallest": smallest}) == told


def test_a_side_has_its_interval_where_there_is_one():
    row = ROW | {"after": 3.0, "after_low": NAN, "after_high": NAN}
    assert verdicts.side(row, "before") == "2 [1.5, 3] ns"
    assert verdicts.side(row | {"before_low": NAN}, "before") == "2 ns"
    far = row | {"before": 600.0, "before_low": 500.0, "before_high": 700.0, "after": 4e4}
    assert [verdicts.side(far, which) for which in ("before", "after")] == ["0.6 [0.5, 0.7] µs", "40 µs"]
