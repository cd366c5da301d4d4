"""The test of a claim: each of its effects beside its rule, and the verdict that they come to together.

What a claim declares is said in `pipeline.catalogue.claims`. An effect is reproduced when its whole interval lies in
the region of `reproduced`, not reproduced when all of it lies in that of `not_reproduced`; what is neither is
inconclusive, so that a wide interval never decides. "No difference" is an interval inside a region around it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pipeline.analyse import regimes
from pipeline.analyse.effect import Effect, nothing
from pipeline.analyse.effects import compute
from pipeline.analyse.rules import bounded_on_both_sides, inside, outside, regions, words
from pipeline.analyse.selection import Data
from pipeline.analyse.source import Source
from pipeline.catalogue import claims, selectors
from pipeline.catalogue.claims import Claim, Region, Rule
from pipeline.words.numbers import counted, interval, quantity

REPRODUCED, NOT_REPRODUCED, INCONCLUSIVE = "reproduced", "not reproduced", "inconclusive"
# Above a third, a good part of the resamples have a doubtful trial as their median, and the interval's ends are
# the noise's, not the effect's.
DOUBTFUL_SHARE = 1 / 3
EITHER = "trials that do not settle counted with either of their regimes"
# Below five trials the range has 87.5 % at most: where the truth lies on a bound, one verdict in sixteen were luck.
FEWEST_TRIALS = 5


@dataclass(frozen=True)
class Judgement:
    """The verdict on an effect or on several, with the sentence that gives its numbers, what they rest on and what
    decides.

    `declared`: the effect that was judged alone. `parts`: of several the judgements, of which `needs` says whether all
    have to hold or any. `shares`: among how many effects the claim's error is
    shared where they hold, and where they fail. `barred`: why it cannot be decided
    here, however long somebody measures: `rule` (there is none), `host`, `missing` in this run, `control`.
    """

    verdict: str
    effect: Effect
    reason: str
    sources: tuple[Source, ...] = ()
    rule: tuple[Region, ...] = ()  # where the claim holds, of the effect told
    declared: claims.Judged | None = None
    parts: tuple[Judgement, ...] = ()
    needs: Literal["all", "any"] = "all"
    shares: tuple[int, int] = (1, 1)
    barred: str = ""


def judge_claim(claim: Claim, data: Data, cpus: int) -> Judgement:
    """The conjunction of a claim's effects: all reproduced, or any not reproduced, or else inconclusive, as it is where
    a control does not hold. An effect that needs more CPUs than there are decides nothing."""
    if not claim.effects:
        return Judgement(INCONCLUSIVE, nothing(), claim.note or "no effect is declared", barred="rule")
    needs = [_needs(effect, claim.needs_cpus) for effect in claim.effects]
    judged = _effects(claim, needs, data, cpus)
    if judged.verdict == INCONCLUSIVE and max(needs) > cpus:
        reason = f"needs {max(needs)} CPUs, this host has {cpus}; {judged.reason}"
        return replace(judged, reason=reason, barred="host")
    failed = [one for one in (judge(control, data) for control in claim.controls) if one.verdict != REPRODUCED]
    if failed:
        control = _joined(failed)
        reason = f"the control does not hold: {control.reason}. {judged.reason}"
        sources = judged.sources + control.sources
        return replace(judged, verdict=INCONCLUSIVE, reason=reason, sources=sources, barred="control")
    return judged


def _effects(claim: Claim, needs: Sequence[int], data: Data, cpus: int) -> Judgement:
    """What the effects of a claim come to; one that needs more CPUs than there are is undecided."""
    if data.tables.trials.empty:
        return Judgement(INCONCLUSIVE, nothing(), "nothing of it was measured in this run", barred="missing")
    if claim.runtimes and data.runtime is None:
        reason = f"this run has no {' or '.join(map(selectors.words, claim.runtimes))}"
        return Judgement(INCONCLUSIVE, nothing(), reason, barred="missing")
    # All must hold for the claim to hold, so that a false one passes no oftener than one effect does (Berger 1982);
    # any refutes it, so that a true one is refuted as often as all of them together.
    fails = max(sum(_ends(effect, data) for effect in claim.effects), 1)
    each = [judge(effect, data, (1, fails)) for effect in claim.effects]
    short = {"verdict": INCONCLUSIVE, "barred": "host"}
    barred = [need > cpus and not _met(one) for need, one in zip(needs, each, strict=True)]
    return _all([replace(one, **short) if bar else one for bar, one in zip(barred, each, strict=True)])


def _met(one: Judgement) -> bool:
    """Whether fewer CPUs than an effect asks for have met its rule already."""
    return one.verdict == REPRODUCED and one.declared is not None and one.declared.met_with_fewer


def _ends(effect: claims.Effect, data: Data) -> int:
    """How many ends can refute an effect that is true: two of a region bounded on both sides, none of a fact. Of
    alternatives all have to be refuted, and that is no likelier than of one."""
    if isinstance(effect, claims.AnyOf):
        return max(_ends(one, data) for one in _possible(effect, data))
    if isinstance(effect, claims.Fact):
        return 0
    return 1 + any(bounded_on_both_sides(region) for region in regions(effect.reproduced))


def _needs(effect: claims.Effect, otherwise: int) -> int:
    """The CPUs that an effect needs: its own number, or the claim's."""
    return otherwise if isinstance(effect, claims.AnyOf) or effect.needs_cpus is None else effect.needs_cpus


def judge(effect: claims.Effect, data: Data, shares: tuple[int, int] = (1, 1)) -> Judgement:
    """The verdict on one effect of a claim that shares its error among so many where it holds, and where it fails."""
    if isinstance(effect, claims.AnyOf):
        several = _possible(effect, data)
        return _any([judge(one, data, (shares[0] * len(several), shares[1])) for one in several])
    found = compute(effect, data, shares)
    if found.unsteady > DOUBTFUL_SHARE * found.trials:
        found = _of_either_regime(effect, data, shares, found)
    scoped = tuple(data.scoped(selection) for selection in effect.selections())
    sources = (Source(effect.kind, scoped, found.trials, found.blocks),)
    holds = tuple(regions(effect.reproduced))
    if not found.trials:
        return Judgement(INCONCLUSIVE, found, found.detail, sources, holds, effect, shares=shares, barred="missing")
    rule = words(effect.reproduced, found.unit)
    if found.unit == "yes/no":
        rule = quantity(float(inside(effect.reproduced, 1, 1)), found.unit)
    numbers = interval(found.estimate, found.low, found.high, found.unit, found.level)
    told = [f"{effect.label or effect.kind} {numbers}, {counted(found.trials, 'trial')}"]
    told += [found.detail] if found.detail else []
    told += [f"look {found.looks} at it"] if found.looks > 1 else []
    told += [f"published {effect.published}"] if effect.published is not None else []
    verdict, why = decide(effect.reproduced, effect.not_reproduced, found)
    reason = "; ".join([*told, f"rule: {rule}", *([why] if why else [])])
    return Judgement(verdict, found, reason, sources, holds, effect, shares=shares)


def _of_either_regime(effect: claims.Judged, data: Data, shares: tuple[int, int], found: Effect) -> Effect:
    """An effect whose trials do not settle, with an interval that spans it with either regime of each of them
    (`pipeline.analyse.regimes`), where that decides; else as it was."""
    both = regimes.ends(effect, data)
    if both is None:
        return found
    lower, upper = (compute(effect, one, shares) for one in both)
    if not lower.trials or not upper.trials:
        return found
    spans = {
        "low": lower.low,
        "high": upper.high,
        "holds": (lower.holds[0], upper.holds[1]),
        "fails": (lower.fails[0], upper.fails[1]),
        "level": min(lower.level, upper.level),
        "noisy": max(lower.noisy, upper.noisy),
        "unsteady": max(lower.unsteady, upper.unsteady),
        "detail": "; ".join(filter(None, [found.detail, EITHER])),
    }
    wider = replace(found, **spans)
    return wider if decide(effect.reproduced, effect.not_reproduced, wider)[0] != INCONCLUSIVE else found


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
    if effect.low > effect.high:
        return INCONCLUSIVE, "its sittings contradict each other"
    shown = effect.low, effect.high
    if inside(reproduced, *(effect.holds or shown)):
        return REPRODUCED, ""
    if _refuted(reproduced, not_reproduced, *(effect.fails or shown)):
        return NOT_REPRODUCED, ""
    if inside(reproduced, *shown) or _refuted(reproduced, not_reproduced, *shown):
        lacking = f"takes {effect.needed} blocks" if effect.blocks < effect.needed else "is not decided"
        return INCONCLUSIVE, f"at its share of the claim's error this {lacking}"
    if outside(reproduced, *shown):
        return INCONCLUSIVE, "the interval lies outside the rule, which here is not enough to refute the claim"
    return INCONCLUSIVE, "the interval does not decide"


def _refuted(reproduced: Rule, not_reproduced: Rule | str, low: float, high: float) -> bool:
    return outside(reproduced, low, high) if not_reproduced == "outside" else inside(not_reproduced, low, high)


def _all(judged: Sequence[Judgement]) -> Judgement:
    return _folded(judged, (NOT_REPRODUCED, INCONCLUSIVE), "all")


def _any(judged: Sequence[Judgement]) -> Judgement:
    return _folded(judged, (REPRODUCED, INCONCLUSIVE), "any")


def _folded(judged: Sequence[Judgement], first: Sequence[str], needs: Literal["all", "any"]) -> Judgement:
    """What several judgements come to: the first of these verdicts that one of them has, or what all have."""
    deciding = next((found for one in first if (found := [each for each in judged if each.verdict == one])), judged)
    return replace(_joined(deciding), declared=None, parts=tuple(judged), needs=needs)


def _joined(deciding: Sequence[Judgement]) -> Judgement:
    """The first of several that agree stands for them; its reason and its sources tell all, each once."""
    sources = tuple(source for one in deciding for source in one.sources)
    return replace(deciding[0], reason=". ".join(dict.fromkeys(one.reason for one in deciding)), sources=sources)
