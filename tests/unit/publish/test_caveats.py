"""A run beside other work, or an incomplete one, says so before any number; a quiet complete one says nothing."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from publish_toy import noise, trial

from pipeline.publish import caveats

PLANNED = {"event": "planned", "experiment": "toy", "overrides": {}, "configurations": 2}
FINISHED = {"event": "finished", "experiment": "toy", "ended_by": "budget", "blocks": 1, "spent_s": 2.0}
BUSY = {"event": "host_busy", "at": "2026-02-03T04:05:06+00:00", "pct": 52.0, "processes": []}


def banners(*lines: dict) -> str:
    return caveats.banners(SimpleNamespace(name="r", info={"profile": "full"}, journal=lambda: list(lines)))


def trials(noisy: int, of: int = 100) -> list[dict]:
    loud, quiet = noise(foreign_pct=40.0), noise()
    return [trial(n, n, noise=loud if n <= noisy else quiet) for n in range(1, of + 1)]


@pytest.mark.parametrize(("noisy", "told"), [(0, False), (5, False), (6, True), (100, True)])
def test_many_noisy_trials_are_a_banner_with_share_cause_and_cure(noisy, told):
    text = banners(PLANNED, *trials(noisy), FINISHED)
    assert bool(text) == told
    if told:
        assert f"Measured while other work ran: {noisy} % of its 100 trials are noisy" in text
        assert f"other processes used, {noisy} trials: stop them" in text and "make report RUN=&lt;name&gt;" in text


def test_a_host_that_was_busy_at_the_start_is_told_even_when_no_trial_is_noisy():
    text = banners(PLANNED, BUSY, *trials(0), FINISHED)
    assert "0 % of its 100 trials are noisy" in text and "When measuring began (2026-02-03 04:05)" in text


def test_a_busy_host_that_measured_nothing_counts_no_trials():
    assert "Measured while other work ran<" in banners(PLANNED, BUSY, FINISHED)


def test_a_run_that_is_not_complete_says_how_far_it_came_and_how_to_go_on():
    other = PLANNED | {"experiment": "other"}
    text = banners(PLANNED, other, *trials(0), FINISHED)
    assert "1 of 2 experiments are measured to their end" in text and "make report RUN=r PROFILE=full" in text
    assert "100 trials are measured" in text and "danger" not in text
