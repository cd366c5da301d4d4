"""What a user gives to `make`, or has in the shell, is for the report: neither harness is built otherwise for it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pipeline.ground import paths

# Stand-ins that write down how they are called. Their files are empty, which is all that make asks for.
CC = """#!/bin/sh
echo "cc $*" >>"$CALLED"
while [ $# -gt 1 ]; do [ "$1" != -o ] || touch "$2"; shift; done
"""
MVN = """#!/bin/sh
echo "mvn $LC_ALL $*" >>"$CALLED"
mkdir -p harness/java/target
"""
MEANT = {"CC", "JAVA_HOME", "CLANG_FORMAT"}  # tools of the host: these may be chosen
WORD = "word-of-a-user"


def names(makefile: Path) -> set[str]:
    """The variables that a Makefile assigns, and those it hands on."""
    text = makefile.read_text(encoding="utf-8")
    handed_on = re.findall(r"^export ([A-Z ]+)", text, re.M)
    return {*re.findall(r"^(\w+) *[:?+]?=", text, re.M), *" ".join(handed_on).split()}


OF_THE_BUILD = names(paths.ROOT / "harness" / "c" / "Makefile")
GIVEN = sorted((OF_THE_BUILD | {"CXXFLAGS", "LDFLAGS", "RUN", "PROFILE", "WAIT", "FOR", "FIGURE", "BEFORE"}) - MEANT)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with a Python environment that is said to be ready, and stand-ins for a compiler and for Maven."""
    folder = tmp_path_factory.mktemp("given") / "lab"
    built = shutil.ignore_patterns("target", "build", "jmh", "fio")
    shutil.copytree(paths.ROOT / "harness", folder / "harness", ignore=built)
    for file in ("Makefile", "pyproject.toml", *(path.name for path in paths.ROOT.glob("*.lock"))):
        shutil.copy2(paths.ROOT / file, folder)
    (folder / ".venv").mkdir()
    for ready in (".uv", ".ready"):
        (folder / ".venv" / ready).touch()
    tools = folder / "tools"
    tools.mkdir()
    for name, text in {"cc": CC, "mvn": MVN}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    return folder


def called(project: Path, *command: str, **environment: str) -> list[str]:
    """How compiler and Maven are called when what is built was removed, each call once."""
    for made in ("harness/c/build", "harness/java/target"):
        shutil.rmtree(project / made, ignore_errors=True)
    calls = project / "called"
    calls.write_text("")
    plain = {name: value for name, value in os.environ.items() if name not in ("CC", "MAKEFLAGS")}
    own = {"PATH": f"{project / 'tools'}:{os.environ['PATH']}", "CALLED": str(calls)}
    ran = subprocess.run(command, cwd=project, env=plain | environment | own, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return sorted(set(calls.read_text().splitlines()))


def build(project: Path, *arguments: str, **environment: str) -> list[str]:
    return called(project, "make", "harness", *arguments, **environment)


def test_the_names_are_those_of_the_build():
    assert {"EXPERIMENTS", "BUILD", "SOURCES", "CFLAGS", "CPPFLAGS", "LDLIBS"} <= set(GIVEN)


def test_nothing_that_a_user_gives_reaches_the_build_of_a_harness(project):
    plain = build(project)
    assert any("clock.c" in call for call in plain) and sum(call.startswith("mvn ") for call in plain) == 1
    assert build(project, "EXPERIMENTS=clock") == plain
    given = {name: WORD for name in GIVEN}
    assert build(project, *(f"{name}={WORD}" for name in GIVEN)) == plain
    assert build(project, **given) == plain
    assert build(project, "-e", **given) == plain
    assert build(project, MAKEFLAGS=f"-k CFLAGS={WORD} BUILD={WORD}") == plain


def test_what_is_given_to_the_harness_itself_reaches_it(project):
    calls = called(project, "make", "-s", "-C", "harness/c", "all", f"CFLAGS={WORD}")
    assert calls and all(WORD in call for call in calls if " -c " in call)


def test_another_compiler_may_be_chosen(project):
    (project / "tools" / "other-cc").write_text(CC.replace("cc $*", "other $*"))
    (project / "tools" / "other-cc").chmod(0o755)
    for calls in (build(project, "CC=other-cc"), build(project, CC="other-cc")):
        assert {call.split()[0] for call in calls} == {"other", "mvn"}


def test_maven_reads_a_folder_with_an_umlaut_whatever_the_locale(project):
    """Java reads no such path without a locale, which most containers lack."""
    (call,) = [call for call in build(project, LC_ALL="POSIX") if call.startswith("mvn ")]
    assert call.split()[1] == "C.UTF-8"
