"""What a change is called at the very ends of its margin, and how a row is told."""

from __future__ import annotations

import math

import pytest

from pipeline.catalogue.metric import Metric
from pipeline.compare import verdicts

NAN = math.nan
COST = Metric(kind="cost", unit="ns", label="cost", better="lower")
ROW = {"kind": "ratio", "ratio": 1.17, "low": 1.08, "high": 1.26, "level": 0.95, "unit": "ns", "reason": ""}
ROW |= {"verdict": "slower", "trials_before": 5, "trials_after": 6}
ROW |= {"before": 2.0, "before_low": 1.5, "before_high": 3.0}


@pytest.mark.parametrize(
    ("low", "high", "verdict", "alone"),
    [
        (0.0501, 0.2, "slower", "differs"),
        (-0.2, -0.0501, "faster", "differs"),
        (0.05, 0.2, "undecided", "undecided"),
        (-0.2, -0.05, "undecided", "undecided"),
        (-0.05, 0.05, "same", "undecided"),
        (-0.0501, 0.05, "undecided", "undecided"),
        (-0.05, 0.0501, "undecided", "undecided"),
        (NAN, 0.2, "undecided", "undecided"),
        (0.1, NAN, "undecided", "undecided"),
    ],
)
def test_an_interval_is_called_by_the_side_of_the_margin_that_all_of_it_is_on(low, high, verdict, alone):
    assert verdicts.judge(low, high, 0.05, COST, False) == verdict
    assert verdicts.judge(low, high, 0.05, COST, True) == alone


def test_a_side_has_its_interval_where_there_is_one():
    row = ROW | {"after": 3.0, "after_low": NAN, "after_high": NAN}
    assert verdicts.side(row, "before") == "2 [1.5, 3] ns"
    assert verdicts.side(row | {"before_low": NAN}, "before") == "2 ns"
    far = row | {"before": 600.0, "before_low": 500.0, "before_high": 700.0, "after": 4e4}
    assert [verdicts.side(far, which) for which in ("before", "after")] == ["0.6 [0.5, 0.7] µs", "40 µs"]
