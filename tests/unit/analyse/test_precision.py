"""What the stop rule asks after every block, and how many answers are narrow by then, in words."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from pipeline.analyse import precision

WIDE = float("inf")  # of fewer trials than an interval takes


@pytest.fixture
def settled(monkeypatch):
    found = {}
    monkeypatch.setattr(precision, "widths", lambda bundle, entry, lines: pd.Series(found[entry.name], dtype=float))

    def asked(name: str, *widths: float) -> float:
        found[name] = widths
        return told.widest(None, SimpleNamespace(name=name), [])

    told = precision.Settled()
    return asked, told.words


def test_before_anything_is_asked_there_are_no_words(settled):
    assert settled[1]() == ""


def test_of_each_experiment_the_last_time_it_was_asked_counts(settled):
    asked, words = settled
    assert asked("locks", WIDE, WIDE, WIDE) == WIDE
    assert words() == "0 of 3 answers have intervals below 10 %"
    assert asked("clock", 0.02, 0.1) == 0.1
    assert asked("locks", 0.04, 0.11, 0.3) == 0.3
    assert words() == "3 of 5 answers have intervals below 10 %"


def test_what_has_no_headline_is_never_narrow(settled):
    asked, words = settled
    assert asked("bare") == 1.0 and words() == ""


def test_it_is_what_the_stop_rule_asks_from_a_notebook(settled, monkeypatch):
    settled[0]("locks", 0.04, 0.11)
    assert precision.widest(None, SimpleNamespace(name="locks"), []) == 0.11
