"""Studies of programs: estimators on drawn blocks, and that what was done is kept. Nothing here starts a process."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from pipeline.bench import bench, pairs, versus
from pipeline.bench.interleave import Result
from pipeline.ground.errors import LabError
from pipeline.versus.asked import Asked

LEVEL = 0.95


def drawn(count: int = 40, planted: float = 0.0) -> pairs.Drawn:
    values = np.random.default_rng(3).laplace(0, 0.05, (400, 3)) + [0.0, 0.3, 0.6]  # the later, the longer
    return pairs.Recorded(values, 1.0).drawn(count, planted, np.random.default_rng(4))


@pytest.mark.parametrize("name", pairs.ESTIMATORS)
def test_an_estimator_moves_with_what_is_planted_and_its_interval_holds_it(name):
    estimator = pairs.ESTIMATORS[name]
    none, some = estimator(drawn(), LEVEL), estimator(drawn(planted=0.2), LEVEL)
    assert none.low < 0 < none.high and none.low <= none.estimate <= none.high
    assert some.low - none.low == pytest.approx(some.high - none.high) == pytest.approx(math.log(1.2))


def test_too_few_blocks_decide_nothing():
    for estimator in (pairs.ranks, pairs.middle):
        assert pairs.judged(estimator(drawn(5, 9.0), LEVEL), 0.01) == ""


def test_what_is_drawn_keeps_blocks_whole_and_neighbours_together():
    values = np.arange(1200.0).reshape(400, 3)
    found = pairs.Recorded(values, 1.0).drawn(35, 0.0, np.random.default_rng(1))
    blocks = [{int(x) // 3 for x in row} for row in zip(found.first, found.again, found.other, strict=True)]
    assert all(len(one) == 1 for one in blocks)
    numbers = [one.pop() for one in blocks]
    steps = [(b - a) % 400 for a, b in zip(numbers, numbers[1:], strict=False)]
    assert [step == 1 for at, step in enumerate(steps, 1) if at % pairs.STRETCH] == [True] * 31
    assert list(found.later) == list((found.other - found.first).astype(int))


def test_a_planted_change_is_found_with_its_sign_and_none_where_none_is():
    quiet = pairs.Recorded(np.random.default_rng(1).normal(0, 0.01, (200, 3)), 2.0)
    rng = np.random.default_rng(2)
    found = [pairs.invocation(quiet, pairs.ranks, planted, 2.0, rng) for planted in (0.05, -0.05, 0.0)]
    assert [said for said, _, _ in found] == ["changed +", "changed -", "same"]
    assert all(foreseen for _, _, foreseen in found)
    assert pairs.told(found) == pytest.approx(
        {"studies": 3, "changed": 2 / 3, "wrong": 1 / 3, "same": 1 / 3, "minutes": found[0][1], "foreseen": 1.0}
    )


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
        versus.invocation(Asked({"old": ["true"], "new": ["true"]}, str(tmp_path), {}), versus.Case())
    assert seen == [False]


def test_a_case_that_there_is_not_is_one_line():
    with pytest.raises(LabError, match="versus has no 'loud'; it has: quiet, hog"):
        bench.run(["versus:loud"])
    with pytest.raises(LabError, match="jmh has no 'quiet'; it has: no cases"):
        bench.run(["jmh:quiet"])
