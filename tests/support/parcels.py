"""A parcel with a catalogue of two variants, one of each language, and a host of its own to try it on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from laboratory import PROGRAM, TINY
from living import PATIENCE_S

from pipeline.host import runtimes

BOTH = TINY.replace(
    "ticket: {label: ticket, harness: c, runs: ticket}", "monitor: {label: monitor, harness: java, runs: monitor}"
).replace("variants: [mutex, ticket]", "variants: [mutex, monitor]")


def make(folder: Path, *words: str, catalogue: str = BOTH) -> Path:
    """Make a parcel as a user does, in a laboratory of its own in `folder`."""
    (folder / "catalogue").mkdir(exist_ok=True)
    (folder / "catalogue" / "lock_scaling.yaml").write_text(catalogue)
    told = {"LAB_CATALOGUE": str(folder / "catalogue"), "LAB_BUILD": str(folder / "build")}
    command = [*PROGRAM, "parcel", *words]
    made = subprocess.run(command, env=os.environ | told, capture_output=True, text=True, timeout=PATIENCE_S)
    assert made.returncode == 0, made.stdout + made.stderr
    (file,) = (folder / "build" / "parcel").glob("lab-*.run")
    return file


def newest() -> str:
    """The home of the newest JDK here."""
    return list(runtimes.jdks().values())[-1].home


def python() -> str:
    """A Python that knows no packages of ours: the one that the environment of the tests was made of."""
    return str(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}")


def sh(file: Path, *words: str, **environment: str) -> subprocess.CompletedProcess:
    """Run a script with nothing of our environment."""
    told = {"PATH": "/usr/bin:/bin", "PYTHON": python()} | environment
    return subprocess.run(["sh", file, *words], env=told, capture_output=True, text=True, timeout=PATIENCE_S)
