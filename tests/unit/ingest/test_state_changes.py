"""Iterations of another state than their trial's, in what the harness told."""

from __future__ import annotations

import gaps_read
import numpy as np
import pytest
from gaps_read import ALONE, FAR, NEAR, SHARED

from pipeline.bundle.readings import Gaps
from pipeline.ingest.state_changes import of_iterations, of_trial, set_apart
from pipeline.measure import states
from pipeline.measure.states import MOVED, UNTOLD, Groups, States

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


# --- which iterations are of a trial's state --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> States:
    kinds = (NEAR, ALONE), (FAR, ALONE), (NEAR, SHARED)
    return states.of(gaps_read.lines(*gaps_read.run(np.random.default_rng(1), *kinds)))


def test_an_iteration_is_of_a_state_where_both_of_its_sides_are(found):
    one = gaps_read.read([NEAR, NEAR, FAR, FAR, NEAR], [ALONE, SHARED, SHARED, SHARED, SHARED])
    neither = (MOVED, MOVED)
    assert of_iterations(found, one, range(4, 11)) == [neither, neither, neither, (1, 1), neither, neither, neither]


def test_of_a_trial_the_iterations_of_the_state_of_most_count(found):
    one = gaps_read.read([NEAR] * 8 + [FAR] * 3)
    assert of_trial(found, one, range(5, 15), sleeping=False) == ({"way": 0, "core": 0}, {12, 13, 14})


def test_a_trial_that_is_in_no_state_for_half_of_its_iterations_is_moved_and_keeps_them(found):
    one = gaps_read.read([NEAR, FAR] * 5 + [NEAR])
    assert of_trial(found, one, range(5, 15), sleeping=False) == ({"way": MOVED, "core": MOVED}, set())


def test_all_iterations_of_workers_that_sleep_count(found):
    one = gaps_read.read([NEAR] * 9 + [FAR] * 2)
    assert of_trial(found, one, range(5, 15), sleeping=True) == ({"way": 0, "core": 0}, set())
    for several in (gaps_read.read([NEAR] * 8 + [FAR] * 3), gaps_read.read([NEAR] * 6, [ALONE] * 4 + [SHARED] * 2)):
        state, other = of_trial(found, several, several.iteration[:-1], sleeping=True)
        assert set(state.values()) == {UNTOLD} and not other


def test_where_nothing_was_read_nothing_is_told(found):
    for one, iterations in ((None, [1, 2]), (gaps_read.read([NEAR]), [5]), (gaps_read.read([NEAR] * 3), [])):
        state, other = of_trial(found, one, iterations, sleeping=False)
        assert set(state.values()) == {UNTOLD} and not other
