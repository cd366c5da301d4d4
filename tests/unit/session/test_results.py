"""What a notebook keeps is what a page reads; what is missing is empty."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pandas as pd
import pytest
from publish_toy import trial

from pipeline.analyse.verdicts import COLUMNS
from pipeline.ground import paths
from pipeline.session import results
from pipeline.session.answer import Answer, Fact
from pipeline.session.finding import Finding, Part
from pipeline.session.findings import Findings
from pipeline.session.results import Results, read
from pipeline.session.save import keep


@pytest.fixture
def session(lab):
    """A session of the toy as far as results ask it."""
    folder = paths.tables("r", "toy")
    folder.mkdir(parents=True)
    finished = {"event": "finished", "experiment": "toy", "ended_by": "budget", "blocks": 1, "spent_s": 2.0}
    trials = pd.DataFrame([trial(number, 1) for number in (1, 2)]).assign(
        noisy=[True, False], cpus="0", apart="one CPU"
    )
    return SimpleNamespace(
        run="r",
        entry=SimpleNamespace(name="toy"),
        left_out=["One pair was left out."],
        moved=False,
        so_far="so far, 1 of at least 6 blocks",
        apart=pd.DataFrame(),
        compiled=[],
        withheld=pd.DataFrame(columns=["metric", "why"]),
        estimates=pd.DataFrame({"variant": ["plain"], "metric": ["cost"], "estimate": [2.5], "low": [None]}),
        answers=pd.DataFrame([{"answer": "two compared with one", "scope": "jdk17", "verdict": "reproduced"}]),
        verdicts=pd.DataFrame([dict.fromkeys(COLUMNS, "") | {"claim": "T01", "verdict": "reproduced", "effect": 1.5}]),
        tables=SimpleNamespace(trials=trials, measured=trials),
        bundle=SimpleNamespace(journal=lambda: [finished], info={}),
    )


def test_what_is_kept_is_what_is_read(session):
    answer = Findings(session)
    answer.found.append(Finding("Cost", [Part("C", "2.5 ns", ["level of cost"], ["lab analyse"])]))
    answer.answer = Answer("It costs 2.5 ns.", [Fact("cost", "2.5 ns", "[2, 3]", "C")], "toy_cost")
    keep(session, answer)
    kept = read("r", "toy")
    pd.testing.assert_frame_equal(kept.verdicts, session.verdicts)
    pd.testing.assert_frame_equal(kept.answers, session.answers)
    assert kept.estimates["estimate"].tolist() == [2.5] and kept.estimates["low"].isna().all()
    assert kept.found == answer.found == [Finding("Cost", [Part("C", "2.5 ns", ["level of cost"], ["lab analyse"])])]
    assert kept.answer == answer.answer
    assert kept.how_it_ended == (
        "Measuring ended because the time budget was spent. 2 trials in 1 block, 1 of them noisy (kept, drawn hollow)."
    )
    assert kept.so_far == "so far, 1 of at least 6 blocks"
    assert all(file.exists() for file in results.files("r", "toy"))


def test_without_an_answer_nothing_was_found(session):
    keep(session)
    assert (read("r", "toy").found, read("r", "toy").answer) == ([], None)
    assert json.loads(results.files("r", "toy")[-1].read_text())["found"] == []


def test_keeping_again_replaces(session):
    keep(session)
    session.verdicts = session.verdicts.assign(verdict="inconclusive")
    keep(session)
    assert read("r", "toy").verdicts["verdict"].tolist() == ["inconclusive"]


def test_of_a_notebook_that_never_came_that_far_everything_is_empty(lab):
    assert read("r", "toy") == Results() == Results(None, None, "", [])


def test_a_file_of_an_older_version_may_lack_something(session):
    keep(session)
    results.files("r", "toy")[-1].write_text('{"how_it_ended": "an end"}')
    assert (read("r", "toy").how_it_ended, read("r", "toy").found) == ("an end", [])
    results.files("r", "toy")[1].unlink()
    assert read("r", "toy").verdicts is None and read("r", "toy").estimates is not None


@pytest.mark.parametrize("found", ["one sentence", [{"who": "C"}], 3])
def test_what_another_version_wrote_is_as_if_nothing_was_kept(session, found):
    keep(session)
    results.files("r", "toy")[-1].write_text(json.dumps({"how_it_ended": "an end", "found": [found]}))
    assert read("r", "toy") == Results()
    keep(session)
    session.verdicts.drop(columns="sources").to_parquet(results.files("r", "toy")[1])
    assert read("r", "toy") == Results()
