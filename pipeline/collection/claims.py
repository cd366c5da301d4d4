"""Claims by host: does each published claim hold there, and what do all hosts say of it together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pipeline.analyse.claim_test import NOT_REPRODUCED, REPRODUCED
from pipeline.analyse.undecided import BETWEEN
from pipeline.analyse.verdicts import published_claims
from pipeline.catalogue.selectors import runtime_label
from pipeline.collection import hosts as hosts_
from pipeline.collection.hosts import Host
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.words.numbers import counted, estimated, quantity, scale

HOLDS, FAILS, LIES_BETWEEN = "holds", "does not hold", "lies between"
CANNOT, UNDECIDED = "cannot be asked", "undecided"
STATES = (HOLDS, FAILS, LIES_BETWEEN, CANNOT, UNDECIDED)
SIGNS = {HOLDS: "✓", FAILS: "✗", LIES_BETWEEN: "≈", CANNOT: "–", UNDECIDED: "?"}
# Why a verdict is undecided, where no longer measuring would decide it.
NOT_ASKED = {"rule", "host", "missing", "control", "profile"}
COLUMNS = ["claim", "scope", "experiment", "host", "state", "effect", "low", "high", "level", "unit", "trials"]


def table(hosts: Sequence[Host]) -> pd.DataFrame:
    """A row per claim, runtime and host: COLUMNS; effect and its interval as that host's run has them (NaN: none)."""
    rows = hosts_.table(hosts, "verdicts")
    rows = rows.assign(state=[state(*pair) for pair in zip(rows["verdict"], rows["why"], strict=True)])
    return rows.sort_values(["claim", "scope", "host"], kind="stable", ignore_index=True)[COLUMNS]


def state(verdict: str, why: str) -> str:
    """One of STATES."""
    if verdict == REPRODUCED:
        return HOLDS
    if verdict == NOT_REPRODUCED:
        return FAILS
    return LIES_BETWEEN if why == BETWEEN else CANNOT if why in NOT_ASKED else UNDECIDED


def across(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Per claim and runtime what its rows, one per machine, come to: `counts` by state, the median effect with its
    interval over hosts (NaN below three), the least and the greatest, whether it `turns` (holds here, fails there),
    and the `sentence` that says so."""
    told, found = published_claims()["claim"], []
    for (claim, scope), part in rows.groupby(["claim", "scope"], sort=True):
        counts = {name: int((part["state"] == name).sum()) for name in STATES}
        told_of = part[part["state"].ne(CANNOT) & part["effect"].notna()]
        effects = told_of["effect"].to_numpy(float)
        over = median_interval(effects) if len(effects) else (np.nan,) * 4
        row = {"claim": claim, "scope": scope, "experiment": part["experiment"].iloc[0], "text": told[claim]}
        row |= {"counts": counts, "hosts": len(told_of), "unit": part["unit"].iloc[0]}
        row |= dict(zip(("estimate", "low", "high", "level"), over, strict=True))
        row |= {"least": effects.min() if len(effects) else np.nan, "most": effects.max() if len(effects) else np.nan}
        row |= {"effects": dict(zip(told_of["host"], effects, strict=True))}
        row |= {"turns": counts[HOLDS] > 0 and counts[FAILS] > 0}
        found.append(row | {"sentence": sentence(row)})
    return found


def asked(row: Mapping[str, Any]) -> int:
    """How many hosts a claim could be asked of (`row`: one of `across`)."""
    return sum(row["counts"].values()) - row["counts"][CANNOT]


def sentence(row: Mapping[str, Any]) -> str:
    """`Holds on 17 of 20 hosts, does not hold on 2: median 0.31 [0.2, 0.5] over hosts, which lie between 0.1 and 0.9.`

    Where an interval over hosts would take more of them, each is named with its number.
    """
    counts = row["counts"]
    if not asked(row):
        return f"Cannot be asked of {counted(counts[CANNOT], 'host')}."
    parts = [f"{words} on {counts[name]}" for name, words in _SAID.items() if counts[name]]
    parts[0] += f" of {counted(asked(row), 'host')}"
    said = ", ".join([parts[0][0].upper() + parts[0][1:], *parts[1:]])
    if row["unit"] == "yes/no" or not row["hosts"]:
        return f"{said}."
    power = scale([row["least"], row["most"]], row["unit"])
    if row["hosts"] < FEWEST:
        each = (f"{quantity(effect, row['unit'], power)} on {host}" for host, effect in row["effects"].items())
        return f"{said}: {', '.join(each)}."
    middle = estimated(row, power)
    if (row["low"], row["high"]) == (row["least"], row["most"]):
        return f"{said}: median {middle} over hosts."
    ends = " and ".join(quantity(row[name], row["unit"], power) for name in ("least", "most"))
    return f"{said}: median {middle} over hosts, which lie between {ends}."


_SAID = {HOLDS: "holds", FAILS: "does not hold", LIES_BETWEEN: "lies between its rules", UNDECIDED: "is undecided"}


def scope_label(scope: str) -> str:
    return ", ".join(runtime_label(one) for one in scope.split(", ")) if scope else ""


def turning(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The claims that hold on one host and fail on another, those first whose hosts are farthest apart."""

    def apart(row: dict[str, Any]) -> float:
        least, most = row["least"], row["most"]
        return -float(np.log(most / least)) if least > 0 else -np.inf

    return sorted((row for row in rows if row["turns"]), key=lambda row: (apart(row), row["claim"], row["scope"]))
