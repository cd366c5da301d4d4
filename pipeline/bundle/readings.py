"""What the workers of a trial read of the state of their CPUs in the gaps between its iterations (`readings` of
harness/README.md), a number for each gap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

QUARTILES = (25, 50, 75)


@dataclass(frozen=True)
class Gaps:
    """Arrays of one length, ascending by `iteration`: the gap before that iteration, the last one after the last.

    word_ns, word_most_ns: one way of a word between neighbours among the workers, median and greatest; NaN where there
    is one worker. width: what eight additions take that need nothing of each other, over one that needs the one before:
    of the worker of which it is greatest. chain_ns: that one, of the worker of which it is greatest.
    """

    iteration: np.ndarray
    word_ns: np.ndarray
    word_most_ns: np.ndarray
    width: np.ndarray
    chain_ns: np.ndarray

    def summary(self) -> dict[str, list[float]]:
        """Quartiles of each over the gaps, as the journal has them; without words where there are none."""
        told = {"word_ns": (self.word_ns, 1), "word_most_ns": (self.word_most_ns, 1)}
        told |= {"width": (self.width, 3), "chain_ns": (self.chain_ns, 4)}
        return {
            name: [round(float(one), digits) for one in np.percentile(values, QUARTILES)]
            for name, (values, digits) in told.items()
            if not np.isnan(values).any()
        }


def gaps(told: Sequence[Mapping]) -> Gaps | None:
    """The gaps in which all parts of a trial read, by their JSON objects; None where one of them reads nothing. What a
    thread beside the workers read at both ends counts in the gaps between.
    Raises KeyError, IndexError, TypeError or ValueError for one that does not keep the contract."""
    columns = [one.get("readings") for one in told]
    if not columns or not all(columns):
        return None
    part = np.concatenate([np.full(len(one["iteration"]), at) for at, one in enumerate(columns)])
    iteration, thread, chain, wide, word = (
        np.concatenate([np.array(one[name], float) for one in columns])
        for name in ("iteration", "thread", "chain_ns", "wide_ns", "word_ns")
    )
    numbers, gap = np.unique(iteration.astype(int), return_inverse=True)
    whole = [at for at in range(len(numbers)) if len(np.unique(part[gap == at])) == len(columns)]
    if not whole:
        return None
    readers = np.unique(np.stack([part, thread]), axis=1).T
    rows = np.stack(
        [_nearest(iteration, (part == of) & (thread == one), numbers[whole]) for of, one in readers], axis=1
    )
    words = [_known(word[row]) for row in rows]
    return Gaps(
        numbers[whole],
        np.array([np.median(one) for one in words]),
        np.array([np.max(one) for one in words]),
        np.array([np.max(wide[row] / chain[row]) for row in rows]),
        np.array([np.max(chain[row]) for row in rows]),
    )


def _nearest(iteration: np.ndarray, own: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The row of one thread in each of these gaps: where it read in few of them, that of the nearest."""
    rows = np.flatnonzero(own)
    return rows[np.abs(iteration[rows] - numbers[:, None]).argmin(axis=1)]


def _known(values: np.ndarray) -> np.ndarray:
    """Without what is not there, of which something is; else NaN."""
    known = values[~np.isnan(values)]
    return known if len(known) else np.array([np.nan])
