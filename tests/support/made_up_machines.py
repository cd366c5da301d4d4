"""Machines of every shape: packages, caches, cores, threads, kinds, holes in the numbering, facts that are not told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st

from pipeline.host import sysfs
from pipeline.host.topology import Place, Topology

UNTOLD = ("core", "l2", "cache", "package", "node")


@st.composite
def machines(draw: st.DrawFn, untold: bool = True) -> Topology:
    """All CPUs of a machine; of some none of a fact is told, if `untold`."""
    shape = [
        (package, cache, core, draw(st.integers(1, 3)))
        for package in range(draw(st.integers(1, 3)))
        for cache in range(draw(st.integers(1, 2)))
        for core in range(draw(st.integers(1, 3)))
    ]
    kinds = draw(st.lists(st.integers(0, 1), min_size=len(shape), max_size=len(shape)) | st.just([0] * len(shape)))
    cpus = [(place, kind) for place, kind in zip(shape, kinds, strict=True) for _ in range(place[-1])]
    numbers = draw(st.permutations(range(len(cpus))))
    first, step = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    by_node = draw(st.integers(1, 2))  # the node is the package's, or the cache's
    keys = {
        "package": lambda at: at[:1],
        "cache": lambda at: at[:2],
        "core": lambda at: at[:3],
        "l2": lambda at: at[:3],
    }
    groups: dict[tuple, list[int]] = {}
    for number, (place, _) in zip(numbers, cpus, strict=True):
        for fact, key in keys.items():
            groups.setdefault((fact, key(place)), []).append(first + step * number)
    nodes = sorted({place[:by_node] for place, _ in cpus})
    several = len(set(kinds)) > 1
    places = [
        Place(
            first + step * number,
            **{fact: min(groups[fact, key(place)]) for fact, key in keys.items()},
            node=nodes.index(place[:by_node]),
            kind=kind if several else None,
        )
        for number, (place, kind) in zip(numbers, cpus, strict=True)
    ]
    silent = draw(st.sets(st.sampled_from(UNTOLD), max_size=3)) if untold else set()
    if "cache" in silent:  # the second level would be the last
        silent.add("l2")
    places = [replace(place, **dict.fromkeys(silent)) for place in places]
    return Topology(tuple(sorted(places, key=lambda place: place.cpu)), {})


@st.composite
def affinities(draw: st.DrawFn, untold: bool = True) -> Topology:
    """Any of the CPUs of such a machine, one at least."""
    machine = draw(machines(untold))
    cpus = [place.cpu for place in machine.places]
    return machine.of(draw(st.sets(st.sampled_from(cpus), min_size=1) | st.just(set(cpus))))


def write(machine: Topology, root: Path) -> Path:
    """The files of a machine below `root`, as its kernel would tell them."""

    def told(path: str, cpus: Iterable[int]) -> None:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(",".join(map(str, sorted(cpus))) + "\n")

    for name, kind in zip(sysfs.KINDS, (0, 1), strict=True):
        if cpus := machine.groups("kind").get(kind):
            told(f"{sysfs.DEVICES}/{name}/cpus", cpus)
    for node, cpus in machine.groups("node").items():
        told(f"{sysfs.NODES}/node{node}/cpulist", cpus)
    told(f"{sysfs.CPUS}/online", machine.at)
    told(f"{sysfs.CPUS}/isolated", [place.cpu for place in machine.places if place.isolated])
    names = {"core": "topology/core_cpus_list", "package": "topology/package_cpus_list"}
    names |= {"l2": "cache/index2/shared_cpu_list", "cache": "cache/index3/shared_cpu_list"}
    for fact, name in names.items():
        for cpus in machine.groups(fact).values():
            for cpu in cpus:
                told(f"{sysfs.CPUS}/cpu{cpu}/{name}", cpus)
                if "cache" in name:
                    (root / sysfs.CPUS / f"cpu{cpu}" / name).with_name("level").write_text(f"{name[11]}\n")
    for cpu in machine.at:
        (root / sysfs.CPUS / f"cpu{cpu}").mkdir(exist_ok=True)
    return root
