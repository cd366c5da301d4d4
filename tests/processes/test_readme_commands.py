"""Every command of README.md ends with status 0, one after the other in a copy of the project as a clone is.

So that this takes a minute and not hours, the copy has two experiments of the catalogue, two blocks of tiny trials in
every profile, and the environment and harnesses that are here; some commands are confined to one experiment (SHORTER),
four are proved elsewhere. `tests/readme_commands.py` runs them as they stand, in a clone that sets itself up, by hand.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import readme
import yaml
from jupyter_lab import jupyter_lab
from laboratory import MAIN

from pipeline.ground import paths
from pipeline.ground.errors import BAD_INPUT
from pipeline.host import runtimes
from pipeline.session.completion import APART

# What is proved in a place of its own.
ELSEWHERE = {
    "make test": "is what runs this",
    "make check": "the lint and a part of the unit tests of make test",
    "make bench": "tests/processes/bench runs each of its comparisons",
    "make report EXPERIMENTS=spin_lock PROFILE=smoke RUN=x": "test_recipe.py, for both harnesses are built anew",
}
ONE = " EXPERIMENTS=clock"
ROUND = " MORE=0.01"  # a sitting of one round, after which nothing waits
# A whole smoke report is that of test_report_smoke.py; of this run only trials are asked for below.
INSTEAD = {"make report PROFILE=smoke": "lab measure --profile smoke --experiments clock --run smoke"}
SHORTER = {
    "make report PROFILE=full": f"{ONE} MORE=0 PREVIEW=no",
    "make report EXPERIMENTS=clock": " MORE=0",
    "make report MORE=10": ONE + ROUND,
    "make figures RUN=reference": ONE,
    "make place PROFILE=smoke": ONE,
    "make parcel": " JDKS=none",
}
SHORTER |= dict.fromkeys(["make report", "make report MORE=10 CLAIMS=C47"], ROUND)
PRINTS = {readme.MEASURED: "Report so far, drawn in"}  # what a command has to say
LAST = "lab new spin_lock"  # after it, every `make` builds both harnesses anew
SIZES = {
    "min_blocks": 2,
    "max_blocks": 2,
    "budget_s": 30,
    "parameters": {"warmup": 2, "iterations": 6, "iteration-ms": 20},  # two threads meet within it beside a hog
}
SWEEPS = {
    "clock": [{"variants": ["nano_time", "c_monotonic"]}],
    "lock_scaling": [{"variants": ["monitor", "reentrant_lock"], "axes": {"threads": [1, 2]}}],
}
KEPT = ("catalogue", "data", "docs", "harness", "notebooks", "pipeline")
KEPT += ("LICENSE", "Makefile", "pyproject.toml", "README.md")
NOT_IN_A_CLONE = shutil.ignore_patterns("runs", "jmh", ".ipynb_checkpoints")  # compiled modules stay, for speed
PROGRAM = '#!/bin/sh\nPYTHONPATH="{project}" exec "{python}" {program} "$@"\n'
TWO_JDKS = re.compile(r"jdk17|jdk25")


def copy(project: Path) -> Path:
    """What a clone has, and what set-up makes in it: the harnesses, and in .venv programs that run the copy's code."""
    for path in [paths.ROOT / name for name in KEPT] + list(paths.ROOT.glob("*.lock")):
        if path.is_dir():
            shutil.copytree(path, project / path.name, ignore=NOT_IN_A_CLONE)
        else:
            shutil.copy2(path, project)
    tools = project / ".venv" / "bin"
    tools.mkdir(parents=True)
    programs = {"python": "", "lab": f"-c '{MAIN}'", "jupyter": f'"{Path(sys.executable).with_name("jupyter")}"'}
    for name, program in programs.items():
        (tools / name).write_text(PROGRAM.format(project=project, python=sys.executable, program=program))
        (tools / name).chmod(0o755)
    for ready in (".uv", ".ready"):
        (project / ".venv" / ready).touch()
    return project


def shrink(catalogue: Path) -> None:
    """Leave two experiments, tiny in every profile."""
    for file in [*catalogue.glob("*.yaml"), *catalogue.glob("claims/*.yaml")]:
        if file.stem not in SWEEPS:
            file.unlink()
    for name, sweeps in SWEEPS.items():
        file = catalogue / f"{name}.yaml"
        entry = yaml.safe_load(file.read_text(encoding="utf-8"))
        entry["profiles"] = dict.fromkeys(entry["profiles"], SIZES | {"sweeps": sweeps})
        file.write_text(yaml.safe_dump(entry, sort_keys=False), encoding="utf-8")


def ran(project: Path, command: str, prints: str = "") -> str:
    """What is wrong with a command that ended, or that it does not print; empty where nothing is."""
    own = {"PATH": f"{project / '.venv' / 'bin'}:{os.environ['PATH']}", "TEST_LOCK_FOLDER": str(project)}
    # `make test` hands its own variables on, and a RUN of the environment would go before the one a command means.
    given = re.findall(r"^(?:export )?(\w+) \?=", (paths.ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {*given, "BEFORE", "AFTER"}
        and (name == "LAB_JDKS" or not name.startswith(("LAB_", "MAKE", "MFLAGS")))
    }
    done = subprocess.run(command, shell=True, cwd=project, env=kept | own, capture_output=True, text=True)
    told = done.stdout + done.stderr
    if done.returncode == BAD_INPUT and APART in told:
        return ""  # on a host this busy there is no such ratio, and the command says why
    wrong = done.returncode or "Traceback" in told or prints not in told
    return f"$ {command}\n{told}status {done.returncode}" if wrong else ""


def possible(command: str) -> bool:
    """Whether the host has the two JDKs that an example names."""
    return set(TWO_JDKS.findall(command)) <= set(runtimes.jdks())


def test_every_command_of_the_readme_works_in_a_clone(tmp_path_factory):
    project = copy(tmp_path_factory.mktemp("readme") / "lab")
    shrink(project / "catalogue")
    readme.prepare(project)
    wrong = []
    for command in sorted(readme.commands(), key=lambda command: command == LAST):
        if command == readme.SERVER:
            with jupyter_lab(project, project=project):  # raises where it does not start
                continue
        if command not in ELSEWHERE and possible(command):
            words = INSTEAD.get(command) or readme.spelled(command) + SHORTER.get(command, "")
            wrong.append(ran(project, words, PRINTS.get(command, "")))
        if command == readme.MEASURED:
            wrong += [ran(project, more) for more in readme.MORE]
    assert not any(wrong), "\n".join(filter(None, wrong))


def test_what_is_left_out_or_shortened_is_in_the_readme():
    assert ELSEWHERE.keys() | INSTEAD.keys() | SHORTER.keys() | {readme.SERVER, readme.MEASURED, LAST} <= set(
        readme.commands()
    )
