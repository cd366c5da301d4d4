"""Effects: what a claim, a finding or a figure is about, each one number with its 95 % interval over trials.

What each kind means is said where claims declare it (`pipeline.catalogue.claims`); here it is computed. Trials
are matched by block, so that drift of the host cancels; of a block's repeated trials the quietest counts. Which
blocks count follows pipeline.analyse.estimates: quiet and steady ones when there are at least 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pipeline.analyse import estimates
from pipeline.analyse.selection import Data, Missing
from pipeline.catalogue import claims
from pipeline.catalogue.claims import Selection
from pipeline.models.bootstrap import MIN_TRIALS, RESAMPLES, bootstrap_median, bootstrap_ratio, percentile_interval
from pipeline.words import interval

NAN = float("nan")
MIN_PLACES = 3  # values of an axis that a slope needs


@dataclass(frozen=True)
class Effect:
    """A number with its interval (NaN below 3 trials), and the trials (or matched blocks) it rests on, doubtful ones
    among them.

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


def nothing(why: str = "") -> Effect:
    """No effect, and why."""
    return Effect(NAN, NAN, NAN, "", 0, 0, detail=why)


@dataclass(frozen=True)
class Blocks:
    """Values by block (rows) and selection (columns), with the doubtful blocks counted."""

    values: np.ndarray
    noisy: int
    unsteady: int

    def effect(self, numbers: tuple[float, float, float], unit: str, detail: str = "") -> Effect:
        count = len(self.values)
        return Effect(*numbers, unit, count, self.noisy, self.unsteady, detail, count)


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
        case claims.Steps():
            return steps(data, chosen)
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


def _by_block(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per block: the median of its least doubtful trials."""
    doubt = rows["noisy"].astype(int) + (~rows["steady"].astype(bool)).astype(int)
    best = rows[doubt == doubt.groupby(rows["block"]).transform("min")]
    return best.groupby("block").agg(value=("value", "median"), noisy=("noisy", "all"), steady=("steady", "any"))


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


def _resampled(blocks: Blocks, statistic: Callable[[np.ndarray], np.ndarray], seed: int) -> tuple[float, float, float]:
    """Statistic of the columns' medians and its interval, blocks resampled whole.

    `statistic` maps medians of shape (n, columns) to n numbers.
    """
    count = len(blocks.values)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = float(statistic(np.median(blocks.values, axis=0)[None, :])[0])
        if count < MIN_TRIALS:
            return estimate, NAN, NAN
        drawn = np.random.default_rng(seed).integers(0, count, (RESAMPLES, count))
        resampled = statistic(np.median(blocks.values[drawn], axis=1))
    return (estimate, *percentile_interval(resampled))


def level(data: Data, of: Selection) -> Effect:
    """The metric of one configuration: median over its trials."""
    rows = data.one(of)
    used = rows[estimates.admissible(*estimates.doubts(rows))]
    numbers = bootstrap_median(used["value"].to_numpy(), data.seed)
    noisy, unsteady = int(used["noisy"].sum()), int((~used["steady"].astype(bool)).sum())
    return Effect(*numbers, _unit(data, of), len(used), noisy, unsteady, blocks=used["block"].nunique())


def pairs(data: Data, of: Selection, to: Selection) -> pd.DataFrame:
    """Every block's own ratio of two configurations: columns block, value, noisy."""
    above, below = (_by_block(rows) for rows in data.alike([of, to]))
    both = above.add_suffix("_of").join(below.add_suffix("_to"), how="inner")
    value = both["value_of"] / both["value_to"]
    return pd.DataFrame({"block": both.index, "value": value, "noisy": both["noisy_of"] | both["noisy_to"]})


def ratio(data: Data, of: Selection, to: Selection) -> Effect:
    """One configuration over another: median of the ratios of the same block."""
    blocks = _shared(data.alike([of, to]))
    above, below = blocks.values.T
    if (below == 0).any():
        # A count of 0 (no context switch at all) has no ratio of its own; the medians may.
        numbers = _resampled(blocks, lambda medians: medians[:, 0] / medians[:, 1], data.seed)
        if np.isnan(numbers[0]):
            raise Missing("both sides of the ratio are 0")
        return blocks.effect(numbers, "ratio")
    return blocks.effect(bootstrap_ratio(above, below, paired=True, seed=data.seed), "ratio")


def difference(data: Data, of: Selection, to: Selection) -> Effect:
    """One configuration minus another, in the unit of the metric: median of the differences of the same block."""
    blocks = _shared(data.alike([of, to]))
    numbers = bootstrap_median(blocks.values[:, 0] - blocks.values[:, 1], data.seed)
    return blocks.effect(numbers, _unit(data, of))


def slope(data: Data, of: Selection, by: str) -> Effect:
    """Least-squares slope of the metric by an axis; Missing below MIN_PLACES values of it."""
    places = np.array(sorted(data.rows(of)[by].dropna().unique()), dtype=float)
    if len(places) < MIN_PLACES:
        raise Missing(f"{data.describe(of)} has {len(places)} values of {by}; a slope needs {MIN_PLACES}")
    blocks = _shared([data.one(of | {by: place}) for place in places])
    weights = (places - places.mean()) / ((places - places.mean()) ** 2).sum()
    unit = f"{_unit(data, of)} per {by.removesuffix('s')}"
    return blocks.effect(_resampled(blocks, lambda medians: medians @ weights, data.seed), unit)


def _over(data: Data, selections: Sequence[Selection]) -> Blocks:
    return _shared(data.alike(selections))


def spread(data: Data, over: Sequence[Selection]) -> Effect:
    """Largest over smallest median."""
    blocks = _over(data, over)
    return blocks.effect(_resampled(blocks, lambda m: m.max(axis=1) / m.min(axis=1), data.seed), "ratio")


def jump(data: Data, over: Sequence[Selection]) -> Effect:
    """Largest ratio of one median to the one before."""
    blocks = _over(data, over)
    numbers = _resampled(blocks, lambda medians: (medians[:, 1:] / medians[:, :-1]).max(axis=1), data.seed)
    return blocks.effect(numbers, "ratio")


def growth(data: Data, sides: Sequence[Selection]) -> Effect:
    """Least factor by which the ratio of two neighbours in `sides` (of, to, of, to, ...) grows from pair to pair."""
    blocks = _over(data, sides)

    def least(medians: np.ndarray) -> np.ndarray:
        ratios = medians[:, ::2] / medians[:, 1::2]
        return (ratios[:, 1:] / ratios[:, :-1]).min(axis=1)

    return blocks.effect(_resampled(blocks, least, data.seed), "ratio")


def steps(data: Data, over: Sequence[Selection]) -> Effect:
    """How many of the next intervals lie wholly below the one before."""
    blocks = _over(data, over)
    levels = [bootstrap_median(column, data.seed) for column in blocks.values.T]
    shown = "levels " + ", ".join(interval(*one, _unit(data, of)) for one, of in zip(levels, over, strict=True))
    downward = float(sum(after[2] < before[1] for before, after in zip(levels, levels[1:], strict=False)))
    known = NAN if len(blocks.values) < MIN_TRIALS else downward
    return blocks.effect((downward, known, known), "steps", shown)


def rank(data: Data, effect: claims.Rank) -> Effect:
    """A subject against the nearest rival, above 1 when the subject is better."""
    items = [effect.of_item(part) for part in effect.over]
    signs = [-1.0 if data.entry.metrics[item[0]["metric"]].better == "lower" else 1.0 for item in items]
    # Items may differ in what they are about (a file that fits memory, one that does not), rivals may not.
    blocks = _shared([rows for item in items for rows in data.alike(item)])

    def against_each(medians: np.ndarray) -> np.ndarray:
        logs = np.log(medians).reshape(len(medians), len(items), -1)
        gains = (logs[:, :, :1] - logs[:, :, 1:]) * np.array(signs)[None, :, None]
        return np.exp(gains.mean(axis=1))

    choose = np.min if effect.against == "best" else np.max
    each = against_each(np.median(blocks.values, axis=0)[None, :])[0]
    nearest = effect.rivals[int(np.flatnonzero(each == choose(each))[0])]
    numbers = _resampled(blocks, lambda medians: choose(against_each(medians), axis=1), data.seed)
    return blocks.effect(numbers, "ratio", f"{effect.against} rival {nearest}")


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
