"""Progress is read from the journal as it grows, and told in words that add up."""

import json
import queue
from types import SimpleNamespace

import pytest
from publish_toy import entry, noise, trial

from pipeline.measure import progress
from pipeline.measure.progress import Counted, Follower

PLANNED = {"event": "planned", "experiment": "toy", "overrides": {}, "configurations": 3}


def append(journal, *lines):
    with journal.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def journal(tmp_path):
    return tmp_path / "journal.jsonl"


def sizes(min_blocks=6, budget_s=1000.0):
    return SimpleNamespace(min_blocks=min_blocks, budget_s=budget_s)


def counted(*lines, **of):
    """What is counted of the toy's lines."""
    found = Counted(sizes(**of))
    for line in lines:
        found.take(line)
    return found


def follower(journal, **of):
    return Follower(journal, {"toy": sizes(**of), "other": sizes(**of)})


def test_it_starts_before_there_is_a_journal(journal):
    seen = follower(journal)
    assert not seen.read()
    assert seen.left_s() == 2000.0, "an experiment without a trial takes its budget"
    assert seen.sentence(3) == "starting, 0:03 elapsed"


def test_block_trials_and_time_left_of_the_whole_run(journal):
    seen = follower(journal, budget_s=40.0)
    append(journal, PLANNED, PLANNED | {"experiment": "other"}, trial(1, 1), trial(0, 1, experiment="other"))
    append(journal, trial(2, 1), trial(3, 1), trial(1, 2))
    assert seen.read()
    # 18 trials of 2 s each, of which 4 and 1 are done: 28 and 34 s by the pace.
    assert seen.left_s() == pytest.approx(28 + 34)
    told = "14 %: 5 of about 36 trials (1 noisy), toy block 2 of 6, 1:05 elapsed, about 1:02 left"
    assert seen.sentence(65) == told
    assert seen.sentence(65, "3 of 9 answers are there") == told.replace(" 1:05", " 3 of 9 answers are there, 1:05")
    append(journal, trial(1, 1, trial="again", attempt=1))
    seen.read()
    assert "toy noisy trials again" in seen.sentence(66)


def test_only_whole_new_lines_are_read_once(journal):
    seen = follower(journal)
    append(journal, PLANNED, trial(1, 1))
    text = json.dumps(trial(2, 1))
    with journal.open("a") as file:
        file.write(text[:20])
    seen.read()
    assert seen.counted["toy"].done == 1
    assert not seen.read()
    with journal.open("a") as file:
        file.write(text[20:] + "\n")
    seen.read()
    assert seen.counted["toy"].done == 2


@pytest.mark.parametrize(
    ("budget_s", "left_s"),
    [
        (1000.0, 32.0),  # 16 of 18 trials are left
        (30.0, 32.0),  # what is left of the budget is 26 s, but the fewest blocks need more
        (5.0, 32.0),  # they are measured whatever the budget
    ],
)
def test_time_left_is_capped_by_the_budget_but_for_the_fewest_blocks(budget_s, left_s):
    assert counted(PLANNED, trial(1, 1), trial(2, 1), budget_s=budget_s).left_s() == pytest.approx(left_s)


def test_refused_configurations_and_repeats_do_not_count(journal):
    unsupported = trial(9, 1, status="unsupported", took_s=0.0)
    seen = counted(PLANNED, trial(0, 1), unsupported, trial(0, 1, attempt=1), min_blocks=5)
    assert (seen.done, seen.planned, seen.block, seen.noisy, seen.repeats) == (1, 10, 1, 1, 1)
    assert seen.blocks == 0.5


def test_blocks_beyond_the_least_are_counted():
    seen = counted(PLANNED, *(trial(n, block) for block in (1, 2, 3) for n in (1, 2, 3)), min_blocks=2)
    assert seen.planned == 9 and seen.left_s() == 0.0 and seen.blocks == 3


def test_the_end_is_told(journal):
    seen = Follower(journal, {"toy": sizes()})
    finished = {"event": "finished", "experiment": "toy", "ended_by": "budget", "blocks": 1, "spent_s": 2.0}
    append(journal, PLANNED, trial(1, 1), finished)
    seen.read()
    assert seen.left_s() == 0.0 and seen.share == 1.0
    assert seen.sentence(4000) == "1 trials measured, 1:06:40 elapsed"


def test_an_experiment_of_which_the_host_leaves_nothing_takes_no_time(journal):
    seen = Follower(journal, {"toy": sizes()})
    append(journal, PLANNED | {"configurations": 0})
    seen.read()
    assert seen.left_s() == 0.0


FLOORLESS = json.dumps(trial(2, 1, noise=noise(floor_before_ns=0)))


@pytest.mark.parametrize("damaged", ["[1, 2]", "3", "null", "{", "", '{"trial": "x"}', FLOORLESS])
def test_a_damaged_line_ends_no_progress(journal, damaged):
    seen = follower(journal)
    append(journal, PLANNED, trial(1, 1))
    with journal.open("a") as file:
        file.write(damaged + "\n")
    append(journal, trial(3, 1))
    assert seen.read() and seen.counted["toy"].done == 2


def test_it_is_told_in_lines_without_a_terminal(journal, monkeypatch):
    monkeypatch.setattr(progress, "LOG_EVERY_S", 0.02)
    told = queue.Queue()
    append(journal, PLANNED, trial(1, 1))
    with progress.in_lines([entry(1, "toy")], "quick", journal.parent, told.put, lambda: "two narrow"):
        assert "1 of about 6 trials (0 noisy), toy block 1 of 2, two narrow, 0:00 elapsed, " in told.get(timeout=60)
