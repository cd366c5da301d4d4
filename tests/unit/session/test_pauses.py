"""What a session's logs of pauses say: asked with the metrics that are its words, and read by the models."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from pipeline.analyse.pauses import Words
from pipeline.catalogue import catalogue
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


def laboratory(trials: pd.DataFrame, **outside: str) -> SimpleNamespace:
    """A session of these trials, whose variants say this of what is outside their pauses."""
    variants = {name: SimpleNamespace(outside_pauses=outside.get(name, "")) for name in "abcd"}
    labels = {name: name.upper() for name in variants}
    return SimpleNamespace(
        entry=SimpleNamespace(variants=variants),
        tables="tables",
        labels=lambda: labels,
        nothing="Not measured.",
        chosen_trials=lambda variant: trials[trials["variant"].isin(variant)],
    )


def test_the_analyses_are_asked_of_the_selected_trials(asked):
    trials = pd.DataFrame({"trial": ["t0", "t1", "t2"], "variant": ["a", "b", "c"]})
    lab = laboratory(trials)
    found = Pauses(lab, "late", "stopped", "service")
    words = Words("late", "stopped", "service")
    assert found.metrics == ["late", "stopped", "service"]
    assert found.tails(variant=["a"]) is ROWS and found.predicted(variant=["b"]) is ROWS
    assert found.lengths("collected", variant=["c"]).assign(n=1)["metric"].tolist() == ["collected"]
    called = [(name, entry, tables, [*chosen["trial"]], *more) for name, entry, tables, chosen, *more in asked]
    assert called == [
        ("overlay", lab.entry, "tables", ["t0"], words),
        ("per_trial", lab.entry, "tables", ["t1"], words, ["variant", "runtime"]),
        ("lengths", lab.entry, "tables", ["t2"], "collected", ["variant", "runtime"]),
    ]


def test_what_is_late_for_something_outside_its_pauses_is_drawn_and_not_asked(asked):
    trials = pd.DataFrame({"trial": ["t0", "t1", "t2"], "variant": ["a", "b", "c"]})
    found = Pauses(laboratory(trials, b="it naps", c="it naps", d="it sings"), "late", "stopped", "service")
    found.predicted(variant=[*"abcd"])
    found.tails(variant=[*"abcd"])
    assert [[*chosen["variant"]] for _, _, _, chosen, *_ in asked] == [["a"], ["a", "b", "c"]]
    assert found.not_asked(variant=[*"abcd"]) == "Not asked of B and C, where it naps."
    assert found.not_asked(variant=["a"]) == own.ASKED_OF_ALL
    assert found.not_asked(variant=["d"]) == "Not measured.", "a run that has none of the selected"
    trials = trials.assign(variant=["a", "b", "d"])
    found = Pauses(laboratory(trials, b="it naps", c="it naps", d="it sings"), "late", "stopped", "service")
    assert found.not_asked(variant=[*"abd"]) == "Not asked of B, where it naps. Not asked of D, where it sings."


def test_the_log_is_asked_of_the_collectors_that_do_all_their_work_in_pauses():
    variants = catalogue.load()["gc_pause"].variants
    whole = {"serial", "parallel", "g1", "epsilon"}  # the last has no pauses, and is not judged for that
    for variant in variants.values():
        assert bool(variant.outside_pauses) == (variant.parameters.get("collector", "g1") not in whole), variant.label


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
