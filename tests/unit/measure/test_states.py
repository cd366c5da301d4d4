"""The states that the CPUs of a run were in, found from what its trials read."""

from __future__ import annotations

import numpy as np
import pytest
from gaps_read import ALONE, CORE, FAR, NEAR, SHARED, lines, read, run
from hypothesis import given
from hypothesis import strategies as st

from pipeline.bundle.readings import Gaps
from pipeline.measure import states
from pipeline.measure.states import UNTOLD


def names(found: states.States, read: Gaps) -> set[tuple[str, str]]:
    return {(found.way.name(way), found.core.name(core)) for way, core in found.of_gaps(read)}


@given(st.integers(0, 1 << 32), st.floats(5, 500), st.floats(1.5, 4))
def test_where_all_readings_are_alike_nothing_is_told(seed, way, width):
    every = run(np.random.default_rng(seed), (way, width))
    found = states.of(lines(*every))
    assert not found.several and found == states.States()
    assert set(found.of_gaps(every[0])) == {(UNTOLD, UNTOLD)}


@given(st.integers(0, 1 << 32), st.permutations([(NEAR, ALONE), (FAR, ALONE), (CORE, SHARED), (NEAR, SHARED)]))
def test_states_are_named_by_what_they_are_like_and_what_is_meant_ranks_first(seed, kinds):
    chance = np.random.default_rng(seed)
    found = states.of(lines(*run(chance, *kinds)))
    assert found.way.names == ("one core", "near", "far") and found.way.ranks == (2, 0, 1)
    assert found.core.names == ("alone", "shared") and found.core.ranks == (0, 1)
    for (way, width), name in {
        (NEAR, ALONE): ("near", "alone"),
        (FAR, ALONE): ("far", "alone"),
        (CORE, SHARED): ("one core", "shared"),
    }.items():
        (one,) = run(chance, (way, width), trials=1)
        assert names(found, one) == {name}


def test_the_least_ways_are_one_core_only_where_the_cores_were_shared_in_them_and_not_in_the_next():
    chance = np.random.default_rng(1)
    apart = states.of(lines(*run(chance, (NEAR, ALONE), (FAR, ALONE), (NEAR, SHARED))))
    assert apart.way.names == ("near", "far")
    filled = states.of(lines(*run(chance, (NEAR, SHARED), (FAR, SHARED), (FAR, SHARED))))
    assert filled.way.names == ("near", "far") and not filled.core.limits
    stray = states.of(lines(*run(chance, (CORE, SHARED), (NEAR, ALONE)), *run(chance, (2 * CORE, SHARED), trials=1)))
    assert stray.way.names == ("one core", "one core 2", "near") and stray.way.ranks == (1, 2, 0)


def test_what_was_seldom_nearer_is_not_what_is_meant():
    chance = np.random.default_rng(1)
    rare = states.of(lines(*run(chance, (2 * CORE, ALONE), trials=2), *run(chance, (NEAR, ALONE), (FAR, ALONE))))
    assert rare.way.names == ("nearer", "near", "far") and rare.way.ranks == (2, 0, 1)
    cored = run(chance, (CORE, SHARED), (2.2 * CORE, ALONE), trials=2)
    both = states.of(lines(*cored, *run(chance, (NEAR, ALONE), (FAR, ALONE))))
    assert both.way.names == ("one core", "nearer", "near", "far") and both.way.ranks == (3, 2, 0, 1)
    mostly = states.of(lines(*run(chance, (CORE, SHARED), trials=60), *run(chance, (NEAR, ALONE), trials=2)))
    assert mostly.way.names == ("one core", "near") and mostly.way.ranks == (1, 0)


def test_one_worker_has_a_core_and_no_way():
    chance = np.random.default_rng(1)
    every = [read(np.full(20, np.nan), one.width) for one in run(chance, (NEAR, ALONE), (NEAR, SHARED))]
    found = states.of(lines(*every))
    assert not found.way.limits and found.core.names == ("alone", "shared")
    assert found.of_gaps(every[1]) == [(UNTOLD, 1)] * 20


def test_few_trials_and_runs_that_read_nothing_tell_no_states():
    chance = np.random.default_rng(1)
    assert states.of(lines(*run(chance, (NEAR, ALONE), (FAR, ALONE), trials=9))) == states.States()
    assert states.of([{"trial": "1"}, {"event": "finished"}]) == states.States()


@pytest.fixture(scope="module")
def found() -> states.States:
    return states.of(lines(*run(np.random.default_rng(1), (NEAR, ALONE), (FAR, ALONE), (NEAR, SHARED))))


def planned(at: int, ways: list[float], placement: str | None = None, threads: int = 2) -> list[dict]:
    """The lines of a configuration, a trial for each way."""
    return [
        {
            "experiment": "lock_scaling",
            "variant": "ttas",
            "runtime": "c",
            "axes": {"threads": at, "placement": placement},
        }
        | {"trial": f"{at}-{number}", "readings": read([way] * 5).summary()}
        for number, way in enumerate(ways)
    ]


def test_trials_in_other_states_are_measured_again_where_few_are_in_the_one_that_is_meant(found):
    few, enough = planned(1, [NEAR] * 5 + [FAR] * 4), planned(2, [NEAR] * 6 + [FAR] * 4)
    on_purpose = planned(3, [FAR] * 9, placement="far")
    again = states.lacking([*few, *enough, *on_purpose], found, 6)
    assert [line["trial"] for line in again] == [f"1-{number}" for number in range(5, 9)]
    assert states.lacking(few, states.States(), 6) == []
