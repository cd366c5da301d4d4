"""What hosts say of themselves, what is refused, what is warned of, and that nothing of it names anybody."""

from __future__ import annotations

import getpass
import json
import platform
import re
from pathlib import Path

import pytest

from pipeline.fleet import hello, hosts, push
from pipeline.fleet.hosts import Answer
from pipeline.ground import paths
from pipeline.host import ids, runtimes

ALLOWED = {
    *("machine", "boot", "revision", "built", "jdks", "lacks", "compiler", "dask", "cpus", "free_bytes", "load"),
    *("others_pct", "governor"),
}


REVISION = hello.revision()


def facts(name: str = "a", **told) -> dict:
    return {
        "machine": name,
        "boot": name,
        "revision": REVISION,
        "built": True,
        "jdks": {"jdk17": "17.0.15"},
        "lacks": "",
        "compiler": True,
        "dask": "1",
        "cpus": 8,
        "free_bytes": 10**11,
        "load": 0.1,
        "others_pct": 0.5,
        "governor": "performance",
    } | told


@pytest.fixture
def no_program(monkeypatch):
    monkeypatch.setattr(runtimes, "jdks", lambda: {})


def test_facts_are_on_a_list_and_name_nobody(no_program, tmp_path, monkeypatch):
    told = hello.facts(0.0)
    assert set(told) == ALLOWED
    text = json.dumps(told)
    for name in (platform.node(), str(Path.home()), str(paths.ROOT), "/tmp"):
        assert name not in text
    if getpass.getuser() != "root":
        assert getpass.getuser() not in text
    raw = ids.BOOT.read_text().strip()
    assert raw not in text and re.fullmatch(r"[0-9a-f]{12}", told["boot"])


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
    before = hello.revision()
    (tmp_path / "x.yaml").write_text("a: 1")
    assert hello.revision() != before


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("told", "words"),
    [
        ([Answer("a", facts("a")), Answer("b", facts("a"))], "b and a are one machine: keep one of them in f.yaml"),
        ([Answer("a", facts("a", revision="43fa055"))], "a has revision 43fa055, this is"),
        ([Answer("a", facts("a", built=False))], "a: its harnesses are not built: lab fleet push f.yaml"),
        ([Answer("a", facts("a", dask=""))], "a: its environment lacks Dask: lab fleet push f.yaml"),
        ([Answer("a", {}, "no Lab that answers in x")], "a: no Lab that answers in x: lab fleet push f.yaml"),
        ([Answer("a", facts("a")), Answer("b", facts("b"))], ""),
        ([Answer("a", facts("a")), Answer("b", {}, "not reached: no route", False)], ""),
        ([Answer("a", facts("a", machine="m")), Answer("b", facts("b", machine="m"))], ""),
    ],
)
def test_what_is_refused(told, words):
    assert hosts.refusal(told, "f.yaml").startswith(words) and bool(words) == bool(hosts.refusal(told, "f.yaml"))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"jdks": {}}, "no JDK 17 or later found"),
        ({"lacks": "LAB_JDKS: /opt/x is not the home of a JDK"}, "/opt/x is not the home"),
        ({"load": 4.0}, "load 4 on 8 CPUs"),
        ({"others_pct": 45.0}, "others use 45 % of its CPUs"),
        ({"governor": "powersave"}, "governor powersave: set it to performance"),
        ({"free_bytes": 1 << 30}, "make room"),
        ({"compiler": False}, "no C compiler"),
        ({"loud": ["distributed.worker.profile.enabled"]}, "its worker is loud"),
        ({}, ""),
    ],
)
def test_what_is_warned_of(told, words):
    found = hosts.warnings(facts("a", **told))
    assert (words in found[0] and len(found) == 1) if words else found == []


def test_the_doctor_says_what_to_do():
    (line,) = hosts.told(Answer("a", facts("a")), "f.yaml")
    assert line.startswith(f"a: revision {hello.revision()}, jdk17 17.0.15, 8 CPUs, 100 GB free")
    assert hosts.told(Answer("a", {}, "not reached: x", False), "f.yaml")[1].strip().startswith("see that `ssh`")
    assert "lab fleet push f.yaml" in hosts.told(Answer("a", facts("a", revision="0")), "f.yaml")[1]


def test_a_script_that_unpacks_takes_no_word_of_the_file_for_its_own():
    assert "{" not in push.UNPACK.replace("{LIST}", "") and '"$1 is a checkout' in push.UNPACK
