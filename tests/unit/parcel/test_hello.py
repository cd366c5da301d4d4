"""What a host says of itself, and that nothing of it names anybody."""

from __future__ import annotations

import getpass
import json
import platform
import re
from pathlib import Path

import pytest

from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import ids, runtimes
from pipeline.parcel import contents, hello, host, usable_jdks
from pipeline.parcel.usable_jdks import Started

ALLOWED = {
    *("machine", "boot", "revision", "parcel", "jdks", "lacks", "cpus", "free_bytes", "load", "others_pct"),
    "governor",
}


@pytest.fixture
def no_program(parcel, monkeypatch):
    monkeypatch.setattr(runtimes, "jdks", lambda: {})
    monkeypatch.setattr(usable_jdks, "take", lambda: Started((), ()))


def test_facts_are_on_a_list_and_name_nobody(no_program, capsys):
    assert host.main(["fleet", "hello"]) == 0
    text = capsys.readouterr().out
    told = json.loads(text)
    assert set(told) == ALLOWED and told["parcel"] == "ab" * 32 and told["revision"] == "feedfacecafe"
    for name in (platform.node(), str(Path.home()), str(paths.ROOT), "/tmp"):
        assert name not in text
    if getpass.getuser() != "root":
        assert getpass.getuser() not in text
    raw = ids.BOOT.read_text().strip()
    assert raw not in text and re.fullmatch(r"[0-9a-f]{12}", told["boot"])


def test_jdks_that_do_not_start_or_are_none_are_said_without_a_home(no_program, monkeypatch):
    def none() -> dict:
        raise LabError(f"LAB_JDKS: {Path.home()}/jdk is not the home of a JDK")

    monkeypatch.setattr(usable_jdks, "take", lambda: Started((), ("jdk25 is left out: it needs glibc 2.34",)))
    monkeypatch.setattr(runtimes, "jdks", none)
    told = hello.facts()
    assert told["lacks"].startswith("jdk25 is left out") and "LAB_JDKS: ~/jdk is not" in told["lacks"]
    assert told["jdks"] == {}


def test_ids_are_keyed_and_a_machine_without_one_has_its_kernels(tmp_path, monkeypatch):
    (tmp_path / "boot").write_text("b\n")
    monkeypatch.setattr(ids, "BOOT", tmp_path / "boot")
    monkeypatch.setattr(ids, "MACHINE", tmp_path / "absent")
    assert ids.machine() == ids.boot() != ""
    (tmp_path / "id").write_text("uninitialized")
    monkeypatch.setattr(ids, "MACHINE", tmp_path / "id")
    assert ids.machine() != ids.boot()


def test_the_revision_follows_every_file_that_decides_what_is_measured(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_CATALOGUE", str(tmp_path))
    before = contents.revision()
    (tmp_path / "x.yaml").write_text("a: 1")
    assert contents.revision() != before
