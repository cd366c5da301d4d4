"""What a session's logs of pauses say: asked with the metrics that are its words, and read by the models."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from pipeline.analyse.pauses import Words
from pipeline.models import pause_lengths
from pipeline.models.pauses import FEWEST
from pipeline.session import pauses as own
from pipeline.session.pauses import Pauses

ROWS = pd.DataFrame({"trial": ["t0"], "size": [4.0]})


@pytest.fixture
def asked(monkeypatch) -> list:
    """What the analyses were called with; each answers with one row."""
    calls: list = []
    for name in ("overlay", "per_trial", "lengths"):
        monkeypatch.setattr(own.pauses, name, lambda *given, name=name: calls.append((name, *given)) or ROWS)
    return calls


def test_the_analyses_are_asked_of_the_selected_trials(asked):
    lab = SimpleNamespace(entry="entry", tables="tables", chosen_trials=lambda **where: where)
    found = Pauses(lab, "late", "stopped", "service")
    words = Words("late", "stopped", "service")
    assert found.metrics == ["late", "stopped", "service"]
    assert found.tails(variant="a") is ROWS and found.predicted(variant="b") is ROWS
    assert found.lengths("collected", threads=2).assign(n=1)["metric"].tolist() == ["collected"]
    assert asked == [
        ("overlay", "entry", "tables", {"variant": "a"}, words),
        ("per_trial", "entry", "tables", {"variant": "b"}, words, ["variant", "runtime"]),
        ("lengths", "entry", "tables", {"threads": 2}, "collected", ["variant", "runtime"]),
    ]


@pytest.mark.thorough
def test_a_groups_rows_are_judged_and_its_pauses_ranked():
    found = Pauses(SimpleNamespace(seed=7), "late", "stopped", "service")
    rows = pd.DataFrame({"predicted": [2.0] * 3, "measured": [1.0] * 3, "pauses": [FEWEST] * 3})
    assert found.judge(rows).details["verdict"] == "does not explain it"
    assert found.judge(rows.assign(measured=2.0)).details["verdict"] == "explains it"
    assert found.judge(rows.assign(pauses=FEWEST - 1)).model == "prediction"
    assert "cannot be judged" in found.judge(rows.assign(pauses=FEWEST - 1)).sentence
    sizes = pd.DataFrame({"trial": ["a", "b", "c"] * 20, "size": range(60)})
    assert found.percentiles(sizes) == pause_lengths.lengths(sizes["trial"], sizes["size"], 7)
    assert found.percentiles(sizes) != pause_lengths.lengths(sizes["trial"], sizes["size"], 8), "the session's seed"
