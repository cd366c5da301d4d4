"""What is computed beforehand is what was never kept, and each is told; nothing where nothing would be kept."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pipeline.analyse import beforehand, kept
from pipeline.ground import paths, side_by_side

LINES = {"r": ["small", "large", "large"], "s": ["small", "small", "small"]}


@pytest.fixture
def each(lab, monkeypatch) -> list:
    """What was handed to `side_by_side.each`, in the order in which it is begun; it computes nothing."""
    begun = []

    def instead(make, names, processes, weight, done):
        assert processes >= 1
        begun.extend(sorted(names, key=weight, reverse=True))
        for name in names:
            done(name)

    def opened(run: str) -> SimpleNamespace:
        return SimpleNamespace(journal=lambda: [{"trial": "t", "experiment": name} for name in LINES[run]])

    monkeypatch.setattr(side_by_side, "each", instead)
    monkeypatch.setattr(beforehand.Bundle, "open", opened)
    monkeypatch.setattr(kept, "keeps", lambda: True)
    return begun


def test_the_one_of_most_trials_is_begun_first_and_each_is_told(each):
    told = []
    beforehand.metrics([("r", "small"), ("r", "large"), ("s", "small"), ("r", "small")], told.append)
    assert each == [("s", "small"), ("r", "large"), ("r", "small")]
    assert told == ["[1/3] small: run r read", "[2/3] large: run r read", "[3/3] small: run s read"]


def test_what_was_kept_once_is_passed_over_and_one_alone_is_no_reason(each):
    file = kept.file(paths.tables("r", "large"), "metrics")
    file.parent.mkdir(parents=True)
    file.touch()
    beforehand.metrics([("r", "small"), ("r", "large"), ("s", "small")], print)
    assert each == [("s", "small"), ("r", "small")]
    each.clear()
    beforehand.metrics([("r", "small"), ("r", "large")], print)
    assert each == []


def test_where_nothing_would_be_kept_nothing_is_done(each, monkeypatch):
    monkeypatch.setattr(kept, "keeps", lambda: False)
    beforehand.metrics([("r", "small"), ("r", "large")], print)
    assert each == []
