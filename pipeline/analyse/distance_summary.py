"""Distances between CPUs, in a sentence and as a table: what is measured next to what the kernel tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from pipeline.analyse.distances import AS_TOLD, Compared, Level
from pipeline.host import order
from pipeline.host.topology import Topology
from pipeline.host.topology_summary import known, ranges
from pipeline.words.comparisons import listed
from pipeline.words.numbers import counted, quantity, short

NAMED = 4  # groups of CPUs, or runs of their numbers, that are named one by one
COUNTS = {1: "one", 2: "two", 3: "three", 4: "four"}
THREADS, PERHAPS = "as near as hardware threads of one core", "perhaps hardware threads of one core"


def sentence(found: Compared) -> str:
    """What the distances come to; empty where no pair was measured."""
    levels = found.measured.levels
    if not levels:
        return ""
    if not found.measured.enough and not found.measured.few_ns:
        return _too_few(found)
    if not found.as_told:
        return f"The kernel tells {_told(found)}; measured, {'; '.join(_unlike(found))}."
    if not found.measured.enough or len(levels) == 1:
        return f"Measured as told, {_told(found)}: {_one_group(levels[0])}."
    each = [f"{_names(told)} {quantity(level.middle, 'ns')}" for told, level in zip(found.told, levels, strict=True)]
    return f"Measured as told, {_told(found)}: {', '.join(each)}."


def _too_few(found: Compared) -> str:
    several = len(found.measured.values) > 1
    which = f"CPUs {listed([str(cpu) for cpu in found.measured.cpus], 'and')}"
    where = f"as told ({_names(found.names)})" if found.names != (order.UNTOLD,) else "near or far"
    pairs = f"{'two pairs' if several else 'one pair'} ({_range(found.measured.levels[0])})"
    why = f"{pairs} {'have too little' if several else 'has nothing'} to be compared with"
    return f"Whether {which} lie {where} cannot be said: {why}."


def _told(found: Compared) -> str:
    """`16 cores of one cache`, `8 cores in 2 packages, 2 threads each`"""
    topology = found.topology
    cores = known(topology, "core")
    if not cores and found.names == (order.UNTOLD,):
        return f"{counted(len(found.measured.cpus), 'CPU')}, not what they share"
    *fewer, most = sorted({len(group) for group in cores.values()} | {1})
    what = counted(len(cores or topology.places), "core" if cores else "CPU")
    each = f", {'up to ' if 1 in map(len, cores.values()) else ''}{most} threads each" if fewer else ""
    return f"{what}{_where(topology)}{each}"


def _where(topology: Topology) -> str:
    counts = {fact: len(known(topology, fact)) for fact in ("package", "node", "cache")}
    if counts["cache"] == 1:
        return " of one cache"
    parts, before = [], 1
    for fact, noun in (("package", "package"), ("node", "node"), ("cache", "cache")):
        if counts[fact] > before:
            parts.append(counted(counts[fact], noun))
            before = counts[fact]
    return f" in {listed(parts, 'and')}" if parts else ""


def _unlike(found: Compared) -> list[str]:
    """A clause for each thing that is measured and not told, or told and not measured."""
    levels, gaps = found.measured.levels, found.gaps
    if len(levels) == 1:
        return [_one_group(levels[0]) + (f", {THREADS}" if found.hidden else "")]
    others = [at for at, told in enumerate(gaps) if told != AS_TOLD]
    if others and found.measured.centre is not None:
        return [_from(found, found.measured.centre)]
    clauses = [_gap(found, at) for at in others]
    crossed = {name for at in others for name in (*found.told[at], *found.told[at + 1])}
    clauses += [
        f"{_names(names)} are of one group ({_range(levels[at])})"
        for at, names in found.alike
        if not set(names) <= crossed
    ]
    return clauses or [f"the nearest are {THREADS} ({quantity(levels[0].middle, 'ns')})"]


def _threads(found: Compared) -> str:
    """What the nearest pairs may be, behind a comma."""
    return f", {THREADS}" if found.measured.few_ns else f", {PERHAPS}" if found.measured.twos else ""


def _from(found: Compared, centre: int) -> str:
    """`CPU 0 is 9 ns from CPU 8; 48 ns from 1–7; 131 ns from 16, 18, 20 and 24 more`"""
    parts = []
    for at, level in enumerate(found.measured.levels):
        others = _others(level, centre)
        noun = "" if at else "CPU " if len(others) == 1 else "CPUs "
        near = _threads(found) if at == 0 else ""
        parts.append(f"{quantity(level.middle, 'ns')} from {noun}{listed(_runs(others), 'and')}{near}")
    return f"CPU {centre} is {'; '.join(parts)}"


def _others(level: Level, centre: int) -> list[int]:
    return sorted({cpu for pair in level.pairs for cpu in pair} - {centre})


def _gap(found: Compared, at: int) -> str:
    """`CPUs 0–7 and 8–15 are two groups (48 and 131 ns)`"""
    near, far = found.measured.levels[at : at + 2]
    values = f"({_values([near.middle, far.middle])})"
    threads = _threads(found) if at == 0 else ""
    several = [group for group in near.groups if len(group) > 1]
    if not several:
        return f"pairs lie two ways apart that make no groups of CPUs {values}"
    if len(several) == 1:
        return f"CPUs {_cpus(several[0])} are nearer to each other than to others{threads} {values}"
    alone = len(near.groups) - len(several)
    count = f"{COUNTS.get(len(several), len(several))} groups{f' and {alone} alone' if alone else ''}"
    return f"CPUs {listed(_some(map(_cpus, several)), 'and')} are {count}{threads} {values}"


def _cpus(cpus: Iterable[int]) -> str:
    """`0–3 with 8–11`"""
    return " with ".join(_runs(cpus))


def _runs(cpus: Iterable[int]) -> list[str]:
    return _some(ranges(cpus).split(", "))


def _some(names: Iterable[str]) -> list[str]:
    """Of many names the first ones, and how many more there are."""
    names = list(names)
    return names if len(names) <= NAMED else [*names[: NAMED - 1], f"{len(names) - NAMED + 1} more"]


def _one_group(level: Level) -> str:
    if len(level.pairs) == 1:
        return f"CPUs {level.pairs[0][0]} and {level.pairs[0][1]} are {_range(level)} apart"
    return f"all pairs of CPUs are of one group ({_range(level)}, no gap)"


def _names(names: Iterable[str]) -> str:
    return listed(["others" if name == order.UNTOLD else name for name in names], "and")


def _range(level: Level) -> str:
    least, most = short(level.least, "ns", level.most), quantity(level.most, "ns")
    return most if most.split(" ")[0] == least else f"{least} to {most}"


def _values(values: Sequence[float]) -> str:
    """`48 and 131 ns`"""
    *most, last = values
    return listed([*(short(one, "ns", last) for one in most), quantity(last, "ns")], "and")


def table(found: Compared) -> pd.DataFrame:
    """A row per level, near ones first."""
    rows = []
    for level, told in zip(found.measured.levels, found.told, strict=True):
        names = [f"{name} ({count:,})" if len(told) > 1 else name for name, count in told.items()]
        values = (len(level.pairs), level.middle, level.least, level.most)
        rows.append((*values, ", ".join(names), _together(found, level)))
    heads = ["pairs of CPUs", "one way, ns", "least, ns", "most, ns", "the kernel says (pairs)", "CPUs that near"]
    return pd.DataFrame(rows, columns=heads)


def _together(found: Compared, level: Level) -> str:
    if (centre := found.measured.centre) is not None:
        return f"{centre} with {listed(_runs(_others(level, centre)), 'and')}"
    return "; ".join(_some(_cpus(group) for group in level.groups if len(group) > 1)) or "no groups"
