"""Hosts that are folders of this machine: each has runs, a lock and an id of its own; an `ssh` of ours reaches them.

What the fleet is tried with here (tests, `lab bench --only fleet,kills`): real workers, real trials, no second machine.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from pipeline.bench import archived
from pipeline.ground import paths

# Twelve trials of the C harness, a tenth of a second each.
TOY = """
name: toy
number: 1
title: A toy of the fleet
question: Does a fleet measure?
value: residence time in nanoseconds
posts: [{file: none, line: 1}]
axes: {threads: int}
parameters: {sample-every: 1, outside: 10}
variants:
  mutex: {label: mutex, harness: c, runs: pthread_mutex}
  ticket: {label: ticket, harness: c, runs: ticket}
profiles:
  smoke: &sizes
    min_blocks: 3
    max_blocks: 3
    budget_s: 600
    parameters: {warmup: 1, iterations: 4, iteration-ms: MS}
    sweeps: [{variants: [mutex, ticket], axes: {threads: [1, 2]}}]
  quick: *sizes
  full: *sizes
metrics:
  cost: {kind: cost, series: "t*", estimator: quartile, unit: ns, label: Cost}
headlines: [{metric: cost}]
"""
TRIALS = 12
HARNESS = archived.chosen().toy  # the experiment of the C harness that the toy is
PYTHON = """#!/bin/sh
export {environment}
exec {python} "$@"
"""
# The lock and the ids of this host, in every Python that begins there; of others' use it says nothing, for several such
# hosts share this machine.
BEGIN = """import os, pathlib
from pipeline.bundle import lock
from pipeline.host import ids, load
lock.FOLDERS = (pathlib.Path({root!r}),)
ids.MACHINE = ids.BOOT = pathlib.Path({root!r}) / "id"
load.sample = lambda seconds=0.0: load.Load(0.0, ())
{more}
"""


def toy(folder: Path, iteration_ms: int = 1) -> Path:
    """A catalogue of the toy alone."""
    folder.mkdir(parents=True, exist_ok=True)
    text = TOY.replace("name: toy", f"name: {HARNESS}").replace("MS", str(iteration_ms))
    (folder / f"{HARNESS}.yaml").write_text(text, encoding="utf-8")
    return folder


def host(root: Path, catalogue: Path, more: str = "", **environment: str) -> Path:
    """Make `root` a host whose Python has these variables and has run `more` before anything else."""
    own = {name: root / name.lower() for name in ("RUNS", "BUILD", "IO_DIR")} | {"CATALOGUE": catalogue}
    given = {f"LAB_{name}": str(path) for name, path in own.items()}
    given |= {"PYTHONPATH": f"{root / 'begin'}:{paths.ROOT}", "TMPDIR": str(root)} | environment
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / "begin").mkdir()
    (root / "id").write_text(root.name, encoding="ascii")
    (root / "begin" / "sitecustomize.py").write_text(BEGIN.format(root=str(root), more=more), encoding="utf-8")
    words = " ".join(f"{name}='{value}'" for name, value in given.items())
    _program(root / ".venv" / "bin" / "python", PYTHON.format(environment=words, python=sys.executable))
    return root


def ssh(folder: Path) -> Path:
    """A folder for PATH whose `ssh` runs the command here and forwards the ports (`local_ssh`)."""
    folder.mkdir(parents=True, exist_ok=True)
    script = Path(__file__).with_name("local_ssh.py")
    _program(folder / "ssh", f'#!/bin/sh\nexec {sys.executable} -S -E {script} "$@"\n')
    return folder


def _program(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def fleet(file: Path, roots: Sequence[Path], name: str = "toys") -> Path:
    """The fleet.yaml of these hosts."""
    lines = [f"name: {name}", "profile: smoke", "hosts:"]
    lines += [f"  - {{name: {root.name}, ssh: {root.name}.test, root: '{root}'}}" for root in roots]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def environment(folder: Path, catalogue: Path) -> dict[str, str]:
    """The environment of a coordinator whose runs and pages lie below `folder`."""
    own = {"LAB_RUNS": str(folder / "runs"), "LAB_BUILD": str(folder / "build"), "LAB_CATALOGUE": str(catalogue)}
    return os.environ | own | {"PATH": f"{ssh(folder / 'bin')}:{os.environ['PATH']}", "PYTHONPATH": str(paths.ROOT)}


def of(pid: int, root: Path) -> bool:
    """Whether a process is one of this host, and not of another test's that has its name."""
    with contextlib.suppress(OSError):
        return f"LAB_RUNS={root / 'runs'}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return False


def emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
