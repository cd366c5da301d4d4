"""Plans: every configuration once a block, in an order that only the seed decides."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publish_toy import entry as toy

from pipeline.catalogue import catalogue, check
from pipeline.catalogue.declared import plain
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.profile import Sweep
from pipeline.ground.errors import LabError
from pipeline.host import cpus
from pipeline.host.runtimes import Runtime
from pipeline.plan import plan
from pipeline.plan.overrides import Overrides

TOY = toy(1, "toy")
AVAILABLE = {name: Runtime(name, "1", "x") for name in ("jdk17", "jdk25", "c")}


def locks(**overrides):
    return plan.configurations(catalogue.experiment("lock_scaling"), "quick", AVAILABLE, Overrides(**overrides))


def topologies(needs: int) -> Experiment:
    """An entry with a sweep for any host and one that needs so many CPUs."""
    entry = catalogue.experiment("lock_scaling")
    sweeps = [
        Sweep(variants=["ticket"], axes={"threads": [1]}),
        Sweep(variants=["ticket", "mcs"], axes={"threads": [3, 4]}, needs_cpus=needs),
    ]
    profile = replace(entry.profiles["smoke"], sweeps=sweeps)
    return replace(entry, profiles={"smoke": profile})


@pytest.mark.parametrize(
    ("threads_by", "pinned"),
    [
        ({"outside": "count"}, {1: (0,), 3: (0, 1, 2)}),
        ({"outside": "count", "log": "count"}, {1: (0, 1, 2), 3: (0, 1, 2, 3)}),
        ({"outside": {"1": 2, "3": 4}}, {1: (0, 1), 3: (0, 1, 2, 3)}),
    ],
)
def test_roles_add_up_to_the_threads_that_get_cpus(monkeypatch, threads_by, pinned):
    monkeypatch.setattr(cpus, "usable", lambda: [0, 1, 2, 3])
    entry = catalogue.experiment("lock_scaling")
    sweeps = [Sweep(variants=["ticket"], axes={"outside": [1, 3]}, parameters={"log": 2})]
    profile = replace(entry.profiles["smoke"], sweeps=sweeps)
    entry = replace(entry, profiles={"smoke": profile}, threads_by=threads_by)
    found = plan.configurations(entry, "smoke", AVAILABLE)
    assert {one.axes["outside"]: one.main.cpus for one in found} == pinned
    assert all(min(one.threads, 4) == len(one.main.cpus) for one in found)
    assert all("threads" not in one.parameters for one in found)


def test_a_value_whose_threads_are_unknown_is_named(monkeypatch):
    entry = replace(catalogue.experiment("lock_scaling"), threads_by={"log": {"2": 2}})
    with pytest.raises(LabError, match="how many threads log 8192 has is not known; use one of: 2$"):
        plan.configurations(entry, "smoke", AVAILABLE)


def test_a_sweep_that_needs_more_cpus_is_left_out_and_told(monkeypatch):
    monkeypatch.setattr(cpus, "usable", lambda: [0, 1])
    assert len(plan.configurations(topologies(2), "smoke", AVAILABLE)) == 5
    assert plan.left_out(topologies(2), "smoke") == []
    few = topologies(4)
    assert [c.axes["threads"] for c in plan.configurations(few, "smoke", AVAILABLE)] == [1]
    told = "Not measured where it needs 4 CPUs (this process may use 2): ticket; MCS."
    assert plan.left_out(few, "smoke") == [told] == plan.make(few, "smoke", AVAILABLE).left_out
    monkeypatch.setattr(cpus, "usable", lambda: [0, 1, 2, 3])
    assert len(plan.configurations(few, "smoke", AVAILABLE)) == 5 and plan.left_out(few, "smoke") == []


def test_a_plan_of_which_the_host_leaves_nothing_is_empty_and_says_why(monkeypatch):
    monkeypatch.setattr(cpus, "usable", lambda: [0, 1])
    made = plan.make(topologies(4), "smoke", AVAILABLE, Overrides(variants=("mcs",)))
    assert made.configurations == []
    assert made.left_out == ["Not measured where it needs 4 CPUs (this process may use 2): MCS."]


def test_a_plan_of_which_the_runtimes_leave_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(cpus, "usable", lambda: [0, 1])
    with pytest.raises(LabError, match="lock_scaling: nothing to measure with these variants and runtimes$"):
        locks(variants=("pthread_mutex",), runtimes=("jdk17",))


def nth_block(number: int, seed: int) -> tuple[int, list[str]]:
    """Number and keys of a block."""
    planned = plan.make(catalogue.experiment("lock_scaling"), "quick", AVAILABLE)
    found, shuffled = next(itertools.islice(planned.blocks(seed), number - 1, None))
    return found, [configuration.key for configuration in shuffled]


@given(seed=st.integers(0, 2**40), number=st.integers(1, 50))
def test_a_block_is_a_permutation_fixed_by_seed_and_number(seed, number):
    (first, shuffled), again = nth_block(number, seed), nth_block(number, seed)
    assert first == number and sorted(shuffled) == sorted(c.key for c in locks())
    assert (first, shuffled) == again


def made(profile: str, **overrides) -> plan.Plan:
    return plan.make(catalogue.experiment("lock_scaling"), profile, AVAILABLE, Overrides(**overrides))


def test_what_the_smallest_profile_measures_is_first_of_the_first_block_alone():
    quick, smoke = made("quick"), {one.key for one in made("smoke").configurations}
    first = quick.first
    assert smoke & {one.key for one in quick.configurations} <= first and len(first) <= len(smoke)
    for number in (1, 2):
        _, keys = nth_block(number, 1)
        assert ({*keys[: len(first)]} == first) == (number == 1)


def test_of_the_smallest_profile_all_is_first():
    assert made("smoke").first == {one.key for one in made("smoke").configurations}


def test_where_a_profile_has_not_what_the_smallest_measures_the_next_to_it_is_first():
    """Smoke's files are smaller; what it writes in a block size that is here too is first in that one."""
    entry = catalogue.experiment("sequential_io")
    smoke, quick = (plan.make(entry, profile, {"c": AVAILABLE["c"]}) for profile in ("smoke", "quick"))
    first = [one for one in quick.configurations if one.key in quick.first]
    assert not quick.first & smoke.first and 1 < len(first) <= len(smoke.configurations) < len(quick.configurations)
    once = [one.axes["block_size"] for one in first if one.variant == "c_write_read_once"]
    assert {4096, 65536} < {*once}


def test_of_variants_that_the_smallest_profile_has_not_all_is_first():
    alone = made("quick", variants=("ticket",))
    assert alone.first == {one.key for one in alone.configurations} != set()


def test_blocks_differ_from_each_other():
    orders = {tuple(nth_block(number, 1)[1]) for number in range(1, 6)}
    assert len(orders) == 5


def test_keys_are_unique_and_runtimes_fit_the_variant():
    keys = [c.key for c in locks()]
    assert len(keys) == len(set(keys))
    assert {c.runtime for c in locks() if c.variant == "pthread_mutex"} == {"c"}
    assert {c.runtime for c in locks() if c.variant == "monitor_heavy"} == {"jdk25"}


def test_overrides_replace_the_values_of_an_axis():
    assert {c.axes["threads"] for c in locks(variants=("monitor",), axes={"threads": (2, 5)})} == {2, 5}


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"variants": ("nope",)}, ["unknown variant 'nope'", "monitor"]),
        ({"runtimes": ("jdk8",)}, ["unknown runtime 'jdk8'", "jdk17"]),
        ({"axes": {"sheep": (1,)}}, ["unknown axis 'sheep'", "threads"]),
        ({"axes": {"threads": ("two",)}}, ["threads", "'two'", "int"]),
        ({"axes": {"threads": (True,)}}, ["threads", "True", "int"]),
        ({"axes": {"threads": ()}}, ["threads", "no value"]),
    ],
)
def test_bad_overrides_are_named(overrides, words):
    with pytest.raises(LabError) as caught:
        locks(**overrides)
    assert all(word in str(caught.value) for word in words) and caught.value.status == 2


def test_unknown_experiment_and_profile():
    with pytest.raises(LabError, match="unknown experiment 'lokcs'.*lock_scaling"):
        catalogue.experiment("lokcs")
    with pytest.raises(LabError, match="unknown profile 'huge'.*smoke, quick, full"):
        plan.profile_of(catalogue.experiment("lock_scaling"), "huge")


def test_placements():
    allowed = cpus.usable()
    one = locks(variants=("monitor",), axes={"threads": (2,)})[0]
    entry = catalogue.experiment(one.experiment)
    assert list(one.main.cpus) == allowed[:2]

    def placed(value):
        parameters = {"threads": 2, "placement": value}
        return list(plan.configuration(entry, one.variant, one.runtime, {}, parameters).main.cpus)

    assert placed("free") == []
    assert placed("single") == allowed[:1]
    assert placed(f"{allowed[0]}") == allowed[:1]
    with pytest.raises(LabError, match="CPU 99999 is not available"):
        placed("99999")
    with pytest.raises(LabError, match="placement 'sideways'"):
        placed("sideways")


@pytest.mark.parametrize("threads", ["two", True, 1.5])
def test_threads_that_are_no_number_are_named(threads):
    with pytest.raises(LabError, match="lock_scaling: threads .* is not a whole number"):
        plan.configuration(catalogue.experiment("lock_scaling"), "ticket", "c", {}, {"threads": threads})


@pytest.mark.parametrize(
    ("usable", "placements"),
    [
        ([4], ["free"]),
        ([0, 3], ["spread", "0,3", "3,0", "free"]),
        ([0, 1, 2], ["spread", "0,1", "0,2", "1,0", "1,2", "2,0", "2,1", "free"]),
    ],
)
def test_pairs_are_every_ordered_pair_of_cpus(monkeypatch, usable, placements):
    entry = replace(catalogue.experiment("lock_scaling"), axes={"threads": "int", "placement": "str"})
    sweep = Sweep(variants=["ticket"], axes={"threads": [2], "placement": ["spread", "pairs", "free"]})
    profile = replace(entry.profiles["smoke"], sweeps=[sweep])
    entry = replace(entry, profiles={"smoke": profile})
    monkeypatch.setattr(cpus, "usable", lambda: usable)
    found = plan.configurations(entry, "smoke", AVAILABLE)
    assert [c.axes["placement"] for c in found] == placements
    assert [list(c.main.cpus) for c in found if c.axes["placement"][0].isdigit()] == [
        [int(cpu) for cpu in placement.split(",")] for placement in placements if placement[0].isdigit()
    ]


def test_a_sweep_may_be_relative_to_the_cpus_of_the_host(monkeypatch):
    entry = catalogue.experiment("lock_scaling")
    sweep = Sweep(variants=["monitor"], axes={"threads": [1, 2, "cpus", "4*cpus"]})
    profile = replace(entry.profiles["quick"], sweeps=[sweep])
    entry = replace(entry, profiles=entry.profiles | {"quick": profile})
    monkeypatch.setattr(cpus, "usable", lambda: [4, 7])
    found = plan.configurations(entry, "quick", {"jdk17": AVAILABLE["jdk17"]})
    assert [c.axes["threads"] for c in found] == [1, 2, 8]


@pytest.mark.parametrize(
    ("threads", "where", "sizes"),
    [
        (1, "single", (4, 25, 30)),
        (2, "spread", (4, 25, 30)),
        (2, "single", (40, 8, 3)),
        (3, "spread", (40, 8, 3)),
        (3, "free", (40, 8, 3)),
        (8, "spread", (40, 8, 3)),
        (16, "spread", (80, 8, 2)),
    ],
)
def test_threads_that_share_cpus_get_iterations_in_which_they_run_together(monkeypatch, threads, where, sizes):
    monkeypatch.setattr(cpus, "usable", lambda: [0, 1])
    given = {"threads": threads, "placement": where, "iteration-ms": 4, "iterations": 25, "warmup": 30}
    made = plan.configuration(TOY, "plain", "c", {}, given)
    assert tuple(made.parameters[name] for name in ("iteration-ms", "iterations", "warmup")) == sizes
    assert made.key == "plain-c" and given["iteration-ms"] == 4


def test_long_iterations_and_those_that_are_no_time_stay_as_they_are(monkeypatch):
    monkeypatch.setattr(cpus, "usable", lambda: [0])
    for sizes in ({"iteration-ms": 100, "iterations": 15, "warmup": 0}, {"iterations": 5, "warmup": 1}):
        sizes = sizes | {"threads": 2}
        assert plan.configuration(TOY, "plain", "c", {}, sizes).parameters == sizes


def test_a_sweeps_parameters_hold_in_it_alone_and_before_those_of_its_variants():
    entry = catalogue.experiment("lock_scaling")
    sweeps = [
        Sweep(variants=["reentrant_lock_fair"], axes={"threads": [1]}, parameters={"sample-every": 8192}),
        Sweep(variants=["reentrant_lock_fair", "monitor"], axes={"threads": [2]}),
    ]
    profile = replace(entry.profiles["quick"], sweeps=sweeps)
    changed = replace(entry, profiles=entry.profiles | {"quick": profile})
    found = plan.configurations(changed, "quick", AVAILABLE, Overrides(runtimes=("jdk25",)))
    assert [one.parameters["sample-every"] for one in found] == [8192, 8, 64]
    given = Overrides(runtimes=("jdk25",), parameters={"sample-every": 16})
    assert {one.parameters["sample-every"] for one in plan.configurations(changed, "quick", AVAILABLE, given)} == {16}


def test_files_lie_where_the_variant_says_and_otherwise_where_the_experiment_does():
    def dirs(**of_entry):
        variants = {name: {"label": name, "harness": "c", "runs": "x"} for name in ("none", "memory", "disk")}
        for name in ("memory", "disk"):
            variants[name]["dir"] = name
        entry = check.experiment(plain(TOY) | {"variants": variants} | of_entry)
        return [plan.configuration(entry, name, "c", {}, {}).main.dir for name in variants]

    assert dirs() == [None, "memory", "disk"] and dirs(needs_disk=True) == ["disk", "memory", "disk"]


def flagged(*flags: str) -> Experiment:
    """The toy with a Java variant that has these flags on any JDK, and a parameter `file-size`."""
    java = {"label": "java", "harness": "java", "runs": "plain", "flags": {"jdk": list(flags)}}
    return check.experiment(plain(TOY) | {"variants": {"plain": java}, "parameters": {"file-size": 7}})


def test_a_placeholder_in_a_flag_is_the_value_of_an_axis_or_parameter():
    toy = flagged("-XX:MaxTenuringThreshold={threads}", "-Da={file_size},{file-size}", "-Xint")
    made = plan.configuration(toy, "plain", "jdk17", {}, {"threads": 3, "file-size": 7})
    assert made.main.flags[1:] == ("-XX:MaxTenuringThreshold=3", "-Da=7,7", "-Xint")


@pytest.mark.parametrize("parameters", [{}, {"file-size": None}])
def test_a_placeholder_without_a_value_is_named(parameters):
    with pytest.raises(LabError, match="JVM flag -Da={file_size}: {file_size} has no value here; .* file-size$"):
        plan.configuration(flagged("-Da={file_size}"), "plain", "jdk17", {}, parameters)


@pytest.mark.parametrize("profile", ["smoke", "quick"])
@pytest.mark.parametrize("name", ["jdk17", "jdk21", "jdk25", "jdk30", "jdk17-2"])
def test_every_experiment_is_planned_where_there_is_one_jdk_only(name, profile, monkeypatch):
    """Also one that no entry names, and where there is one CPU (simulated)."""
    monkeypatch.setattr(cpus, "usable", lambda: [0])
    available = {name: Runtime(name, "1", "x"), "c": Runtime("c", "1", "x")}
    for entry in catalogue.load().values():
        found = {one.runtime for one in plan.configurations(entry, profile, available)}
        harnesses = {variant.harness for variant in entry.variants.values()}
        measured = name in found or "java" not in harnesses or plan.left_out(entry, profile)
        assert found <= {name, "c"} and measured, entry.name
