"""A busy host is told before measuring, with what to do, and waited for as long as was said."""

from __future__ import annotations

import io
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from rich.console import Console

from pipeline.ground.errors import LabError
from pipeline.host.load import Load, Process
from pipeline.session import measuring
from pipeline.session.measuring import measured, quiet_host

BUSY, QUIET = Load(60.0, (Process("java", 7, 99.0),)), Load(1.0, ())


def watched(wait_s: float, *loads: Load) -> tuple[Load, str, int]:
    """What was seen last, what was told, and how often the host was watched; a sample takes six seconds."""
    console, seen = Console(file=io.StringIO(), width=300), []

    def sample() -> Load:
        seen.append(loads[min(len(seen), len(loads) - 1)])
        return seen[-1]

    last = quiet_host(console, wait_s, sample, now=lambda: 6.0 * len(seen))
    return last, console.file.getvalue(), len(seen)


def test_a_quiet_host_is_not_mentioned():
    assert watched(600, QUIET) == (QUIET, "", 1)


def test_without_waiting_it_says_who_and_what_to_do_and_goes_on():
    last, told, looks = watched(0, BUSY, QUIET)
    assert last == BUSY and looks == 1
    assert "java (pid 7) 99 %" in told and "--wait MINUTES" in told and "measuring goes on" in told


def test_it_waits_until_the_host_is_quiet_and_shows_that_it_does():
    last, told, looks = watched(600, *[BUSY] * 5, QUIET)
    assert last == QUIET and looks == 6
    assert "10:00 at most" in told and told.count("Waiting, ") == 2 and "The host is quiet; measuring begins" in told


@pytest.mark.parametrize(("wait_s", "looks"), [(12, 3), (60, 11)])
def test_it_waits_no_longer_than_told_and_goes_on(wait_s, looks):
    last, told, seen = watched(wait_s, BUSY)
    assert last == BUSY and seen == looks and "Still busy" in told and "marked noisy" in told


@pytest.mark.parametrize(("asked", "waited"), [({}, 0), ({"wait_s": 90.0}, 90)])
def test_a_run_looks_at_the_host_at_its_start_and_waits_only_when_asked(monkeypatch, asked, waited):
    looks: list[float] = []
    entry = SimpleNamespace(name="toy", axes=())
    monkeypatch.setattr(measuring.runtimes, "all_runtimes", dict)
    monkeypatch.setattr(measuring.plan, "make", lambda entry, profile, *_: SimpleNamespace(entry=entry))
    monkeypatch.setattr(measuring.live_progress, "following", lambda *_: nullcontext())
    monkeypatch.setattr(measuring, "measure", lambda *_, at_start, **__: at_start())
    monkeypatch.setattr(measuring, "quiet_host", lambda console, wait_s: looks.append(wait_s))
    assert measured("r", "smoke", [entry], Console(file=io.StringIO()), **asked) == {}
    assert looks == [waited]


def test_an_experiment_that_cannot_be_planned_is_told_and_the_others_are_measured(monkeypatch):
    def make(entry, profile, *_):
        if entry.name == "bad":
            raise LabError("no runtime")
        return SimpleNamespace(entry=entry)

    seen: list[list[str]] = []
    monkeypatch.setattr(measuring.runtimes, "all_runtimes", dict)
    monkeypatch.setattr(measuring.plan, "make", make)
    monkeypatch.setattr(measuring.live_progress, "following", lambda *_: nullcontext())
    monkeypatch.setattr(
        measuring, "measure", lambda run, plans, *_, **__: seen.append([one.entry.name for one in plans])
    )
    bad, good = SimpleNamespace(name="bad", axes=()), SimpleNamespace(name="good", axes=())
    failed = measured("r", "smoke", [bad, good], Console(file=io.StringIO()))
    assert {name: str(error) for name, error in failed.items()} == {"bad": "no runtime"} and seen == [["good"]]
    with pytest.raises(LabError, match="no runtime"):
        measured("r", "smoke", [bad], Console(file=io.StringIO()))
    assert seen == [["good"]], "with nothing planned nothing is measured"
