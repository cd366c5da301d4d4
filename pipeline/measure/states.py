"""The states that the CPUs of a run were in, found from what its trials read of them, and from nothing that they
measured.

A hypervisor moves the CPUs of a guest among hardware threads, caches and packages, and lets strangers work on the
other thread of their core. Neither steal nor frequency tells, but readings do (`pipeline.bundle.readings`). All those
of a run, of whatever experiment, fall into groups where they leave a gap (`pipeline.models.gaps`): by the way of a word
from CPU to CPU, and by the width of the cores. Where all are alike there is one state, of which nothing is told.

Ranks are those of `pipeline.analyse.states`. The least groups of ways are one core where the cores were shared in
nearly all of their trials, and not in those of the next group: two workers of one core fill it. Of the others the least
that is USUAL is what is meant: CPUs that were nearer for a moment are no host of their own.

An iteration is of the state that the gaps on both of its sides tell. Of a trial those count that are of the state of
most; where these are fewer than half of them it is MOVED, and enters nothing. Workers that sleep may wake elsewhere,
whatever the gaps tell: all iterations of such a trial count, and its state is that of MOSTLY of the gaps, or not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pipeline.bundle.readings import Gaps
from pipeline.catalogue.placement import AXIS, SPREAD
from pipeline.catalogue.placement import NEAR as NEAR_PLACED
from pipeline.models import gaps
from pipeline.plan.plan import key_of

RANKS = ("way", "core")
UNTOLD, MOVED = -1, -2
HALF = 0.5
MOSTLY = 0.8  # of the gaps of workers that sleep
NONE = (np.nan,) * 3  # quartiles of what was not read
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

    def of(self, values: np.ndarray) -> np.ndarray:
        """The rank of each value; UNTOLD of NaN."""
        found = np.array(self.ranks)[np.searchsorted(self.limits, values)]
        return np.where(np.isnan(values), UNTOLD, found)

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

    def of_gaps(self, read: Gaps) -> np.ndarray:
        """The ranks of each gap: int array of shape (gaps, 2)."""
        return np.stack([self.way.of(read.word_ns), self.core.of(read.width)], axis=1)

    def of_medians(self, several: Sequence[Mapping]) -> np.ndarray:
        """The ranks of trials, shape (trials, 2), by the medians of their readings in the journal ({}: none)."""
        medians = {name: [one.get(name, NONE)[1] for one in several] for name in ("word_ns", "width")}
        ways, cores = self.way.of(np.array(medians["word_ns"], float)), self.core.of(np.array(medians["width"], float))
        return np.stack([ways, cores], axis=1)

    def of_iterations(self, read: Gaps, iterations: np.ndarray) -> np.ndarray:
        """The same of iterations, by the gaps on both of their sides; MOVED where these differ, or one is not there."""
        ranks, found = self.of_gaps(read), np.full((len(iterations), len(RANKS)), MOVED)
        at = np.searchsorted(read.iteration, iterations).clip(max=len(read.iteration) - 2)
        there = (read.iteration[at] == iterations) & (read.iteration[at + 1] == iterations + 1)
        same = there & (ranks[at] == ranks[at + 1]).all(axis=1)
        found[same] = ranks[at[same]]
        return found

    def of_trial(self, read: Gaps | None, iterations: np.ndarray, sleeping: bool) -> tuple[dict[str, int], np.ndarray]:
        """The ranks of a trial with these measured iterations (ascending), by name, and which of the iterations are of
        another state than it."""
        none = np.zeros(len(iterations), dtype=bool)
        if read is None or len(read.iteration) < 2 or not len(iterations) or not self.several:
            return dict.fromkeys(RANKS, UNTOLD), none
        if sleeping:
            state, share = _most(self.of_gaps(read))
            return dict(zip(RANKS, state if share >= MOSTLY else [UNTOLD] * len(RANKS), strict=True)), none
        each = self.of_iterations(read, iterations)
        state, share = _most(each)
        if share < HALF or MOVED in state:
            return dict.fromkeys(RANKS, MOVED), none
        return dict(zip(RANKS, state, strict=True)), (each != state).any(axis=1)


def lacking(lines: Sequence[Mapping], found: States, enough: int) -> list[Mapping]:
    """The lines of trials that were in another state than is meant, of the configurations that have fewer than `enough`
    trials in it: by the medians of their readings. What is placed elsewhere on purpose is where it is meant to be."""
    if not found.several:
        return []
    known = [one for one in lines if one.get("readings") and one["axes"].get(AXIS) in (None, SPREAD, NEAR_PLACED)]
    groups: dict[tuple, list[tuple[Mapping, bool]]] = {}
    for line, ranks in zip(known, found.of_medians([one["readings"] for one in known]), strict=True):
        key = line["experiment"], key_of(line["variant"], line["runtime"], line["axes"])
        groups.setdefault(key, []).append((line, bool((ranks <= 0).all())))
    few = (group for group in groups.values() if sum(meant for _, meant in group) < enough)
    return [line for group in few for line, meant in group if not meant]


@dataclass(frozen=True)
class Along:
    """The trials of a run that tell, in its order: their lines, and the ranks of each by its medians (arrays). Of two
    workers on one core none is told for the core, which they fill themselves."""

    found: States
    lines: list[Mapping]
    way: np.ndarray
    core: np.ndarray

    @cached_property
    def took(self) -> np.ndarray:
        """Seconds of each trial."""
        return np.array([one["wall_s"] for one in self.lines])

    def share(self, ranks: np.ndarray, rank: int) -> float:
        """Of the time of the trials that tell a rank, that of those with this one."""
        return float(self.took[ranks == rank].sum() / max(self.took[ranks != UNTOLD].sum(), 1e-9))

    def shares(self) -> dict[str, dict[str, float]]:
        """The share of each group of ways and of cores, by name; without those that are alike in the whole run."""
        several = zip(RANKS, (self.found.way, self.found.core), (self.way, self.core), strict=True)
        return {
            name: {groups.name(rank): self.share(own, rank) for rank in sorted(groups.ranks)}
            for name, groups, own in several
            if groups.limits
        }


def along(lines: Iterable[Mapping]) -> Along:
    """The states of a run, trial by trial, by the lines of its journal."""
    every = list(lines)
    found, told = of(every), [one for one in every if one.get("readings")]
    way, core = found.of_medians([one["readings"] for one in told]).T
    filled = np.array([found.way.name(rank).startswith(CORE) for rank in way], bool)
    return Along(found, told, way, np.where(filled, UNTOLD, core))


def _most(ranks: np.ndarray) -> tuple[list[int], float]:
    """The most frequent of some states, and its share."""
    states, counts = np.unique(ranks, axis=0, return_counts=True)
    return [int(one) for one in states[counts.argmax()]], float(counts.max() / len(ranks))


def of(lines: Iterable[Mapping]) -> States:
    """The states of a run, by the lines of its journal."""
    told = [line["readings"] for line in lines if line.get("readings")]
    widths = _parted([one["width"] for one in told])
    core = Groups(widths, _cores(len(widths)), tuple(range(len(widths) + 1))) if widths else Groups()
    with_ways = [one for one in told if one.get("word_ns")]
    ways = _parted([one["word_ns"] for one in with_ways])
    if not ways:
        return States(core=core)
    group = np.searchsorted(ways, [one["word_ns"][1] for one in with_ways])
    shared = core.of(np.array([one["width"][1] for one in with_ways])) > 0
    filled = [bool((group == at).any()) and shared[group == at].mean() >= FILLED for at in range(len(ways) + 1)]
    on_one_core = filled.index(False) if False in filled else 0
    parts = [float((group == at).mean()) for at in range(len(ways) + 1)]
    apart = range(on_one_core, len(parts))
    meant = next((at for at in apart if parts[at] >= USUAL), max(apart, key=parts.__getitem__))
    return States(_ways(ways, on_one_core, meant), core)


def _parted(quartiles: list[list[float]]) -> tuple[float, ...]:
    """Where the groups of readings part, by their quartiles in each trial; nowhere where they are alike, or too few."""
    if len(quartiles) < FEWEST:
        return ()
    values = np.sort(np.ravel(quartiles))
    firsts = np.flatnonzero(np.diff(gaps.groups(values, FACTOR))) + 1
    return tuple(float(np.sqrt(values[at - 1] * values[at])) for at in firsts)


def _cores(limits: int) -> tuple[str, ...]:
    return (ALONE, SHARED, *(f"{SHARED} {more}" for more in range(2, limits + 1)))[: limits + 1]


def _ways(limits: tuple[float, ...], on_one_core: int, meant: int) -> Groups:
    """Groups of ways, of which so many of the least are one core, and the one of that place is what is meant."""
    count = len(limits) + 1
    kinds = [CORE] * on_one_core + [NEARER] * (meant - on_one_core) + [NEAR] + [FAR] * (count - meant - 1)
    numbers = [kinds[: at + 1].count(kind) for at, kind in enumerate(kinds)]
    names = (kind if number == 1 else f"{kind} {number}" for kind, number in zip(kinds, numbers, strict=True))
    below = meant - on_one_core  # ranks: near, far, nearer, one core
    ranks = (*range(count - on_one_core, count), *range(count - meant, count - meant + below), *range(count - meant))
    return Groups(limits, tuple(names), ranks)
