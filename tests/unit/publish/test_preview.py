"""A first report is drawn by a process of its own; whatever happens to it, measuring goes on."""

from __future__ import annotations

import io
import subprocess
from types import SimpleNamespace

import pytest
from rich.console import Console

from pipeline.publish import preview
from pipeline.session.answer import Answer
from pipeline.session.results import Results


def drawn(monkeypatch, ends) -> str:
    """What is printed when the process that draws ends so."""

    def run(command, **how):
        assert command[-3:] == ["figures", "--run", "r"] and how["timeout"]
        if isinstance(ends, Exception):
            raise ends
        return ends

    monkeypatch.setattr(preview.subprocess, "run", run)
    kept = {"toy": Results(answer=Answer("A toy gets 4x slower.", [])), "bare": Results()}
    monkeypatch.setattr(preview.results, "read", lambda run, name: kept[name])
    console = Console(file=io.StringIO(), width=200)
    preview.draw("r", [SimpleNamespace(name=name) for name in kept], console)
    return console.file.getvalue()


def ended(status: int, printed: str = "", wrong: str = "") -> subprocess.CompletedProcess:
    return subprocess.CompletedProcess([], status, printed, wrong)


def test_answers_and_the_address_are_printed(monkeypatch):
    told = drawn(monkeypatch, ended(0)).splitlines()
    assert told[1] == "toy: A toy gets 4x slower." and len(told) == 3
    assert told[2].startswith("Report so far, drawn in 0:00: ") and told[2].endswith("report/index.html")


def test_a_page_that_fails_is_said_and_the_rest_is_there(monkeypatch):
    told = drawn(monkeypatch, ended(1, "[1/2] toy: drawn\nfailed: bare: it raised\nReport: index.html\n"))
    assert "not be drawn whole: failed: bare: it raised." in told and "Report so far" in told


@pytest.mark.parametrize(
    ("ends", "why"),
    [
        (ended(2, "", "lab: run 'r' holds no trial\n"), ": run 'r' holds no trial."),
        (ended(-9), ": exit status -9."),
        (subprocess.TimeoutExpired("lab", 1), ": it took more than 5:00."),
    ],
)
def test_without_a_report_there_is_a_line_and_no_address(monkeypatch, ends, why):
    told = drawn(monkeypatch, ends)
    assert f"{why} Measuring goes on." in told and "Report so far" not in told and "toy" not in told
