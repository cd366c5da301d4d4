"""Iterations in which something was compiled."""

from __future__ import annotations

import pandas as pd
import pytest
from analyse_tables import costs_to_iterations, entry, tables

from pipeline.analyse import compiled, metrics

ROWS = [row for trial in ("t0", "t1", "t2", "t3") for row in costs_to_iterations(trial, [1] * 12)]


def told(trial: str, iteration: int, name: str, value: float) -> tuple:
    return trial, iteration, "", name, value


MEASURES = [
    told("t0", -1, "compiler_idle", 1),
    told("t0", -1, "compilations", 3),  # of no iteration
    told("t1", -1, "compiler_idle", 1),
    told("t1", 5, "compilations", 1),
    told("t2", 5, "compilations", 1),  # its iterations are fixed, or it was measured before
    told("t3", -1, "peer.compiler_idle", 0),
    told("t3", 4, "peer.compilations", 2),
]


def test_a_trial_is_unsteady_where_something_was_compiled_in_an_iteration_that_counts():
    found = metrics.compute(entry({"m": {"kind": "cost"}}), tables([{}] * 4, iterations=ROWS, measures=MEASURES))
    steady = dict(zip(found["trial"], found["steady"], strict=True))
    assert steady == {"t0": True, "t1": False, "t2": True, "t3": False}


@pytest.mark.parametrize(("phase", "steady"), [("warmup", True), ("measured", False)])
def test_of_another_phase_it_says_nothing(phase, steady):
    rows = costs_to_iterations("t0", [1] * 12, phase)
    given = tables(
        [{}], iterations=rows, measures=[told("t0", -1, "compiler_idle", 1), told("t0", 3, "compilations", 1)]
    )
    found = metrics.compute(entry({"m": {"kind": "cost", "phase": phase}}), given)
    assert list(found["steady"]) == [steady]


def test_what_was_made_again_is_told():
    rows = pd.DataFrame(
        {"trial": ["a", "a", "a", "b"], "iteration": [3, 3, 4, 3], "phase": ["compiled"] * 3 + ["measured"]}
    )
    names = {"trial": ["a", "b"], "iteration": [-1, -1], "name": ["compiler_idle", "peer.compiler_idle"]}
    measures = pd.DataFrame(names | {"value": [1.0, 0.0]})
    assert compiled.sentences(rows, measures) == [
        "In 2 iterations of 1 trial something was compiled: left out, and made again.",
        "In 1 trial the compiler was still at work when the longest warm-up ended.",
    ]
    assert compiled.sentences(rows[3:], measures[:1]) == []
