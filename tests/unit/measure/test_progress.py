"""Progress is read from the journal as it grows, and told in words that add up."""

import io
import json

import pytest
from publish_toy import entry, noise, trial
from rich.console import Console

from pipeline.measure import progress
from pipeline.measure.progress import Follower

PLANNED = {"event": "planned", "experiment": "toy", "overrides": {}, "configurations": 3}


def append(journal, *lines):
    with journal.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def journal(tmp_path):
    return tmp_path / "journal.jsonl"


def follower(journal, min_blocks=5, budget_s=1000.0):
    return Follower(journal, "toy", min_blocks, budget_s)


def test_it_starts_before_there_is_a_journal(journal):
    seen = follower(journal)
    assert not seen.read()
    assert seen.left_s() is None
    assert seen.sentence(3) == "toy: starting, 0:03 elapsed"


def test_block_trials_and_time_left(journal):
    seen = follower(journal)
    append(journal, PLANNED, trial(1, 1), trial(2, 1), trial(3, 1), trial(1, 2))
    assert seen.read()
    assert (seen.block, seen.done, seen.planned, seen.noisy) == (2, 4, 15, 0)
    assert seen.left_s() == pytest.approx(11 * 2.0)
    assert seen.sentence(65) == "toy: block 2 of at least 5, 4 of 15 trials (0 noisy), 1:05 elapsed, about 0:22 left"


def test_only_whole_new_lines_are_read_once(journal):
    seen = follower(journal)
    append(journal, PLANNED, trial(1, 1))
    text = json.dumps(trial(2, 1))
    with journal.open("a") as file:
        file.write(text[:20])
    seen.read()
    assert seen.done == 1
    assert not seen.read()
    with journal.open("a") as file:
        file.write(text[20:] + "\n")
    seen.read()
    assert seen.done == 2


@pytest.mark.parametrize(
    ("budget_s", "left_s"),
    [
        (1000.0, 26.0),  # 13 of 15 trials are left
        (20.0, 16.0),  # what is left of the budget
        (5.0, 14.0),  # three blocks are measured whatever the budget
    ],
)
def test_time_left_is_capped_by_the_budget_but_for_the_fewest_blocks(journal, budget_s, left_s):
    seen = follower(journal, budget_s=budget_s)
    append(journal, PLANNED, trial(1, 1), trial(2, 1))
    seen.read()
    assert seen.left_s() == pytest.approx(left_s)


def test_refused_configurations_repeats_and_other_experiments_do_not_count(journal):
    seen = follower(journal)
    append(
        journal,
        PLANNED,
        trial(1, 1),
        trial(9, 1, status="unsupported", took_s=0.0),
        trial(0, 1, attempt=1),
        trial(4, 4, experiment="other"),
    )
    seen.read()
    assert (seen.done, seen.planned, seen.block, seen.noisy) == (1, 10, 1, 1)


def test_blocks_beyond_the_least_are_counted(journal):
    seen = follower(journal, min_blocks=2)
    append(journal, PLANNED, *(trial(n, block) for block in (1, 2, 3) for n in (1, 2, 3)))
    seen.read()
    assert seen.planned == 9 and seen.left_s() == 0.0


def test_the_end_is_told(journal):
    seen = follower(journal)
    finished = {"event": "finished", "experiment": "toy", "ended_by": "budget", "blocks": 1, "spent_s": 2.0}
    append(journal, PLANNED, trial(1, 1), finished)
    seen.read()
    assert seen.sentence(4000) == "toy: 1 trials measured; fitting and drawing, 1:06:40 elapsed"


FLOORLESS = json.dumps(trial(2, 1, noise=noise(floor_before_ns=0)))


@pytest.mark.parametrize("damaged", ["[1, 2]", "3", "null", "{", "", '{"trial": "x"}', FLOORLESS])
def test_a_damaged_line_ends_no_progress(journal, damaged):
    seen = follower(journal)
    append(journal, PLANNED, trial(1, 1))
    with journal.open("a") as file:
        file.write(damaged + "\n")
    append(journal, trial(3, 1))
    assert seen.read() and seen.done == 2


@pytest.mark.parametrize("terminal", [True, False])
def test_it_is_shown_on_terminals_and_in_logs(journal, monkeypatch, terminal):
    monkeypatch.setattr(progress, "EVERY_S", 0.02)
    monkeypatch.setattr(progress, "LOG_EVERY_S", 0.02)
    shown = []

    class Seen(io.StringIO):
        def write(self, text):
            shown.append(text)
            return super().write(text)

    console = Console(file=Seen(), force_terminal=terminal, width=150)
    append(journal, PLANNED, trial(1, 1))
    with progress.following(entry(1, "toy"), "quick", journal.parent, console):
        for _ in range(500):
            if "1 of 6 trials" in "".join(shown):
                break
            progress.time.sleep(0.02)
    assert "toy: block 1 of at least 2, 1 of 6 trials" in "".join(shown)
    assert ("\x1b[" in "".join(shown)) == terminal
