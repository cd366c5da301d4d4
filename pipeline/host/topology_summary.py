"""Topology in one line: where the CPUs of a process lie, of what the kernel tells of all of them:
`16 cores in 2 packages, 2 threads each; 4 last-level caches of 4 cores`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pipeline.host.topology import Place, Topology
from pipeline.words.numbers import counted

ADJECTIVES = ("fast", "slower", "still slower")  # of the kinds of core, the last one also of all after it
SILENT = "the kernel does not say which CPUs share a core, a cache or a package"


def line(machine: Topology) -> str:
    """The words with every doubt behind them, or that the kernel says nothing; empty where there are no CPUs.

    machine: all of its CPUs, those marked that the process may use; the words are of these.
    """
    if not machine.usable().places:
        return ""
    told = facts(machine) or f"{counted(len(machine.usable().places), 'CPU')}; {SILENT}"
    return ". ".join([told, *machine.doubts])


def facts(machine: Topology) -> str:
    """The words alone; empty where the kernel says nothing of these CPUs."""
    topology = machine.usable()
    cores = known(topology, "core")
    told = [_packages(topology, cores), _nodes(topology), _caches(topology, cores), _isolated(topology.places)]
    if not cores and not any(told):
        return ""
    more = len(machine.places) - len(topology.places)
    rest = f"the machine has {counted(more, 'more CPU') if more > 1 else 'another CPU'}" if more else ""
    return "; ".join(part for part in (*told, rest) if part)


def known(topology: Topology, fact: str) -> dict[int, list[int]]:
    """The CPUs of each group of a fact; empty unless it is known of all of them."""
    groups = topology.groups(fact)
    return groups if sum(map(len, groups.values())) == len(topology.places) else {}


def ranges(cpus: Iterable[int]) -> str:
    """`0–3, 8`"""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and cpu == runs[-1][-1] + 1:
            runs[-1].append(cpu)
        else:
            runs.append([cpu])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def _packages(topology: Topology, cores: dict[int, list[int]]) -> str:
    """The cores, their threads and the packages; of CPUs alone where the cores are not known."""
    packages = known(topology, "package")
    within = f" in {counted(len(packages), 'package')}" if packages else ""
    if not cores:
        return f"{counted(len(topology.places), 'CPU')}{within}" if within else ""
    kinds: dict[int, list[int]] = {}
    for threads in cores.values():
        kinds.setdefault(topology.at[threads[0]].kind or 0, []).append(len(threads))
    if len(kinds) > 1:
        end = f"; {counted(len(packages), 'package')}" if packages else ""
        return _kinds(sorted(kinds.items())) + end
    kind = next((place.kind for place in topology.places if place.kind is not None), None)
    core = "core" if kind is None else f"{_adjective(kind)} core"
    each = f"{_threads(list(map(len, cores.values())))}{' each' if len(cores) > 1 else ''}"
    return f"{counted(len(cores), core)}{within}, {each}"


def _kinds(kinds: Sequence[tuple[int, Sequence[int]]]) -> str:
    """`6 fast cores of 2 threads, 8 slower ones`: kind -> the threads of each of its cores."""
    every = [threads for _, cores in kinds for threads in cores]
    told = []
    for kind, cores in kinds:
        noun = "one" if told else "core"
        of = f" of {_threads(cores)}" if len(set(every)) > 1 and max(cores) > 1 else ""
        told.append(counted(len(cores), f"{_adjective(kind)} {noun}") + of)
    each = f", {_threads(every)} each" if len(set(every)) == 1 else ""
    return ", ".join(told) + each


def _adjective(kind: int) -> str:
    return ADJECTIVES[min(kind, len(ADJECTIVES) - 1)]


def _threads(cores: Collection[int]) -> str:
    """`2 threads`, `1 or 2 threads`: how many the cores have."""
    return counted(max(cores), "thread") if len(set(cores)) == 1 else f"{_between(cores)} threads"


def _between(numbers: Collection[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least}" if least == most else f"{least} {'or' if most == least + 1 else 'to'} {most}"


def _nodes(topology: Topology) -> str:
    """The NUMA nodes, unless they are the packages' own and there is one."""
    nodes, packages = known(topology, "node"), known(topology, "package")
    if nodes and sorted(nodes.values()) == sorted(packages.values()):
        return "each package a NUMA node" if len(nodes) > 1 else ""
    return counted(len(nodes), "NUMA node") if nodes else ""


def _caches(topology: Topology, cores: dict[int, list[int]]) -> str:
    """The last-level caches, and how many cores share each."""
    caches = known(topology, "cache")
    core = {cpu: group for group, threads in cores.items() for cpu in threads}
    sizes = sorted(len({core.get(cpu, cpu) for cpu in cpus}) for cpus in caches.values())
    if len(sizes) < 2:
        return "1 last-level cache" if sizes else ""
    if sum(sizes) > len(cores or topology.places):  # a core has several
        return f"{len(sizes)} last-level caches"
    if sizes[-1] == 1:
        return f"a last-level cache for each {'core' if cores else 'CPU'}"
    return f"{len(sizes)} last-level caches of {_between(sizes)} {'cores' if cores else 'CPUs'}"


def _isolated(places: Iterable[Place]) -> str:
    apart = [place.cpu for place in places if place.isolated]
    return f"{'CPUs' if len(apart) > 1 else 'CPU'} {ranges(apart)} kept free of other work" if apart else ""
