"""The gates bite: with one fault of each kind in a copy of the project, `make lint` fails and names kind and file."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.ground import paths

UNFORMATTED = "x = {  'a':1 }\nprint(x)\n"
UNUSED = "import os\n"
JAVA = """package lab;

/** A fault of form. */
final class NAME {
    static int sign(int x) {
        LINE
        return 0;
    }
}
"""


def notebook(code: str) -> str:
    cell = {"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [], "source": [code]}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


# What the gate calls itself -> where the fault is and what it looks like to no other gate.
FAULTS = {
    "Python: lint": ("pipeline/fault_unused.py", UNUSED),
    "Python: format": ("tests/fault_unformatted.py", UNFORMATTED),
    "Notebooks: lint": ("notebooks/97_fault_unused.ipynb", notebook(UNUSED.strip())),
    "Notebooks: format": ("notebooks/98_fault_unformatted.ipynb", notebook(UNFORMATTED.strip())),
    "Java: format": (
        "harness/java/src/main/java/lab/FaultIndented.java",
        JAVA.replace("NAME", "FaultIndented").replace("LINE", "    x++;"),
    ),
    "Java: lint": (
        "harness/java/src/main/java/lab/FaultWithoutBraces.java",
        JAVA.replace("NAME", "FaultWithoutBraces").replace("LINE", "if (x > 0) return 1;"),
    ),
    "C: format": ("harness/c/src/fault_indented.c", "int fault(void) {\n  return 0;\n}\n"),
}
FILES = re.compile("fault_[a-z]+|Fault[A-Z][A-Za-z]+")


def copy(folder: Path) -> Path:
    """The project as set up, without what is built from it. Of the environment it has the tools only: whatever set-up
    might do in the copy, it does not reach the environment that runs the tests."""
    built = shutil.ignore_patterns("target", "build", "data", "__pycache__", ".*_cache")
    for name in ("harness", "notebooks", "pipeline", "tests"):
        shutil.copytree(paths.ROOT / name, folder / name, symlinks=True, ignore=built)
    shutil.copytree(paths.ROOT / "tests" / "data" / "recipe", folder / "tests" / "data" / "recipe")
    for file in ("Makefile", "pyproject.toml", *(path.name for path in paths.ROOT.glob("*.lock"))):
        shutil.copy2(paths.ROOT / file, folder)
    tools = folder / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name in ("ruff", "clang-format"):
        (tools / name).symlink_to(Path(sys.executable).parent / name)
    for ready in (".uv", ".ready", ".ready-test"):
        (folder / ".venv" / ready).touch()
    return folder


def told(output: str) -> dict[str, str]:
    """What each gate said, by its name: its first word and the lines below."""
    said = re.findall(r"^(ok|FAILED) +([A-Z]\w*: \w+).*\n((?: .*\n)*)", output, re.M)
    return {name: result + "\n" + lines for result, name, lines in said}


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    return copy(tmp_path_factory.mktemp("gates"))


@pytest.fixture(scope="module")
def linted(project) -> subprocess.CompletedProcess:
    """`make lint` where there is a fault of every kind."""
    for file, text in FAULTS.values():
        (project / file).write_text(text)
    ran = subprocess.run(["make", "lint"], cwd=project, capture_output=True, text=True)
    for file, _ in FAULTS.values():
        (project / file).unlink()
    return ran


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_found_by_its_gate_and_by_no_other(kind, linted):
    said = told(linted.stdout).get(kind, "nothing")
    assert said.startswith("FAILED"), linted.stdout + linted.stderr
    assert set(FILES.findall(said)) == {FILES.search(FAULTS[kind][0])[0]}, said


def test_make_lint_fails_after_all_gates_have_run(linted):
    assert linted.returncode == 2 and list(told(linted.stdout)) == list(FAULTS)


def lint(project: Path, *gates: str, **environment: str) -> tuple[int, dict[str, str]]:
    """The status of some gates and what they said."""
    script = ["/bin/sh", "tests/lint.sh", *gates]
    ran = subprocess.run(script, cwd=project, capture_output=True, text=True, env=os.environ | environment)
    return ran.returncode, told(ran.stdout)


def test_one_fault_fails_the_whole_and_formatting_mends_it(project):
    gates = ["python-lint", "python-format", "c-format"]
    for file, text in (("pipeline/fault_unformatted.py", UNFORMATTED), FAULTS["C: format"]):
        fault = project / file
        fault.write_text(text)
        status, said = lint(project, *gates)
        assert status == 1 and sum(result.startswith("FAILED") for result in said.values()) == 1, said
        assert lint(project, "--fix", *gates)[0] == 0
        assert lint(project, *gates)[0] == 0 and fault.read_text() != text
        fault.unlink()


def test_a_missing_tool_is_a_fault_and_the_cure_is_named(tmp_path):
    project = copy(tmp_path / "lab")
    shutil.rmtree(project / ".venv")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "sed", "grep", "dirname", "mktemp", "rm", "make", "javac", "java"):
        (programs / name).symlink_to(shutil.which(name))
    status, said = lint(project, PATH=str(programs))
    assert status == 1 and list(said) == list(FAULTS)
    for kind, result in said.items():
        tool = {"J": "Apache Maven", "C": "clang-format"}.get(kind[0], "ruff")
        cure = {"J": "apt-get install maven"}.get(kind[0], "'make lint' installs it")
        assert result.startswith("FAILED") and f"missing: {tool}" in result and cure in result, said


def test_a_gate_that_does_not_exist_is_named(project):
    ran = subprocess.run(["sh", "tests/lint.sh", "fortran-lint"], cwd=project, capture_output=True, text=True)
    assert ran.returncode == 2 and ran.stderr == "no gate is called fortran-lint\n"


def test_a_page_check_without_a_browser_is_told_at_the_end(tmp_path):
    (tmp_path / "python").symlink_to(sys.executable)
    results = tmp_path / "results.xml"
    tests = [next((paths.ROOT / "tests").rglob("test_browser_check.py")), f"--junit-xml={results}"]
    subprocess.run([sys.executable, "-m", "pytest", *tests], cwd=paths.ROOT, env=os.environ | {"PATH": str(tmp_path)})
    script = [sys.executable, paths.ROOT / "tests" / "skipped.py", results]
    lines = subprocess.run(script, capture_output=True, text=True).stdout.splitlines()
    assert len(lines) == 1 and re.fullmatch(
        r"skipped: page check: no Chromium \(Debian: apt-get install chromium\) \[\d+ tests\]", lines[0]
    ), lines
