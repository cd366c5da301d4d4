"""Gaps: values that fall into groups, told by what lies between them and not by any limit that was fixed beforehand.

Two neighbouring groups are apart by the ratio of their facing quartiles, so that a value between them, or one among the
others, neither hides a gap nor makes one. It must be as great as asked, and wider than either group: its logarithm at
least WIDER times the distance of a group's quartiles, which of values that are spread evenly is all of their width.
Where one group has few values next to the other's, the ratio must be the square of what is asked: of many values some
go astray, and these are no group.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence

WIDER = 2.0
CANDIDATES = 8  # the widest gaps between neighbours: where two groups may part
MOST = 5  # groups
FEW = 0.05  # of the values of a neighbour


def groups(values: Sequence[float], factor: float) -> list[int]:
    """For each of some values above 0 the number of its group, 0 that of the least: of all ways to part them into
    groups that are apart by the factor, the one whose values lie nearest to the medians of their groups."""
    logs = [math.log(value) for value in values]
    order = sorted(range(len(logs)), key=logs.__getitem__)
    ascending = [logs[at] for at in order]
    sums = [0.0, *itertools.accumulate(ascending)]
    ways = (cuts for cuts in _ways(ascending) if _apart(ascending, cuts, math.log(factor)))
    best = min(ways, key=lambda cuts: sum(_deviations(sums, first, last) for first, last in _parts(cuts, len(logs))))
    found = [0] * len(logs)
    for place, at in enumerate(order):
        found[at] = bisect_right(best, place)
    return found


def _ways(ascending: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """Every choice of places where groups begin, of those that may; first that of none."""
    gaps = [after - before for before, after in zip(ascending, ascending[1:])]
    widest = sorted(range(len(gaps)), key=lambda at: -gaps[at])[:CANDIDATES]
    places = sorted(at + 1 for at in widest if gaps[at] > 0)
    return itertools.chain.from_iterable(itertools.combinations(places, count) for count in range(MOST))


def _parts(cuts: Sequence[int], count: int) -> list[tuple[int, int]]:
    return list(zip((0, *cuts), (*cuts, count)))


def _apart(ascending: Sequence[float], cuts: Sequence[int], least: float) -> bool:
    """Whether each two neighbours of the groups that begin at the cuts are apart."""
    if not cuts:
        return True
    parts = _parts(cuts, len(ascending))
    ends = [(_quantile(ascending, part, 0.25), _quantile(ascending, part, 0.75)) for part in parts]
    sizes = [last - first for first, last in parts]
    for (low, high), (next_low, next_high), *both in zip(ends, ends[1:], sizes, sizes[1:]):
        asked = 2 * least if min(both) < FEW * max(both) else least
        if next_low - high < max(asked, WIDER * max(high - low, next_high - next_low)):
            return False
    return True


def _quantile(ascending: Sequence[float], part: tuple[int, int], share: float) -> float:
    """Of a part of values in order, as NumPy's."""
    first, last = part
    at = first + share * (last - 1 - first)
    below = int(at)
    above = min(below + 1, last - 1)
    return ascending[below] + (at - below) * (ascending[above] - ascending[below])


def _deviations(sums: Sequence[float], first: int, last: int) -> float:
    """How far in all the values of a part lie from its median, by the sums of all up to each."""
    half = (last - first) // 2
    return (sums[last] - sums[last - half]) - (sums[first + half] - sums[first])
