"""Iterations of another state than their trial's, in what the harness told."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.bundle.readings import Gaps
from pipeline.ingest.moved import set_apart
from pipeline.measure.states import MOVED, Groups, States

FOUND = States(Groups((150.0,), ("near", "far"), (0, 1)))


def told(slept: int = 0, pinned: bool = True) -> dict:
    """Two warm-up iterations and six measured ones, of two series."""
    numbers = [at for at in range(8) for _ in range(2)]
    phases = ["warmup" if at < 2 else "measured" for at in numbers]
    measures = {"name": ["context_switches_voluntary", "clock_read"], "value": [slept, 1000]}
    pinning = [{"thread": 0, "requested": 0, "observed": [0]}] if pinned else []
    return {"pinning": pinning, "iterations": {"iteration": numbers, "phase": phases}, "measures": measures}


def read(*ways: float) -> Gaps:
    values = np.array(ways, float)
    return Gaps(np.arange(2, 2 + len(ways)), values, values, np.full(len(ways), 2.0), np.full(len(ways), 0.3))


@pytest.mark.parametrize("parts", [1, 2])
def test_measured_iterations_of_another_state_change_their_phase_in_every_part(parts):
    objects = [told() for _ in range(parts)]
    state = set_apart(objects, read(100, 100, 100, 100, 100, 300, 300), FOUND)
    assert state == {"way": 0, "core": -1}
    for one in objects:
        assert one["iterations"]["phase"] == ["warmup"] * 4 + ["measured"] * 8 + ["moved"] * 4


@pytest.mark.parametrize(("found", "slept", "pinned"), [(States(), 0, True), (FOUND, 6, True), (FOUND, 0, False)])
def test_in_a_run_of_one_state_and_where_workers_sleep_all_iterations_count(found, slept, pinned):
    one = told(slept, pinned)
    set_apart([one], read(100, 100, 100, 100, 100, 300, 300), found)
    assert "moved" not in one["iterations"]["phase"]


def test_a_trial_without_a_state_keeps_its_iterations():
    one = told()
    assert set_apart([one], read(100, 300, 100, 300, 100, 300, 100), FOUND) == {"way": MOVED, "core": MOVED}
    assert "moved" not in one["iterations"]["phase"]
