"""Histograms of many trials at once. Buckets run into the millions, so nothing here joins tables or goes row by row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from pipeline.hdr.counts import Counts, Geometry

# The layout of every histogram of the harness contract, in nanoseconds.
DIGITS, LOWEST_NS, HIGHEST_NS = 3, 1, 3_600_000_000_000
VALUE_BITS = HIGHEST_NS.bit_length()
UNLIKE = 0  # digits of buckets that are not of this layout
NONE = Counts(*(np.empty(0, np.int64) for _ in range(3)), DIGITS, LOWEST_NS, HIGHEST_NS)  # nothing was recorded


def positions(column: pd.Series, index: pd.Index) -> np.ndarray:
    """Position of each value in `index`, -1 for a value that is not there; each distinct value is looked up once."""
    column = column.astype("category")
    return _places(column.cat.categories, index)[column.cat.codes]


def _places(names: pd.Index, index: pd.Index) -> np.ndarray:
    return index.get_indexer(names.astype(index.dtype))


def wanted(rows: pd.DataFrame) -> Callable[[pd.DataFrame], np.ndarray]:
    """A function that says which buckets belong to one of `rows` (columns trial, iteration, series)."""
    trials, series = (pd.Index(rows[name].astype(str).unique()) for name in ("trial", "series"))
    iterations = rows["iteration"].to_numpy(np.int64)
    length = int(iterations.max(initial=-1)) + 1
    # The last of each axis is for what is not there: a position of -1 leads to it.
    chosen = np.zeros((len(trials) + 1, length + 1, len(series) + 1), dtype=bool)
    chosen[positions(rows["trial"], trials), iterations, positions(rows["series"], series)] = True

    def within(buckets: pd.DataFrame) -> np.ndarray:
        trial, named = (buckets[name].astype("category").cat for name in ("trial", "series"))
        here = chosen[_places(trial.categories, trials)][:, :, _places(named.categories, series)]
        iteration = np.minimum(buckets["iteration"].to_numpy(), length)
        return here[trial.codes.to_numpy(), iteration, named.codes.to_numpy()]

    return within


def by_trial(buckets: pd.DataFrame, trials: pd.Index) -> dict[int, Counts]:
    """Position in `trials` -> the sum of that trial's histograms, for those of `trials` that have a bucket."""
    return by_owner(buckets, positions(buckets["trial"], trials))


def by_owner(buckets: pd.DataFrame, owner: np.ndarray) -> dict[int, Counts]:
    """Number -> the sum of the histograms of the buckets that have it in `owner`, one for each bucket; -1 is no one."""
    owner, low, width, count = summed(owner, *(buckets[name].to_numpy() for name in ("low_ns", "width_ns", "count")))
    digits = DIGITS if laid_out(low, width) else UNLIKE
    cuts = np.flatnonzero(np.diff(owner, prepend=-1, append=-1)) if len(owner) else owner
    return {
        int(owner[a]): Counts(low[a:b], width[a:b], count[a:b], digits, LOWEST_NS, HIGHEST_NS)
        for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
    }


def summed(owner: np.ndarray, low: np.ndarray, width: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, ...]:
    """(owner, low, width, count) of the sums of the histograms of each owner, by owner and value; those of -1 are left
    out."""
    owner = owner.astype(np.int64, copy=False)
    if (owner < 0).any():
        owner, low, width, count = (column[owner >= 0] for column in (owner, low, width, count))
    if not len(owner):
        return owner, low, width, count
    # Owner and value in one integer, so that one sort groups and orders both.
    keys = owner << VALUE_BITS
    keys |= low
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    count, width, keys = np.add.reduceat(count[order], firsts), width[order[firsts]], keys[firsts]
    return keys >> VALUE_BITS, keys & ((1 << VALUE_BITS) - 1), width, count


def laid_out(low: np.ndarray, width: np.ndarray) -> bool:
    """Whether buckets are those of the harness contract's layout: of 1 up to 2,047, then of the power of two of which
    1,024 to 2,047 lie below each."""
    half = Geometry.of(DIGITS, LOWEST_NS).half
    place = low // np.maximum(width, 1)
    single = (width == 1) & (low < 2 << half)
    power = (width & (width - 1) == 0) & (place >= 1 << half) & (place < 2 << half) & (place * width == low)
    return bool((single | power).all())
