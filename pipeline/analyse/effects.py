"""Effects: what a claim, a finding or a figure is about, each one number with its interval over trials.

What each kind means is said where claims declare it (`pipeline.catalogue.claims`); here it is computed. Every kind is
one number, or one per pair, of each block, so that drift of the host cancels, and the median of these over blocks with
its order-statistic interval (`pipeline.models.median_interval`): no kind has a width of its own making. Which trials
and blocks count is said in `pipeline.analyse.blocks`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from pipeline.analyse import estimates, sequential_test
from pipeline.analyse.blocks import by_block, divided, largest, least, of_one_state, ratio_interval, shared
from pipeline.analyse.effect import NAN, Effect, Sample, nothing
from pipeline.analyse.selection import Data, Missing
from pipeline.analyse.trials import globbed
from pipeline.catalogue import claims
from pipeline.catalogue.claims import Selection
from pipeline.models.median_interval import MedianInterval, median_interval
from pipeline.models.multiplicity import ratio_p
from pipeline.words.numbers import LEVEL, interval

MIN_PLACES = 3  # values of an axis that a slope needs


def compute(effect: claims.Effect, data: Data, shares: tuple[int, int] = (1, 1)) -> Effect:
    """The effect that a claim declares, by the looks of the run (`data.looks`; none: one look at all there is).

    The interval is what those of all looks have in common, so that what is decided stays decided; a look that brought
    no new block is none, nor is one with so few blocks that neither end could decide: it cannot err. `shares`: among
    how many effects the claim's error is shared where it decides for the claim, and where against. What cannot be
    computed is an Effect of NaN whose `detail` says why.
    """
    before = shown = None
    why = ""
    for last in data.looks or (None,):
        try:
            seen = _seen(effect, data.until(last), before.looks + 1 if before else 1, shares)
        except Missing as reason:
            why = str(reason)
            continue
        shown = seen if before is None else _narrowed(before, seen)
        before = shown if shown.looks > (before.looks if before else 0) else before
    return nothing(why) if shown is None else shown


def _seen(effect: claims.Effect, data: Data, look: int, shares: tuple[int, int]) -> Effect:
    """An effect at one look: its interval, and those at its shares of the claim's error; `looks` without this one where
    no end of it may decide."""
    seen = _compute(effect, data, sequential_test.level(look))
    ends = []
    for share in shares:
        asked = sequential_test.level(look, share)
        wider = seen if share == 1 else _compute(effect, data, asked)
        ends.append(sequential_test.sure(seen.sample, wider.low, wider.high, asked))
    needed = sequential_test.blocks_needed(seen.sample, sequential_test.level(look, max(shares))) if seen.sample else 0
    decides = any(math.isfinite(end) for pair in ends for end in pair)
    return replace(seen, holds=ends[0], fails=ends[1], needed=needed, looks=look if decides else look - 1)


def _narrowed(found: Effect, seen: Effect) -> Effect:
    """What two looks have in common, with the numbers of the later one; the same where that saw no new block."""
    if seen.last <= found.last:
        return found
    low, high = _common((found.low, found.high), (seen.low, seen.high))
    holds, fails = _common(found.holds, seen.holds), _common(found.fails, seen.fails)
    detail = seen.detail if low <= seen.estimate <= high else "; ".join(filter(None, [seen.detail, "its looks differ"]))
    both = {"low": low, "high": high, "holds": holds, "fails": fails, "detail": detail}
    return replace(seen, level=max(found.level + seen.level - 1, 0.0), **both)


def _common(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return max(one[0], other[0]), min(one[1], other[1])


def _compute(effect: claims.Effect, data: Data, at: float) -> Effect:
    chosen = effect.selections()
    match effect:
        case claims.Level():
            return level(data, *chosen, at)
        case claims.Ratio():
            return ratio(data, *chosen, at)
        case claims.Difference():
            return difference(data, *chosen, at)
        case claims.Slope(by=by):
            return slope(data, *chosen, by, at)
        case claims.Spread():
            return spread(data, chosen, at)
        case claims.Steps(margin=margin):
            return steps(data, chosen, margin, at)
        case claims.Jump():
            return jump(data, chosen, at)
        case claims.Growth():
            return growth(data, chosen, at)
        case claims.Rank():
            return rank(data, effect, at)
        case claims.Fact(name=name, equals=equals):
            return fact(data, *chosen, name, equals)
    raise TypeError(f"no effect is computed for the kind {type(effect).__name__}")


def _unit(data: Data, selection: Selection) -> str:
    return data.entry.metrics[selection["metric"]].unit


def level(data: Data, of: Selection, at: float = LEVEL) -> Effect:
    """The metric of one configuration: median over its trials. `at`, here and below: the level of the interval."""
    rows = data.one(of)
    used = estimates.used(rows)
    values = used["value"].to_numpy(dtype=float)
    *numbers, reached = median_interval(values, at)
    noisy, unsteady = int(used["noisy"].sum()), int((~used["steady"].astype(bool)).sum())
    blocks = used["block"].nunique()
    told = Effect(*numbers, _unit(data, of), len(used), noisy, unsteady, blocks=blocks, level=reached)
    return replace(told, last=int(used["block"].max()), sample=Sample(values[:, None]))


def pairs(data: Data, of: Selection, to: Selection) -> pd.DataFrame:
    """Every block's own ratio of two configurations: columns block, value, noisy."""
    above, below = (by_block(rows) for rows in of_one_state(data.alike([of, to])))
    both = above.add_suffix("_of").join(below.add_suffix("_to"), how="inner")
    value = both["value_of"] / both["value_to"]
    return pd.DataFrame({"block": both.index, "value": value, "noisy": both["noisy_of"] | both["noisy_to"]})


def ratio(data: Data, of: Selection, to: Selection, at: float = LEVEL) -> Effect:
    """One configuration over another: median of the ratios of the same block."""
    blocks = shared(data.alike([of, to]))
    ratios = divided(*blocks.values.T)
    found = blocks.effect(ratio_interval(ratios, at), "ratio", Sample(ratios[:, None]))
    return replace(found, p=ratio_p(ratios))


def difference(data: Data, of: Selection, to: Selection, at: float = LEVEL) -> Effect:
    """One configuration minus another, in the unit of the metric: median of the differences of the same block."""
    blocks = shared(data.alike([of, to]))
    values = blocks.values[:, 0] - blocks.values[:, 1]
    return blocks.effect(median_interval(values, at), _unit(data, of), Sample(values[:, None]))


def slope(data: Data, of: Selection, by: str, at: float = LEVEL) -> Effect:
    """Median of the blocks' own least-squares slopes by an axis; Missing below MIN_PLACES values of it."""
    places = np.array(sorted(data.rows(of)[by].dropna().unique()), dtype=float)
    if len(places) < MIN_PLACES:
        raise Missing(f"{data.describe(of)} has {len(places)} values of {by}; a slope needs {MIN_PLACES}")
    blocks = shared([data.one(of | {by: place}) for place in places])
    weights = (places - places.mean()) / ((places - places.mean()) ** 2).sum()
    unit = f"{_unit(data, of)} per {by.removesuffix('s')}"
    values = blocks.values @ weights
    return blocks.effect(median_interval(values, at), unit, Sample(values[:, None]))


def spread(data: Data, over: Sequence[Selection], at: float = LEVEL) -> Effect:
    """Largest ratio of one to another, over all pairs; at least 1."""
    blocks = shared(data.alike(over))
    above, below = np.array(list(itertools.permutations(range(len(over)), 2))).T
    ratios = divided(blocks.values[:, above], blocks.values[:, below])
    estimate, low, high, reached = largest(ratios, at)
    return blocks.effect(MedianInterval(estimate, max(low, 1.0), high, reached), "ratio", Sample(ratios, "largest"))


def jump(data: Data, over: Sequence[Selection], at: float = LEVEL) -> Effect:
    """Largest ratio of one to the one before."""
    blocks = shared(data.alike(over))
    ratios = divided(blocks.values[:, 1:], blocks.values[:, :-1])
    return blocks.effect(largest(ratios, at), "ratio", Sample(ratios, "largest"))


def growth(data: Data, sides: Sequence[Selection], at: float = LEVEL) -> Effect:
    """Least factor by which the ratio of two neighbours in `sides` (of, to, of, to, ...) grows from pair to pair."""
    blocks = shared(data.alike(sides))
    ratios = divided(blocks.values[:, ::2], blocks.values[:, 1::2])
    growths = divided(ratios[:, 1:], ratios[:, :-1])
    return blocks.effect(least(growths, at), "ratio", Sample(growths, "least"))


def steps(data: Data, over: Sequence[Selection], margin: float, at: float = LEVEL) -> Effect:
    """How many of the ratios of one to the one before are below 1 - margin; the interval counts those that surely are
    (their whole interval is), and those that may be (part of it is).

    All ratios hold at once with the level told (Bonferroni).
    """
    blocks = shared(data.alike(over))
    ratios = divided(blocks.values[:, 1:], blocks.values[:, :-1])
    count, bound = ratios.shape[1], 1 - margin
    found = ratio_interval(ratios, 1 - (1 - at) / count)
    columns = zip(found.estimate, found.low, found.high, strict=True)
    shown = "ratios " + ", ".join(interval(*one, "ratio", found.level) for one in columns)
    fewest, most = (float((end < bound).sum()) for end in (found.high, found.low))
    fewest, most = (NAN, NAN) if np.isnan(found.level) else (fewest, most)
    together = max(1 - count * (1 - found.level), 0.0)
    numbers = MedianInterval(float((found.estimate < bound).sum()), fewest, most, together)
    return blocks.effect(numbers, "steps", Sample(ratios, "count", bound), shown)


def rank(data: Data, effect: claims.Rank, at: float = LEVEL) -> Effect:
    """A subject against the nearest rival, above 1 when the subject is better."""
    items = [effect.of_item(part) for part in effect.over]
    signs = [-1.0 if data.entry.metrics[item[0]["metric"]].better == "lower" else 1.0 for item in items]
    # Items may differ in what they are about (a file that fits memory, one that does not), rivals may not.
    blocks = shared([rows for item in items for rows in data.alike(item)])

    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(blocks.values).reshape(len(blocks.values), len(items), -1)
        gains = np.exp(((logs[:, :, :1] - logs[:, :, 1:]) * np.array(signs)[None, :, None]).mean(axis=1))
    best = effect.against == "best"
    extreme, position = (least, np.argmin) if best else (largest, np.argmax)
    sample = Sample(gains, "least" if best else "largest")
    nearest = effect.rivals[int(position(ratio_interval(gains).estimate))]
    return blocks.effect(extreme(gains, at), "ratio", sample, f"{effect.against} rival {nearest}")


def fact(data: Data, of: Selection, name: str, equals: str) -> Effect:
    """1 when a runtime's fact has the value in every trial, 0 when in none; in between the interval is [0, 1]."""
    trials = data.trials(of)
    facts = data.tables.facts[data.tables.facts["trial"].isin(trials["trial"])]
    # A runtime that tells other facts of the family lacks this one; one that tells none cannot be asked.
    family = name.split(".")[0]
    told = set(facts.loc[globbed(facts["name"], f"{family}*"), "trial"])
    if not told:
        raise Missing(f"{data.describe(of)} tells no {family}")
    named = facts[facts["name"] == name]
    equal = int((named["value"] == equals).sum())
    shown = ", ".join(sorted(set(named["value"]))) or "absent"
    unanimous = equal in (0, len(told))
    numbers = (equal / len(told), *((equal / len(told),) * 2 if unanimous else (0.0, 1.0)))
    blocks = trials.loc[trials["trial"].isin(told), "block"].nunique()
    return Effect(*numbers, "yes/no", len(told), 0, detail=f"{name} is {shown}", blocks=blocks)
