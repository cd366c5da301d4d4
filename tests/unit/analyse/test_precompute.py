"""What is precomputed is what was never kept, and each is told; nothing where nothing would be kept."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from pipeline.analyse import precompute, result_cache
from pipeline.ground import parallel, paths

HELD: set[Path] = set()  # folders of tables whose metrics are kept
LINES = {"r": ["small", "large", "large"], "s": ["small", "small", "small"]}


@pytest.fixture
def each(lab, monkeypatch) -> list:
    """What was handed to `side_by_side.each`, in the order in which it is begun; it computes nothing."""
    begun = []

    def instead(make, names, processes, weight, done):
        begun.extend(sorted(names, key=weight, reverse=True))
        for name in names:
            done(name)

    def opened(run: str) -> SimpleNamespace:
        return SimpleNamespace(name=run, journal=lambda: [{"trial": "t", "experiment": name} for name in LINES[run]])

    monkeypatch.setattr(parallel, "each", instead)
    monkeypatch.setattr(precompute.Bundle, "open", opened)
    monkeypatch.setattr(result_cache, "keeps", lambda: True)
    monkeypatch.setattr(precompute.entries, "experiment", lambda name, run: SimpleNamespace(name=name))
    monkeypatch.setattr(precompute.ingest, "current", lambda bundle, entry: "stamp")
    monkeypatch.setattr(result_cache, "holds_metrics", lambda entry, folder, stamp: folder in HELD and stamp == "stamp")
    HELD.clear()
    return begun


def test_the_one_of_most_trials_is_begun_first_and_each_is_told(each):
    told = []
    precompute.metrics([("r", "small"), ("r", "large"), ("s", "small"), ("r", "small")], told.append)
    assert each == [("s", "small"), ("r", "large"), ("r", "small")]
    assert told == ["[1/3] small: run r read", "[2/3] large: run r read", "[3/3] small: run s read"]


def test_what_is_kept_is_passed_over_and_one_alone_is_no_reason(each):
    HELD.add(paths.tables("r", "large"))
    precompute.metrics([("r", "small"), ("r", "large"), ("s", "small")], print)
    assert each == [("s", "small"), ("r", "small")]
    each.clear()
    precompute.metrics([("r", "small"), ("r", "large")], print)
    assert each == []


def test_what_is_kept_of_other_tables_is_new(each, monkeypatch):
    HELD.update({paths.tables("r", "small"), paths.tables("r", "large")})
    monkeypatch.setattr(precompute.ingest, "current", lambda bundle, entry: "")
    precompute.metrics([("r", "small"), ("r", "large")], print)
    assert each == [("r", "large"), ("r", "small")]


def test_where_nothing_would_be_kept_nothing_is_done(each, monkeypatch):
    monkeypatch.setattr(result_cache, "keeps", lambda: False)
    precompute.metrics([("r", "small"), ("r", "large")], print)
    assert each == []
