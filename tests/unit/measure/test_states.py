"""The states that the CPUs of a run were in, found from what its trials read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.bundle.readings import Gaps
from pipeline.measure import states
from pipeline.measure.states import MOVED, UNTOLD

NEAR, FAR, CORE = 110.0, 250.0, 24.0  # ns one way
ALONE, SHARED = 2.0, 3.9


def read(ways, widths=None, first: int = 5) -> Gaps:
    ways = np.array(ways, float)
    widths = np.full(len(ways), ALONE) if widths is None else np.array(widths, float)
    return Gaps(np.arange(first, first + len(ways)), ways, ways, widths, np.full(len(ways), 0.3))


def lines(*trials: Gaps) -> list[dict]:
    return [{"trial": str(at), "readings": one.summary()} for at, one in enumerate(trials)]


def run(chance: np.random.Generator, *kinds: tuple[float, float], trials: int = 30, gaps: int = 20) -> list[Gaps]:
    """Trials of each kind (way, width), whose readings scatter by 3 %."""
    return [
        read(*(level * np.exp(chance.normal(0, 0.03, gaps)) for level in kind)) for _ in range(trials) for kind in kinds
    ]


def names(found: states.States, read: Gaps) -> set[tuple[str, str]]:
    return {(found.way.name(way), found.core.name(core)) for way, core in found.of_gaps(read)}


@given(st.integers(0, 1 << 32), st.floats(5, 500), st.floats(1.5, 4))
def test_where_all_readings_are_alike_nothing_is_told(seed, way, width):
    every = run(np.random.default_rng(seed), (way, width))
    found = states.of(lines(*every))
    assert not found.several and found == states.States()
    assert (found.of_gaps(every[0]) == UNTOLD).all()


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
    assert found.of_gaps(every[1]).tolist() == [[UNTOLD, 1]] * 20


def test_few_trials_and_runs_that_read_nothing_tell_no_states():
    chance = np.random.default_rng(1)
    assert states.of(lines(*run(chance, (NEAR, ALONE), (FAR, ALONE), trials=9))) == states.States()
    assert states.of([{"trial": "1"}, {"event": "finished"}]) == states.States()


@pytest.fixture(scope="module")
def found() -> states.States:
    return states.of(lines(*run(np.random.default_rng(1), (NEAR, ALONE), (FAR, ALONE), (NEAR, SHARED))))


def test_an_iteration_is_of_a_state_where_both_of_its_sides_are(found):
    one = read([NEAR, NEAR, FAR, FAR, NEAR], [ALONE, SHARED, SHARED, SHARED, SHARED])
    ranks = found.of_iterations(one, np.arange(4, 11)).tolist()
    assert ranks == [[MOVED] * 2, [MOVED] * 2, [MOVED] * 2, [1, 1], [MOVED] * 2, [MOVED] * 2, [MOVED] * 2]


def test_of_a_trial_the_iterations_of_the_state_of_most_count(found):
    one = read([NEAR] * 8 + [FAR] * 3)
    state, other = found.of_trial(one, np.arange(5, 15), sleeping=False)
    assert state == {"way": 0, "core": 0} and other.tolist() == [False] * 7 + [True] * 3


def test_a_trial_that_is_in_no_state_for_half_of_its_iterations_is_moved_and_keeps_them(found):
    one = read([NEAR, FAR] * 5 + [NEAR])
    state, other = found.of_trial(one, np.arange(5, 15), sleeping=False)
    assert state == {"way": MOVED, "core": MOVED} and not other.any()


def test_all_iterations_of_workers_that_sleep_count(found):
    one = read([NEAR] * 9 + [FAR] * 2)
    state, other = found.of_trial(one, np.arange(5, 15), sleeping=True)
    assert state == {"way": 0, "core": 0} and not other.any()
    for several in (read([NEAR] * 8 + [FAR] * 3), read([NEAR] * 6, [ALONE] * 4 + [SHARED] * 2)):
        state, other = found.of_trial(several, several.iteration[:-1], sleeping=True)
        assert set(state.values()) == {UNTOLD} and not other.any()


def test_two_workers_on_one_core_fill_it_themselves():
    kinds = run(np.random.default_rng(1), (NEAR, ALONE), (CORE, SHARED), (NEAR, SHARED))
    found = states.along([one | {"wall_s": 1.0} for one in lines(*kinds)])
    assert set(found.core[found.way > 0]) == {UNTOLD} and found.shares()["core"] == {"alone": 0.5, "shared": 0.5}


def test_shares_are_of_the_time_of_the_trials_that_tell():
    chance = np.random.default_rng(1)
    several = lines(*run(chance, (NEAR, ALONE), (FAR, ALONE), (NEAR, SHARED)))
    took = [one | {"wall_s": 3.0 if at % 3 == 1 else 1.0} for at, one in enumerate(several)]
    found = states.along([*took, {"trial": "silent", "wall_s": 100.0}]).shares()
    assert list(found) == ["way", "core"]
    assert found["way"] == pytest.approx({"near": 0.4, "far": 0.6})
    assert found["core"] == pytest.approx({"alone": 0.8, "shared": 0.2})
    assert states.along(one | {"wall_s": 1.0} for one in lines(*run(chance, (NEAR, ALONE)))).shares() == {}


def test_where_nothing_was_read_nothing_is_told(found):
    for one, iterations in ((None, [1, 2]), (read([NEAR]), [5]), (read([NEAR] * 3), [])):
        state, other = found.of_trial(one, np.array(iterations, int), sleeping=False)
        assert set(state.values()) == {UNTOLD} and not other.any()


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
