"""How long a run was in which state: shares of the time of its trials."""

from __future__ import annotations

import numpy as np
import pytest
from gaps_read import ALONE, CORE, FAR, NEAR, SHARED, lines, run

from pipeline.analyse.time_in_state import time_in_state
from pipeline.measure.states import UNTOLD


def test_two_workers_on_one_core_fill_it_themselves():
    kinds = run(np.random.default_rng(1), (NEAR, ALONE), (CORE, SHARED), (NEAR, SHARED))
    found = time_in_state([one | {"wall_s": 1.0} for one in lines(*kinds)])
    assert set(found.core[found.way > 0]) == {UNTOLD} and found.shares()["core"] == {"alone": 0.5, "shared": 0.5}


def test_shares_are_of_the_time_of_the_trials_that_tell():
    chance = np.random.default_rng(1)
    several = lines(*run(chance, (NEAR, ALONE), (FAR, ALONE), (NEAR, SHARED)))
    took = [one | {"wall_s": 3.0 if at % 3 == 1 else 1.0} for at, one in enumerate(several)]
    found = time_in_state([*took, {"trial": "silent", "wall_s": 100.0}]).shares()
    assert list(found) == ["way", "core"]
    assert found["way"] == pytest.approx({"near": 0.4, "far": 0.6})
    assert found["core"] == pytest.approx({"alone": 0.8, "shared": 0.2})
    assert time_in_state(one | {"wall_s": 1.0} for one in lines(*run(chance, (NEAR, ALONE)))).shares() == {}


def test_a_run_that_read_nothing_was_in_no_state():
    found = time_in_state([{"trial": "silent", "wall_s": 1.0}])
    assert found.shares() == {} and len(found.way) == len(found.core) == 0
