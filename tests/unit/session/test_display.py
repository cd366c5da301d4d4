"""What a notebook shows: figures with title and origin, fits, refusals, verdicts, and how the measuring ended."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pandas as pd
import pytest
from figures import PROVENANCE, near_one

from pipeline import paths
from pipeline.errors import LabError
from pipeline.models.fit import Estimate, Fit
from pipeline.session.display import ENDINGS, Display
from pipeline.session.session import Session

MEASURED = {
    "trial": "a-b01",
    "status": "measured",
    "variant": "a",
    "runtime": "jdk17",
    "reason": "",
    "block": 1,
    "noisy": False,
}
FINISHED = {"event": "finished", "experiment": "toy", "ended_by": "precision", "blocks": 3, "spent_s": 1.0}
VARIANTS = {"late": "Late", "early": "Early"}  # in the catalogue's order


def page(trials: list[dict] = (), lines: list[dict] = (), **parts) -> Display:
    """A display of a session as far as it is asked."""
    lab = Session.__new__(Session)
    lab.entry = SimpleNamespace(name="toy", axes={"threads": "int"})
    lab.labels = lambda: VARIANTS
    frame = pd.DataFrame([MEASURED | row for row in trials], columns=list(MEASURED))
    lab.tables = SimpleNamespace(trials=frame, measured=frame[frame["status"] == "measured"])
    lab.bundle = SimpleNamespace(
        name="r",
        journal=lambda: list(lines),
        info={"name": "theirs", "host": None, "created": "2026-01-02T03:04:05+00:00", "profile": "quick", "git": "0"},
    )
    for name, value in parts.items():
        setattr(lab, name, value)
    return Display(lab)


# --- figures ---------------------------------------------------------------------------------------------------------


def test_a_figure_is_shown_with_title_caption_and_origin_and_saved(lab, monkeypatch):
    monkeypatch.setattr(Session, "provenance", PROVENANCE)
    plain = near_one()
    shown = page().show(plain, title="Near one", caption="A ratio near 1.")
    words = json.loads((paths.figures("r") / "near_one.json").read_text())
    assert (words["title"], words["caption"], words["provenance"]) == ("Near one", "A ratio near 1.", PROVENANCE)
    assert len(list(paths.figures("r").iterdir())) == 6
    assert shown.title == "Near one" and "A ratio near 1." in shown._repr_html_()
    assert (plain.title, plain.caption, plain.provenance) == ("", "", {}), "a kind's figure knows nothing of a page"


def test_the_origin_is_that_of_the_run(monkeypatch):
    monkeypatch.setattr("pipeline.session.session.fingerprint.sentence", lambda host: "Toy CPU")
    assert page().lab.provenance == {
        "run": "theirs",
        "host": "Toy CPU",
        "date": "2026-01-02",
        "profile": "quick",
        "git": "0",
    }


# --- how it ended ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ended_by", ENDINGS)
def test_how_it_ended(ended_by):
    trials = [{"block": 1}, {"block": 2}, {"block": 2, "noisy": True}]
    lines = [
        {"event": "planned", "experiment": "toy", "left_out": ["Pairs were left out."]},
        FINISHED | {"ended_by": ended_by},
    ]
    assert page(trials, lines).how_it_ended() == (
        f"3 trials in 2 blocks; measuring ended because {ENDINGS[ended_by]}. 1 trial was noisy (kept, drawn hollow). "
        "Pairs were left out."
    )


def test_a_run_that_is_not_complete_says_so_and_names_what_failed():
    trials = [
        {},
        {"trial": "a-b02", "status": "crashed", "reason": "SIGSEGV"},
        {"status": "unsupported", "reason": "no such flag"},
    ]
    other = FINISHED | {"experiment": "other"}
    assert page(trials, [other]).how_it_ended() == (
        "1 trials in 1 blocks; measuring is not complete. 0 trials were noisy (kept, drawn hollow). "
        "1 trials failed: a-b02: SIGSEGV."
    )


def test_every_ending_that_a_journal_may_tell_has_words():
    from pipeline.bundle.journal import _Finished

    assert set(ENDINGS) == set(_Finished.model_fields["ended_by"].annotation.__args__)


# --- tables ----------------------------------------------------------------------------------------------------------


def fits(frame: pd.DataFrame, keys: list[str], fit) -> pd.DataFrame:
    return page().fits(frame, keys, fit).data


def mean(group: pd.DataFrame) -> Fit:
    value = Estimate(group["value"].mean(), 1.0, float("inf"))
    return Fit("mean", {"m": value, "x": Estimate(float("nan"))}, "none", True, f"{len(group)} trials", {})


def rows(*variants: str) -> pd.DataFrame:
    found = [
        (name, "jdk25", 2, noisy, True, value)
        for name in variants
        for noisy, value in ((False, 1.0), (False, 2.0), (False, 3.0), (True, 100.0))
    ]
    return pd.DataFrame(found, columns=["variant", "runtime", "threads", "noisy", "steady", "value"])


def test_fits_use_the_quiet_trials_in_the_catalogues_order():
    shown = fits(rows("early", "late"), ["variant", "runtime"], mean)
    assert shown["variant"].tolist() == ["Late", "Early"] and set(shown["runtime"]) == {"JDK 25"}
    assert set(shown["says"]) == {"3 trials"} and list(shown)[-1] == "says"


def test_a_fit_tells_its_parameters_and_a_missing_bound_is_a_dash():
    shown = fits(rows("early"), ["variant", "runtime"], mean)
    assert shown["m"].tolist() == ["2 [1, –]"] and "x" not in shown and shown["model"].tolist() == ["mean"]


def test_what_a_model_refuses_is_said_in_its_row():
    def fussy(group):
        if group["variant"].iloc[0] == "late":
            raise LabError("too few values")
        return mean(group)

    shown = fits(rows("early", "late"), ["variant", "runtime"], fussy)
    assert shown["says"].tolist() == ["too few values.", "3 trials"]
    assert shown["model"].tolist() == ["none", "mean"] and shown["m"].tolist() == ["", "2 [1, –]"]


def test_nothing_refused_is_a_sentence():
    assert page([{}]).unsupported().startswith("Nothing that was planned")


def test_what_was_refused_is_listed_once_with_its_reason():
    refused = {"status": "unsupported", "variant": "late", "reason": "no such flag"}
    shown = page([{}, refused, refused | {"trial": "b02"}]).unsupported().data
    assert shown.to_dict("records") == [{"variant": "Late", "runtime": "JDK 17", "reason": "no such flag"}]


def test_verdicts_are_shown_with_the_names_of_the_runtimes():
    verdicts = pd.DataFrame(
        [{"claim": "T01", "text": "t", "scope": "jdk17", "verdict": "reproduced", "reason": "r", "effect": 1.0}]
    )
    shown = page(verdicts=verdicts).claims().data
    assert shown.to_dict("records") == [
        {"claim": "T01", "text": "t", "scope": "JDK 17", "verdict": "reproduced", "reason": "r"}
    ]
