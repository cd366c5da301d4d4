"""Hosts of a fleet that are folders of this machine: each has a parcel, and in it runs, a lock and an id of its own; an
`ssh` of ours reaches them. Real parcels, real trials, no second machine."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

import parcels
from living import with_arguments

from pipeline.fleet import connection
from pipeline.ground import paths

# Twelve trials of the C harness, a tenth of a second each.
TOY = """
name: lock_scaling
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
# As the real one it leaves the command alone when it is ended; what the command reads from ends then.
SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 2
exec 3<&0
env -i PATH=/usr/bin:/bin PYTHON={python} sh -c "$1" <&3 3<&- &
child=$!
trap 'exit 255' TERM
wait "$child"
"""


def parcel(folder: Path, iteration_ms: int = 1) -> Path:
    """A parcel of the toy alone, without a JDK; its catalogue is `folder`/catalogue."""
    return parcels.make(folder, "--jdks", "none", catalogue=TOY.replace("MS", str(iteration_ms)))


def catalogue_of(file: Path) -> Path:
    """The catalogue that a parcel was made of."""
    return file.parents[2] / "catalogue"


def host(root: Path, file: Path) -> Path:
    """Make `root` a host to which a parcel was pushed."""
    root.mkdir(parents=True)
    copy = Path(shutil.copy(file, root))
    told = parcels.sh(copy, "fleet", "hello")
    assert told.returncode == 0, told.stderr
    copy.unlink()
    (root / connection.CURRENT).symlink_to(copy.stem)
    return made_own(root)


def made_own(root: Path) -> Path:
    """Give a host a lock and an id of its own; of others' use it says nothing, for several share this machine."""
    there = root / connection.CURRENT / "pipeline"
    own = repr(str(root))
    _changed(there / "bundle" / "lock.py", r"^FOLDERS = .*$", f"FOLDERS = (Path({own}),)")
    _changed(there / "host" / "ids.py", r"^MACHINE, BOOT = .*$", f'MACHINE = BOOT = Path({own}) / "id"')
    load = there / "host" / "load.py"
    load.write_text(load.read_text() + "\n\ndef sample(seconds=0.0):\n    return Load(0.0, ())\n")
    (root / "id").write_text(root.name)
    return root


def _changed(file: Path, pattern: str, line: str) -> None:
    text, count = re.subn(pattern, lambda _: line, file.read_text(), flags=re.M)
    assert count == 1, (file, pattern)
    file.write_text(text)


def runs(root: Path) -> Path:
    """Where the runs of a host lie."""
    return root / connection.CURRENT / "data" / "runs"


def ssh(folder: Path) -> Path:
    """A folder for PATH whose `ssh` runs the command here."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ssh").write_text(SSH.format(python=shlex.quote(parcels.python())))
    (folder / "ssh").chmod(0o755)
    return folder


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


def working(root: Path) -> list[int]:
    """The processes of a host that measure for a fleet."""
    return [pid for pid in with_arguments("fleet", "work", "smoke") if _in(pid, root)]


def _in(pid: int, root: Path) -> bool:
    try:
        return Path(os.readlink(f"/proc/{pid}/cwd")).is_relative_to(root.resolve())
    except OSError:
        return False
