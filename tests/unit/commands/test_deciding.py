"""What the options of a sitting come to, and what is wrong with them in one line."""

from __future__ import annotations

import io

import pytest
from analyse_tables import entry
from rich.console import Console

from pipeline.catalogue.entry import DECIDE_MINUTES
from pipeline.commands import options
from pipeline.ground.errors import LabError
from pipeline.session.sampling_targets import Deciding

CLAIMS = {"C38": {"effects": []}}


def test_without_options_a_run_sits_once_by_its_profile():
    asked = options.deciding("", "", False).asked("quick", [entry({})], Console())
    assert (asked.minutes, asked.more, asked.until_decided) == (DECIDE_MINUTES["quick"], False, False)
    assert Deciding().asked("smoke", [entry({})], Console()).minutes == 0


def test_minutes_and_claims_are_taken_as_they_are_asked_for():
    found = options.deciding("10", "C38, C73", True)
    assert found == Deciding(10.0, ["C38", "C73"], True)
    asked = options.deciding("0.5", "C38", False).asked("full", [entry({}, claims=CLAIMS)], Console())
    assert (asked.minutes, asked.more) == (0.5, True)


@pytest.mark.parametrize("more", ["ten", "-1", "inf", "nan"])
def test_minutes_that_are_none_are_told(more):
    with pytest.raises(LabError, match=rf"--more '{more}' \(MORE\): minutes, as 10"):
        options.deciding(more, "", False)


def test_until_decided_needs_an_end():
    with pytest.raises(LabError, match="--until-decided: say for how many minutes"):
        options.deciding("", "", True)


def test_a_claim_that_nothing_tests_is_told():
    with pytest.raises(LabError, match="no experiment asked for tests the claim 'C99'; correct --claims"):
        Deciding(1.0, ["C38", "C99"]).asked("quick", [entry({}, claims=CLAIMS)], Console(file=io.StringIO()))
