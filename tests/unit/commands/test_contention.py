"""`lab fit contention` in this process: numbers, a made-up run, what lies beyond it, and bad input in one line."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from made_up_lock import session
from typer.testing import CliRunner

from pipeline.bundle import entries
from pipeline.commands import cli, options
from pipeline.ground.errors import LabError
from pipeline.models import closed_queue

pytestmark = pytest.mark.thorough  # computes whole tables of predictions

NUMBERS = "--section 20 --handover 180 --outside 1000"


@pytest.fixture
def call(monkeypatch):
    """The lines of the command, on a run `r` that holds a made-up lock."""
    lab = session()
    monkeypatch.setattr(options, "held_of", lambda run, experiments: [lab.entry.name])
    monkeypatch.setattr(options, "profile_of", lambda run: "quick")
    monkeypatch.setattr(entries, "experiment", lambda name, run: lab.entry)
    monkeypatch.setattr("pipeline.session.session.Session", lambda *_, **__: lab)

    def called(arguments: str) -> list[str]:
        found = CliRunner().invoke(cli.app, ["fit", "contention", *shlex.split(arguments)])
        if isinstance(found.exception, LabError):
            raise found.exception
        assert found.exit_code == 0, found.output
        return found.output.splitlines()

    return called


def row(lines: list[str], first: str) -> list[str]:
    """The words of the line that begins with that word."""
    return next(line.split() for line in lines if line.split()[:1] == [first])


def test_numbers_make_a_table_of_predictions(call):
    lines = call(NUMBERS)
    assert lines[:3] == [
        "section    20 ns                    given",
        "hand-over  180 ns                   given",
        "outside    1 µs                     given",
    ]
    assert lines[3].split("  ")[-1] == "work outside doubled" and "measured" not in lines[3]
    assert [line.split()[0] for line in lines[4:15]] == [*"12346", "8", "12", "16", "limit", "knee", "Every"]
    assert row(lines, "8") == ["8", "5.95", "M", "5", "M", "6.73", "M", "7.37", "M", "3.83", "M"]
    assert row(lines, "limit") == ["limit", "5", "M", "5.26", "M", "10", "M", "5", "M"]
    assert row(lines, "knee") == ["knee", "5.1", "5.32", "10.2", "10.1"]
    assert lines[14] == "Every row is a prediction from the times above; no throughput was measured with them."


def test_without_a_handover_there_is_none(call):
    lines = call("--section 20 --outside 1000")
    assert lines[1] == "hand-over  0 ns                     none given" and row(lines, "limit")[1] == "50"


def test_the_most_threads_have_a_row_and_locks_their_number(call):
    lines = call(f"{NUMBERS} --threads 5 --locks 4")
    assert [line.split()[0] for line in lines[4:9]] == [*"12345"] and "4 locks" in lines[3]
    assert row(lines, "limit")[-4:-2] == ["20", "M"]


def test_a_run_gives_the_times_and_what_came(call):
    lines = call("--run r --variant kept_outside")
    assert lines[0] == "section    20 [19.7, 20.3] ns       2 threads, 1 µs outside asked for"
    assert lines[1].startswith("hand-over  180 [") and lines[1].endswith("2 threads, 1 µs outside asked for")
    assert lines[2].startswith("outside    1.1 [") and lines[3].split()[-1] == "measured"
    assert [line.split()[0] for line in lines[4:8]] == [*"1234"], "the CPUs of the host"
    measured = {name: row(lines, name)[-4:] for name in "234"}
    assert measured["2"][0] == "1.77" and measured["2"][-1] == "M", "measured, with its interval"
    assert measured["3"][1] == "M", "not measured: estimates to the end"
    assert "No row lies beyond what was measured; the predictions come from the times above." in lines
    assert "Measured throughput is 1x what is predicted." in lines


def test_rows_beyond_what_was_measured_are_said(call):
    lines = call("--variant kept_outside --runtime jdk25 --threads 64")
    assert "Rows from 6 threads on are predictions beyond what was measured, from the times above." in lines
    nothing = call("--variant kept_outside --outside 5000")
    assert "given; with so much nothing was measured" in nothing[2] and "measured" not in nothing[3]
    assert any(line.startswith("Every row is a prediction") for line in nothing)


def test_a_given_time_takes_the_place_of_a_measured_one(call):
    lines = call("--variant kept_outside --section 500 --outside 300")
    assert lines[0] == "section    500 ns                   given" and lines[1].startswith("hand-over  180 [")
    assert lines[2].startswith("outside    330 [") and lines[2].endswith("2 threads, 300 ns outside asked for")
    assert "Measured throughput is 3.63–4.97x what is predicted." in lines


def test_the_table_as_a_file_and_as_json(call, tmp_path):
    told = json.loads(
        call(f"--variant kept_outside --threads 8 --json --csv {shlex.quote(str(tmp_path / 't.csv'))}")[0]
    )
    table = pd.read_csv(tmp_path / "t.csv")
    assert len(table) == len(told) == 4 * 6
    assert list(table["what_if"].unique()) == ["as it is", "section halved", "2 locks", "work outside doubled"]
    base = table[table["what_if"] == "as it is"]
    assert base["threads"].tolist() == [1, 2, 3, 4, 6, 8] and base["beyond"].tolist() == [False] * 4 + [True] * 2
    assert base["throughput"].to_numpy() == pytest.approx(
        closed_queue.repairman([1, 2, 3, 4, 6, 8], 1100, 200, free_ns=20), rel=1e-6
    )
    assert (base["throughput_low"] < base["throughput"]).all() and (base["knee_high"] > base["knee"]).all()
    assert np.isfinite(base["measured"]).tolist() == [False, True, False, True, False, False]
    assert table[table["what_if"] != "as it is"]["measured"].isna().all()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("", "give --variant (and --run) for times that a run measured, or --section and --outside in ns"),
        ("--section 20", "or --section and --outside in ns"),
        ("--outside 20 --handover 3", "or --section and --outside in ns"),
        ("--section 0 --outside 20", "a section of 0 ns; give one from 1e-06"),
        ("--section 20 --outside 1e300", "mean work outside of 1e+300 ns"),
        (f"{NUMBERS} --threads 5000", "threads are whole numbers from 1 to 4,096"),
        ("--variant sheep", "--variant sheep: run 'quick' has no such lock with work outside; there are: kept_outside"),
        ("--variant kept", "there are: kept_outside, other_outside"),
        ("--variant other_outside --runtime jdk17", "other_outside was not measured on it; there are: c"),
    ],
)
def test_bad_input_is_one_line(call, arguments, told):
    with pytest.raises(LabError) as caught:
        call(arguments)
    assert told in str(caught.value) and "\n" not in str(caught.value) and caught.value.status == 2


@pytest.mark.parametrize("arguments", ["--section -1", "--section nan", "--threads 0", "--locks 1", "--locks two"])
def test_what_is_no_number_of_an_option_is_refused(arguments):
    assert CliRunner().invoke(cli.app, ["fit", "contention", *arguments.split()]).exit_code == 2
