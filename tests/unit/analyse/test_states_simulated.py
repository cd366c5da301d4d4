"""Numbers of one state, simulated: how often intervals cover, and how often the same is called different.

A host is in a few states, each for some trials in a row. Readings see them, or half of them (a third kind of state,
unseen, slows some trials down), or none. Choosing trials by state is no choosing of results: error may not rise.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.analyse import estimates
from pipeline.analyse.blocks import divided, ratio_interval, shared
from pipeline.analyse.selection import Missing
from pipeline.models.median_interval import median_interval

pytestmark = pytest.mark.thorough
LEVELS = np.array([1.0, 2.2, 0.4])  # of a cost in each state
STAY = 0.7  # the chance that a trial is in the state of the one before
WITHIN = 0.04
HIDDEN, HOW_OFTEN = 1.3, 0.3


def walk(chance: np.random.Generator, trials: int, stay: float = STAY) -> np.ndarray:
    """The state of each trial."""
    drawn = chance.choice(3, trials, p=[0.55, 0.3, 0.15])
    for at in np.flatnonzero(chance.random(trials) < stay):
        drawn[at] = drawn[at - 1] if at else drawn[at]
    return drawn


def costs(chance: np.random.Generator, state: np.ndarray, seen: str) -> pd.DataFrame:
    hidden = np.where(chance.random(len(state)) < HOW_OFTEN, HIDDEN, 1.0) if seen == "half" else 1.0
    value = LEVELS[state] * hidden * np.exp(chance.normal(0, WITHIN, len(state)))
    way = np.full(len(state), -1) if seen == "none" else state
    return pd.DataFrame(
        {"block": range(len(state)), "value": value, "way": way, "core": -1, "noisy": False, "steady": True}
    )


def same_in_two(chance: np.random.Generator, blocks: int, seen: str, stay: float = STAY) -> tuple[float, float]:
    """The interval of the ratio of two configurations that are the same, measured in turn; NaN below 95 %."""
    state = walk(chance, 2 * blocks, stay)
    try:
        values = shared([costs(chance, state[at::2], seen) for at in (0, 1)]).values
    except Missing:
        return np.nan, np.nan
    found = ratio_interval(divided(*values.T))
    return (float(found.low), float(found.high)) if found.level >= 0.95 else (np.nan, np.nan)


# Of each kind of reading one number of blocks; the others, which differ in little, in make prove.
CASES = [
    pytest.param(
        seen, blocks, marks=[] if (seen, blocks) in (("all", 8), ("half", 16), ("none", 16)) else pytest.mark.prove
    )
    for seen in ("all", "half", "none")
    for blocks in (8, 16)
]


@pytest.mark.parametrize(("seen", "blocks"), CASES)
def test_the_same_is_seldom_called_different(seen, blocks):
    chance = np.random.default_rng(20261127)
    ends = np.array([same_in_two(chance, blocks, seen) for _ in range(500)])
    ends = ends[~np.isnan(ends[:, 0])]  # too few blocks in one state call nothing
    called = np.mean((ends[:, 0] > 1) | (ends[:, 1] < 1))
    assert called < 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(ends)), called


@pytest.mark.parametrize("trials", [10, 20])
def test_the_interval_of_a_level_covers_that_of_its_state(trials):
    chance = np.random.default_rng(20261128)
    covered, of = 0, 0
    for _ in range(500):
        rows = estimates.used(costs(chance, walk(chance, trials), "all"))
        assert rows["way"].nunique() == 1
        _, low, high, level = median_interval(rows["value"].to_numpy())
        if level >= 0.95:
            covered += low <= LEVELS[rows["way"].iloc[0]] <= high
            of += 1
    assert of > 150 and covered / of > 0.95 - 3 * np.sqrt(0.05 * 0.95 / of)


def test_intervals_of_one_state_are_many_times_narrower():
    chance = np.random.default_rng(20261129)
    widths = {
        seen: np.nanmedian([high - low for low, high in (same_in_two(chance, 16, seen, stay=0) for _ in range(60))])
        for seen in ("all", "none")
    }
    assert widths["all"] < widths["none"] / 4
