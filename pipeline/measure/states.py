"""The states that the CPUs of a run were in, found from what its trials read of them, and from nothing that they
measured.

A hypervisor moves the CPUs of a guest among hardware threads, caches and packages, and lets strangers work on the
other thread of their core. Neither steal nor frequency tells, but readings do (`pipeline.bundle.readings`). All those
of a run, of whatever experiment, fall into groups where they leave a gap (`pipeline.models.gaps`): by the way of a word
from CPU to CPU, and by the width of the cores. Where all are alike there is one state, of which nothing is told.

Ranks are those of `pipeline.analyse.states`. The least groups of ways are one core where the cores were shared in
nearly all of their trials, and not in those of the next group: two workers of one core fill it. Of the others the least
that is USUAL is what is meant: CPUs that were nearer for a moment are no host of their own.

Which iterations of a trial are of its state is asked when it is ingested (`pipeline.ingest.state_changes`), how long a
run was in which of them when it is analysed (`pipeline.analyse.time_in_state`).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pipeline.bundle.readings import Gaps
from pipeline.catalogue.placement import AXIS, SPREAD
from pipeline.catalogue.placement import NEAR as NEAR_PLACED
from pipeline.models import gaps
from pipeline.plan.plan import key_of

RANKS = ("way", "core")
UNTOLD, MOVED = -1, -2
NONE = (math.nan,) * 3  # quartiles of what was not read
FACTOR = 1.3  # between the facing quartiles of two groups
FEWEST = 20  # trials that tell states
FILLED = 0.9  # of the trials of a group of ways: they are one core's
ALONE, SHARED = "alone", "shared"
NEAR, FAR, NEARER, CORE = "near", "far", "nearer", "one core"
USUAL = 0.05  # of the trials of a run: what is seldomer is not what questions mean


@dataclass(frozen=True)
class Groups:
    """Groups of one reading, ascending: limits between each two, ranks and names of each; one where all are alike."""

    limits: tuple[float, ...] = ()
    names: tuple[str, ...] = ("",)
    ranks: tuple[int, ...] = (UNTOLD,)

    def of(self, values: Iterable[float]) -> list[int]:
        """The rank of each value; UNTOLD of NaN."""
        return [UNTOLD if math.isnan(one) else self.ranks[bisect_left(self.limits, one)] for one in values]

    def name(self, rank: int) -> str:
        return self.names[self.ranks.index(rank)] if rank in self.ranks else ""


@dataclass(frozen=True)
class States:
    """The states of a run: groups of ways (`word_ns` of the gaps) and of cores (`width`)."""

    way: Groups = Groups()
    core: Groups = Groups()

    @cached_property
    def several(self) -> bool:
        return bool(self.way.limits or self.core.limits)

    def of_gaps(self, read: Gaps) -> list[tuple[int, int]]:
        """The ranks of each gap."""
        return list(zip(self.way.of(read.word_ns), self.core.of(read.width)))

    def of_medians(self, several: Sequence[Mapping]) -> list[tuple[int, int]]:
        """The ranks of trials by the medians of their readings in the journal ({}: none)."""
        ways, cores = ([one.get(name, NONE)[1] for one in several] for name in ("word_ns", "width"))
        return list(zip(self.way.of(ways), self.core.of(cores)))


def lacking(lines: Sequence[Mapping], found: States, enough: int) -> list[Mapping]:
    """The lines of trials that were in another state than is meant, of the configurations that have fewer than `enough`
    trials in it: by the medians of their readings. What is placed elsewhere on purpose is where it is meant to be."""
    if not found.several:
        return []
    known = [one for one in lines if one.get("readings") and one["axes"].get(AXIS) in (None, SPREAD, NEAR_PLACED)]
    groups: dict[tuple, list[tuple[Mapping, bool]]] = {}
    for line, ranks in zip(known, found.of_medians([one["readings"] for one in known])):
        key = line["experiment"], key_of(line["variant"], line["runtime"], line["axes"])
        groups.setdefault(key, []).append((line, max(ranks) <= 0))
    few = (group for group in groups.values() if sum(meant for _, meant in group) < enough)
    return [line for group in few for line, meant in group if not meant]


def of(lines: Iterable[Mapping]) -> States:
    """The states of a run, by the lines of its journal."""
    told = [line["readings"] for line in lines if line.get("readings")]
    widths = _parted([one["width"] for one in told])
    core = Groups(widths, _cores(len(widths)), tuple(range(len(widths) + 1))) if widths else Groups()
    with_ways = [one for one in told if one.get("word_ns")]
    ways = _parted([one["word_ns"] for one in with_ways])
    if not ways:
        return States(core=core)
    shared: list[list[bool]] = [[] for _ in range(len(ways) + 1)]  # by group of ways, of each of its trials
    for one, rank in zip(with_ways, core.of(one["width"][1] for one in with_ways)):
        shared[bisect_left(ways, one["word_ns"][1])].append(rank > 0)
    filled = [bool(one) and sum(one) / len(one) >= FILLED for one in shared]
    on_one_core = filled.index(False) if False in filled else 0
    parts = [len(one) / len(with_ways) for one in shared]
    apart = range(on_one_core, len(parts))
    meant = next((at for at in apart if parts[at] >= USUAL), max(apart, key=parts.__getitem__))
    return States(_ways(ways, on_one_core, meant), core)


def _parted(quartiles: list[list[float]]) -> tuple[float, ...]:
    """Where the groups of readings part, by their quartiles in each trial; nowhere where they are alike, or too few."""
    if len(quartiles) < FEWEST:
        return ()
    values = sorted(one for three in quartiles for one in three)
    groups = gaps.groups(values, FACTOR)
    firsts = (at for at in range(1, len(values)) if groups[at] != groups[at - 1])
    return tuple(math.sqrt(values[at - 1] * values[at]) for at in firsts)


def _cores(limits: int) -> tuple[str, ...]:
    return (ALONE, SHARED, *(f"{SHARED} {more}" for more in range(2, limits + 1)))[: limits + 1]


def _ways(limits: tuple[float, ...], on_one_core: int, meant: int) -> Groups:
    """Groups of ways, of which so many of the least are one core, and the one of that place is what is meant."""
    count = len(limits) + 1
    kinds = [CORE] * on_one_core + [NEARER] * (meant - on_one_core) + [NEAR] + [FAR] * (count - meant - 1)
    numbers = [kinds[: at + 1].count(kind) for at, kind in enumerate(kinds)]
    names = (kind if number == 1 else f"{kind} {number}" for kind, number in zip(kinds, numbers))
    below = meant - on_one_core  # ranks: near, far, nearer, one core
    ranks = (*range(count - on_one_core, count), *range(count - meant, count - meant + below), *range(count - meant))
    return Groups(limits, tuple(names), ranks)
