"""A busy host is told before measuring, with what to do, and waited for as long as was said."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from pipeline.host.load import Load, Process
from pipeline.session.measuring import quiet_host

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
