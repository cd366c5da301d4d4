"""A run as one file, as it was measured: what is in it, that `lab import` opens it, and what is refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import shared
from publish_toy import HOST, trial

from pipeline.bundle import bundle, content_id, journal, packed, single_file
from pipeline.bundle.bundle import Bundle
from pipeline.collection import imports, untrusted_tar
from pipeline.ground.errors import LabError
from pipeline.host.runtimes import Runtime

pytestmark = pytest.mark.thorough

FILES = {"raw/clock/a.hlog": b"#[Histogram log]\n", "raw/clock/a.json": b"{}\n"}


@pytest.fixture
def run(lab, monkeypatch) -> Bundle:
    """A run with one trial of two files, and a last line that a kill cut short."""
    monkeypatch.setattr(bundle, "git_revision", lambda: "")
    made = Bundle.create(lab / "runs" / "r", "smoke", 7, {"c": Runtime("c", "cc 12", "C")}, HOST)
    for name, content in FILES.items():
        (made.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (made.folder / name).write_bytes(content)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    made.append(trial(1, 1, experiment="clock", files=sums))
    with (made.folder / journal.FILE).open("ab") as out:
        out.write(b'{"trial":')
    return Bundle.open("r")


def test_every_byte_that_was_measured_is_in_it(run, tmp_path):
    path = single_file.write(run, tmp_path / "r.lab")
    assert imports.recognise(path)
    folder = tmp_path / "opened"
    folder.mkdir()
    assert {one.name for one in untrusted_tar.unpack(path, folder)} == {"journal.jsonl.tar.xz", "clock.tar.xz"}
    info = json.loads((folder / "run.json").read_text())
    assert info["shared"] == {"of": content_id.content_id(run)} and info["host"] == HOST
    assert dict(packed.unpack(folder / "clock.tar.xz")[0]) == FILES
    (lines,) = packed.unpack(folder / "journal.jsonl.tar.xz")[0].values()
    assert lines + b'{"trial":' == (run.folder / journal.FILE).read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_a_file_that_was_changed_since_is_named_and_nothing_is_written(run, tmp_path):
    (run.folder / "raw/clock/a.json").write_bytes(b"{ }\n")
    with pytest.raises(LabError, match="a.json was changed after the run"):
        single_file.write(run, tmp_path / "r.lab")
    assert not [one for one in tmp_path.iterdir() if one.is_file()]


def test_a_run_without_a_trial_and_an_archived_one_are_refused(run, tmp_path, monkeypatch):
    (run.folder / journal.FILE).write_bytes(b"")
    with pytest.raises(LabError, match="holds no trial yet"):
        single_file.write(run, tmp_path / "r.lab")
    shared.bundle(Path(run.folder.parent) / "old", ("whitebox",))
    with pytest.raises(LabError, match="'old' was archived"):
        single_file.write(Bundle.open("old"), tmp_path / "old.lab")
