"""The level that an effect tells, by hand: the range of n values holds their median with probability 1 - 2 / 2**n."""

from __future__ import annotations

import pandas as pd
import pytest
from analyse_tables import entry, tables
from claim_rules import effect as declared

from pipeline.analyse.effects import compute
from pipeline.analyse.selection import Data

RATE = {"m": {"kind": "rate", "unit": "ops/s", "better": "higher"}}


def steps(levels: int, blocks: int):
    """The effect of as many levels, each half of the one before in every block."""
    rows = [
        {"trial": f"{n}-{block}", "variant": "fast", "runtime": "jdk17", "threads": n, "block": block, "noisy": False}
        | {"steady": True, "metric": "m", "value": 100.0 / 2**n}
        for n in range(levels)
        for block in range(blocks)
    ]
    asked = {"kind": "steps", "metric": "m", "where": {"variant": "fast"}}
    over = [{"threads": n} for n in range(levels)]
    return compute(declared(over=over, **asked), Data(entry(RATE), tables([{}]), pd.DataFrame(rows), None, None))


@pytest.mark.parametrize(
    ("levels", "blocks", "level"),
    [
        (2, 6, 0.95),  # one ratio, and its range holds 96.9 %
        (3, 6, 1 - 2 * 2 / 2**6),  # two at 97.5 % are asked for: the range of six blocks falls short, twice
        (4, 6, 1 - 3 * 2 / 2**6),
        (4, 5, 1 - 3 * 2 / 2**5),
        (4, 12, 0.95),  # enough for three at 98.3 %
        (7, 3, 0.0),  # six times 25 %: nothing is left, and no level is below none
    ],
)
def test_all_steps_hold_at_once_with_the_level_told(levels, blocks, level):
    found = steps(levels, blocks)
    assert found.level == pytest.approx(level, abs=1e-12)
    assert (found.estimate, found.low, found.high) == (levels - 1,) * 3
