"""What the kernel tells of its CPUs: recorded machines as hwloc sees them, and files that say nothing or contradict."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from made_up_machines import machines, write
from recorded_machines import COUNTS, EVERY, NAMES, lstopo

from pipeline.host import sysfs
from pipeline.host.topology import Place, Topology

FACTS = dict(zip(COUNTS, ("package", "node", "cache", "l2", "core", "cpu"), strict=True))
NO_NODES = "there is no folder of nodes; hwloc makes one"
UNKNOWN_PACKAGE = "the packages have the number -1, which is unknown to us; hwloc takes the groups"
WITHOUT_CPUS = "hwloc also shows packages and nodes without a CPU that its test allows, and hides nodes without memory"
MEMORY_ALONE = "hwloc also counts nodes of memory alone, which have no CPU"
# Machine -> why what we read differs from what hwloc shows, and (hwloc's, ours) of each fact that does.
DIFFERENT = {
    "128ia64-17n4s2c": (MEMORY_ALONE, {"nodes": (17, 16)}),
    "16amd64-4n4c-cgroup-distance-merge": (
        f"{WITHOUT_CPUS}; it was told to leave out levels that are one with another",
        {"packages": (3, 1), "nodes": (2, 1), "l2": (0, 4), "cores": (0, 4)},
    ),
    "16amd64-8n2c-cpusets": (WITHOUT_CPUS, {"packages": (7, 6), "nodes": (4, 6)}),
    "20s390-2g6s4c": (f"{UNKNOWN_PACKAGE}; {NO_NODES}", {"packages": (8, 0), "nodes": (1, 0)}),
    "256ppc-8n8s4t": (UNKNOWN_PACKAGE, {"packages": (64, 0)}),
    "2arm-2c": (NO_NODES, {"nodes": (1, 0)}),
    "2i386-2c-nohugepage": (NO_NODES, {"nodes": (1, 0)}),
    "2i386-2t-hugepagesizecount": (NO_NODES, {"nodes": (1, 0)}),
    "2ps3-2t": (NO_NODES, {"nodes": (1, 0)}),
    "40intel64-4n10c+pci-conflicts": (
        "a mask of a cache and one of a package were changed by hand, and hwloc drops what crosses; we take the lists",
        {"packages": (3, 4), "last_level_caches": (13, 4)},
    ),
    "64amd64-4s2n4ca2co": (
        "the kernel calls a module of two integer units one core of two threads, hwloc each a core",
        {"cores": (64, 32)},
    ),
    "fakeheterocpunuma": ("the nodes overlap: unknown to us, and the page says so", {"nodes": (4, 0)}),
    "fakeheteromemtiers": (MEMORY_ALONE, {"nodes": (7, 3)}),
    "fakememinitiators-1np2c+1npp+gi": (MEMORY_ALONE, {"nodes": (6, 4)}),
}
Recorded = Callable[[str], Path]


@pytest.mark.parametrize("name", EVERY)
def test_a_recorded_machine_is_what_hwloc_sees_or_it_says_why_not(recorded: Recorded, name: str):
    seen = lstopo()[name]
    topology = sysfs.read(recorded(name), seen["cpus"])
    ours = {count: len(topology.groups(fact)) for count, fact in FACTS.items()}
    _, apart = DIFFERENT.get(name, ("", {}))
    assert {count: (seen[count], ours[count]) for count in COUNTS if seen[count] != ours[count]} == apart
    assert bool(topology.doubts) == (name == "fakeheterocpunuma")


def test_every_reason_is_of_a_machine_that_is_there():
    assert set(DIFFERENT) <= set(NAMES) and len(NAMES) == 42


@pytest.mark.parametrize("name", EVERY)
def test_a_group_is_called_by_its_lowest_cpu_and_its_nodes_have_distances(recorded: Recorded, name: str):
    topology = sysfs.read(recorded(name))
    for fact in ("core", "l2", "cache", "cluster", "die", "package"):
        assert all(group == min(cpus) for group, cpus in topology.groups(fact).items())
    nodes = topology.groups("node")
    told = topology.distances
    assert set(told) in (set(), {(one, other) for one in nodes for other in nodes})
    assert all(told[one, one] <= far for (one, _), far in told.items())


def test_of_several_nodes_that_are_one_the_lowest_number_counts(recorded: Recorded):
    topology = sysfs.read(recorded("8em64t-2s2ca2c-buggynuma"))
    assert topology.groups("node") == {0: [*range(8)]} and topology.distances == {(0, 0): 10}


def test_cpus_that_are_switched_off_do_not_count(recorded: Recorded):
    every = set(range(16))
    assert every - set(sysfs.online(recorded("16em64t-4s2c2t-offlines"))) == {2, 5, 13, 14}
    assert sysfs.online(recorded("offline-cpu0-node0"))[0] == 4


KINDS = {
    "20em64t-hybrid-1p6c2t+2ca4co1t": {0: [*range(12)], 1: [*range(12, 20)]},
    "nvidia-dgx-gb10": {0: [*range(5, 10), *range(15, 20)], 1: [*range(5), *range(10, 15)]},
    "fakeheterocpunuma": {1: [*range(12)], 0: [*range(12, 24)]},
}


@pytest.mark.parametrize("name", EVERY)
def test_the_kinds_of_core_where_a_machine_has_several_the_fastest_first(recorded: Recorded, name: str):
    assert sysfs.read(recorded(name)).groups("kind") == KINDS.get(name, {})


@pytest.mark.thorough
@given(machines())
@example(Topology((Place(0), Place(1, isolated=True)), {}))
def test_what_is_written_is_read(machine: Topology):
    with tempfile.TemporaryDirectory() as folder:
        assert sysfs.read(write(machine, Path(folder))) == machine
        some = [place.cpu for place in machine.places][::2]
        assert sysfs.read(Path(folder), some).places == machine.of(some).places


@pytest.mark.parametrize(
    ("text", "cpus"), [("00000000,0000000f", range(4)), ("1,00000000", [32]), ("8", [3]), ("0", [])]
)
def test_a_mask_is_read_from_its_end(text, cpus):
    assert sysfs.of_mask(text) == list(cpus)


@pytest.mark.parametrize("text", ["", "not visible here", "f,f", "0x3", "-1", "F"])
def test_what_is_no_mask_names_no_cpu(text):
    assert sysfs.of_mask(text) == []


def tree(root: Path, files: dict[str, str]) -> Path:
    """Files of CPUs, and of anything else by a path from `sys`."""
    for path, text in files.items():
        file = root / (path if path.startswith("sys") else f"{sysfs.CPUS}/{path}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def places(root: Path, fact: str) -> list[int | None]:
    return [getattr(place, fact) for place in sysfs.read(root).places]


@pytest.mark.parametrize(
    ("files", "fact"),
    [
        ({"topology/core_cpus_list": "0-1", "topology/thread_siblings_list": "{cpu}"}, "core"),
        ({"topology/thread_siblings_list": "0,1\n"}, "core"),
        ({"topology/core_cpus": "3"}, "core"),
        ({"topology/thread_siblings": "00000000,00000003\0"}, "core"),
        ({"topology/core_id": "7", "topology/physical_package_id": "0"}, "core"),
        ({"topology/package_cpus_list": "0-1", "topology/core_siblings_list": "{cpu}"}, "package"),
        ({"topology/core_siblings": "3"}, "package"),
        ({"topology/die_cpus_list": "0-1"}, "die"),
        ({"topology/cluster_cpus": "3"}, "cluster"),
        ({"cache/index0/level": "2", "cache/index0/shared_cpu_map": "3"}, "l2"),
        ({"cache/index0/level": "4", "cache/index0/shared_cpu_list": "0-1", "cache/index1/level": "3"}, "cache"),
    ],
)
def test_a_fact_is_read_from_the_best_file_that_tells_it(tmp_path: Path, files: dict[str, str], fact: str):
    tree(tmp_path, {f"cpu{cpu}/{name}": text.format(cpu=cpu) for cpu in (0, 1) for name, text in files.items()})
    assert places(tmp_path, fact) == [0, 0]


@pytest.mark.parametrize(
    ("files", "fact"),
    [
        ({"topology/package_cpus_list": "0-1", "topology/physical_package_id": "-1"}, "package"),
        ({"topology/cluster_cpus_list": "0-1", "topology/cluster_id": "-1"}, "cluster"),
        ({"topology/core_cpus_list": "0-1", "topology/core_id": "-1"}, "core"),
        ({"topology/core_id": "not a number"}, "core"),
        ({"cache/index0/level": "1", "cache/index0/shared_cpu_map": "3"}, "cache"),
        ({"cache/index0/level": "2", "cache/index0/type": "Instruction", "cache/index0/shared_cpu_map": "3"}, "l2"),
        ({"cache/index0/shared_cpu_map": "3"}, "cache"),
        ({"topology/core_cpus_list": "all"}, "core"),
        ({}, "package"),
    ],
)
def test_what_is_not_told_is_unknown(tmp_path: Path, files: dict[str, str], fact: str):
    tree(tmp_path, {f"cpu{cpu}/{name}": text for cpu in (0, 1) for name, text in {"there": "", **files}.items()})
    assert places(tmp_path, fact) == [None, None] and sysfs.read(tmp_path).doubts == ()


def test_without_a_sys_there_is_no_place_and_no_failure(tmp_path: Path):
    assert sysfs.read(tmp_path) == Topology((), {}) and sysfs.read(tmp_path, [3]).places == (Place(3),)


@pytest.mark.parametrize(
    ("lists", "doubt"),
    [
        (("0-1", "1"), "sys/devices/system/cpu: CPUs 0 and 1 tell different CPUs that share their core"),
        (("1", "0-1"), "sys/devices/system/cpu: CPUs 0 and 1 tell different CPUs that share their core"),
        (("0-1", ""), "sys/devices/system/cpu: CPUs 0 and 1 tell different CPUs that share their core"),
    ],
)
def test_a_fact_that_contradicts_itself_is_unknown_and_said(tmp_path: Path, lists: tuple[str, str], doubt: str):
    tree(tmp_path, {f"cpu{cpu}/topology/core_cpus_list": text for cpu, text in enumerate(lists)})
    topology = sysfs.read(tmp_path)
    assert topology.doubts == (f"{doubt}; it counts as unknown.",) and topology.groups("core") == {}


def test_a_fact_that_crosses_a_better_one_is_unknown_and_said(tmp_path: Path):
    packages, nodes = {0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"}, {0: "0", 1: "1-2", 2: "3"}
    tree(tmp_path, {f"cpu{cpu}/topology/package_cpus_list": text for cpu, text in packages.items()})
    tree(tmp_path, {f"{sysfs.NODES}/node{node}/cpulist": text for node, text in nodes.items()})
    topology = sysfs.read(tmp_path)
    assert topology.doubts == (
        "sys/devices/system/node: the NUMA node of CPU 1 crosses its package; the first counts as unknown.",
    )
    assert not topology.groups("node") and topology.groups("package") == {0: [0, 1], 2: [2, 3]}


def test_where_masks_of_a_cache_contradict_the_lists_count(tmp_path: Path):
    for cpu in (0, 1):
        at = f"cpu{cpu}/cache/index3"
        tree(tmp_path, {f"{at}/level": "3", f"{at}/shared_cpu_map": f"{3 - cpu}", f"{at}/shared_cpu_list": "0-1"})
    assert places(tmp_path, "cache") == [0, 0] and sysfs.read(tmp_path).doubts == ()


def test_isolated_cpus_and_those_without_ticks_are_marked(tmp_path: Path):
    tree(tmp_path, {f"cpu{cpu}/online": "1" for cpu in range(4)} | {"isolated": "1\n", "nohz_full": "2-3\n"})
    assert places(tmp_path, "isolated") == [False, True, True, True]


@pytest.mark.parametrize(
    ("speeds", "kinds"),
    [
        ({"cpu_capacity": (512, 1024)}, [1, 0]),
        ({"cpu_capacity": (1024, 1024), "cpufreq/cpuinfo_max_freq": (2_000_000, 3_000_000)}, [1, 0]),
        ({"cpufreq/base_frequency": (3_000_000, 2_000_000), "cpufreq/cpuinfo_max_freq": (1, 9)}, [0, 1]),
        ({"cpufreq/cpuinfo_max_freq": (2_500_000, 3_000_000)}, [None, None]),
        ({"cpu_capacity": (300, 500, 520, 1024)}, [2, 1, 1, 0]),
    ],
)
def test_cores_whose_speeds_differ_by_more_than_a_fifth_are_of_several_kinds(tmp_path: Path, speeds: dict, kinds: list):
    tree(tmp_path, {f"cpu{cpu}/{name}": f"{one}\n" for name, told in speeds.items() for cpu, one in enumerate(told)})
    assert places(tmp_path, "kind") == kinds


def test_a_speed_that_one_cpu_does_not_tell_says_nothing(tmp_path: Path):
    tree(tmp_path, {"cpu0/cpu_capacity": "100", "cpu1/cpu_capacity": "1000", "cpu2/online": "1"})
    assert places(tmp_path, "kind") == [None] * 3


def test_distances_that_are_too_few_are_none(tmp_path: Path):
    tree(tmp_path, {f"{sysfs.NODES}/node{node}/cpulist": f"{node}" for node in (0, 1)} | {"cpu0/x": "", "cpu1/x": ""})
    tree(tmp_path, {f"{sysfs.NODES}/node{node}/distance": "10 21\n" for node in (0, 1)})
    sysfs._read.cache_clear()
    assert sysfs.read(tmp_path).distances == {(0, 0): 10, (0, 1): 21, (1, 0): 10, (1, 1): 21}
    tree(tmp_path, {f"{sysfs.NODES}/node1/distance": "10\n"})
    sysfs._read.cache_clear()
    assert sysfs.read(tmp_path).distances == {}
