"""How far hosts are, as lines, as a table and as JSON; and what of a host's log is its answer."""

from __future__ import annotations

import json

import pytest
from rich.console import Console

from pipeline.bundle.lock import Measuring
from pipeline.fleet import task, work
from pipeline.fleet.rows import MEASURING, Rows

TOLD = {"trials": 37, "planned": 80, "noisy": 2, "experiment": "queues", "block": 4, "sitting": False, "left_s": 65}


def rows(as_json: bool = False) -> tuple[Rows, list[float]]:
    now = [0.0]
    made = Rows(["bob"], Console(width=200, force_terminal=False), as_json, lambda: now[0])
    made.rows["bob"].told, made.rows["bob"].state = dict(TOLD), MEASURING
    return made, now


def test_a_row_is_a_line(capsys):
    made, now = rows()
    made.rows["bob"].resumed = [12]
    made.changed("bob")
    told = "bob: measuring, queues block 4, 37 of 80 trials, 2 noisy, about 1:05 left, resumed after trial 12\n"
    assert capsys.readouterr().out == told
    made.rows["bob"].told["trials"] = 38
    made.changed("bob")
    assert capsys.readouterr().out == ""
    now[0] = 11.0
    made.changed("bob")
    assert "38 of 80" in capsys.readouterr().out
    made.rows["bob"].note = "no connection"
    made.changed("bob")
    assert "no connection" in capsys.readouterr().out


def test_a_row_is_json(capsys):
    made, _ = rows(as_json=True)
    made.changed("bob")
    told = json.loads(capsys.readouterr().out)
    assert told["host"] == "bob" and told["told"]["trials"] == 37 and told["state"] == "measuring"


def test_a_table_lives_in_a_terminal(capsys):
    made, _ = rows()
    made.console = Console(width=200, force_terminal=True)
    with made.shown():
        made.changed("bob")
    shown = capsys.readouterr().out
    assert "37 of 80" in shown and "1:05" in shown


@pytest.mark.parametrize(
    ("log", "status", "words"),
    [
        ('noise\n{"status": 0, "why": "", "failed": {}, "packed": {"x": 3}}\n', 0, ""),
        ('{"waits": "run"}\nTraceback\nMemoryError: no\n', 5, "measuring ended with status 1: MemoryError: no"),
        ("", 5, "measuring ended with status 1: "),
        ("7\n", 5, "measuring ended with status 1: 7"),
    ],
)
def test_the_last_line_of_a_log_is_the_answer(tmp_path, log, status, words):
    (tmp_path / "log").write_text(log)
    told = task._answer("run", tmp_path / "log", 1)
    assert told["status"] == status and told["why"] == words


def test_a_machine_that_is_never_free_is_given_up_with_who_measures(monkeypatch, capsys):
    def busy():
        raise Measuring("run 'x' (process 7) is measuring on this machine", 5)

    monkeypatch.setattr(work, "PATIENCE_S", 0.02)
    monkeypatch.setattr(work, "AGAIN_S", 0.01)
    with pytest.raises(Measuring, match="process 7"):
        work.waited(busy)
    assert json.loads(capsys.readouterr().out.splitlines()[0]) == {
        "waits": "run 'x' (process 7) is measuring on this machine"
    }
    assert work.waited(lambda: {}) == {}
