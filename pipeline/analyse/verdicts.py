"""Verdicts: each published claim as executable rules, judged by the whole interval of its effects, as a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from pipeline.analyse import undecided
from pipeline.analyse.claim_test import Judgement, judge_claim
from pipeline.analyse.effect import nothing
from pipeline.analyse.selection import Data
from pipeline.analyse.undecided import Undecided
from pipeline.catalogue.claims import Claim
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.selectors import matches
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.ingest.tables import Tables

NOT_YET_TESTED = "not yet tested"
NOT_YET_JUDGED = "not yet judged"
COLUMNS = ["claim", "topic", "text", "scope", "verdict", "effect", "low", "high", "level"]
COLUMNS += ["unit", "trials", "looks", "reason", "sources", "rule", "why", "advice", "chances", "configurations"]


def published_claims() -> pd.DataFrame:
    """data/published/claims.csv, indexed by claim id."""
    return pd.read_csv(paths.published() / "claims.csv", index_col="id", dtype=str)


def verdicts(
    entry: Experiment, tables: Tables, metrics: pd.DataFrame, cpus: int, looks: tuple[int, ...] = ()
) -> pd.DataFrame:
    """The verdicts table of docs/formats.md: one row per claim of the entry and runtime it is asked of.

    `cpus`: logical processors of the host that was measured; `looks`: the last block of each look at the run
    (`pipeline.analyse.sequential_test.ends`). Raises LabError for a claim that was never published.
    """
    told = published_claims() if entry.claims else pd.DataFrame()
    rows, everywhere = [], Data(entry, tables, metrics, None, cpus, looks)
    for name, claim in entry.claims.items():
        if name not in told.index:
            raise LabError(f"{entry.name}: claim {name} is not in data/published/claims.csv")
        for scope in scopes(claim, tables):
            data = everywhere.on(scope or None)
            judged = judge_claim(claim, data, cpus)
            row = _row(name, told, scope or ", ".join(claim.runtimes), judged)
            rows.append(row | undecided.of(judged, data).columns())
    return pd.DataFrame(rows, columns=COLUMNS)


def later(rows: pd.DataFrame, why: str) -> pd.DataFrame:
    """Verdicts with none judged, and why: of a run that is not complete each look at whether its effects decide would
    halve the error that the next may make, and of a single block none can."""
    said = {"verdict": NOT_YET_JUDGED, "reason": why}
    blank = Undecided().columns()
    return rows.assign(**said, **blank)


def untested(entries: Mapping[str, Experiment]) -> pd.DataFrame:
    """A row for each published claim that no entry implements, in the columns of `verdicts`."""
    told = published_claims()
    implemented = {name for entry in entries.values() for name in entry.claims}
    left = Judgement(NOT_YET_TESTED, nothing(), "no experiment of the catalogue tests it")
    rows = [_row(name, told, "", left) | Undecided().columns() for name in told.index.difference(implemented)]
    return pd.DataFrame(rows, columns=COLUMNS)


def scopes(claim: Claim, tables: Tables) -> list[str]:
    """The runtimes a claim is asked of; one empty scope when it names none, or none of the run matches."""
    present = sorted(set(tables.trials["runtime"]))
    found = [runtime for runtime in present if any(matches(selector, runtime) for selector in claim.runtimes)]
    return found or [""]


def _row(name: str, told: pd.DataFrame, scope: str, judged: Judgement) -> dict[str, Any]:
    effect = judged.effect
    return {
        "claim": name,
        "topic": told.loc[name, "topic"],
        "text": told.loc[name, "claim"],
        "scope": scope,
        "verdict": judged.verdict,
        "effect": effect.estimate,
        "low": effect.low,
        "high": effect.high,
        "level": effect.level,
        "unit": effect.unit,
        "trials": effect.trials,
        "looks": effect.looks,
        "reason": judged.reason,
        "sources": json.dumps([source.to_dict() for source in judged.sources]),
        "rule": json.dumps([region.bounds for region in judged.rule]),
    }
