"""Topology: which CPUs share a core, caches, a die, a package and a node. `pipeline.host.sysfs` reads it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from pipeline.ground.columns import rows


@dataclass(frozen=True)
class Place:
    """Where a CPU is: each group is called by the lowest of its CPUs, None where the host does not tell.

    core: its hardware threads. l2, cache: who shares its second-level and its last-level cache. node: the number of its
    NUMA node. kind: 0 for the fastest kind of core, None where all are of one kind. isolated: kept free of other work.
    usable: the process may run on it.
    """

    cpu: int
    core: int | None = None
    l2: int | None = None
    cache: int | None = None
    cluster: int | None = None
    die: int | None = None
    package: int | None = None
    node: int | None = None
    kind: int | None = None
    isolated: bool = False
    usable: bool = True


NONE = {field.name: field.default for field in fields(Place)}  # fact -> what it is where nothing is told
FACTS = tuple(NONE)


@dataclass(frozen=True)
class Topology:
    """The places of CPUs, ascending, the kernel's distances between nodes (10: of a node to itself), and in `doubts` a
    sentence for each fact that contradicts itself."""

    places: tuple[Place, ...]
    distances: Mapping[tuple[int, int], int]
    doubts: tuple[str, ...] = ()

    @functools.cached_property
    def at(self) -> Mapping[int, Place]:
        """CPU -> its place."""
        return {place.cpu: place for place in self.places}

    def groups(self, fact: str) -> dict[int, list[int]]:
        """The CPUs of each group of a fact; those of which it is unknown are in none."""
        found: dict[int, list[int]] = {}
        for place in self.places:
            if (group := getattr(place, fact)) is not None:
                found.setdefault(group, []).append(place.cpu)
        return found

    def of(self, cpus: Iterable[int]) -> Topology:
        """The same of some CPUs; one that is unknown here has a place without facts."""
        return replace(self, places=tuple(self.at.get(cpu, Place(cpu)) for cpu in sorted(cpus)))

    def marked(self, usable: Iterable[int]) -> Topology:
        """The same, in which the CPUs that a process may use are told from the others; one that is unknown here has a
        place without facts."""
        allowed = set(usable)
        every = self.of(allowed | set(self.at)).places
        return replace(self, places=tuple(replace(place, usable=place.cpu in allowed) for place in every))

    def usable(self) -> Topology:
        """The same of the CPUs that the process may use."""
        return replace(self, places=tuple(place for place in self.places if place.usable))

    def table(self) -> dict[str, list]:
        """A column for each fact, as run.json keeps it; one that is unknown of all CPUs is left out."""
        columns = {name: [getattr(place, name) for place in self.places] for name in FACTS}
        return {name: column for name, column in columns.items() if any(one is not NONE[name] for one in column)}


def from_table(table: Mapping[str, Sequence]) -> Topology:
    """What `Topology.table` kept; the empty topology of an empty table."""
    cpus = table.get("cpu", ())
    columns = [table.get(name, [NONE[name]] * len(cpus)) for name in FACTS]
    return Topology(tuple(Place(*row) for row in rows(*columns)), {})


def of_host(cpu: Mapping[str, Any]) -> Topology:
    """The places of the CPUs that a run could use, from its fingerprint (`host.cpu` of run.json); without distances."""
    return machine(cpu).usable()


def machine(cpu: Mapping[str, Any]) -> Topology:
    """The same of all CPUs of its machine; those of an older run, which kept no table, as far as its summary tells:
    siblings, and a package, node or last-level cache that is the only one."""
    if "topology" in cpu:
        return replace(from_table(cpu["topology"]), doubts=tuple(cpu.get("topology_doubts", ())))
    siblings = {int(one): group for one, group in cpu.get("thread_siblings", {}).items()}
    caches = [size for name, size in sorted(cpu.get("caches", {}).items()) if name in ("L2", "L3")]
    only = {
        "package": cpu.get("sockets") == "1",
        "node": cpu.get("numa_nodes") == "1",
        "cache": bool(caches) and caches[-1].endswith("(1 instance)"),
    }
    shared = {fact: 0 for fact, one in only.items() if one}
    return Topology(
        tuple(Place(one, min(group, default=None), **shared) for one, group in sorted(siblings.items())), {}
    )
