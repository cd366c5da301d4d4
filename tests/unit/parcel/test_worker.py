"""What a host of a fleet answers, whatever becomes of its measuring."""

from __future__ import annotations

import json
import os

import pytest

from pipeline.bundle import content_id, journal, single_file
from pipeline.bundle.bundle import Bundle
from pipeline.bundle.lock import Measuring
from pipeline.ground import digest, paths
from pipeline.ground.errors import INTERRUPTED, LabError
from pipeline.measure import progress
from pipeline.measure.adaptive_sampling import Open, Wanted
from pipeline.parcel import host, measuring, worker
from pipeline.parcel.coordinator import Coordinator


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """This process stays in its group, and minds signals as before; nobody listens to it."""
    monkeypatch.setattr(worker.os, "getpgrp", os.getpid)
    monkeypatch.setattr(worker.signal, "signal", lambda number, what: None)
    monkeypatch.setattr(Coordinator, "hear", lambda self: None)
    monkeypatch.setattr(progress, "EVERY_S", 0.01)


def answered(capsys) -> tuple[list[dict], dict]:
    """What was said meanwhile, and the answer, of `./fleet work`."""
    assert host.main(["fleet", "work", "f.a", "smoke", "lock_scaling"]) == 0
    *said, last = map(json.loads, capsys.readouterr().out.splitlines())
    return said, last["ended"]


def test_the_answer_names_the_file_of_what_was_measured(parcel, lab, capsys):
    _, told = answered(capsys)
    bundle, path = Bundle.open("f.a"), lab / "parcel" / f"f.a{single_file.SUFFIX}"
    sums = {"id": content_id.content_id(bundle), "sha256": digest.large(path)}
    wanted = {"status": 0, "why": "", "failed": {}, "before": 0, "trials": 8, "file": "f.a.lab"}
    assert told == wanted | sums
    assert answered(capsys)[1] == wanted | sums | {"before": 8}  # nothing more was measured
    assert len(parcel.ran) == 8


def test_how_far_it_is_is_said_when_there_is_news(parcel, capsys):
    follower = progress.Follower(paths.bundle("f.a") / journal.FILE, {})
    assert worker.state(follower)["trials"] == 0
    said, _ = answered(capsys)
    assert all(one != other for one, other in zip(said, said[1:], strict=False))
    assert all(set(one) >= {"trials", "planned", "noisy", "experiment", "block", "left_s", "before"} for one in said)


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (LabError("no JDK 17 or later found", 5), 5, "no JDK 17"),
        (OSError(28, "No space left on device"), 5, "No space left on device"),
        (KeyboardInterrupt(), INTERRUPTED, "interrupted"),
    ],
)
def test_what_ends_it_is_part_of_the_answer(parcel, monkeypatch, capsys, fault, status, words):
    def fails(*_: object) -> None:
        raise fault

    monkeypatch.setattr(worker, "measured", fails)
    _, told = answered(capsys)
    assert told["status"] == status and words in told["why"] and told["trials"] == 0 and told["file"] == ""


def test_ctrl_c_gathers_what_there_is(parcel, lab, capsys):
    def stops(name: str) -> str:
        if len(parcel.ran) == 3:
            raise KeyboardInterrupt
        return "measured"

    parcel.status = stops
    _, told = answered(capsys)
    assert told["status"] == INTERRUPTED and told["trials"] == 2 and (lab / "parcel" / "f.a.lab").exists()


def test_a_disk_that_is_full_when_the_file_is_written_is_said(parcel, monkeypatch, capsys):
    def full(name: str) -> None:
        raise OSError(28, "No space left on device", "f.a.lab")

    monkeypatch.setattr(measuring, "written", full)
    _, told = answered(capsys)
    assert told["status"] == 5 and "No space left on device" in told["why"]


def test_a_sitting_is_for_what_the_coordinator_says(parcel, monkeypatch, capsys):
    """Its look is written down as that of a run at home, and measured here."""
    asked = []

    def wanted(self, **told) -> Wanted:
        asked.append(told)
        key = next(line["key"] if "key" in line else "" for line in lines() if "trial" in line)
        keys = frozenset([key]) if key else frozenset()
        return Wanted((Open("C01", "", "lock_scaling", (0.9,), keys),) if keys else ())

    def lines() -> list[dict]:
        return Bundle.open("f.a").journal()

    monkeypatch.setitem(worker.DECIDE_MINUTES, "smoke", 1.0)
    monkeypatch.setattr(Coordinator, "wanted", wanted)
    _, told = answered(capsys)
    assert asked[0]["trials"] == 8 and asked[0]["file"] == "f.a.lab" and told["status"] == 0
    assert journal.deciding(lines()) is not None


def test_a_machine_that_is_never_free_is_given_up_with_who_measures(monkeypatch, capsys):
    def busy():
        raise Measuring("run 'x' (process 7) is measuring on this machine", 5)

    monkeypatch.setattr(worker, "PATIENCE_S", 0.02)
    monkeypatch.setattr(worker, "AGAIN_S", 0.01)
    with pytest.raises(Measuring, match="process 7"):
        worker.waited(busy, Coordinator())
    first = capsys.readouterr().out.splitlines()[0]
    assert json.loads(first) == {"waits": "run 'x' (process 7) is measuring on this machine"}
    worker.waited(lambda: None, Coordinator())


@pytest.mark.parametrize("words", [["fleet"], ["fleet", "work", "x"], ["fleet", "stop"]])
def test_nobody_starts_it_by_hand(parcel, capsys, words):
    assert host.main(words) == 2 and "`lab fleet run`" in capsys.readouterr().err
    assert not os.listdir(paths.ROOT)
