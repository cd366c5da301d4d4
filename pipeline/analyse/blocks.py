"""Numbers by block: what configurations that ran in the same block make of each other, and its median over blocks.

Of a block's repeated trials the quietest counts. Which blocks count follows pipeline.analyse.estimates: quiet and
steady ones when there are enough of them.

The largest (or least) of several ratios is corrected for their number k on the side that any single one could push
out: that end is taken at 1 - 0.05/k (Bonferroni), the other at 95 %; or whatever level is asked for instead of 95 %.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import pandas as pd

from pipeline.analyse import estimates, states
from pipeline.analyse.effect import Effect, Sample
from pipeline.analyse.selection import Missing
from pipeline.models.median_interval import MedianInterval, median_interval
from pipeline.words.numbers import LEVEL

NEXT = 2  # blocks, at most, between two that stand in for one


@dataclass(frozen=True)
class Blocks:
    """Values by block (rows) and selection (columns), with the doubtful blocks counted."""

    values: np.ndarray
    noisy: int
    unsteady: int
    last: int = 0  # the number of the last block

    def effect(self, numbers: MedianInterval, unit: str, sample: Sample, detail: str = "") -> Effect:
        count = len(self.values)
        told = Effect(*numbers[:3], unit, count, self.noisy, self.unsteady, detail, count, numbers.level)
        return replace(told, last=self.last, sample=sample)


def quietest(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Of every combination of `keys` the least doubtful trials."""
    owner = rows.groupby(keys, dropna=False, sort=False, observed=True).ngroup().to_numpy()
    return rows[_least_doubtful(owner, rows["noisy"].to_numpy(bool), rows["steady"].to_numpy(bool))]


def _least_doubtful(owner: np.ndarray, noisy: np.ndarray, steady: np.ndarray) -> np.ndarray:
    """Which trials are of the least doubtful of their group, told by its number."""
    doubt = noisy.astype(int) + ~steady
    least = np.full(len(doubt), 2)  # two doubts are the most
    np.minimum.at(least, owner, doubt)
    return doubt == least[owner]


def by_block(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per block, in order: the median of its least doubtful trials."""
    block, value = rows["block"].to_numpy(), rows["value"].to_numpy(dtype=float)
    noisy, steady = (rows[name].to_numpy(dtype=bool) for name in ("noisy", "steady"))
    names, owner = np.unique(block, return_inverse=True)
    kept = np.flatnonzero(_least_doubtful(owner, noisy, steady))
    kept = kept[np.argsort(owner[kept], kind="stable")]
    first = np.flatnonzero(np.diff(owner[kept], prepend=-1))
    told = {
        "value": [np.median(trials) for trials in np.split(value[kept], first)[1:]],
        "noisy": np.logical_and.reduceat(noisy[kept], first),
        "steady": np.logical_or.reduceat(steady[kept], first),
    }
    return pd.DataFrame(told, index=pd.Index(names, name="block"))


def of_one_state(columns: list[pd.DataFrame]) -> list[pd.DataFrame]:
    """The rows of each column that were measured in the state in which all are compared."""
    keep = states.chosen([states.told(rows) for rows in columns])
    return [rows[one] for rows, one in zip(columns, keep, strict=True)]


def shared(columns: list[pd.DataFrame]) -> Blocks:
    """The blocks that all columns have, those that count, as a matrix. Where trials are left out for their state,
    blocks next to each other stand in for one (`_paired`)."""
    kept = of_one_state(columns)
    reach = 0 if all(len(one) == len(all_) for one, all_ in zip(kept, columns, strict=True)) else NEXT
    blocks = [by_block(rows) for rows in kept]
    places = _paired([one.index.to_numpy() for one in blocks], reach)
    if not len(places[0]):
        raise Missing("the configurations share no block")
    last = max(int(one.index[place].max()) for one, place in zip(blocks, places, strict=True))
    values, noisy, steady = (
        np.column_stack([one[name].to_numpy()[place] for one, place in zip(blocks, places, strict=True)])
        for name in ("value", "noisy", "steady")
    )
    noisy, steady = noisy.any(axis=1), steady.all(axis=1)
    keep = estimates.certain(noisy, steady)
    doubtful = int(noisy[keep].sum()), int((~steady[keep]).sum())
    return Blocks(values[keep], *doubtful, last)


def _paired(blocks: list[np.ndarray], reach: int) -> list[np.ndarray]:
    """The places in each column's blocks (ascending) that go together: blocks that all have, then, of those left over,
    each of the column with the fewest with the nearest of every other, at most `reach` apart. None is used twice."""
    common = reduce(np.intersect1d, blocks)
    rows = [[int(np.searchsorted(one, block)) for one in blocks] for block in common]
    free = [np.setdiff1d(one, common) for one in blocks] if reach else []
    for block in min(free, key=len, default=()):
        near = [one[np.abs(one - block).argmin()] if len(one) else np.inf for one in free]
        if max(abs(one - block) for one in near) <= reach:
            rows.append([int(np.searchsorted(one, found)) for one, found in zip(blocks, near, strict=True)])
            free = [one[one != found] for one, found in zip(free, near, strict=True)]
    return list(np.array(sorted(rows), int).reshape(-1, len(blocks)).T)


def divided(above: np.ndarray | float, below: np.ndarray | float) -> np.ndarray:
    """Ratios; a count of 0 in `below` makes one infinite, two of them make it unknown (nan)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(above, below)


def ratio_interval(ratios: np.ndarray, level: float = LEVEL) -> MedianInterval:
    """Median over blocks (of each column) of ratios. One that is unknown may be anything: at each end it stands on the
    side that widens the interval. Missing when all are.
    """
    unknown = np.isnan(ratios)
    if unknown.all(axis=0).any():
        raise Missing("both sides of the ratio are 0")
    low = median_interval(np.where(unknown, 0.0, ratios), level)
    high = median_interval(np.where(unknown, np.inf, ratios), level)
    return low._replace(estimate=np.nanmedian(ratios, axis=0), high=high.high)


def largest(ratios: np.ndarray, level: float = LEVEL) -> MedianInterval:
    """The largest of the columns' medians, with the interval that the module's head tells of."""
    count = ratios.shape[1]
    each, corrected = ratio_interval(ratios, level), ratio_interval(ratios, 1 - (1 - level) / count)
    told = 1 - ((1 - each.level) + count * (1 - corrected.level)) / 2
    return MedianInterval(*(float(one.max()) for one in (each.estimate, corrected.low, each.high)), max(told, 0.0))


def least(ratios: np.ndarray, level: float = LEVEL) -> MedianInterval:
    """Likewise of the least: what is the largest when every ratio is turned round."""
    estimate, low, high, told = largest(divided(1.0, ratios), level)
    return MedianInterval(float(divided(1.0, estimate)), float(divided(1.0, high)), float(divided(1.0, low)), told)
