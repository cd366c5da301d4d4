"""How far a run has come, and whether its claims are judged."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from publish_toy import trial

from pipeline.session import progress

PLANNED = {"event": "planned", "experiment": "toy", "configurations": 1}
FINISHED = {"event": "finished", "experiment": "toy", "ended_by": "blocks", "blocks": 1, "spent_s": 2.0}
SITTING = {"event": "sitting", "number": 1}
ONCE = "not judged by a first look, which measures everything once; make report does"
PROFILES = {
    "smoke": SimpleNamespace(min_blocks=1, max_blocks=1, budget_s=9),
    "quick": SimpleNamespace(min_blocks=6, max_blocks=12, budget_s=9),
}
TOY = SimpleNamespace(name="toy", profiles=PROFILES)


def run(*lines: dict, profile: str = "quick", **info) -> SimpleNamespace:
    told = {"profile": profile, "format": 1} | info
    return SimpleNamespace(name="r", info=told, journal=lambda: list(lines))


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([PLANNED], "so far, 0 of at least 6 blocks"),
        ([PLANNED | {"configurations": 2}, trial(1, 1)], "so far, part of the first of at least 6 blocks"),
        ([PLANNED, trial(1, 1), trial(1, 2)], "so far, 2 of at least 6 blocks"),
        ([PLANNED, trial(1, 1), FINISHED | {"experiment": "other"}], "so far, 1 of at least 6 blocks"),
        ([PLANNED, trial(1, 1), FINISHED], ""),
    ],
)
def test_it_is_told_until_measuring_has_ended(lines, told):
    assert progress.so_far(run(*lines), TOY) == told
    assert progress.unjudged(run(*lines), TOY) == ("judged when the run is complete" if told else "")


def test_files_of_others_are_complete():
    own = run(profile="", kind="own", own={})
    assert (progress.so_far(own, TOY), progress.unjudged(own, TOY)) == ("", "")


def test_what_measures_everything_once_judges_nothing_unless_somebody_sat_for_it():
    lines = [PLANNED, trial(1, 1), FINISHED]
    assert progress.unjudged(run(*lines, profile="smoke"), TOY) == ONCE
    assert progress.unjudged(run(*lines, SITTING, profile="smoke"), TOY) == ""
