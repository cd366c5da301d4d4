"""The parts of a trial: what each gets of the main part's parameters, which CPUs, and how long they run together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publish_toy import entry as toy

from pipeline.catalogue import check
from pipeline.catalogue.declared import plain
from pipeline.ground.errors import LabError
from pipeline.host import cpus
from pipeline.plan import parts, placement

LENGTHS = {"warmup": 5, "iterations": 20, "iteration-ms": 4}


@pytest.fixture(autouse=True)
def four_cpus(monkeypatch):
    monkeypatch.setattr(cpus, "usable", lambda: [0, 1, 2, 3])


def made(parameters: dict, harness: str = "c", runtime: str = "c", of_entry: dict | None = None, **beside: dict):
    """The parts of a variant with these others beside it, by name."""
    variant = {"label": "v", "harness": harness, "runs": "ping", "beside": beside, "logs": ["jit"]}
    variant |= {"flags": {"jdk": ["-Da={threads}"], "jdk25": ["-Xint"]}}
    entry = plain(toy(1, "toy")) | {"variants": {"plain": variant}} | (of_entry or {})
    found = parts.of(check.experiment(entry), "plain", runtime, LENGTHS | parameters)
    assert found[0].name == "" and [part.name for part in found[1:]] == list(beside)
    return {part.name: part for part in found}


def peer(**more) -> dict:
    return {"harness": "c", "runs": "pong"} | more


def test_a_trial_of_one_process_is_a_trial_of_one_part():
    (main,) = made({"size": 60}).values()
    assert (main.harness, main.experiment, main.runs) == ("c", "toy", "ping")
    assert main.parameters == LENGTHS | {"size": 60} and main.cpus == (0,) and main.logs == ("jit",)


def test_a_part_of_the_same_experiment_has_the_main_parts_parameters_and_its_own_over_them():
    found = made({"size": 60, "role": "ping"}, peer=peer(parameters={"role": "pong"}))["peer"]
    assert (found.experiment, found.runs) == ("toy", "pong")
    assert found.parameters == LENGTHS | {"size": 60, "role": "pong"}


def test_a_part_of_another_experiment_has_the_lengths_and_its_own_parameters():
    control = peer(experiment="clock", parameters={"period-us": 1000}, placement="free")
    found = made({"size": 60, "threads": 2}, of_entry={"needs_disk": True}, control=control)
    assert found["control"].parameters == LENGTHS | {"period-us": 1000} and found["control"].threads == 1
    assert found["control"].experiment == "clock" and found["control"].dir is None and found[""].dir == "disk"
    assert found[""].cpus == (0, 1) and found["control"].cpus == ()


def test_flags_are_the_variants_for_a_java_part_unless_it_has_its_own_and_none_for_c():
    java = {"harness": "java", "runs": "pong"}
    found = made(
        {"threads": 2},
        "java",
        "jdk25",
        a=java,
        b=java | {"flags": {"jdk": ["-Db={own}"]}, "parameters": {"own": 7}},
        c=peer(),
    )
    assert found[""].flags == found["a"].flags == (parts.IN_CALLER, "-Da=2", "-Xint")
    assert found["b"].flags == (parts.IN_CALLER, "-Db=7") and found["c"].flags == () and found["a"].logs == ()


def test_an_entry_says_where_its_virtual_machines_compile():
    java = {"harness": "java", "runs": "pong"}
    found = made({"threads": 2}, "java", "jdk25", of_entry={"compiles": "background"}, a=java)
    assert parts.IN_CALLER not in (*found[""].flags, *found["a"].flags)


@pytest.mark.parametrize(
    ("word", "threads", "expected"),
    [
        ("spread", (1, 1), [(0,), (1,)]),
        ("spread", (2, 2), [(0, 1), (2, 3)]),
        ("spread", (3, 2), [(0, 1, 2), (3, 0)]),
        ("spread", (6, 1), [(0, 1, 2, 3), (2,)]),
        ("single", (1, 1), [(0,), (0,)]),
        ("free", (1, 1), [(), ()]),
        ("2,1", (1, 1), [(2,), (1,)]),
        ("3", (1, 1), [(3,), (3,)]),
    ],
)
def test_parts_get_the_cpus_after_those_of_the_parts_before_them(word, threads, expected):
    first, second = threads
    found = made({"placement": word, "threads": first}, peer=peer(parameters={"threads": second}))
    assert [part.cpus for part in found.values()] == expected


def test_roles_are_counted_in_every_part_of_the_experiment():
    by = {"threads_by": {"producers": "count"}, "parameters": {"producers": 1}}
    found = made({"producers": 2}, of_entry=by, peer=peer(parameters={"producers": 1}))
    assert [part.threads for part in found.values()] == [2, 1] and found["peer"].cpus == (2,)
    with pytest.raises(LabError, match="toy: producers 'two' is not a whole number of threads"):
        made({"producers": 1}, of_entry=by, peer=peer(parameters={"producers": "two"}))


def test_parts_that_share_a_cpu_get_iterations_of_one_length_in_which_they_run_together():
    found = made({"placement": "single"}, peer=peer())
    longer = {"warmup": 2, "iterations": 8, "iteration-ms": 40}
    assert [part.parameters | longer == part.parameters for part in found.values()] == [True, True]
    free = made({"placement": "single"}, control=peer(experiment="clock", placement="free"))
    assert all(part.parameters | LENGTHS == part.parameters for part in free.values()), "it is in nobody's way"


@given(st.lists(st.integers(0, 63), max_size=6, unique=True), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_cpus_are_shared_out_in_turn(pool, threads):
    shared = placement.shared_out(pool, threads)
    workers = [cpus[i % len(cpus)] for cpus, count in zip(shared, threads, strict=True) for i in range(count) if cpus]
    assert workers == [pool[i % len(pool)] for i in range(sum(threads))] if pool else workers == []
