"""Studies of programs: what was done is kept. Nothing here starts a process."""

from __future__ import annotations

import json

import pytest

from pipeline.bench import bench, versus
from pipeline.bench.interleave import Result
from pipeline.ground.errors import LabError
from pipeline.versus.arguments import Arguments


def test_studies_that_were_done_are_kept_and_the_others_follow(tmp_path, monkeypatch):
    sizes = {name: versus.Case(studies=3) for name in ("quiet", "hog")}
    asked = []

    def study(work, number, case):
        asked.append(number)
        if len(asked) == 3:
            raise KeyboardInterrupt
        row = {"verdict": "slower" if number else "same"}
        told = {"looks": [10, 22], "seconds": 5.0, "astray": "", "said": {"time": row}}
        return {"load": 1.0, "versus": told, "in_turn": {"by": "", "ratio": 1.0, "p": 0.01}}

    monkeypatch.setattr(versus, "study", study)
    monkeypatch.setattr(versus, "built", lambda work: None)
    kept, given = tmp_path / "kept.jsonl", (tmp_path, lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        versus.run(Result("versus"), *given, ["hog"], sizes, kept)
    assert len(kept.read_text().splitlines()) == 2 and len(asked) == 3
    result = Result("versus")
    versus.run(result, *given, ["hog"], sizes, kept)
    assert len(asked) == 4 and sorted(one["number"] for one in result.raw) == [0, 1, 2]
    assert {json.loads(line)["case"] for line in kept.read_text().splitlines()} == {"hog"}
    assert "2 of 3 said changed (0 faster)" in result.left_out[0] and result.left_out[0].endswith("Welch's test: 3")
    versus.run(Result("versus"), *given, (), sizes, kept)
    assert len(asked) == 7  # the quiet ones alone


def test_what_a_study_left_that_was_cut_is_in_nobodys_way(tmp_path, monkeypatch):
    """It was measured with the commands of its own case, which the next may not have."""
    monkeypatch.setenv("LAB_RUNS", str(tmp_path))
    (tmp_path / "study").mkdir()
    seen = []

    def measured(*_, **__):
        seen.append((tmp_path / "study").exists())
        raise KeyboardInterrupt

    monkeypatch.setattr(versus.versus, "measure", measured)
    with pytest.raises(KeyboardInterrupt):
        versus.invocation(Arguments({"old": ["true"], "new": ["true"]}, str(tmp_path), {}), versus.Case())
    assert seen == [False]


def test_a_case_that_there_is_not_is_one_line():
    with pytest.raises(LabError, match="versus has no 'loud'; it has: quiet, hog"):
        bench.run(["versus:loud"])
    with pytest.raises(LabError, match="jmh has no 'quiet'; it has: no cases"):
        bench.run(["jmh:quiet"])
