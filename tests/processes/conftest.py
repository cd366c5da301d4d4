"""What tests share that start processes: the command line as a user calls it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import forked
import pytest
from laboratory import Call
from living import PATIENCE_S
from tiny_run import measure

from pipeline.bundle.bundle import Bundle
from pipeline.ground import paths

# Each takes minutes: begun last, it would end alone.
LONGEST = ("test_report_smoke.py", "test_readme_commands.py", "test_every_cpu.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first; the others keep their order."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(LONGEST)))


@pytest.fixture
def call() -> Call:
    """Run `lab ...` in a process of its own and return its exit status and what it printed."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return forked.run(arguments, os.environ | environment, paths.ROOT, timeout=PATIENCE_S)

    return run


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a worker keeps the runs that it measured for more than one test."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def measured_run(lab: Path, kept: Path) -> Bundle:
    """Run `r` of the tiny experiment, measured once and copied: for tests that look at it, and that spoil it."""
    if (kept / "r").exists():
        shutil.copytree(kept / "r", paths.bundle("r"))
    else:
        shutil.copytree(measure().folder, kept / "r")
    return Bundle.open("r")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB; only root may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "lab", folder]).returncode:
        pytest.skip("a small tmpfs cannot be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)
