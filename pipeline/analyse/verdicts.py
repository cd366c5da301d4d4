"""Verdicts: each published claim as executable rules, judged by the whole interval of its effects.

What a claim declares is said in `pipeline.catalogue.claims`. An effect is reproduced when its whole interval lies in
the region of `reproduced`, not reproduced when all of it lies in that of `not_reproduced`; what is neither is
inconclusive, so that a wide interval never decides. "No difference" is an interval inside a region around it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from pipeline.analyse.effect import Effect, nothing
from pipeline.analyse.effects import compute
from pipeline.analyse.selection import Data
from pipeline.analyse.source import Source
from pipeline.catalogue import claims
from pipeline.catalogue.claims import Claim, Region, Rule
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.selectors import matches
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.ingest.tables import Tables
from pipeline.words.numbers import NO_UNIT, counted, exact, interval, quantity

REPRODUCED, NOT_REPRODUCED, INCONCLUSIVE = "reproduced", "not reproduced", "inconclusive"
NOT_YET_TESTED = "not yet tested"
COLUMNS = ["claim", "topic", "text", "scope", "verdict", "effect", "low", "high", "level"]
COLUMNS += ["unit", "trials", "reason", "sources", "rule"]
# Above a third, a good part of the resamples have a doubtful trial as their median, and the interval's ends are
# the noise's, not the effect's.
DOUBTFUL_SHARE = 1 / 3
# Below five trials the range has 87.5 % at most: where the truth lies on a bound, one verdict in sixteen were luck.
FEWEST_TRIALS = 5


@dataclass(frozen=True)
class Judgement:
    """The verdict on one effect, with the sentence that gives its numbers, what they rest on and what decides."""

    verdict: str
    effect: Effect
    reason: str
    sources: tuple[Source, ...] = ()
    rule: tuple[Region, ...] = ()  # where the claim holds, of the effect told


def published_claims() -> pd.DataFrame:
    """data/published/claims.csv, indexed by claim id."""
    return pd.read_csv(paths.published() / "claims.csv", index_col="id", dtype=str)


def verdicts(entry: Experiment, tables: Tables, metrics: pd.DataFrame, cpus: int) -> pd.DataFrame:
    """The verdicts table of docs/formats.md: one row per claim of the entry and runtime it is asked of.

    `cpus`: logical processors of the host that was measured. Raises LabError for a claim that was never published.
    """
    told = published_claims()
    rows = []
    for name, claim in entry.claims.items():
        if name not in told.index:
            raise LabError(f"{entry.name}: claim {name} is not in data/published/claims.csv")
        for scope in scopes(claim, tables):
            judged = judge_claim(claim, Data(entry, tables, metrics, scope or None, cpus), cpus)
            rows.append(_row(name, told, scope or ", ".join(claim.runtimes), judged))
    return pd.DataFrame(rows, columns=COLUMNS)


def untested(entries: Mapping[str, Experiment]) -> pd.DataFrame:
    """A row for each published claim that no entry implements, in the columns of `verdicts`."""
    told = published_claims()
    implemented = {name for entry in entries.values() for name in entry.claims}
    left = Judgement(NOT_YET_TESTED, nothing(), "no experiment of the catalogue tests it")
    return pd.DataFrame([_row(name, told, "", left) for name in told.index.difference(implemented)], columns=COLUMNS)


def scopes(claim: Claim, tables: Tables) -> list[str]:
    """The runtimes a claim is asked of; one empty scope when it names none, or none of the run matches."""
    present = sorted(set(tables.trials["runtime"]))
    found = [runtime for runtime in present if any(matches(selector, runtime) for selector in claim.runtimes)]
    return found or [""]


def judge_claim(claim: Claim, data: Data, cpus: int) -> Judgement:
    """The conjunction of a claim's effects: all reproduced, or any not reproduced, or else inconclusive, as it is where
    a control does not hold."""
    if not claim.effects:
        return Judgement(INCONCLUSIVE, nothing(), claim.note or "no effect is declared")
    if data.tables.trials.empty:
        judged = Judgement(INCONCLUSIVE, nothing(), "nothing of it was measured in this run")
    elif claim.runtimes and data.runtime is None:
        judged = Judgement(INCONCLUSIVE, nothing(), f"no runtime of this run is {' or '.join(claim.runtimes)}")
    else:
        judged = _all([judge(effect, data) for effect in claim.effects])
    if cpus < claim.needs_cpus:
        reason = f"needs {claim.needs_cpus} CPUs, this host has {cpus}; {judged.reason}"
        return replace(judged, verdict=INCONCLUSIVE, reason=reason)
    failed = [one for one in (judge(control, data) for control in claim.controls) if one.verdict != REPRODUCED]
    if failed:
        control = _joined(failed)
        reason = f"the control does not hold: {control.reason}. {judged.reason}"
        return replace(judged, verdict=INCONCLUSIVE, reason=reason, sources=judged.sources + control.sources)
    return judged


def judge(effect: claims.Effect, data: Data) -> Judgement:
    """The verdict on one effect of a claim."""
    if isinstance(effect, claims.AnyOf):
        return _any([judge(one, data) for one in _possible(effect, data)])
    found = compute(effect, data)
    scoped = tuple(data.scoped(selection) for selection in effect.selections())
    sources = (Source(effect.kind, scoped, found.trials, found.blocks),)
    holds = tuple(regions(effect.reproduced))
    if not found.trials:
        return Judgement(INCONCLUSIVE, found, found.detail, sources, holds)
    rule = words(effect.reproduced, found.unit)
    if found.unit == "yes/no":
        rule = quantity(float(inside(effect.reproduced, 1, 1)), found.unit)
    numbers = interval(found.estimate, found.low, found.high, found.unit, found.level)
    told = [f"{effect.label or effect.kind} {numbers}, {counted(found.trials, 'trial')}"]
    told += [found.detail] if found.detail else []
    told += [f"published {effect.published}"] if effect.published is not None else []
    verdict, why = decide(effect.reproduced, effect.not_reproduced, found)
    return Judgement(verdict, found, "; ".join([*told, f"rule: {rule}", *([why] if why else [])]), sources, holds)


def _possible(effect: claims.AnyOf, data: Data) -> Sequence[claims.Effect]:
    """The alternatives without those that the runtime or the host refuses; all of them where it refuses all."""
    refused = [
        not isinstance(one, claims.AnyOf) and any(data.refused(selection) for selection in one.selections())
        for one in effect.effects
    ]
    return [one for one, gone in zip(effect.effects, refused, strict=True) if not gone] or effect.effects


def decide(reproduced: Rule, not_reproduced: Rule | str, effect: Effect) -> tuple[str, str]:
    """(verdict, why it is inconclusive) from the regions and an effect with its interval."""
    if effect.trials < FEWEST_TRIALS or math.isnan(effect.low) or math.isnan(effect.high):
        return INCONCLUSIVE, f"a verdict needs {FEWEST_TRIALS} trials"
    for count, doubt in ((effect.noisy, "noisy"), (effect.unsteady, "unsteady")):
        if count > DOUBTFUL_SHARE * effect.trials:
            return INCONCLUSIVE, f"the interval rests on {count} {doubt} trials"
    if inside(reproduced, effect.low, effect.high):
        return REPRODUCED, ""
    apart = outside(reproduced, effect.low, effect.high)
    refuted = apart if not_reproduced == "outside" else inside(not_reproduced, effect.low, effect.high)
    if refuted:
        return NOT_REPRODUCED, ""
    if apart:
        return INCONCLUSIVE, "the interval lies outside the rule, which here is not enough to refute the claim"
    return INCONCLUSIVE, "the interval does not decide"


def regions(rule: Rule | str) -> list[Region]:
    """The regions of a rule; the word `never` has none."""
    return [] if isinstance(rule, str) else rule if isinstance(rule, list) else [rule]


def inside(rule: Rule | str, low: float, high: float) -> bool:
    """Whether the whole interval [low, high] lies in one of the rule's regions."""
    return any(_holds(region, low) and _holds(region, high) for region in regions(rule))


def outside(rule: Rule, low: float, high: float) -> bool:
    """Whether the interval [low, high] has no point in common with any of the rule's regions."""
    return not any(
        (region.low is None or high >= region.low)
        and (region.above is None or high > region.above)
        and (region.high is None or low <= region.high)
        and (region.below is None or low < region.below)
        for region in regions(rule)
    )


def _holds(region: Region, value: float) -> bool:
    return not outside(region, value, value)


def words(rule: Rule, unit: str = "1") -> str:
    """A rule in words: `at least 4 ns`, `a ratio of 5.6 to 22.4`, `exactly 4`."""
    told = " or ".join(_region_words(region, unit) for region in regions(rule))
    return f"a ratio of {told}" if unit == "ratio" else told


def _region_words(region: Region, unit: str) -> str:
    if region.low is not None and region.high is not None:
        same = region.low == region.high
        return f"exactly {_bound(region.low, unit)}" if same else f"{exact(region.low)} to {_bound(region.high, unit)}"
    named = {"low": "at least", "above": "above", "high": "at most", "below": "below"}
    told = [
        f"{word} {_bound(bound, unit)}" for key, word in named.items() if (bound := getattr(region, key)) is not None
    ]
    return " and ".join(told)


def _bound(value: float, unit: str) -> str:
    """A threshold as it was fixed, with its unit."""
    return exact(value) if unit in NO_UNIT else f"{exact(value)} {unit}"


def _all(judged: Sequence[Judgement]) -> Judgement:
    for verdict in (NOT_REPRODUCED, INCONCLUSIVE):
        if deciding := [one for one in judged if one.verdict == verdict]:
            return _joined(deciding)
    return _joined(judged)


def _any(judged: Sequence[Judgement]) -> Judgement:
    for verdict in (REPRODUCED, INCONCLUSIVE):
        if deciding := [one for one in judged if one.verdict == verdict]:
            return _joined(deciding)
    return _joined(judged)


def _joined(deciding: Sequence[Judgement]) -> Judgement:
    """The first of several that agree stands for them; its reason and its sources tell all, each once."""
    sources = tuple(source for one in deciding for source in one.sources)
    return replace(deciding[0], reason=". ".join(dict.fromkeys(one.reason for one in deciding)), sources=sources)


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
        "reason": judged.reason,
        "sources": json.dumps([source.to_dict() for source in judged.sources]),
        "rule": json.dumps([region.model_dump(exclude_none=True) for region in judged.rule]),
    }
