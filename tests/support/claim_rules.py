"""Effects and rules of claims as the catalogue would read them, and what they come to in many runs at once."""

from functools import cache

import numpy as np
import pandas as pd
from analyse_tables import entry, tables

from pipeline.analyse import sequential_test
from pipeline.analyse.blocks import ratio_interval
from pipeline.analyse.claim_test import INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED
from pipeline.analyse.selection import Data
from pipeline.catalogue import check
from pipeline.catalogue.claims import Effect, Rule
from pipeline.catalogue.entry import Experiment
from pipeline.ingest.tables import Tables

EFFECT, RULE = check.of(Effect), check.of(Rule)


def effect(**fields):
    """An effect as declared; without a rule of its own it has one that anything above 0 satisfies."""
    return EFFECT.validate_python({"reproduced": {"above": 0}} | fields)


def rule(given):
    """A region or a list of regions; the words `outside` and `never` stay words."""
    return given if isinstance(given, str) else RULE.validate_python(given)


def ratio(**rule):
    """The ratio of the two configurations of `blocks`."""
    sides = {"of": {"threads": 2}, "to": {"threads": 1}, "metric": "m", "where": {"variant": "fast"}}
    return effect(kind="ratio", **sides, **rule)


def blocks(ratios, ends=()) -> Data:
    """Blocks of two configurations with these ratios, looked at when so many of them were there."""
    rows = [
        {"trial": f"{threads}-{block}", "variant": "fast", "runtime": "jdk17", "threads": threads, "block": block}
        | {"noisy": False, "steady": True, "metric": "m", "value": float(value if threads == 2 else 1.0)}
        for block, value in enumerate(ratios, 1)
        for threads in (1, 2)
    ]
    return Data(*_measured(len(rows)), pd.DataFrame(rows), looks=ends)


@cache
def _measured(count: int) -> tuple[Experiment, Tables]:
    """What all `blocks` with so many trials have in common."""
    measured = tables([{"variant": "fast", "runtime": "jdk17"}] * count)
    return entry({"m": {"kind": "cost", "unit": "ns"}}), measured


def at_once(ratios: np.ndarray, *ends: int) -> np.ndarray:
    """The verdicts on "at least 1" of many runs, looked at when so many of their blocks were there: what `judge` says
    of each (a test), from the intervals of all. Shape of `ratios`: (blocks, runs)."""
    each = [ratio_interval(ratios[:end], sequential_test.level(look)) for look, end in enumerate(ends, 1)]
    low, high = np.max([one.low for one in each], axis=0), np.min([one.high for one in each], axis=0)
    told = np.where(low >= 1, REPRODUCED, np.where(high < 1, NOT_REPRODUCED, INCONCLUSIVE))
    return np.where(low > high, INCONCLUSIVE, told)
