"""What the study of states tells of costs that follow what was read, and of costs that do not."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.bench import state
from pipeline.measure.states import ALONE, NEAR, Groups, States

FOUND = States(Groups((150.0,), (NEAR, "far"), (0, 1)), Groups((3.0,), (ALONE, "shared"), (0, 1)))


def trial(number: int, way: float, cost: float, chance: np.random.Generator) -> pd.DataFrame:
    def read(level: float) -> np.ndarray:
        return level * np.exp(chance.normal(0, 0.02, 20))

    rows = {"iteration": range(20), "cost": read(cost)}
    rows |= {
        f"{name}{after}": read(level) for after in ("", "_after") for name, level in [("word_ns", way), ("width", 2)]
    }
    return pd.DataFrame(rows).assign(chain_ns=0.3, chain_ns_after=0.3, kernel="lock", round=number)


def test_within_states_that_explain_the_cost_little_scatters():
    chance = np.random.default_rng(1)
    frames = [trial(at, *((100, 30) if at % 2 else (250, 80)), chance) for at in range(20)]
    every = pd.concat([one.assign(state=state._states(FOUND, one)) for one in frames])
    rows = state.table(every).set_index("state")
    assert list(rows.index) == ["all", "far, alone", "near, alone"] and list(rows["trials"]) == [20, 10, 10]
    assert rows["scatter"]["all"] > 0.4 and rows["scatter"][1:].max() < 0.03
    assert rows["times"]["all"] > 2.5 and rows["times"][1:].max() < 1.05
    told = list(state.words(every, state.table(every), FOUND))
    assert "groups part at 150" in told[0] and "agree in " in told[1] and len(told) == 2 + 3


def test_an_iteration_between_two_states_has_moved():
    one = trial(0, 100, 30, np.random.default_rng(1))
    one.loc[[3, 7], "word_ns_after"] = 250.0
    found = state._states(FOUND, one)
    assert [at for at, name in enumerate(found) if name == "moved"] == [3, 7]
    assert set(state._states(States(), one)) == {"one state"}
