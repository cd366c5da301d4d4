"""Numbers in sentences."""

from __future__ import annotations

import pytest

from pipeline import words
from pipeline.words import number


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.4567, "0.457"),
        (12.5, "12.5"),
        (999.8, "1,000"),
        (6700, "6,700"),
        (2.78e8, "278 M"),
        (9.999e8, "1 G"),
        (2.49e9, "2.49 G"),
        (-2531.4, "-2,531"),
        (float("inf"), "unbounded"),
    ],
)
def test_numbers_in_sentences_have_no_exponent(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(1, "1"), (1.0031, "1.003"), (0.9993, "0.999"), (1.1, "1.1"), (0.99999, "0.99999"), (12.5, "12.5"), (105, "105")],
)
def test_a_ratio_beside_its_row_is_never_rounded_to_1(value, said):
    assert words.ratio(value) == said
