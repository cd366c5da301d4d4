"""Places of CPUs as run.json keeps them, and the line of words for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_machines import affinities, machines
from recorded_machines import EVERY

from pipeline.host import sysfs, topology, topology_summary
from pipeline.host.topology import Place, Topology

Recorded = Callable[[str], Path]


def kept(machine: Topology) -> dict:
    """The table as a run's file has it."""
    return json.loads(json.dumps(machine.table()))


@given(machines(), st.data())
def test_a_table_tells_all_of_a_machine_and_what_of_it_was_usable(machine: Topology, data: st.DataObject):
    usable = data.draw(st.sets(st.sampled_from([*machine.at, 99])))
    marked = machine.marked(usable)
    told = {"topology": kept(marked), "topology_doubts": ["one."]}
    assert topology.machine(told) == replace(marked, doubts=("one.",))
    assert [place.cpu for place in topology.of_host(told).places] == sorted(usable)
    assert all(
        replace(place, usable=True) == machine.at.get(place.cpu, Place(place.cpu)) for place in marked.usable().places
    )


def test_facts_that_are_unknown_of_all_have_no_column():
    assert Topology((Place(0), Place(1)), {}).table() == {"cpu": [0, 1]}
    assert Topology((Place(0, core=0), Place(1, usable=False)), {}).table() == {
        "cpu": [0, 1],
        "core": [0, None],
        "usable": [True, False],
    }
    assert topology.from_table({}) == Topology((), {}) and topology.machine({}) == Topology((), {})


def test_a_table_of_columns_of_several_lengths_is_refused():
    with pytest.raises(ValueError, match="different lengths"):
        topology.from_table({"cpu": [0, 1], "core": [0]})


def test_the_table_of_192_cpus_is_small():
    places = [
        Place(
            cpu,
            cpu % 96,
            cpu % 96,
            cpu % 96 // 8 * 8,
            cpu % 96 // 4 * 4,
            cpu % 96 // 24 * 24,
            cpu % 96 // 48 * 48,
            1,
            cpu % 2,
        )
        for cpu in range(192)
    ]
    machine = Topology(tuple(replace(place, isolated=True, usable=False) for place in places), {})
    assert len(machine.table()) == len(topology.FACTS)
    assert len(json.dumps({"host": {"cpu": {"topology": machine.table()}}}, indent=1)) < 20_000


def test_of_some_cpus_the_groups_keep_their_names_and_what_is_unknown_has_no_facts():
    machine = Topology((Place(0, core=0), Place(4, core=0), Place(1, core=1)), {(0, 0): 10}, ("one.",))
    assert machine.of([4, 9]) == Topology((Place(4, core=0), Place(9)), {(0, 0): 10}, ("one.",))
    assert machine.groups("core") == {0: [0, 4], 1: [1]} and machine.groups("cache") == {}


def test_the_summary_of_an_older_run_tells_siblings_and_what_there_is_one_of():
    summary = {"thread_siblings": {"0": [0, 2], "1": [1, 3], "10": []}, "sockets": "1", "numa_nodes": "2"}
    caches = {"L1d": "32 KiB (1 instance)", "L2": "1 MiB (4 instances)", "L3": "8 MiB (1 instance)"}
    assert topology.of_host(summary | {"caches": caches}).places == (
        Place(0, core=0, package=0, cache=0),
        Place(1, core=1, package=0, cache=0),
        Place(10, package=0, cache=0),
    )
    several = topology.of_host(
        {"thread_siblings": {"0": [0]}, "sockets": "2", "caches": caches | {"L3": "8 MiB (2 instances)"}}
    )
    assert several.places == (Place(0, core=0),)


LINES = {
    "128arm-2pa2n8cluster4co": "128 cores in 2 packages, 1 thread each; 4 NUMA nodes; 4 last-level caches of 32 cores",
    "16em64t-4s2c2t-offlines": (
        "7 cores in 4 packages, 1 or 2 threads each; 1 NUMA node; 4 last-level caches of 1 or 2 cores"
    ),
    "16ia64-8n2s": "16 cores in 16 packages, 1 thread each; 8 NUMA nodes; a last-level cache for each core",
    "20em64t-hybrid-1p6c2t+2ca4co1t": "6 fast cores of 2 threads, 8 slower ones; 1 package; 1 last-level cache",
    "20s390-2g6s4c": "20 cores, 1 thread each",
    "256ppc-8n8s4t": "64 cores, 4 threads each; 8 NUMA nodes; a last-level cache for each core",
    "2i386-2t-hugepagesizecount": "1 core in 1 package, 2 threads; 1 last-level cache",
    "4fake-4gr1nu1pu": "4 CPUs in 1 package; 4 NUMA nodes",
    "8em64t-2s4c-asymcaches": "8 cores in 2 packages, 1 thread each; 1 NUMA node",
    "fakeheterocpunuma": "6 fast cores, 6 slower ones, 2 threads each; 2 packages",
    "nvidiagpunumanodes": (
        "8 cores in 2 packages, 4 threads each; each package a NUMA node; 4 last-level caches of 2 cores"
    ),
    "offline-cpu0-node0": "17 cores in 2 packages, 1 thread each; 2 last-level caches of 8 or 9 cores",
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", LINES)
def test_a_machine_in_one_line(recorded: Recorded, name: str):
    assert topology_summary.facts(sysfs.read(recorded(name))) == LINES[name]


@pytest.mark.thorough
@pytest.mark.parametrize("name", EVERY)
def test_every_recorded_machine_has_words_and_says_what_is_in_doubt(recorded: Recorded, name: str):
    machine = sysfs.read(recorded(name))
    told = topology_summary.line(machine)
    assert told == ". ".join([topology_summary.facts(machine), *machine.doubts]) and "None" not in told
    assert told.startswith(("6 fast", "10 fast", f"{len(machine.groups('core')) or len(machine.places)} "))


def test_a_doubt_is_said_behind_the_facts(recorded: Recorded):
    told = topology_summary.line(sysfs.read(recorded("fakeheterocpunuma")))
    assert told.endswith(
        "2 packages. sys/devices/system/node: CPUs 12 and 16 tell different CPUs that share their NUMA node; "
        "it counts as unknown."
    )


HYBRID = "20em64t-hybrid-1p6c2t+2ca4co1t"


@pytest.mark.parametrize(
    ("cpus", "told"),
    [
        ([0], "1 fast core in 1 package, 1 thread; 1 last-level cache; the machine has 19 more CPUs"),
        ([12, 13], "2 slower cores in 1 package, 1 thread each; 1 last-level cache; the machine has 18 more CPUs"),
        (
            [0, 12],
            "1 fast core, 1 slower one, 1 thread each; 1 package; 1 last-level cache; the machine has 18 more CPUs",
        ),
        (
            range(1, 20),
            "6 fast cores of 1 or 2 threads, 8 slower ones; 1 package; 1 last-level cache; the machine has another CPU",
        ),
    ],
)
def test_the_words_are_of_the_usable_cpus_and_say_that_there_are_others(recorded: Recorded, cpus, told: str):
    assert topology_summary.line(sysfs.read(recorded(HYBRID)).marked(cpus)) == told


def test_what_the_kernel_does_not_say_is_not_said():
    silent = Topology((Place(0), Place(1)), {})
    assert topology_summary.facts(silent) == "" and topology_summary.line(Topology((), {})) == ""
    assert topology_summary.line(silent) == f"2 CPUs; {topology_summary.SILENT}"
    assert topology_summary.line(silent.marked([1])) == f"1 CPU; {topology_summary.SILENT}"
    part = Topology((Place(0, core=0, package=0), Place(1, package=0)), {})
    assert topology_summary.line(part) == "2 CPUs in 1 package"
    assert (
        topology_summary.facts(Topology((Place(0, cache=0), Place(1, cache=1)), {}))
        == "a last-level cache for each CPU"
    )


def test_caches_within_a_core_are_counted_and_no_more():
    places = tuple(Place(cpu, core=0, cache=cpu) for cpu in (0, 1))
    assert topology_summary.facts(Topology(places, {})) == "1 core, 2 threads; 2 last-level caches"


def test_kinds_beyond_the_second_and_isolated_cpus_are_said():
    places = tuple(Place(cpu, core=cpu, kind=min(cpu, 3), isolated=cpu in (1, 2, 4)) for cpu in range(5))
    assert topology_summary.facts(Topology(places, {})) == (
        "1 fast core, 1 slower one, 1 still slower one, 2 still slower ones, 1 thread each; "
        "CPUs 1–2, 4 kept free of other work"
    )
    assert topology_summary.facts(Topology(places[1:2], {})).endswith("; CPU 1 kept free of other work")


@given(affinities())
def test_the_words_count_what_there_is(machine: Topology):
    told = topology_summary.line(machine)
    cores = topology_summary.known(machine, "core")
    if cores and len({place.kind for place in machine.places}) == 1:
        assert told.startswith(f"{len(cores)} ")
    packages = topology_summary.known(machine, "package")
    assert (f"{len(packages)} package" in told) == bool(packages)
    assert ("last-level cache" in told) == bool(topology_summary.known(machine, "cache"))


@pytest.mark.parametrize(("cpus", "told"), [([], ""), ([3], "3"), ([3, 1, 2, 9, 7, 8], "1–3, 7–9"), ([0, 2], "0, 2")])
def test_ranges_of_cpus(cpus, told):
    assert topology_summary.ranges(cpus) == told
