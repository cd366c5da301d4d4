"""Claims by host: the five states, the sentence over hosts, and what turns around."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.collection import claims, document, hosts
from pipeline.collection.claims import CANNOT, FAILS, HOLDS, LIES_BETWEEN, UNDECIDED

pytestmark = pytest.mark.thorough

KNOWN = "C47"


def rows(*states: str, effects: list[float] | None = None, unit: str = "ratio") -> pd.DataFrame:
    effects = effects or [1.0 + at for at in range(len(states))]
    return pd.DataFrame(
        [
            {
                "claim": KNOWN,
                "scope": "jdk17",
                "experiment": "toy",
                "host": f"host {at}",
                "state": state,
                "effect": effect,
            }
            | {"low": effect, "high": effect, "level": 0.95, "unit": unit, "trials": 6}
            for at, (state, effect) in enumerate(zip(states, effects, strict=True))
        ]
    )


@pytest.mark.parametrize(
    ("verdict", "why", "state"),
    [
        ("reproduced", "", HOLDS),
        ("not reproduced", "", FAILS),
        ("inconclusive", "between", LIES_BETWEEN),
        ("inconclusive", "host", CANNOT),
        ("inconclusive", "missing", CANNOT),
        ("inconclusive", "rule", CANNOT),
        ("inconclusive", "far", UNDECIDED),
        ("inconclusive", "open", UNDECIDED),
        ("inconclusive", "doubt", UNDECIDED),
    ],
)
def test_every_verdict_is_one_of_five_states(verdict: str, why: str, state: str):
    assert claims.state(verdict, why) == state


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (rows(HOLDS, FAILS), "Holds on 1 of 2 hosts, does not hold on 1: 1 on host 0, 2 on host 1."),
        (rows(FAILS, FAILS), "Does not hold on 2 of 2 hosts: 1 on host 0, 2 on host 1."),
        (rows(HOLDS), "Holds on 1 of 1 host: 1 on host 0."),
        (rows(CANNOT, CANNOT), "Cannot be asked of 2 hosts."),
        (rows(HOLDS, CANNOT), "Holds on 1 of 1 host: 1 on host 0."),
        (rows(HOLDS, HOLDS, unit="yes/no"), "Holds on 2 of 2 hosts."),
        (
            rows(HOLDS, HOLDS, LIES_BETWEEN, UNDECIDED, CANNOT),
            "Holds on 2 of 4 hosts, lies between its rules on 1, is undecided on 1: median 2.5 [1, 4; 87.5 %] over "
            "hosts.",  # which lie between the same two
        ),
        (
            rows(*[HOLDS] * 17, *[FAILS] * 3),
            "Holds on 17 of 20 hosts, does not hold on 3: median 10.5 [6.24, 14.8] over hosts, which lie between 1 "
            "and 20.",
        ),
    ],
)
def test_the_sentence_over_hosts(table: pd.DataFrame, sentence: str):
    (row,) = claims.across(table)
    assert row["sentence"] == sentence


def test_the_farthest_apart_turn_around_first():
    near, far = rows(HOLDS, FAILS, effects=[1.0, 1.1]), rows(FAILS, HOLDS, effects=[1.0, 9.0]).assign(scope="jdk25")
    same = rows(HOLDS, HOLDS).assign(scope="jdk21")
    found = claims.turning(claims.across(pd.concat([near, far, same])))
    assert [row["scope"] for row in found] == ["jdk25", "jdk17"]


@given(st.permutations([(HOLDS, 1.0), (FAILS, 2.0), (UNDECIDED, 3.0), (HOLDS, 5.0), (CANNOT, math.nan)]))
def test_the_order_of_hosts_says_nothing(order: list[tuple[str, float]]):
    def told(pairs):
        table = rows(*[state for state, _ in pairs], effects=[effect for _, effect in pairs])
        table["host"] = table["effect"].map(str)
        return claims.across(table.sort_values("host", kind="stable"))[0]["sentence"]

    assert told(order) == told(sorted(order, key=str))


def test_what_turns_around_between_the_hosts_of_the_lab_is_explained():
    found = hosts.every_committed()
    turns = {row["claim"] for row in claims.turning(claims.across(claims.table(found)))}
    assert turns == set(document.explanations())
