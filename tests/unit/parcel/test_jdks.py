"""Which JDKs go along, what a cut one says of itself, and which start on a host."""

from __future__ import annotations

from subprocess import CompletedProcess

import pytest
from jdk_homes import jdk

from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host.runtimes import Runtime
from pipeline.parcel import jdks, usable_jdks

HOME = """IMPLEMENTOR="Eclipse Adoptium"
JAVA_RUNTIME_VERSION="25.0.3+9-LTS"
JAVA_VERSION="25.0.3"
MODULES="java.base java.desktop"
OS_ARCH="x86_64"
"""


def test_a_cut_jdk_says_all_that_it_said_as_a_whole_but_for_its_modules():
    cut = jdks.release(HOME, 'JAVA_VERSION="25.0.3"\nMODULES="java.base"\n')
    assert cut == HOME.replace("java.base java.desktop", "java.base")
    assert jdks.release(HOME, "") == HOME


@pytest.fixture
def found(tmp_path) -> dict[str, Runtime]:
    homes = {name: jdk(tmp_path / name, name.removeprefix("jdk")) for name in ("jdk17", "jdk25")}
    return {name: Runtime(name, name[3:], "Toy", "", str(home)) for name, home in homes.items()}


def test_all_jdks_go_along_or_those_that_are_named(found, tmp_path):
    assert jdks.chosen("", found) == list(found.values())
    assert jdks.chosen(f"{tmp_path}/jdk25:", found) == [found["jdk25"]]
    with pytest.raises(LabError, match="nowhere is no home of a JDK that is found here; there is 2 homes: "):
        jdks.chosen(f"{tmp_path}/nowhere", found)


def test_a_run_time_alone_cannot_be_cut(found, tmp_path):
    with pytest.raises(jdks.Uncut, match="jdk25 .Toy 25. cannot be cut and is left out: there is no jlink in"):
        jdks.cut(found["jdk25"], tmp_path / "cut")


@pytest.mark.parametrize(("kept", "hint"), [(True, ""), (False, " (there are no jmods in {home})")])
def test_why_jlink_refuses_is_said_and_whether_there_are_jmods(found, tmp_path, monkeypatch, kept, hint):
    home = tmp_path / "jdk25"
    (home / "bin" / "jlink").touch()
    if kept:
        (home / "jmods").mkdir()
    said = "Error: this image was changed\nmore"
    monkeypatch.setattr(jdks.subprocess, "run", lambda *_, **__: CompletedProcess((), 1, "", said))
    with pytest.raises(jdks.Uncut) as refused:
        jdks.cut(found["jdk25"], tmp_path / "cut")
    assert str(refused.value).endswith("left out: Error: this image was changed" + hint.format(home=home))


OLD = """java: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.32' not found (required by java)
java: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.9' not found (required by libjli.so)
"""


@pytest.mark.parametrize(
    ("status", "said", "glibc", "words"),
    [
        (0, "openjdk version", "glibc 2.31", ""),
        (1, OLD, "glibc 2.31", "it needs glibc 2.32, and this host has glibc 2.31"),
        (1, OLD, None, "it needs glibc 2.32, which this host does not have"),
        (1, "\nno room\nmore", "glibc 2.31", "no room"),
        (7, "", "glibc 2.31", "java -version ended with status 7"),
    ],
)
def test_why_a_jdk_does_not_start(tmp_path, monkeypatch, status, said, glibc, words):
    monkeypatch.setattr(usable_jdks.subprocess, "run", lambda *_, **__: CompletedProcess((), status, "", said))
    monkeypatch.setattr(usable_jdks.os, "confstr", lambda _: glibc)
    assert usable_jdks.problem(tmp_path) == words


def test_a_program_of_another_c_library_cannot_even_be_started(tmp_path, monkeypatch):
    def absent(*_: object, **__: object) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(usable_jdks.subprocess, "run", absent)
    monkeypatch.setattr(usable_jdks.os, "confstr", lambda _: None)
    why = "its program cannot be started (No such file or directory); it needs glibc, which this host does not have"
    assert usable_jdks.problem(tmp_path) == why


@pytest.fixture
def parcel(monkeypatch, tmp_path):
    """A parcel with two JDKs, of which the newer one starts."""
    about = {"jdks": {name: {"vendor": "Toy", "version": name[3:]} for name in ("jdk17", "jdk25")}}
    monkeypatch.setattr(usable_jdks.origin, "told", lambda: about)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(usable_jdks, "problem", lambda home: "too old" if home.name == "jdk17" else "")
    monkeypatch.delenv("LAB_JDKS", raising=False)


def test_jdks_that_start_are_those_of_the_host_and_the_others_are_named(parcel, tmp_path, monkeypatch):
    environment: dict[str, str] = {}
    monkeypatch.setattr(usable_jdks.os, "environ", environment)
    found = usable_jdks.take()
    assert found.left_out == ("jdk17 (Toy 17) is left out: too old",)
    assert environment == {"LAB_JDKS": str(tmp_path / "jdks" / "jdk25")}


def test_who_names_jdks_gets_those(parcel, monkeypatch):
    monkeypatch.setenv("LAB_JDKS", "/opt/own")
    assert usable_jdks.take() == usable_jdks.Started((), ())
    assert usable_jdks.os.environ["LAB_JDKS"] == "/opt/own"
