"""Effects and rules of claims as the catalogue would read them."""

import pandas as pd
from analyse_tables import entry, tables
from pydantic import TypeAdapter

from pipeline.analyse.selection import Data
from pipeline.catalogue.claims import Effect, Rule

EFFECT, RULE = TypeAdapter(Effect), TypeAdapter(Rule)


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
    measured = tables([{"variant": row["variant"], "runtime": "jdk17"} for row in rows])
    return Data(entry({"m": {"kind": "cost", "unit": "ns"}}), measured, pd.DataFrame(rows), looks=ends)
