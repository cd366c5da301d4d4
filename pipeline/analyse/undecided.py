"""What is open: why a verdict is undecided, whether more blocks could decide it, of what, and how likely they will.

An effect is useful when it is itself undecided, its trials are not the doubt, its interval does not lie wholly where
neither rule does, and the claim's verdict can still change by it. The chance that so many further blocks decide is
that the blocks beyond a bound stay fewer than the depth of the interval asked for: beta-binomial, from those so far and
Jeffreys' prior. It needs no random numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaln, gammaln

from pipeline.analyse import sequential_test
from pipeline.analyse.claim_test import (
    DOUBTFUL_SHARE,
    FEWEST_TRIALS,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    Judgement,
)
from pipeline.analyse.effect import Sample
from pipeline.analyse.rules import outside, regions
from pipeline.analyse.selection import Data, Missing, keys
from pipeline.catalogue.claims import Region
from pipeline.models.median_interval import FEWEST, depth_of
from pipeline.words.numbers import exact

MOST_ROUNDS = 60
EVEN = 0.5
# Why a verdict is undecided, from what nothing here can change to what more measuring will probably decide.
RULE, HOST, MISSING, CONTROL, PROFILE = "rule", "host", "missing", "control", "profile"
BETWEEN, DOUBT, FAR, OPEN = "between", "doubt", "far", "open"
CONSTANT = 0.05  # a number that scatters less belongs to the profile and not to the host
# Of an interval that reaches so far towards the next value the depth counts as one more: most of the step is made.
NEARLY = 0.8


@dataclass(frozen=True)
class Undecided:
    """Why a verdict is undecided (empty: it is decided), in words what follows from it, the chance that a look after
    1, 2, ... MOST_ROUNDS further blocks decides it, and the configurations that it takes: keys of the plan."""

    why: str = ""
    advice: str = ""
    chances: tuple[float, ...] = ()
    configurations: tuple[str, ...] = ()

    @property
    def rounds(self) -> float:
        """After how many further blocks the chance is even; infinite where it never is."""
        return next((number for number, chance in enumerate(self.chances, 1) if chance >= EVEN), math.inf)

    def columns(self) -> dict[str, Any]:
        """As columns of the verdicts table."""
        lists = {"chances": list(self.chances), "configurations": list(self.configurations)}
        return {"why": self.why, "advice": self.advice} | {name: json.dumps(one) for name, one in lists.items()}

    @classmethod
    def of_columns(cls, row: dict[str, Any]) -> Undecided:
        """What `columns` wrote."""
        lists = (tuple(json.loads(row[name] or "[]")) for name in ("chances", "configurations"))
        return cls(row["why"] or "", row["advice"] or "", *lists)


def of(judged: Judgement, data: Data) -> Undecided:
    """What there is to say of a judgement on a claim."""
    if judged.verdict != INCONCLUSIVE:
        return Undecided()
    if judged.barred:
        return Undecided(judged.barred)
    if not (_can(judged, REPRODUCED) or _can(judged, NOT_REPRODUCED)):
        return _stuck(judged)
    chances = tuple(round(chance(judged, rounds), 3) for rounds in range(1, MOST_ROUNDS + 1))
    useful = [one for one in _leaves(judged) if _useful(one)]
    measured = tuple(sorted({key for one in useful for key in _keys(one, data)}))
    found = Undecided(OPEN, "", chances, measured)
    if math.isfinite(found.rounds):
        return found
    if not _can(judged, REPRODUCED) and any(map(_settled, _undecided(judged))):
        return _stuck(judged)  # it could only be refuted, and there is no even chance of that
    return Undecided(FAR, f"not within an hour of measuring{_scatter(useful)}", chances, measured)


def chance(judged: Judgement, rounds: int) -> float:
    """Of a verdict, either one, at a look after so many further blocks."""
    return min(_chance(judged, REPRODUCED, rounds) + _chance(judged, NOT_REPRODUCED, rounds), 1.0)


def _chance(one: Judgement, target: str, rounds: int) -> float:
    if one.parts:
        each = [_chance(part, target, rounds) for part in one.parts]
        every = (one.needs == "all") == (target == REPRODUCED)
        return math.prod(each) if every else 1 - math.prod(1 - part for part in each)
    if one.verdict != INCONCLUSIVE or not _useful(one) or not _reachable(one, target):
        return float(one.verdict == target)
    return _leaf_chance(one, target, rounds)


def _leaf_chance(one: Judgement, target: str, rounds: int) -> float:
    """Every bound of a region must be excluded; the likeliest region counts."""
    share = one.shares[target == NOT_REPRODUCED]
    sample, asked = one.effect.sample, sequential_test.level(one.effect.looks + 1, share)
    middle = np.median(sample.values, axis=0)
    if sample.of == "count":
        sides = [(sample.values[:, j] < sample.bound) == (middle[j] < sample.bound) for j in range(len(middle))]
        return math.prod(_excluded(right, len(sides), asked, rounds) for right in sides)
    column = sample.values[:, int(np.argmin(middle) if sample.of == "least" else np.argmax(middle))]
    return max(_within(region, column, sample.shares, asked, rounds) for region in _regions(one, target))


def _regions(one: Judgement, target: str) -> list[Region]:
    """The regions in which the interval must lie for a verdict."""
    if target == REPRODUCED:
        return regions(one.declared.reproduced)
    if one.declared.not_reproduced != "outside":
        return regions(one.declared.not_reproduced)
    turned = {"low": "below", "above": "high", "high": "above", "below": "low"}
    return [
        Region(**{turned[name]: bound})
        for region in regions(one.declared.reproduced)
        for name, bound in region.bounds.items()
    ]


def _within(region: Region, values: np.ndarray, shares: tuple[int, int], asked: float, rounds: int) -> float:
    beyond = {"low": np.greater_equal, "above": np.greater, "high": np.less_equal, "below": np.less}
    return math.prod(
        _excluded(beyond[name](values, bound), shares[name in ("high", "below")], asked, rounds)
        for name, bound in region.bounds.items()
    )


def _excluded(right: np.ndarray, share: int, asked: float, rounds: int) -> float:
    """The chance that the end of the interval after so many rounds lies on the right side of a bound."""
    count, wrong = len(right), int((~right).sum())
    if count + rounds < max(FEWEST, FEWEST_TRIALS) or not sequential_test.enough(count + rounds, asked, share):
        return 0.0
    depth, inward, _ = depth_of(count + rounds, 1 - (1 - asked) / share)
    return _at_most(depth + (inward > NEARLY) - 1 - wrong, rounds, wrong + 0.5, count - wrong + 0.5)


def _at_most(most: int, count: int, a: float, b: float) -> float:
    """P(X <= most) of the beta-binomial distribution."""
    x = np.arange(min(most, count) + 1)
    log = gammaln(count + 1) - gammaln(x + 1) - gammaln(count - x + 1) + betaln(x + a, count - x + b) - betaln(a, b)
    return min(float(np.exp(log).sum()), 1.0)


def _leaves(judged: Judgement) -> Iterator[Judgement]:
    if not judged.parts:
        yield judged
    for part in judged.parts:
        yield from _leaves(part)


def _undecided(judged: Judgement) -> list[Judgement]:
    return [one for one in _leaves(judged) if one.verdict == INCONCLUSIVE]


def _can(one: Judgement, target: str) -> bool:
    """Whether a verdict can still come, by what is decided already and by effects that are useful."""
    if one.parts:
        return (all if (one.needs == "all") == (target == REPRODUCED) else any)(
            _can(part, target) for part in one.parts
        )
    return one.verdict == target or (one.verdict == INCONCLUSIVE and _useful(one) and _reachable(one, target))


def _reachable(one: Judgement, target: str) -> bool:
    return target == REPRODUCED or one.declared.not_reproduced != "never"


def _useful(one: Judgement) -> bool:
    return one.verdict == INCONCLUSIVE and not one.barred and one.effect.sample is not None and not _settled(one)


def _settled(one: Judgement) -> str:
    """Why more blocks do not decide an effect; empty where they can."""
    effect = one.effect
    if effect.sample is None:
        return ""
    if max(effect.noisy, effect.unsteady) > DOUBTFUL_SHARE * effect.trials or effect.low > effect.high:
        return DOUBT
    low, high = effect.fails or (effect.low, effect.high)
    never = one.declared.not_reproduced == "never"
    if one.declared.not_reproduced == "outside" or not outside(one.declared.reproduced, low, high):
        return ""
    if never and effect.high - effect.low <= CONSTANT * abs(effect.estimate):
        return PROFILE
    return BETWEEN if never or outside(one.declared.not_reproduced, low, high) else ""


def _stuck(judged: Judgement) -> Undecided:
    """Of a verdict that no further block changes: the reason, in words."""
    left = _undecided(judged)
    reasons = [(MISSING if one.barred or one.effect.sample is None else _settled(one), one) for one in left]
    why, one = next(((why, one) for why, one in reasons if why), (MISSING, left[0]))
    effect = one.effect
    advice = {
        BETWEEN: "its interval lies between the two rules; more measuring decides nothing",
        PROFILE: "a trial of this profile does not watch for long enough: PROFILE=full",
        DOUBT: f"its trials do not settle ({max(effect.unsteady, effect.noisy)} of {effect.trials}); more of them "
        "decide nothing",
    }
    return Undecided(why, advice.get(why, ""))


def _scatter(useful: Sequence[Judgement]) -> str:
    """The bound nearest to a ratio, and the scatter of the blocks that it lies in."""
    for one in useful:
        sample: Sample = one.effect.sample
        values = sample.values[:, 0]
        if one.effect.unit == "ratio" and sample.of == "median" and np.all((values > 0) & np.isfinite(values)):
            bounds = [bound for region in regions(one.declared.reproduced) for bound in region.bounds.values()]
            nearest = min((b for b in bounds if b), key=lambda b: abs(math.log(b / one.effect.estimate)), default=None)
            logs = np.log(values)
            spread = 1.4826 * float(np.median(np.abs(logs - np.median(logs))))
            if nearest and abs(math.log(nearest / one.effect.estimate)) < 2 * spread:
                return f": the bound {exact(nearest)} lies within the scatter of {round(100 * math.expm1(spread))} %"
    return ""


def _keys(one: Judgement, data: Data) -> set[str]:
    """The configurations that an effect is computed from."""
    found = set()
    for selection in one.declared.selections():
        try:
            found.update(keys(data.rows(selection), data.entry))
        except Missing:
            continue
    return found
