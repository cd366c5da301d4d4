"""How far hosts are, as lines, as a table and as JSON."""

from __future__ import annotations

import json

from rich.console import Console

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
