"""Which trials are of one state of the host: those that a level, a ratio or a curve may be made of together.

The columns RANKS of trials, and of what is made of them, are ranks (`pipeline.measure.states`): 0 is what a question
means, CPUs that are near each other and cores that nobody else works on; higher ones are the others; UNTOLD where
nothing was read, or where all that a run read is alike; MOVED of a trial that no state has half of. A trial of one
worker has no way of a word, and goes with those of any.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pipeline.measure.states import MOVED, RANKS, UNTOLD
from pipeline.words.numbers import ENOUGH


def told(rows: pd.DataFrame) -> np.ndarray:
    """The ranks of rows: int array of shape (rows, 2), UNTOLD where they have no such column."""
    columns = [rows[name].to_numpy(np.int64) if name in rows else np.full(len(rows), UNTOLD) for name in RANKS]
    return np.stack(columns, axis=1)


def columns(rows: pd.DataFrame) -> list[str]:
    """Those of RANKS that rows have."""
    return [name for name in RANKS if name in rows]


def chosen(sides: Sequence[np.ndarray], enough: int = ENOUGH) -> list[np.ndarray]:
    """For each of several sides (ranks as `told` gives them) which of its rows are of the one state that all are
    compared in: the first, in the order of ranks, of which every side has enough rows, or that of which the side with
    the fewest has most. A state that a side lacks is chosen where all sides share none: then nothing is compared.
    MOVED rows are of none, and stay where a side has no others."""
    keep = [_settled(side) for side in sides]
    sides = [np.where(side == MOVED, UNTOLD, side) for side in sides]
    ways, cores = (sorted({int(one) for side in sides for one in side[:, at] if one >= 0}) for at in (0, 1))
    if len(ways) < 2 and len(cores) < 2:
        return keep
    settled, best = keep, -1
    for way in ways or [UNTOLD]:
        for core in cores or [UNTOLD]:
            of = [
                one & _either(side[:, 0], way) & _either(side[:, 1], core)
                for one, side in zip(settled, sides, strict=True)
            ]
            fewest = min(int(one.sum()) for one in of)
            if fewest > best:
                best, keep = fewest, of
            if fewest >= enough:
                return keep
    return keep


def _settled(side: np.ndarray) -> np.ndarray:
    """The rows that are not MOVED; all where all are."""
    found = (side != MOVED).all(axis=1)
    return found if found.any() else ~found


def _either(ranks: np.ndarray, rank: int) -> np.ndarray:
    return (ranks == rank) | (ranks == UNTOLD)
