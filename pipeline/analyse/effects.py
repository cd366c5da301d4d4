"""Effects: what a claim, a finding or a figure is about, each one number with its interval over trials.

What each kind means is said where claims declare it (`pipeline.catalogue.claims`); here it is computed. Every kind is
one number, or one per pair, of each block, so that drift of the host cancels, and the median of these over blocks with
its order-statistic interval (`pipeline.models.median_interval`): no kind has a width of its own making. Of a block's
repeated trials the quietest counts. Which blocks count follows pipeline.analyse.estimates: quiet and steady ones when
there are enough of them.

The largest (or least) of several ratios is corrected for their number k on the side that any single one could push
out: that end is taken at 1 - 0.05/k (Bonferroni), the other at 95 %.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from pipeline.analyse import estimates
from pipeline.analyse.selection import Data, Missing
from pipeline.catalogue import claims
from pipeline.catalogue.claims import Selection
from pipeline.models.median_interval import LEVEL, MedianInterval, median_interval
from pipeline.models.multiplicity import ratio_p
from pipeline.words import interval

NAN = float("nan")
MIN_PLACES = 3  # values of an axis that a slope needs


@dataclass(frozen=True)
class Effect:
    """A number with its interval (NaN below 3 trials), and the trials (or matched blocks) it rests on, doubtful ones
    among them.

    `level`: of the interval, less than 0.95 with few trials; NaN where there is none, or no interval over trials.
    `p`: of one ratio, its p-value for being 1 (`pipeline.models.multiplicity.ratio_p`).
    `blocks`: in how many blocks those trials ran. `detail` says what the number is of, or why there is none
    (`estimate` NaN and `trials` 0).
    """

    estimate: float
    low: float
    high: float
    unit: str
    trials: int
    noisy: int
    unsteady: int = 0
    detail: str = ""
    blocks: int = 0
    level: float = NAN
    p: float = NAN


def nothing(why: str = "") -> Effect:
    """No effect, and why."""
    return Effect(NAN, NAN, NAN, "", 0, 0, detail=why)


@dataclass(frozen=True)
class Blocks:
    """Values by block (rows) and selection (columns), with the doubtful blocks counted."""

    values: np.ndarray
    noisy: int
    unsteady: int

    def effect(self, numbers: MedianInterval, unit: str, detail: str = "") -> Effect:
        count = len(self.values)
        return Effect(*numbers[:3], unit, count, self.noisy, self.unsteady, detail, count, numbers.level)


def compute(effect: claims.Effect, data: Data) -> Effect:
    """The effect that a claim declares. What cannot be computed is an Effect of NaN whose `detail` says why."""
    try:
        return _compute(effect, data)
    except Missing as reason:
        return nothing(str(reason))


def _compute(effect: claims.Effect, data: Data) -> Effect:
    chosen = effect.selections()
    match effect:
        case claims.Level():
            return level(data, *chosen)
        case claims.Ratio():
            return ratio(data, *chosen)
        case claims.Difference():
            return difference(data, *chosen)
        case claims.Slope(by=by):
            return slope(data, *chosen, by)
        case claims.Spread():
            return spread(data, chosen)
        case claims.Steps(margin=margin):
            return steps(data, chosen, margin)
        case claims.Jump():
            return jump(data, chosen)
        case claims.Growth():
            return growth(data, chosen)
        case claims.Rank():
            return rank(data, effect)
        case claims.Fact(name=name, equals=equals):
            return fact(data, *chosen, name, equals)
    raise TypeError(f"no effect is computed for the kind {type(effect).__name__}")


def _unit(data: Data, selection: Selection) -> str:
    return data.entry.metrics[selection["metric"]].unit


def quietest(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Of every combination of `keys` the least doubtful trials."""
    doubt = rows["noisy"].astype(int) + (~rows["steady"].astype(bool)).astype(int)
    return rows[doubt == doubt.groupby([rows[key] for key in keys], dropna=False).transform("min")]


def _by_block(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per block: the median of its least doubtful trials."""
    blocks = quietest(rows, ["block"]).groupby("block")
    return blocks.agg(value=("value", "median"), noisy=("noisy", "all"), steady=("steady", "any"))


def _shared(columns: list[pd.DataFrame]) -> Blocks:
    """The blocks that all columns have, those that count, as a matrix."""
    blocks = [_by_block(rows) for rows in columns]
    values = pd.concat([one["value"] for one in blocks], axis=1, join="inner")
    if values.empty:
        raise Missing("the configurations share no block")
    doubts = pd.DataFrame(
        {
            "noisy": pd.concat([one["noisy"] for one in blocks], axis=1, join="inner").any(axis=1),
            "steady": pd.concat([one["steady"] for one in blocks], axis=1, join="inner").all(axis=1),
        }
    )
    keep = estimates.admissible(*estimates.doubts(doubts))
    used = doubts[keep]
    return Blocks(values.to_numpy(dtype=float)[keep], int(used["noisy"].sum()), int((~used["steady"]).sum()))


def _divided(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Ratios; a count of 0 in `below` makes one infinite, two of them make it unknown (nan)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return above / below


def _ratio_interval(ratios: np.ndarray, level: float = LEVEL) -> MedianInterval:
    """Median over blocks (of each column) of ratios. One that is unknown may be anything: at each end it stands on the
    side that widens the interval. Missing when all are.
    """
    unknown = np.isnan(ratios)
    if unknown.all(axis=0).any():
        raise Missing("both sides of the ratio are 0")
    low = median_interval(np.where(unknown, 0.0, ratios), level)
    high = median_interval(np.where(unknown, np.inf, ratios), level)
    return low._replace(estimate=np.nanmedian(ratios, axis=0), high=high.high)


def _largest(ratios: np.ndarray) -> MedianInterval:
    """The largest of the columns' medians, with the interval that the module's head tells of."""
    count = ratios.shape[1]
    each, corrected = _ratio_interval(ratios), _ratio_interval(ratios, 1 - (1 - LEVEL) / count)
    level = 1 - ((1 - each.level) + count * (1 - corrected.level)) / 2
    return MedianInterval(*(float(one.max()) for one in (each.estimate, corrected.low, each.high)), max(level, 0.0))


def _least(ratios: np.ndarray) -> MedianInterval:
    """Likewise of the least: what is the largest when every ratio is turned round."""
    estimate, low, high, level = _largest(_divided(1.0, ratios))
    return MedianInterval(float(_divided(1.0, estimate)), float(_divided(1.0, high)), float(_divided(1.0, low)), level)


def level(data: Data, of: Selection) -> Effect:
    """The metric of one configuration: median over its trials."""
    rows = data.one(of)
    used = rows[estimates.admissible(*estimates.doubts(rows))]
    *numbers, reached = median_interval(used["value"].to_numpy())
    noisy, unsteady = int(used["noisy"].sum()), int((~used["steady"].astype(bool)).sum())
    blocks = used["block"].nunique()
    return Effect(*numbers, _unit(data, of), len(used), noisy, unsteady, blocks=blocks, level=reached)


def pairs(data: Data, of: Selection, to: Selection) -> pd.DataFrame:
    """Every block's own ratio of two configurations: columns block, value, noisy."""
    above, below = (_by_block(rows) for rows in data.alike([of, to]))
    both = above.add_suffix("_of").join(below.add_suffix("_to"), how="inner")
    value = both["value_of"] / both["value_to"]
    return pd.DataFrame({"block": both.index, "value": value, "noisy": both["noisy_of"] | both["noisy_to"]})


def ratio(data: Data, of: Selection, to: Selection) -> Effect:
    """One configuration over another: median of the ratios of the same block."""
    blocks = _shared(data.alike([of, to]))
    ratios = _divided(*blocks.values.T)
    found = blocks.effect(_ratio_interval(ratios), "ratio")
    return replace(found, p=ratio_p(ratios))


def difference(data: Data, of: Selection, to: Selection) -> Effect:
    """One configuration minus another, in the unit of the metric: median of the differences of the same block."""
    blocks = _shared(data.alike([of, to]))
    return blocks.effect(median_interval(blocks.values[:, 0] - blocks.values[:, 1]), _unit(data, of))


def slope(data: Data, of: Selection, by: str) -> Effect:
    """Median of the blocks' own least-squares slopes by an axis; Missing below MIN_PLACES values of it."""
    places = np.array(sorted(data.rows(of)[by].dropna().unique()), dtype=float)
    if len(places) < MIN_PLACES:
        raise Missing(f"{data.describe(of)} has {len(places)} values of {by}; a slope needs {MIN_PLACES}")
    blocks = _shared([data.one(of | {by: place}) for place in places])
    weights = (places - places.mean()) / ((places - places.mean()) ** 2).sum()
    unit = f"{_unit(data, of)} per {by.removesuffix('s')}"
    return blocks.effect(median_interval(blocks.values @ weights), unit)


def _over(data: Data, selections: Sequence[Selection]) -> Blocks:
    return _shared(data.alike(selections))


def spread(data: Data, over: Sequence[Selection]) -> Effect:
    """Largest ratio of one to another, over all pairs; at least 1."""
    blocks = _over(data, over)
    above, below = np.array(list(itertools.permutations(range(len(over)), 2))).T
    estimate, low, high, reached = _largest(_divided(blocks.values[:, above], blocks.values[:, below]))
    return blocks.effect(MedianInterval(estimate, max(low, 1.0), high, reached), "ratio")


def jump(data: Data, over: Sequence[Selection]) -> Effect:
    """Largest ratio of one to the one before."""
    blocks = _over(data, over)
    return blocks.effect(_largest(_divided(blocks.values[:, 1:], blocks.values[:, :-1])), "ratio")


def growth(data: Data, sides: Sequence[Selection]) -> Effect:
    """Least factor by which the ratio of two neighbours in `sides` (of, to, of, to, ...) grows from pair to pair."""
    blocks = _over(data, sides)
    ratios = _divided(blocks.values[:, ::2], blocks.values[:, 1::2])
    return blocks.effect(_least(_divided(ratios[:, 1:], ratios[:, :-1])), "ratio")


def steps(data: Data, over: Sequence[Selection], margin: float) -> Effect:
    """How many of the ratios of one to the one before are below 1 - margin; the interval counts those that surely are
    (their whole interval is), and those that may be (part of it is).

    All ratios hold at once with the level told (Bonferroni).
    """
    blocks = _over(data, over)
    ratios = _divided(blocks.values[:, 1:], blocks.values[:, :-1])
    count, bound = ratios.shape[1], 1 - margin
    found = _ratio_interval(ratios, 1 - (1 - LEVEL) / count)
    columns = zip(found.estimate, found.low, found.high, strict=True)
    shown = "ratios " + ", ".join(interval(*one, "ratio", found.level) for one in columns)
    fewest, most = (float((end < bound).sum()) for end in (found.high, found.low))
    fewest, most = (NAN, NAN) if np.isnan(found.level) else (fewest, most)
    together = max(1 - count * (1 - found.level), 0.0)
    numbers = MedianInterval(float((found.estimate < bound).sum()), fewest, most, together)
    return blocks.effect(numbers, "steps", shown)


def rank(data: Data, effect: claims.Rank) -> Effect:
    """A subject against the nearest rival, above 1 when the subject is better."""
    items = [effect.of_item(part) for part in effect.over]
    signs = [-1.0 if data.entry.metrics[item[0]["metric"]].better == "lower" else 1.0 for item in items]
    # Items may differ in what they are about (a file that fits memory, one that does not), rivals may not.
    blocks = _shared([rows for item in items for rows in data.alike(item)])

    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(blocks.values).reshape(len(blocks.values), len(items), -1)
        gains = np.exp(((logs[:, :, :1] - logs[:, :, 1:]) * np.array(signs)[None, :, None]).mean(axis=1))
    extreme, position = (_least, np.argmin) if effect.against == "best" else (_largest, np.argmax)
    nearest = effect.rivals[int(position(_ratio_interval(gains).estimate))]
    return blocks.effect(extreme(gains), "ratio", f"{effect.against} rival {nearest}")


def fact(data: Data, of: Selection, name: str, equals: str) -> Effect:
    """1 when a runtime's fact has the value in every trial, 0 when in none; in between the interval is [0, 1]."""
    trials = data.trials(of)
    facts = data.tables.facts[data.tables.facts["trial"].isin(trials["trial"])]
    # A runtime that tells other facts of the family lacks this one; one that tells none cannot be asked.
    family = name.split(".")[0]
    told = set(facts.loc[facts["name"].astype(str).str.startswith(family), "trial"])
    if not told:
        raise Missing(f"{data.describe(of)} tells no {family}")
    named = facts[facts["name"] == name]
    equal = int((named["value"] == equals).sum())
    shown = ", ".join(sorted(set(named["value"]))) or "absent"
    unanimous = equal in (0, len(told))
    numbers = (equal / len(told), *((equal / len(told),) * 2 if unanimous else (0.0, 1.0)))
    blocks = trials.loc[trials["trial"].isin(told), "block"].nunique()
    return Effect(*numbers, "yes/no", len(told), 0, detail=f"{name} is {shown}", blocks=blocks)
