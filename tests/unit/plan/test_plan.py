"""Plans: every configuration once a block, in an order that only the seed decides."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.catalogue import catalogue
from pipeline.plan import plan
from pipeline.errors import LabError
from pipeline.plan.plan import Overrides
from pipeline.host.runtimes import Runtime

AVAILABLE = {name: Runtime(name, "1", "x") for name in ("jdk17", "jdk25", "c")}


def locks(**overrides):
    return plan.configurations(catalogue.experiment("lock_scaling"), "quick", AVAILABLE, Overrides(**overrides))


@settings(deadline=None)  # the first call reads the catalogue
@given(seed=st.integers(0, 2**40), number=st.integers(1, 50))
def test_a_block_is_a_permutation_fixed_by_seed_and_number(seed, number):
    configurations = locks()
    shuffled = plan.block(configurations, number, seed)
    assert sorted(c.key for c in shuffled) == sorted(c.key for c in configurations)
    assert [c.key for c in shuffled] == [c.key for c in plan.block(configurations, number, seed)]


def test_blocks_differ_from_each_other():
    orders = {tuple(c.key for c in plan.block(locks(), number, 1)) for number in range(1, 6)}
    assert len(orders) == 5


def test_keys_are_unique_and_runtimes_fit_the_variant():
    keys = [c.key for c in locks()]
    assert len(keys) == len(set(keys))
    assert {c.runtime for c in locks() if c.variant == "pthread_mutex"} == {"c"}
    assert {c.runtime for c in locks() if c.variant == "monitor_table"} == {"jdk25"}


def test_overrides_replace_the_values_of_an_axis():
    assert {c.threads for c in locks(variants=("monitor",), axes={"threads": (2, 5)})} == {2, 5}


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


@pytest.mark.parametrize(
    ("selector", "runtime", "fits"),
    [("jdk", "jdk17", True), ("jdk17", "jdk17-2", True), ("jdk17", "jdk25", False), ("jdk>=22", "jdk25", True),
     ("jdk<18", "jdk25", False), ("jdk", "c", False), ("c", "c", True), ("c", "jdk17", False)],
)  # fmt: skip
def test_selectors(selector, runtime, fits):
    assert catalogue.matches(selector, runtime) is fits


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("harness: c, runs: ticket", "harness: rust, runs: ticket"), ["lock_scaling.yaml", "harness"]),
        (("axes: {threads: int}", "axes: {threads: int}\nsheep: 1"), ["lock_scaling.yaml", "sheep"]),
        (("variants: [mutex, ticket]", "variants: [mutex, tocket]"), ["lock_scaling.yaml", "tocket"]),
        (("name: lock_scaling", "name: other"), ["lock_scaling.yaml", "other"]),
        (("title: Tiny", "title: [Tiny"), ["lock_scaling.yaml:5", "YAML"]),
        (("title: Tiny", "title: Tiny\ntitle: Other"), ["lock_scaling.yaml:5", "'title' appears twice"]),
        (("  ticket: {label", "  mutex: {label"), ["lock_scaling.yaml:12", "'mutex' appears twice"]),
        (("profiles:", "\tprofiles:"), ["lock_scaling.yaml:13", "YAML"]),
        (("number: 1", "number: one"), ["lock_scaling.yaml: number", "integer"]),
        (("threads: [1, 2]", "threads: [1, two]"), ["lock_scaling.yaml", "axis threads: 'two' is not of type int"]),
        (("threads: [1, 2]", "threads: [1, true]"), ["lock_scaling.yaml", "axis threads: True is not of type int"]),
        (("min_blocks: 2", "min_blocks: 20"), ["lock_scaling.yaml", "smoke", "min_blocks 20 is more than"]),
        (("metric: cost", "metric: cots"), ["lock_scaling.yaml", "unknown metric 'cots'"]),
    ],
)
def test_a_malformed_entry_is_one_line(lab, change, words):
    file = lab / "catalogue" / "lock_scaling.yaml"
    file.write_text(file.read_text().replace(*change))
    with pytest.raises(LabError) as caught:
        catalogue.load.__wrapped__()
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "no mapping"), (b"- a\n", "no mapping"), (b"\xff\xfe", "not UTF-8"), (b"\x00", "YAML")]
)
@pytest.mark.parametrize("name", ["lock_scaling.yaml", "claims/lock_scaling.yaml"])
def test_a_file_that_is_no_entry_is_one_line(lab, name, content, words):
    (lab / "catalogue" / "claims").mkdir()
    (lab / "catalogue" / name).write_bytes(content)
    with pytest.raises(LabError, match=f"^{name}: .*{words}.*; ") as caught:
        catalogue.load.__wrapped__()
    assert "\n" not in str(caught.value)


def test_an_empty_catalogue_is_named(tmp_path):
    with pytest.raises(LabError, match=f"no catalogue entry .*{tmp_path}.*LAB_CATALOGUE"):
        catalogue.load.__wrapped__(tmp_path)


def test_placements():
    allowed = plan.host.cpus()
    one = locks(variants=("monitor",), axes={"threads": (2,)})[0]
    assert plan.cpus_of(one) == allowed[:2]

    def placed(value):
        return plan.Configuration(one.experiment, one.variant, one.runtime, {}, {"threads": 2, "placement": value})

    assert plan.cpus_of(placed("free")) == []
    assert plan.cpus_of(placed("single")) == allowed[:1]
    assert plan.cpus_of(placed(f"{allowed[0]}")) == allowed[:1]
    with pytest.raises(LabError, match="CPU 99999 is not available"):
        plan.cpus_of(placed("99999"))
    with pytest.raises(LabError, match="placement 'sideways'"):
        plan.cpus_of(placed("sideways"))


@pytest.mark.parametrize(
    ("cpus", "placements"),
    [
        ([4], ["spread", "free"]),
        ([0, 3], ["spread", "0,3", "3,0", "free"]),
        ([0, 1, 2], ["spread", "0,1", "0,2", "1,0", "1,2", "2,0", "2,1", "free"]),
    ],
)
def test_pairs_are_every_ordered_pair_of_cpus(monkeypatch, cpus, placements):
    entry = catalogue.experiment("lock_scaling").model_copy(update={"axes": {"threads": "int", "placement": "str"}})
    sweep = catalogue.Sweep(variants=["ticket"], axes={"threads": [2], "placement": ["spread", "pairs", "free"]})
    profile = entry.profiles["smoke"].model_copy(update={"sweeps": [sweep]})
    entry = entry.model_copy(update={"profiles": {"smoke": profile}})
    monkeypatch.setattr(plan.host, "cpus", lambda: cpus)
    found = plan.configurations(entry, "smoke", AVAILABLE)
    assert [c.axes["placement"] for c in found] == placements
    assert [plan.cpus_of(c) for c in found if c.axes["placement"][0].isdigit()] == [
        [int(cpu) for cpu in placement.split(",")] for placement in placements if placement[0].isdigit()
    ]


def test_a_sweep_may_be_relative_to_the_cpus_of_the_host(monkeypatch):
    entry = catalogue.experiment("lock_scaling")
    sweep = catalogue.Sweep(variants=["monitor"], axes={"threads": [1, 2, "cpus", "4*cpus"]})
    profile = entry.profiles["quick"].model_copy(update={"sweeps": [sweep]})
    entry = entry.model_copy(update={"profiles": entry.profiles | {"quick": profile}})
    monkeypatch.setattr(plan.host, "cpus", lambda: [4, 7])
    found = plan.configurations(entry, "quick", {"jdk17": AVAILABLE["jdk17"]})
    assert [c.threads for c in found] == [1, 2, 8]
    relative = ("cpus", "12*cpus", "0*cpus", "spread", 5)
    assert [catalogue.absolute(value, 3) for value in relative] == [3, 36, "0*cpus", "spread", 5]
