"""One order of a host's CPUs, near first, and how far apart CPUs are: pure functions of a topology.

Threads take CPUs in this order, so that N of them are the most compact set of N cores, and share a core only where
cores have run out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from pipeline.host.topology import Place, Topology

# How far apart CPUs are, near ones first: the widest distance among the CPUs of a trial. What lies between cores of one
# last-level cache (a second-level cache, a cluster) makes no name of its own.
ALONE, CORE, CACHE, CACHES, NODES, PACKAGES = (
    "one CPU",
    "one core",
    "one cache",
    "several caches",
    "several nodes",
    "several packages",
)
DISTANCES = (ALONE, CORE, CACHE, CACHES, NODES, PACKAGES)
UNTOLD = "not told"  # the kernel does not say what the CPUs share
WIDE = ("package", "node", "cache")  # what is said to begin anew, the widest first
OUTER = ("package", "node", "die", "cache", "cluster", "l2", "core")


def near_first(topology: Topology) -> tuple[int, ...]:
    """Every CPU once: of the fastest kind one thread of each core, the cores of a cache before those of the next and
    one package before the next; then the cores' second threads in the same order; slower kinds after all of these.

    Of several caches (packages, ...) the one with the most cores comes first: two threads share a cache wherever two
    of the CPUs do. Numbers decide only where nothing else does.
    """
    cores = _cores(topology.places)
    by_core = {place.cpu: at for core in cores for at, place in enumerate(core)}
    firsts = [core[0] for core in cores]
    levels = sorted(OUTER, key=lambda fact: len(topology.groups(fact)))  # a group holds those of a level with more
    together = {fact: _together(firsts, fact) for fact in levels}

    def key(place: Place) -> tuple:
        kind = place.kind or 0
        groups = [(getattr(place, fact), together[fact]) for fact in levels]
        return (kind, by_core[place.cpu], *(_rank(group, several[kind, group]) for group, several in groups), place.cpu)

    return tuple(place.cpu for place in sorted(topology.places, key=key))


def _cores(places: Iterable[Place]) -> list[list[Place]]:
    """The threads of each core; a CPU of which the core is unknown is one."""
    found: dict[object, list[Place]] = {}
    for place in places:
        found.setdefault(("alone", place.cpu) if place.core is None else place.core, []).append(place)
    return list(found.values())


def _together(firsts: Sequence[Place], fact: str) -> dict[tuple, tuple[int, int]]:
    """(kind, group of a fact) -> most cores of it that share a last-level cache, and its cores in all."""
    count = Counter((place.kind or 0, getattr(place, fact)) for place in firsts)
    shared = Counter((place.kind or 0, getattr(place, fact), place.cache) for place in firsts)
    most: dict[tuple, int] = {}
    for (kind, group, cache), cores in shared.items():
        if cache is not None:
            most[kind, group] = max(cores, most.get((kind, group), 0))
    return {group: (most.get(group, 1), cores) for group, cores in count.items()}


def distance(topology: Topology, cpus: Iterable[int]) -> str:
    """The widest distance among CPUs (DISTANCES); UNTOLD where the kernel does not say, empty without CPUs."""
    places = [topology.at.get(cpu, Place(cpu)) for cpu in set(cpus)]
    if len(places) < 2:
        return ALONE if places else ""
    known = {fact: {getattr(place, fact) for place in places} for fact in ("core", "cache", "node", "package")}
    for fact, name in (("core", CORE), ("cache", CACHE)):
        if len(known[fact]) == 1 and None not in known[fact]:
            return name
    for fact, name in (("package", PACKAGES), ("node", NODES), ("cache", CACHES)):
        if len(known[fact] - {None}) > 1:
            return name
    return UNTOLD


def siblings(topology: Topology) -> tuple[int, ...]:
    """The hardware threads of the first core that has several; empty where none has."""
    cores = topology.groups("core")
    several = (cores[core] for cpu in near_first(topology) if (core := topology.at[cpu].core) is not None)
    return next((tuple(core) for core in several if len(core) > 1), ())


def near(topology: Topology) -> tuple[int, ...]:
    """The first cores, of one kind where it has two, that share a last-level cache, a CPU of each; else empty."""
    firsts = _firsts(topology)
    for alike in (("kind", "cache"), ("cache",)):
        groups: dict[tuple, list[int]] = {}
        for place in firsts:
            if place.cache is not None:
                groups.setdefault(tuple(getattr(place, fact) for fact in alike), []).append(place.cpu)
        if found := next((group for group in groups.values() if len(group) > 1), None):
            return tuple(found)
    return ()


def far(topology: Topology) -> tuple[int, ...]:
    """The first CPU and one of its kind on a core as far from it as there is, beyond its last-level cache: in another
    package, else another node, else another cache, of these the farthest by the kernel's own distances."""
    first, *others = _firsts(topology)

    def apart(place: Place) -> tuple[int, int]:
        name = distance(topology, (first.cpu, place.cpu))
        told = topology.distances.get((first.node, place.node), 0)
        return (DISTANCES.index(name) if name in DISTANCES else 0, told)

    beyond = [one for one in others if one.kind == first.kind and apart(one)[0] > DISTANCES.index(CACHE)]
    return (first.cpu, max(beyond, key=apart).cpu) if beyond else ()  # of several the first in the order


def kinds(topology: Topology) -> tuple[int, ...]:
    """A core of the fastest kind and one of the next, a CPU of each; empty where all are of one kind."""
    first, *others = _firsts(topology)
    other = next((place.cpu for place in others if place.kind != first.kind), None)
    return () if other is None else (first.cpu, other)


def _firsts(topology: Topology) -> list[Place]:
    """The first CPU of each core, in the order."""
    seen: set[object] = set()
    found = []
    for cpu in near_first(topology):
        place = topology.at[cpu]
        core = ("alone", cpu) if place.core is None else place.core
        if core not in seen:
            seen.add(core)
            found.append(place)
    return found


def cores(topology: Topology) -> int:
    """How many cores the CPUs have; of a CPU whose core is unknown one."""
    return len(_firsts(topology))


def steps(topology: Topology) -> list[tuple[int, str]]:
    """Where along the order something new begins for the first time: the number of threads from which on it is used,
    and words for it, such as (9, `next cache`). Of several at one number the widest."""
    seen: dict[str, set] = {fact: set() for fact in ("kind", "core", *WIDE)}
    found: dict[str, int] = {}
    for at, cpu in enumerate(near_first(topology), start=1):
        place = replace(topology.at[cpu], kind=topology.at[cpu].kind or 0)
        if at > 1 and (word := _new(place, seen)):
            found.setdefault(word, at)
        for fact, groups in seen.items():
            groups.add(getattr(place, fact))
    return [(at, word) for word, at in found.items()]


def _new(place: Place, seen: Mapping[str, Set[int | None]]) -> str:
    """What a CPU brings that those before it in the order, whose groups `seen` holds by fact, did not have."""
    if place.kind not in seen["kind"]:
        return "slower cores"
    if place.core is not None and place.core in seen["core"]:
        return "hardware threads"
    wider = (fact for fact in WIDE if getattr(place, fact) not in {None, *seen[fact]})
    return next((f"next {fact}" for fact in wider), "")


def _rank(group: int | None, together: tuple[int, int]) -> tuple[int, int, int]:
    most, cores = together
    return (-most, -cores, -1 if group is None else group)


def one_of_each(topology: Topology, first: int, others: Iterable[int]) -> list[int]:
    """Of the others the first one at each distance from a CPU, near ones first, and the first of each kind of core."""
    apart: dict[str, int] = {}
    kind: dict[int | None, int] = {}
    for other in others:
        apart.setdefault(distance(topology, (first, other)), other)
        kind.setdefault(topology.at[other].kind, other)
    each = [apart[name] for name in (*DISTANCES, UNTOLD) if name in apart]
    return list(dict.fromkeys([*each, *kind.values()]))
