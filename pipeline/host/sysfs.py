"""What the kernel tells of its CPUs below `sys`: a pure reader of a root folder.

A recorded machine is read like the live one. The files are those of the kernel's Documentation/admin-guide/
cputopology.rst and Documentation/ABI/stable/sysfs-devices-system-cpu. What a hypervisor or an old kernel does not tell
is unknown, and so is what contradicts itself: a run ends for neither.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from pipeline.host.topology import Place, Topology

ROOT = Path("/")
CPUS, NODES, DEVICES = "sys/devices/system/cpu", "sys/devices/system/node", "sys/devices"
# Of each fact the files that tell it, the better first: lists of CPUs, or masks in hexadecimal.
CORE = ("core_cpus_list", "thread_siblings_list", "core_cpus", "thread_siblings")
CLUSTER, DIE = ("cluster_cpus_list", "cluster_cpus"), ("die_cpus_list", "die_cpus")
PACKAGE = ("package_cpus_list", "core_siblings_list", "package_cpus", "core_siblings")
KINDS = ("cpu_core", "cpu_atom")  # of Intel's hybrid parts, the faster one first
SLOWER = 0.8  # CPUs are of another kind where they differ by more than a fifth
NAMES = {"cache": "last-level cache", "l2": "second-level cache", "node": "NUMA node"}
NAMES |= {one: one for one in ("core", "cluster", "die", "package")}
FOLDERS = {"node": NODES}  # where a fact is told that a CPU's own folder does not tell
SHARED_BY = ("shared_cpu_map", "shared_cpu_list")


def here(cpus: Iterable[int]) -> Topology:
    """The topology of these CPUs of this machine."""
    return _read(ROOT, tuple(sorted(cpus)))


def read(root: Path, cpus: Iterable[int] | None = None) -> Topology:
    """The topology of the CPUs (None: of all that are online) of the machine whose `sys` lies below `root`."""
    return _read(root, None if cpus is None else tuple(sorted(cpus)))


@functools.lru_cache(maxsize=256)  # a plan asks for each of its thousands of trials
def _read(root: Path, cpus: tuple[int, ...] | None) -> Topology:
    if cpus is not None:
        return _read(root, None).of(cpus)
    files = _Files(root)
    seen = online(root)
    nodes = _nodes(files)
    isolated = set(files.group(f"{CPUS}/isolated")) | set(files.group(f"{CPUS}/nohz_full"))
    found = {
        "package": [lambda cpu: files.topology(cpu, PACKAGE, "physical_package_id")],
        "core": [_cores(files, seen)],
        # Both tell the same, but for recorded machines that somebody changed by hand.
        "cache": [partial(_last, files, SHARED_BY[0]), partial(_last, files, SHARED_BY[1])],
        "l2": [partial(_second, files, SHARED_BY[0]), partial(_second, files, SHARED_BY[1])],
        "die": [lambda cpu: files.topology(cpu, DIE, "die_id")],
        "cluster": [lambda cpu: files.topology(cpu, CLUSTER, "cluster_id")],
        "node": [lambda cpu: next((group for group in nodes.values() if cpu in group), [])],
    }
    columns, doubts = _consistent(found, seen)
    # Of several nodes with the same CPUs the lowest number counts.
    number = {cpu: node for node, group in reversed(nodes.items()) for cpu in group}
    columns["node"] = {cpu: number[cpu] for cpu in columns["node"]}
    columns["kind"] = _kinds(files, seen)
    places = tuple(
        Place(cpu, **{fact: column.get(cpu) for fact, column in columns.items()}, isolated=cpu in isolated)
        for cpu in seen
    )
    return Topology(places, _distances(files, sorted(set(columns["node"].values()))), doubts)


def online(root: Path) -> list[int]:
    """The CPUs that are switched on, ascending."""
    files = _Files(root)
    there = sorted(int(folder.name[3:]) for folder in (root / CPUS).glob("cpu[0-9]*"))
    listed = files.group(f"{CPUS}/online") or there
    return [cpu for cpu in there if cpu in listed and files.text(f"{CPUS}/cpu{cpu}/online") != "0"]


def of_list(text: str) -> list[int]:
    """The CPUs of a kernel's list (`0,64`, `0-3,6`); none where it does not tell."""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        return []
    ranges = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return [cpu for ends in ranges for cpu in range(ends[0], ends[-1] + 1)]


def of_mask(text: str) -> list[int]:
    """The CPUs of a kernel's mask (`00000000,0000000f`); none where it does not tell."""
    if not re.fullmatch(r"[0-9a-f]+(,[0-9a-f]{8})*", text):
        return []
    bits = int(text.replace(",", ""), 16)
    return [cpu for cpu in range(bits.bit_length()) if bits >> cpu & 1]


class _Files:
    """The files below a root; empty texts and groups where one is not there."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def text(self, path: str) -> str:
        try:
            return (self.root / path).read_text(encoding="ascii", errors="replace").strip("\0 \n")
        except OSError:
            return ""

    def group(self, path: str) -> list[int]:
        """The CPUs that a file names, a list by the name's end (or one of `cpu/`'s own), a mask otherwise."""
        listed = path.endswith(("list", "/cpus", "/online", "/isolated", "/nohz_full"))
        return (of_list if listed else of_mask)(self.text(path))

    def first(self, folder: str, names: Iterable[str]) -> list[int]:
        """What the first of these files tells."""
        return next(filter(None, (self.group(f"{folder}/{name}") for name in names)), [])

    def topology(self, cpu: int, names: Iterable[str], number: str = "core_id") -> list[int]:
        """Who shares a part with a CPU; nothing where the part has the number -1, the kernel's word for unknown."""
        folder = f"{CPUS}/cpu{cpu}/topology"
        return [] if self.text(f"{folder}/{number}").startswith("-") else self.first(folder, names)

    @functools.cache  # noqa: B019 (it lives as long as one machine is read)
    def caches(self, cpu: int, by: str) -> dict[int, list[int]]:
        """Level -> who shares the CPU's cache for data of that level, from the second on: the first is a core's own."""
        found = {}
        for folder in sorted((self.root / CPUS / f"cpu{cpu}" / "cache").glob("index*")):
            at = folder.relative_to(self.root).as_posix()
            level = self.text(f"{at}/level")
            if level.isdecimal() and int(level) > 1 and self.text(f"{at}/type") != "Instruction":
                if group := self.group(f"{at}/{by}"):
                    found[int(level)] = group
        return found


def _second(files: _Files, by: str, cpu: int) -> list[int]:
    return files.caches(cpu, by).get(2, [])


def _last(files: _Files, by: str, cpu: int) -> list[int]:
    """Who shares the highest level that is there: some hosts have two levels, some four."""
    return next((group for _, group in sorted(files.caches(cpu, by).items(), reverse=True)), [])


def _cores(files: _Files, cpus: Sequence[int]) -> Callable[[int], list[int]]:
    """Who shares a CPU's core: as listed, else who has its number of core and of package."""
    of = ("core_id", "physical_package_id")
    numbers = {cpu: tuple(files.text(f"{CPUS}/cpu{cpu}/topology/{one}") for one in of) for cpu in cpus}

    def core(cpu: int) -> list[int]:
        if listed := files.topology(cpu, CORE):
            return listed
        known = numbers[cpu][0].isdecimal()
        return [other for other in cpus if numbers[other] == numbers[cpu]] if known else []

    return core


def _nodes(files: _Files) -> dict[int, list[int]]:
    """NUMA node -> its CPUs; a node of memory alone has none and is left out."""
    numbers = sorted(int(folder.name[4:]) for folder in (files.root / NODES).glob("node[0-9]*"))
    found = {number: files.first(f"{NODES}/node{number}", ("cpulist", "cpumap")) for number in numbers}
    return {number: group for number, group in found.items() if group}


def _distances(files: _Files, nodes: Sequence[int]) -> dict[tuple[int, int], int]:
    """The kernel's distances between nodes with CPUs; none where it tells of more or fewer nodes than there are."""
    numbers = sorted(int(folder.name[4:]) for folder in (files.root / NODES).glob("node[0-9]*"))
    rows = {node: files.text(f"{NODES}/node{node}/distance").split() for node in nodes}
    if any(len(row) != len(numbers) or not all(one.isdecimal() for one in row) for row in rows.values()):
        return {}
    column = {number: at for at, number in enumerate(numbers)}
    return {(one, other): int(rows[one][column[other]]) for one, other in itertools.product(nodes, nodes)}


def _consistent(
    found: Mapping[str, Sequence[Callable[[int], list[int]]]], cpus: Sequence[int]
) -> tuple[dict[str, dict[int, int]], tuple[str, ...]]:
    """Fact -> CPU -> its group, and a sentence for every fact that contradicts itself or one that is trusted more.

    found: of each fact, the most trusted first, its readers: the first one without a contradiction counts.
    """
    columns: dict[str, dict[int, int]] = {}
    doubts = []
    sets: dict[str, dict[int, frozenset[int]]] = {}
    for fact, readers in found.items():
        sets[fact], whys = {}, []
        for reader in readers:
            groups = {cpu: frozenset(reader(cpu)) & frozenset(cpus) for cpu in cpus}
            groups = {cpu: group for cpu, group in groups.items() if group}
            if why := _contradiction(fact, groups) or _crossing(fact, groups, sets):
                whys.append(why)
            elif groups:
                sets[fact], whys = groups, []
                break
        doubts += whys[:1]
        columns[fact] = {cpu: min(group) for cpu, group in sets[fact].items()}
    return columns, tuple(doubts)


def _contradiction(fact: str, groups: Mapping[int, frozenset[int]]) -> str:
    for cpu, group in groups.items():
        for other in sorted(group - {cpu}):
            if groups.get(other) != group or cpu not in group:
                end = f"tell different CPUs that share their {NAMES[fact]}; it counts as unknown."
                return f"{FOLDERS.get(fact, CPUS)}: CPUs {cpu} and {other} {end}"
    return ""


def _crossing(
    fact: str, groups: Mapping[int, frozenset[int]], trusted: Mapping[str, Mapping[int, frozenset[int]]]
) -> str:
    for name, others in trusted.items():
        for cpu, group in groups.items():
            other = others.get(cpu, group)
            if not (group <= other or other <= group):
                both = f"the {NAMES[fact]} of CPU {cpu} crosses its {NAMES[name]}"
                return f"{FOLDERS.get(fact, CPUS)}: {both}; the first counts as unknown."
    return ""


def _kinds(files: _Files, cpus: Sequence[int]) -> dict[int, int]:
    """CPU -> kind, 0 the fastest; empty where all are of one kind or the host does not tell."""
    named = [files.group(f"{DEVICES}/{name}/cpus") for name in KINDS]
    if all(named):
        found = {cpu: kind for kind, group in enumerate(named) for cpu in group if cpu in cpus}
    else:
        speeds = next(filter(_differ, (_speeds(files, cpus, name) for name in SPEEDS)), {})
        fastest = sorted(set(speeds.values()), reverse=True)
        steps = [0, *itertools.accumulate(low < SLOWER * high for high, low in zip(fastest, fastest[1:]))]
        found = {cpu: dict(zip(fastest, steps))[speed] for cpu, speed in speeds.items()}
    return found if len(Counter(found.values())) > 1 else {}


SPEEDS = ("cpu_capacity", "cpufreq/base_frequency", "cpufreq/cpuinfo_max_freq")


def _speeds(files: _Files, cpus: Sequence[int], name: str) -> dict[int, int]:
    """What a file tells of each CPU's speed; nothing where it does not of all."""
    told = {cpu: files.text(f"{CPUS}/cpu{cpu}/{name}") for cpu in cpus}
    return {cpu: int(one) for cpu, one in told.items()} if all(one.isdecimal() for one in told.values()) else {}


def _differ(speeds: Mapping[int, int]) -> bool:
    return bool(speeds) and min(speeds.values()) < SLOWER * max(speeds.values())
