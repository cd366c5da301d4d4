"""One run, one clock: experiments share the run, each by its own stop rule; what happens follows from the journal."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import replace

import pytest
from fake_machine import Machine

from pipeline.bundle import bundle, journal
from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import quota
from pipeline.host.load import Load, Process
from pipeline.host.runtimes import Runtime
from pipeline.measure import run as measuring
from pipeline.plan import plan

NAMES = ("lock_scaling", "clock", "dispatch")
COSTS = {"lock_scaling": 1.0, "clock": 0.25, "dispatch": 2.0}  # seconds of a trial
SECONDS = {"lock_scaling": 60, "clock": 10, "dispatch": 100}


@pytest.fixture
def machine(lab, monkeypatch) -> Machine:
    text = (paths.catalogue() / "lock_scaling.yaml").read_text()
    for number, name in enumerate(NAMES, 1):
        own = text.replace("name: lock_scaling", f"name: {name}").replace("number: 1", f"number: {number}")
        own = own.replace("min_blocks: 2", "min_blocks: 6").replace("max_blocks: 2", "max_blocks: 12")
        (paths.catalogue() / f"{name}.yaml").write_text(own.replace("30", str(SECONDS[name])))
    catalogue.load.cache_clear()
    return Machine(COSTS).take_over(monkeypatch)


def measured(precision=lambda *_: 1.0, names=NAMES, first=None, **how) -> list[dict]:
    """`first`: how many configurations of each experiment are first of its first block, instead of all."""
    runtimes = {"c": Runtime("c", "cc 12", "C")}
    plans = [plan.make(catalogue.experiment(name), "smoke", runtimes) for name in names]
    plans = [replace(one, first=frozenset(each.key for each in one.configurations[:first])) for one in plans]
    return measuring.measure("r", plans, precision, **how).journal()


def turns(lines: list[dict]) -> list[tuple[str, int]]:
    """(experiment, block) in the order of measuring, first attempts."""
    blocks = [(line["experiment"], line["block"]) for line in journal.trials(lines) if line["attempt"] == 0]
    return list(dict.fromkeys(blocks))


def named(lines: list[dict]) -> list[tuple[str, str]]:
    """Every trial in the order of measuring."""
    return [(line["experiment"], line["trial"]) for line in journal.trials(lines)]


def test_every_experiment_begins_in_the_first_turns_and_ends_in_the_last_ones(machine):
    lines = measured()
    order = turns(lines)
    assert {name for name, _ in order[:3]} == set(NAMES)
    # dispatch and lock_scaling fit 11 and 13 (12) blocks in their budgets, clock 9: they go side by side to the end.
    last = {name: max(place for place, (one, _) in enumerate(order) if one == name) for name in NAMES}
    assert min(last.values()) >= len(order) - 4, order
    assert len(order) == len(set(order)), "no block is torn apart"


def test_at_any_moment_the_shares_of_all_differ_by_one_block_at_most(machine):
    lines = measured()
    total = {name: journal.finished(lines, name)["blocks"] for name in NAMES}
    seen = dict.fromkeys(NAMES, 0)
    for name, _ in turns(lines):
        seen[name] += 1
        shares = {one: seen[one] / total[one] for one in NAMES}
        assert max(shares.values()) - min(shares.values()) <= 1 / min(total.values()) + 1e-9


def test_each_experiment_keeps_its_own_stop_rule(machine):
    lines = measured(lambda run, entry, seen: 0.01 if entry.name == "clock" else 1.0)
    ended = {name: journal.finished(lines, name)["ended_by"] for name in NAMES}
    assert ended == {"lock_scaling": "blocks", "clock": "precision", "dispatch": "budget"}
    for name in NAMES:
        assert journal.finished(lines, name)["spent_s"] <= SECONDS[name]


def test_the_first_report_is_asked_for_once_when_every_experiment_has_its_first_part(machine):
    seen = []

    def at_first():
        seen.append(journal.trials(bundle.Bundle.open("r").journal()))

    lines = journal.trials(measured(first=1, at_first=at_first))
    (then,) = seen
    assert sorted(line["experiment"] for line in then) == sorted(NAMES), "one configuration of each, and no more"
    assert [line["order"] for line in then] == [0] * len(NAMES)
    order = turns(lines[len(then) :])
    assert {*order[: len(NAMES)]} == {(name, 1) for name in NAMES}, "the rest of the first blocks comes next"
    whole = {(line["experiment"], line["trial"]) for line in lines}
    assert len(whole) == len(lines), "nothing twice"


def test_of_a_run_that_goes_on_after_its_first_blocks_no_first_report_is_asked_for(machine):
    def interrupted(name):
        if len(machine.ran) == 30:
            raise KeyboardInterrupt
        return "measured"

    seen, machine.status = [], interrupted
    for _ in range(2):
        with contextlib.suppress(LabError):
            measured(at_first=lambda: seen.append(len(machine.ran)))
        machine.status = lambda name: "measured"
    assert len(seen) == 1 and seen[0] < 30


def test_an_experiment_that_fails_does_not_keep_the_others_from_a_first_report(machine):
    seen = []
    machine.status = lambda name: "bad_argument" if machine.ran[-1][0] == "clock" else "measured"
    measured(on_failure=lambda name, error: None, at_first=lambda: seen.append(1))
    assert seen == [1]


def test_a_run_of_one_block_needs_no_first_report(machine):
    for file in paths.catalogue().glob("*.yaml"):
        text = file.read_text().replace("min_blocks: 6", "min_blocks: 1")
        file.write_text(text.replace("max_blocks: 12", "max_blocks: 1"))
    catalogue.load.cache_clear()
    measured(at_first=lambda: pytest.fail("the report itself comes next"))


@pytest.mark.thorough
@pytest.mark.parametrize(("at", "first"), [(1, None), (2, 1), (4, 1), (7, None), (30, 1), (61, None)])
def test_an_interrupted_run_measures_the_same_trials_in_the_same_order(machine, at, first):
    whole = named(measured(first=first))
    (bundle.Bundle.open("r").folder / journal.FILE).unlink()

    def interrupted(name):
        if len(machine.ran) == at:
            raise KeyboardInterrupt
        return "measured"

    machine.ran, machine.status = [], interrupted
    with pytest.raises(LabError, match="interrupted; the same command continues"):
        measured(first=first)
    assert len(journal.trials(bundle.Bundle.open("r").journal())) == at - 1
    assert named(measured(first=first)) == whole


def test_noisy_trials_of_all_experiments_are_repeated_after_the_last_block_in_mixed_order(machine):
    machine.noisy = lambda name: name.endswith("b01")
    trials = journal.trials(measured())
    attempts = [line["attempt"] for line in trials]
    assert attempts == sorted(attempts) and sum(attempts)
    again = [line["experiment"] for line in trials if line["attempt"] == 1]
    assert set(again) == set(NAMES) and again != sorted(again, key=NAMES.index)


def test_an_experiment_that_fails_leaves_the_others_alone(machine):
    failed = {}
    machine.status = lambda name: "bad_argument" if machine.ran[-1][0] == "clock" else "measured"
    lines = measured(on_failure=failed.__setitem__)
    assert "correct the parameter" in str(failed["clock"]) and set(failed) == {"clock"}
    assert journal.finished(lines, "dispatch") and not journal.finished(lines, "clock")
    with pytest.raises(LabError, match="correct the parameter"):
        measured(names=["clock"])


def test_a_run_of_one_experiment_takes_another_one_in_later(machine):
    before = measured(names=["clock"])
    after = measured()
    assert after[: len(before)] == before and all(journal.finished(after, name) for name in NAMES)
    ran = len(machine.ran)
    assert measured() == after and len(machine.ran) == ran


def test_a_busy_host_at_the_start_is_in_the_journal_and_a_quiet_one_is_not(machine):
    assert not journal.busy(measured(names=["clock"], at_start=lambda: Load(9.9, ())))
    lines = measured(names=["dispatch"], at_start=lambda: Load(60.0, (Process("java", 7, 99.0),)))
    assert [line["event"] for line in lines if "event" in line].count("host_busy") == 1
    assert "java (pid 7) 99 %" in journal.busy(lines)[0]
    first = next(place for place, line in enumerate(lines) if line.get("event") == "host_busy")
    assert all(line["experiment"] == "clock" for line in lines[:first] if "trial" in line)


def test_a_complete_run_is_not_watched(machine):
    measured(names=["clock"])
    measured(names=["clock"], at_start=lambda: pytest.fail("nothing is measured"))
    assert json.dumps(measured(names=["clock"]))


class Affinity:
    """The CPUs of this process, which nothing but the test sees; each change in `set_to`."""

    def __init__(self, monkeypatch, *cpus: int) -> None:
        self.now, self.set_to = set(cpus), []
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(self.now))
        monkeypatch.setattr(os, "sched_setaffinity", self.set)

    def set(self, pid: int, cpus) -> None:
        assert pid == 0
        self.now = set(cpus)
        self.set_to.append(self.now)


@pytest.mark.parametrize("fails", [False, True])
def test_while_it_measures_it_keeps_to_the_cpus_that_its_quota_is_enough_for(machine, monkeypatch, fails):
    affinity, seen = Affinity(monkeypatch, 4, 5, 6, 7), []
    monkeypatch.setattr(quota, "cpus", lambda: 2.5)

    def status(name: str) -> str:
        seen.append(set(affinity.now))
        if fails and len(seen) == 3:
            raise KeyboardInterrupt
        return "measured"

    machine.status = status
    if fails:
        with pytest.raises(LabError, match="interrupted"):
            measured(names=["clock"])
    else:
        measured(names=["clock"])
    kept = affinity.set_to[0]
    assert len(kept) == 2 and kept < {4, 5, 6, 7} and all(one == kept for one in seen)
    assert affinity.set_to == [kept, {4, 5, 6, 7}] and len(seen) >= 3


@pytest.mark.parametrize("granted", [None, 4.0, 9.5])
def test_without_a_quota_or_within_it_its_cpus_are_left_alone(machine, monkeypatch, granted):
    affinity = Affinity(monkeypatch, 4, 5, 6, 7)
    monkeypatch.setattr(quota, "cpus", lambda: granted)
    assert measured(names=["clock"]) and affinity.set_to == []
