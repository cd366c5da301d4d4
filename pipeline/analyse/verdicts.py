"""Claims: each published claim as an executable verdict.

A rule is a region of an effect's number: `low` and `high` (bounds included), `above` and `below` (bounds excluded), or
a list of such regions, of which one must hold. The whole interval must lie inside; `by: overlap` asks only that the
interval meets the region. `not_reproduced` defaults to `outside`: the interval misses the region of `reproduced`;
`never` is for a control that can only fail to confirm. What is neither is inconclusive.

An effect may also be `kind: any` with a list of `effects`: one must be reproduced, and all must fail to fail it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from pipeline import paths
from pipeline.analyse.effects import KINDS, Data, Effect, compute
from pipeline.catalogue.entry import Claim, Experiment
from pipeline.catalogue.selectors import matches
from pipeline.errors import LabError
from pipeline.ingest.tables import Tables
from pipeline.words import number

REPRODUCED, NOT_REPRODUCED, INCONCLUSIVE = "reproduced", "not reproduced", "inconclusive"
NOT_YET_TESTED = "not yet tested"
COLUMNS = ["claim", "topic", "text", "scope", "verdict", "effect", "low", "high", "unit", "trials", "reason"]
# Above a third, a good part of the resamples have a doubtful trial as their median, and the interval's ends are
# the noise's, not the effect's.
DOUBTFUL_SHARE = 1 / 3
RULE_FIELDS = {"kind", "metric", "where", "label", "published", "reproduced", "not_reproduced"}
BOUNDS = {"low", "high", "above", "below", "by"}


@dataclass(frozen=True)
class Judgement:
    """The verdict on one effect, with the sentence that gives its numbers."""

    verdict: str
    effect: Effect
    reason: str


def published_claims() -> pd.DataFrame:
    """data/published/claims.csv, indexed by claim id."""
    return pd.read_csv(paths.published() / "claims.csv", index_col="id", dtype=str)


def verdicts(entry: Experiment, tables: Tables, metrics: pd.DataFrame, cpus: int, seed: int) -> pd.DataFrame:
    """The verdicts table of docs/formats.md: one row per claim of the entry and runtime it is asked of.

    `cpus`: logical processors of the host that was measured. Raises LabError when a claim is malformed.
    """
    told = published_claims()
    rows = []
    for name, claim in entry.claims.items():
        if name not in told.index:
            raise LabError(f"{entry.name}: claim {name} is not in data/published/claims.csv")
        for scope in scopes(claim, tables):
            judged = judge_claim(name, claim, Data(entry, tables, metrics, seed, scope or None, cpus), cpus)
            rows.append(_row(name, told, scope or ", ".join(claim.runtimes), judged))
    return pd.DataFrame(rows, columns=COLUMNS)


def untested(entries: Mapping[str, Experiment]) -> pd.DataFrame:
    """A row for each published claim that no entry implements, in the columns of `verdicts`."""
    told = published_claims()
    implemented = {name for entry in entries.values() for name in entry.claims}
    nothing = Effect(math.nan, math.nan, math.nan, "", 0, 0)
    left = Judgement(NOT_YET_TESTED, nothing, "no experiment of the catalogue tests it")
    return pd.DataFrame([_row(name, told, "", left) for name in told.index.difference(implemented)], columns=COLUMNS)


def scopes(claim: Claim, tables: Tables) -> list[str]:
    """The runtimes a claim is asked of; one empty scope when it names none, or none of the run matches."""
    present = sorted(set(tables.trials["runtime"]))
    found = [runtime for runtime in present if any(matches(selector, runtime) for selector in claim.runtimes)]
    return found or [""]


def judge_claim(name: str, claim: Claim, data: Data, cpus: int) -> Judgement:
    """The conjunction of a claim's effects: all reproduced, or any not reproduced, or else inconclusive."""
    nothing = Effect(math.nan, math.nan, math.nan, "", 0, 0)
    if not claim.effects:
        return Judgement(INCONCLUSIVE, nothing, claim.note or "no effect is declared")
    if claim.runtimes and data.runtime is None:
        return Judgement(INCONCLUSIVE, nothing, f"no runtime of this run is {' or '.join(claim.runtimes)}")
    judged = _all([judge(name, effect, data) for effect in claim.effects])
    if cpus < claim.needs_cpus:
        reason = f"needs {claim.needs_cpus} CPUs, this host has {cpus}; {judged.reason}"
        return replace(judged, verdict=INCONCLUSIVE, reason=reason)
    return judged


def judge(name: str, effect: Mapping[str, Any], data: Data) -> Judgement:
    """The verdict on one effect of claim `name`."""
    if effect.get("kind") == "any":
        return _any([judge(name, one, data) for one in effect["effects"]])
    check(name, effect)
    found = compute(effect, data)
    if not found.trials:
        return Judgement(INCONCLUSIVE, found, found.detail)
    yes_no = found.unit == "yes/no"
    trials = f"{found.trials} trial" + ("s" if found.trials != 1 else "")
    told = [f"{effect.get('label', effect['kind'])} {_numbers(found)}, {trials}"]
    told += [found.detail] if found.detail else []
    told += [f"published {effect['published']}"] if "published" in effect else []
    told += [f"rule: {_answer(holds(effect['reproduced'], 1, 1)) if yes_no else words(effect['reproduced'])}"]
    verdict, why = decide(effect["reproduced"], effect.get("not_reproduced", "outside"), found)
    return Judgement(verdict, found, "; ".join([*told, *([why] if why else [])]))


def decide(reproduced: Any, not_reproduced: Any, effect: Effect) -> tuple[str, str]:
    """(verdict, why it is inconclusive) from the regions and an effect with its interval."""
    if math.isnan(effect.low) or math.isnan(effect.high):
        return INCONCLUSIVE, "too few trials for an interval"
    for count, doubt in ((effect.noisy, "noisy"), (effect.unsteady, "unsteady")):
        if count > DOUBTFUL_SHARE * effect.trials:
            return INCONCLUSIVE, f"the interval rests on {count} {doubt} trials"
    if holds(reproduced, effect.low, effect.high):
        return REPRODUCED, ""
    if not_reproduced == "outside":
        failed = not any(meets(region, effect.low, effect.high) for region in regions(reproduced))
    else:
        failed = not_reproduced != "never" and holds(not_reproduced, effect.low, effect.high)
    if failed:
        return NOT_REPRODUCED, ""
    if any(meets(region, effect.low, effect.high) for region in regions(reproduced)):
        return INCONCLUSIVE, "the interval does not decide"
    return INCONCLUSIVE, "the interval lies outside the rule, which here is not enough to refute the claim"


def regions(rule: Any) -> list[dict[str, Any]]:
    return rule if isinstance(rule, list) else [rule]


def holds(rule: Any, low: float, high: float) -> bool:
    """Whether the interval [low, high] satisfies a region, or one of a list."""
    return any(
        meets(one, low, high) if one.get("by") == "overlap" else _within(one, low) and _within(one, high)
        for one in regions(rule)
    )


def meets(region: Mapping[str, Any], low: float, high: float) -> bool:
    """Whether the interval [low, high] and the region have a point in common."""
    return (
        ("low" not in region or high >= region["low"])
        and ("above" not in region or high > region["above"])
        and ("high" not in region or low <= region["high"])
        and ("below" not in region or low < region["below"])
    )


def _within(region: Mapping[str, Any], value: float) -> bool:
    return (
        region.get("low", -math.inf) <= value <= region.get("high", math.inf)
        and ("above" not in region or value > region["above"])
        and ("below" not in region or value < region["below"])
    )


def words(rule: Any) -> str:
    """A rule in words: `at least 4`, `5.6 to 22.4`, `includes 0`."""
    return " or ".join(_region_words(region) for region in regions(rule))


def _region_words(region: Mapping[str, Any]) -> str:
    low, high = region.get("low"), region.get("high")
    if low is not None and high is not None:
        bounds = f"{low:,} to {high:,}" if low != high else f"{low:,}"
        if region.get("by") != "overlap":
            return bounds if low != high else f"exactly {low}"
        return f"includes {low}" if low == high else f"overlaps {bounds}"
    named = {"low": "at least", "above": "above", "high": "at most", "below": "below"}
    told = " and ".join(f"{word} {region[key]:,}" for key, word in named.items() if key in region)
    return f"reaches {told}" if region.get("by") == "overlap" else told


def check(name: str, effect: Mapping[str, Any]) -> None:
    """LabError when an effect of claim `name` has an unknown field or no rule."""
    kind = effect.get("kind")
    fields = KINDS[kind][1] if kind in KINDS else ()
    if unknown := sorted(set(effect) - RULE_FIELDS - set(fields)):
        raise LabError(f"claim {name}: an effect of kind {kind!r} has the unknown field {unknown[0]!r}")
    if "reproduced" not in effect:
        raise LabError(f"claim {name}: an effect of kind {kind!r} has no rule; give it reproduced: {{low: ...}}")
    for rule in (effect["reproduced"], effect.get("not_reproduced", "outside")):
        if isinstance(rule, str) and rule not in ("outside", "never"):
            raise LabError(f"claim {name}: rule {rule!r} is not a region, outside or never")
        for region in regions(rule) if not isinstance(rule, str) else []:
            if unknown := sorted(set(region) - BOUNDS):
                raise LabError(f"claim {name}: a region has the unknown bound {unknown[0]!r}")
    if isinstance(effect["reproduced"], str):
        raise LabError(f"claim {name}: reproduced must be a region")


def _all(judged: list[Judgement]) -> Judgement:
    for verdict in (NOT_REPRODUCED, INCONCLUSIVE):
        if deciding := [one for one in judged if one.verdict == verdict]:
            return _joined(deciding)
    return _joined(judged)


def _any(judged: list[Judgement]) -> Judgement:
    for verdict in (REPRODUCED, INCONCLUSIVE):
        if deciding := [one for one in judged if one.verdict == verdict]:
            return _joined(deciding)
    return _joined(judged)


def _joined(deciding: list[Judgement]) -> Judgement:
    """The first of several that agree stands for them; its reason tells all, each once."""
    return replace(deciding[0], reason=". ".join(dict.fromkeys(one.reason for one in deciding)))


def _answer(yes: bool) -> str:
    return "yes" if yes else "no"


def _numbers(effect: Effect) -> str:
    if effect.unit == "yes/no" and effect.low == effect.high:
        return _answer(effect.estimate == 1)
    unit = "" if effect.unit in ("ratio", "yes/no", "1") else f" {effect.unit}"
    if math.isnan(effect.low):
        return f"{number(effect.estimate)}{unit}"
    return f"{number(effect.estimate)} [{number(effect.low)}, {number(effect.high)}]{unit}"


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
        "unit": effect.unit,
        "trials": effect.trials,
        "reason": judged.reason,
    }
