"""The stop rule and what is repeated, with trials that start nothing and a clock that only they advance."""

from __future__ import annotations

import json

import pytest
from fake_machine import Machine

from pipeline.bundle import bundle, journal
from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host.runtimes import Runtime
from pipeline.measure import run as measuring
from pipeline.plan import plan
from pipeline.plan.overrides import Overrides

PER_BLOCK = 4  # mutex and ticket at 1 and 2 threads


@pytest.fixture
def machine(lab, monkeypatch) -> Machine:
    return Machine({}).take_over(monkeypatch)


def sizes(min_blocks: int, max_blocks: int, budget_s: float) -> None:
    file = paths.catalogue() / "lock_scaling.yaml"
    text = file.read_text().replace("min_blocks: 2", f"min_blocks: {min_blocks}")
    file.write_text(text.replace("max_blocks: 2", f"max_blocks: {max_blocks}").replace("30", f"{budget_s}"))
    catalogue.load.cache_clear()


def measured(precision=lambda *_: 1.0, **how):
    """The lines of a run that was measured to its end, and its `finished` line."""
    overrides = how.pop("overrides", None)
    planned = plan.make(catalogue.experiment("lock_scaling"), "smoke", {"c": Runtime("c", "cc 12", "C")}, overrides)
    lines = measuring.measure("r", [planned], precision, **how).journal()
    return lines, journal.finished(lines, "lock_scaling")


def test_the_rule_is_asked_after_every_block_and_sees_all_lines(machine):
    sizes(4, 9, 1000)
    asked = []

    def precision(run, entry, lines) -> float:
        asked.append(len(journal.trials(lines)) / PER_BLOCK)
        assert run.name == "r" and entry.name == "lock_scaling"
        return 0.2 if len(asked) < 6 else 0.05

    _, finished = measured(precision)
    assert asked == [1, 2, 3, 4, 5, 6]
    assert (finished["ended_by"], finished["blocks"], finished["spent_s"]) == ("precision", 6, 6 * PER_BLOCK)


def test_before_the_least_number_of_blocks_a_narrow_width_ends_nothing(machine):
    sizes(4, 9, 1000)
    assert measured(lambda *_: 0.0)[1]["blocks"] == 4


def test_a_width_just_above_the_target_goes_on_to_the_last_block(machine):
    sizes(2, 5, 1000)
    assert measured(lambda *_: 0.0501)[1]["ended_by"] == "blocks" and len(machine.ran) == 5 * PER_BLOCK


def test_the_budget_ends_it_before_a_block_that_would_not_fit_a_tenth_being_kept_for_repeats(machine):
    sizes(3, 9, 24)  # 21.6 s without the tenth: five blocks of 4 s
    _, finished = measured()
    assert (finished["ended_by"], finished["blocks"]) == ("budget", 5)


@pytest.mark.parametrize(("least", "blocks"), [(6, 6), (2, 2), (1, 1)])
def test_the_fewest_blocks_are_measured_whatever_the_budget(machine, least, blocks):
    sizes(least, 9, 0.5)
    assert measured()[1]["blocks"] == blocks


def test_a_plan_without_a_configuration_ends_at_once_and_says_so(machine, monkeypatch):
    file = paths.catalogue() / "lock_scaling.yaml"
    file.write_text(file.read_text().replace("axes: {threads: [1, 2]}", "axes: {threads: [1, 2]}, needs_cpus: 4096"))
    catalogue.load.cache_clear()
    lines, finished = measured(lambda *_: pytest.fail("there is nothing to ask about"))
    assert (finished["ended_by"], finished["blocks"], finished["spent_s"]) == ("left_out", 0, 0.0)
    assert journal.trials(lines) == [] == machine.ran
    assert journal.planned(lines, "lock_scaling")["configurations"] == 0
    assert measured()[0] == lines, "a second call measures nothing"


def test_every_block_is_the_whole_plan_in_an_order_that_the_seed_decides(machine):
    sizes(3, 3, 1000)
    lines, _ = measured(seed=5)
    blocks = [[line["trial"] for line in journal.trials(lines) if line["block"] == block] for block in (1, 2, 3)]
    assert {frozenset(name[:-4] for name in block) for block in blocks} == {frozenset(n[:-4] for n in blocks[0])}
    assert [line["order"] for line in journal.trials(lines)] == [0, 1, 2, 3] * 3
    assert bundle.Bundle.open("r").info["seed"] == 5


def test_noisy_trials_are_repeated_once_while_a_tenth_of_the_budget_lasts(machine):
    sizes(2, 2, 30)  # three seconds for repeats
    machine.noisy = lambda name: "mutex" in name
    lines, _ = measured()
    first = [line for line in journal.trials(lines) if line["attempt"] == 0]
    again = [line for line in journal.trials(lines) if line["attempt"] == 1]
    assert len(first) == 2 * PER_BLOCK and len(again) == 3
    for line in again:
        before = next(one for one in first if one["trial"] == line["trial"].removesuffix("-r1"))
        assert "mutex" in line["trial"] and (line["block"], line["order"]) == (before["block"], before["order"])
    assert "noisy" not in str(lines), "the journal holds facts"


def test_lines_that_do_not_say_how_long_they_took_are_repeated_too(machine):
    """A line may lack `took_s`: the journal takes it so."""
    sizes(2, 2, 30)
    machine.noisy = lambda name: True
    lines, _ = measured()
    file = bundle.Bundle.open("r").folder / journal.FILE
    first = [line for line in lines if line.get("event") != "finished" and line.get("attempt") != 1]
    short = [{key: value for key, value in line.items() if key != "took_s"} for line in first]
    file.write_text("".join(json.dumps(line) + "\n" for line in short))
    again = [line for line in journal.trials(measured()[0]) if line["attempt"] == 1]
    assert len(again) == 3


def test_a_quiet_run_repeats_nothing(machine):
    assert {line["attempt"] for line in journal.trials(measured()[0])} == {0}


def test_what_a_runtime_refuses_is_asked_once(machine):
    sizes(3, 3, 1000)
    machine.status = lambda name: "unsupported" if "ticket" in name else "measured"
    assert sum("ticket" in line["trial"] for line in journal.trials(measured()[0])) == 2


@pytest.mark.parametrize("blocks", [1, 3])
def test_an_experiment_of_which_all_is_refused_ends_and_the_same_command_again_measures_nothing(machine, blocks):
    """Seen on one CPU, where gc_pause refuses all: the command for a run that was complete went on for an hour."""
    sizes(blocks, blocks, 1000)
    machine.status = lambda name: "unsupported"
    assert measured()[1]["ended_by"] == "blocks" and len(machine.ran) == PER_BLOCK
    assert measured()[1]["ended_by"] == "blocks" and len(machine.ran) == PER_BLOCK


def test_a_bad_argument_ends_it_at_once_and_is_not_journaled(machine):
    machine.status = lambda name: "bad_argument"
    with pytest.raises(LabError, match="lock_scaling: .*: why; correct the parameter"):
        measured()
    assert len(machine.ran) == 1 and journal.trials(bundle.Bundle.open("r").journal()) == []


def test_a_trial_that_a_full_disk_ended_is_measured_when_there_is_room(machine):
    """Seen on one CPU: the disk had room for the line that a trial had none, and the trial counted as done."""
    sizes(2, 2, 1000)
    machine.reason = "lab-harness: --out: cannot write 'x.hlog': No space left on device"
    machine.status = lambda name: "no_resources" if len(machine.ran) == 3 else "measured"
    with pytest.raises(LabError, match="lock_scaling: .*No space left on device; correct that and repeat") as told:
        measured()
    assert told.value.status == 5
    lines, _ = measured()
    assert [line["status"] for line in journal.trials(lines)] == ["measured"] * 2 * PER_BLOCK


def test_a_trial_that_lacks_memory_is_kept_as_refused(machine):
    machine.reason, machine.status = "memory: 8 GB: Cannot allocate memory", lambda name: "no_resources"
    lines, _ = measured()
    assert {line["status"] for line in journal.trials(lines)} == {"no_resources"}


def test_an_interrupt_says_that_it_goes_on_and_it_does(machine):
    sizes(2, 2, 1000)

    def interrupted(name):
        if len(machine.ran) == 6:
            raise KeyboardInterrupt
        return "measured"

    machine.status = interrupted
    with pytest.raises(LabError, match="interrupted; the same command continues") as caught:
        measured()
    assert caught.value.status == 130
    done = journal.trials(bundle.Bundle.open("r").journal())
    machine.status = lambda name: "measured"
    lines, finished = measured()
    assert journal.trials(lines)[:5] == done and len(journal.trials(lines)) == 2 * PER_BLOCK
    assert finished["spent_s"] == 2 * PER_BLOCK, "the part before counts"


def test_a_complete_run_is_loaded_and_the_rule_not_asked_again(machine):
    lines, _ = measured()
    ran = len(machine.ran)
    assert measured(lambda *_: pytest.fail("asked again"))[0] == lines and len(machine.ran) == ran
    with pytest.raises(LabError, match="has lock_scaling with other parameters"):
        measured(overrides=Overrides(variants=("mutex",)))
