"""What the workers of a trial read of the state of their CPUs in the gaps between its iterations (`readings` of
harness/README.md), a number for each gap."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.ground.columns import rows
from pipeline.ground.quantile import quantile

QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Gaps:
    """Columns of one length, ascending by `iteration`: the gap before that iteration, the last one after the last.

    word_ns, word_most_ns: one way of a word between neighbours among the workers, median and greatest; NaN where there
    is one worker. width: what eight additions take that need nothing of each other, over one that needs the one before:
    of the worker of which it is greatest. chain_ns: that one, of the worker of which it is greatest.
    """

    iteration: Sequence[int]
    word_ns: Sequence[float]
    word_most_ns: Sequence[float]
    width: Sequence[float]
    chain_ns: Sequence[float]

    def summary(self) -> dict[str, list[float]]:
        """Quartiles of each over the gaps, as the journal has them; without words where there are none."""
        told = {"word_ns": (self.word_ns, 1), "word_most_ns": (self.word_most_ns, 1)}
        told |= {"width": (self.width, 3), "chain_ns": (self.chain_ns, 4)}
        return {
            name: [round(quantile(sorted(values), share), digits) for share in QUARTILES]
            for name, (values, digits) in told.items()
            if not any(map(math.isnan, values))
        }


class _Row(NamedTuple):
    """What one thread read in one gap; NaN what it did not."""

    chain: float
    wide: float
    word: float


def gaps(told: Sequence[Mapping]) -> Gaps | None:
    """The gaps in which all parts of a trial read, by their JSON objects; None where one of them reads nothing. What a
    thread beside the workers read at both ends counts in the gaps between.
    Raises KeyError, IndexError, TypeError or ValueError for one that does not keep the contract."""
    columns = [one.get("readings") for one in told]
    if not columns or not all(columns):
        return None
    read: dict[tuple[int, float], dict[int, _Row]] = {}  # (part, thread) -> gap -> row, in the order of the rows
    for part, one in enumerate(columns):
        each = (one[name] for name in ("iteration", "thread", "chain_ns", "wide_ns", "word_ns"))
        for gap, thread, *values in rows(*each):
            of_thread = read.setdefault((part, _number(thread)), {})
            of_thread.setdefault(int(gap), _Row(*map(_number, values)))
    parts = [{gap for (of, _), own in read.items() if of == part for gap in own} for part in range(len(columns))]
    whole = sorted(set.intersection(*parts))
    if not whole:
        return None
    found = [[_nearest(own, gap) for own in read.values()] for gap in whole]
    words = [_known([row.word for row in several]) for several in found]
    return Gaps(
        whole,
        [statistics.median(one) for one in words],
        [max(one) for one in words],
        [_greatest([_width(row) for row in several]) for several in found],
        [_greatest([row.chain for row in several]) for several in found],
    )


def _number(value: object) -> float:
    return math.nan if value is None else float(value)


def _nearest(own: Mapping[int, _Row], gap: int) -> _Row:
    """The row of one thread in a gap: where it read in few of them, that of the nearest."""
    return own[gap] if gap in own else own[min(own, key=lambda one: abs(one - gap))]


def _known(values: Sequence[float]) -> list[float]:
    """Without what is not there, of which something is; else NaN."""
    return [one for one in values if not math.isnan(one)] or [math.nan]


def _width(row: _Row) -> float:
    return row.wide / row.chain if row.chain else math.inf if row.wide > 0 else math.nan


def _greatest(values: Sequence[float]) -> float:
    """The greatest; NaN where one is not there."""
    return math.nan if any(map(math.isnan, values)) else max(values)
