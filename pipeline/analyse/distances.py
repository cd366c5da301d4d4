"""Distances: how far apart CPUs are by the time a word takes between them, and whether the kernel tells the same.

A guest's kernel tells what its hypervisor tells it, and a fabric is told by no kernel. So the pairs that were measured
are parted into levels where gaps lie between their values (`pipeline.models.gaps`), and of each gap it is asked which
groups of CPUs it keeps apart. A level that keeps no groups of CPUs apart is none: a few pairs were measured wrong.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from pipeline.host import order
from pipeline.host.topology import Topology
from pipeline.models import gaps

FACTOR = 1.5  # from one level to the next
FEWEST = 3  # pairs that tell levels: of fewer, one has nothing to be compared with
ALIKE = 0.5  # of the CPUs that are near to either of two, how many are near to both where the two are of one group
ASTRAY = 0.1  # of all pairs, at most, that lie on the other side of a gap than their groups of CPUs
ONE_CORE_NS = 15.0  # one way; two cores of one chip need more
NEARER = 0.5

# What is told of a gap: pairs of one name lie on one side of it, and near ones on the near side; or they do not; or it
# is one among pairs that the kernel says nothing of.
AS_TOLD, CROSSES, NOT_TOLD = "as told", "crosses", "silent"

Pair = tuple[int, int]  # two CPUs, the lower first
Groups = tuple[tuple[int, ...], ...]  # of CPUs, ascending


def by_cpus(rows: pd.DataFrame) -> pd.DataFrame:
    """Those of `rows` whose placement is a pair of CPUs, such as `0,1`, with the CPUs as columns ping and pong."""
    ends = rows["placement"].astype(str).str.extract(r"^(?P<ping>\d+),(?P<pong>\d+)$").dropna().astype(int)
    return rows.join(ends, how="inner")


@dataclass(frozen=True)
class Level:
    """Pairs as far apart as each other. least, most: of all values of both directions; middle: the median of the pairs,
    in ns. groups: the CPUs that lie as near to each other as this, or nearer; of a star those near its centre; empty
    where the pairs make no groups."""

    pairs: tuple[Pair, ...]
    least: float
    middle: float
    most: float
    groups: Groups


@dataclass(frozen=True)
class Measured:
    """The levels of the pairs that were measured, near ones first. centre: the CPU that all pairs share, where not most
    of the pairs of its CPUs were measured; None where they were."""

    values: Mapping[Pair, float]
    levels: tuple[Level, ...]
    centre: int | None

    @property
    def cpus(self) -> list[int]:
        return sorted({cpu for pair in self.values for cpu in pair})

    @property
    def enough(self) -> bool:
        """Whether there are pairs enough to compare one with others."""
        return len(self.values) >= FEWEST

    @property
    def few_ns(self) -> bool:
        """Whether the nearest pairs take so little that they are hardware threads of one core, whatever is told."""
        return bool(self.levels) and self.levels[0].middle < ONE_CORE_NS

    @property
    def twos(self) -> bool:
        """Whether the nearest pairs may be hardware threads of one core: each CPU has one such partner, as on x86 and
        ARM, which takes less than half of what the others do. Two cores that share a cache of their own look the same.
        """
        if len(self.levels) < 2 or not self.levels[0].groups:
            return False
        return (
            all(len(group) <= 2 for group in self.levels[0].groups)
            and self.levels[0].middle < NEARER * self.levels[1].middle
        )


def measured(pairs: pd.DataFrame) -> Measured:
    """What was measured of pairs of CPUs: columns ping and pong (numbers of CPUs) and estimate (ns, one way).

    A pair is as far apart as the slower of its directions says. A hypervisor that moves CPUs puts two of them on one
    core for a trial or two, and nothing makes a word quicker in both directions by chance.
    """
    each: dict[Pair, list[float]] = {}
    for ping, pong, value in zip(pairs["ping"], pairs["pong"], pairs["estimate"], strict=True):
        each.setdefault((int(min(ping, pong)), int(max(ping, pong))), []).append(float(value))
    if not each:
        return Measured({}, (), None)
    values = {pair: max(each[pair]) for pair in sorted(each)}
    counts = Counter(itertools.chain.from_iterable(values))
    cpus = sorted(counts)
    whole = 2 * len(values) > len(cpus) * (len(cpus) - 1) // 2
    centre = None if whole else max(cpus, key=lambda cpu: (counts[cpu], -cpu))
    number = dict(zip(values, gaps.groups(list(values.values()), FACTOR), strict=True)) if len(values) >= FEWEST else {}
    levels = []
    for own, groups in _levels(values, number, cpus, centre):
        ends = [min(min(each[pair]) for pair in own), max(values[pair] for pair in own)]
        middle = float(np.median([values[pair] for pair in own]))
        levels.append(Level(tuple(own), ends[0], middle, ends[1], groups))
    return Measured(values, tuple(levels), centre)


def _levels(
    values: Mapping[Pair, float], number: Mapping[Pair, int], cpus: Sequence[int], centre: int | None
) -> list[tuple[list[Pair], Groups]]:
    """The pairs of each level and the groups of CPUs that are that near; gaps that keep no groups apart left out."""
    kept: list[tuple[frozenset[Pair], Groups]] = []
    for gap in range(max(number.values(), default=0)):
        near = {pair for pair, level in number.items() if level <= gap}
        if centre is not None:
            group = sorted({centre}.union(*near))
            kept.append((frozenset(near), (tuple(group),)))
            continue
        groups = _groups(near, cpus)
        group_of = {cpu: group for group in groups for cpu in group}
        inside = {pair for pair in values if group_of[pair[0]] is group_of[pair[1]]}
        if len(inside ^ near) > ASTRAY * len(values):
            kept.append((frozenset(near), ()))
        elif len(groups) > 1 and groups not in [one for _, one in kept]:
            kept.append((frozenset(inside), groups))
    found, before = [], frozenset()
    for near, groups in [*kept, (frozenset(values), (tuple(cpus),))]:
        if pairs := sorted(near - before):
            found.append((pairs, groups))
            before |= near
    return found


def _groups(near: set[Pair], cpus: Sequence[int]) -> Groups:
    """Groups of CPUs that are near to the same CPUs: one pair that is near by mistake makes no one group of two."""
    place = {cpu: at for at, cpu in enumerate(cpus)}
    known = np.eye(len(cpus))
    for cpu, other in near:
        known[place[cpu], place[other]] = known[place[other], place[cpu]] = 1
    both = known @ known
    sizes = known.sum(axis=0)
    alike = (known > 0) & (both > ALIKE * (sizes[:, None] + sizes[None, :] - both))
    group = np.arange(len(cpus))
    for at in range(len(cpus)):
        for other in np.flatnonzero(alike[at, :at]):
            group[group == group[at]] = group[other]
    return tuple(sorted(tuple(cpus[at] for at in np.flatnonzero(group == one)) for one in np.unique(group)))


@dataclass(frozen=True)
class Compared:
    """Measured levels next to the distances that the kernel tells (`pipeline.host.order.distance`) of the same pairs.

    told: of each level the names of its pairs, near ones first, with how many pairs have them.
    """

    measured: Measured
    topology: Topology
    told: tuple[Mapping[str, int], ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What is told of the pairs, near ones first."""
        every = {name for level in self.told for name in level}
        return tuple(name for name in (*order.DISTANCES, order.UNTOLD) if name in every)

    @property
    def gaps(self) -> list[str]:
        """What is told of the gap behind each level but the last."""
        return [self._gap(at) for at in range(1, len(self.told))]

    def _gap(self, at: int) -> str:
        near, far = (set().union(*part) for part in (self.told[:at], self.told[at:]))
        nearest, farthest = ([order.DISTANCES.index(name) for name in side - {order.UNTOLD}] for side in (far, near))
        if nearest and farthest and max(farthest) >= min(nearest):
            return CROSSES
        return NOT_TOLD if order.UNTOLD in near & far else AS_TOLD

    @property
    def alike(self) -> list[tuple[int, tuple[str, ...]]]:
        """The levels that hold pairs of several names, by number, and these names."""
        own = [tuple(name for name in self.names if name in level) for level in self.told]
        return [(at, names) for at, names in enumerate(own) if len(names) > 1]

    @property
    def hidden(self) -> bool:
        """Whether the nearest pairs must be hardware threads of one core, and none is told."""
        return self.measured.few_ns and order.CORE not in self.told[0]

    @property
    def as_told(self) -> bool:
        """Whether nothing is measured that is not told, and nothing told that is not measured."""
        same = set(self.gaps) <= {AS_TOLD} and not self.alike and not self.hidden
        return same and self.names != (order.UNTOLD,)

    @property
    def factor(self) -> float:
        """From one level to the next, the widest of those that are not as told; 1 without any."""
        middles = [level.middle for level in self.measured.levels]
        steps = zip(self.gaps, itertools.pairwise(middles), strict=False)
        return max((far / near for told, (near, far) in steps if told != AS_TOLD), default=1.0)


def compared(found: Measured, topology: Topology) -> Compared:
    """Measured distances next to the told ones."""
    told = []
    for level in found.levels:
        names = [order.distance(topology, pair) for pair in level.pairs]
        told.append({name: names.count(name) for name in (*order.DISTANCES, order.UNTOLD) if name in names})
    return Compared(found, topology, tuple(told))
