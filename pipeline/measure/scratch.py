"""Folders for a trial's own files: on disk (LAB_IO_DIR), or in memory, from where nothing is ever written back."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from pipeline.catalogue.selectors import Scalar
from pipeline.ground import paths
from pipeline.ground.errors import LabError, Unavailable
from pipeline.host import fingerprint

MEMORY = Path("/dev/shm")
PREFIX = "mechanical-sympathy-lab-files-"
LEAST_BYTES = 1 << 20


def need(parameters: Mapping[str, Scalar]) -> int:
    """Bytes that a trial's files take at most, as far as its parameters tell."""
    return max(LEAST_BYTES, int(1.1 * int(parameters.get("file-size", 0))))


def check_resources(io_folder: Path, need_bytes: int) -> None:
    """LabError when the IO folder cannot be written to or lacks the space for one trial's file."""
    try:
        io_folder.mkdir(parents=True, exist_ok=True)
        test = io_folder / ".lab-write-test"
        test.touch()
        test.unlink()
    except OSError as error:
        raise LabError(f"IO folder {io_folder}: {error.strerror}; set LAB_IO_DIR to a writable folder", 5) from None
    if lacking := _lacking(io_folder, need_bytes):
        raise LabError(f"IO folder {io_folder}: {lacking}; free some space or set LAB_IO_DIR", 5)


@contextlib.contextmanager
def folder(kind: str | None, need_bytes: int) -> Iterator[Path | None]:
    """The folder for the files of one trial: None without a kind; `disk`: the IO folder, which the sweep has checked;
    `memory`: a new one on a tmpfs, removed after the trial.

    Raises Unavailable when memory has no room for it.
    """
    if kind != "memory":
        yield paths.io() if kind == "disk" else None
        return
    made = _in_memory(need_bytes)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def remove_left() -> None:
    """Remove the folders in memory that killed processes left."""
    for left in MEMORY.glob(f"{PREFIX}*"):
        if not Path("/proc", left.name.removeprefix(PREFIX).partition("-")[0]).exists():
            shutil.rmtree(left, ignore_errors=True)


def _in_memory(need_bytes: int) -> Path:
    if (kind := fingerprint.file_system(MEMORY)["type"]) != "tmpfs":
        raise Unavailable(f"files in memory need a tmpfs at {MEMORY}, here it is {kind}; mount one")
    if lacking := _lacking(MEMORY, need_bytes):
        raise Unavailable(f"files in memory: {MEMORY}: {lacking}; free some space or mount it with a larger size")
    try:
        return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=MEMORY))
    except OSError as error:
        raise Unavailable(f"files in memory: {MEMORY}: {error.strerror}; make it writable") from None


def _lacking(where: Path, need_bytes: int) -> str:
    """What space is missing; empty when there is enough."""
    space = os.statvfs(where)
    free = space.f_bavail * space.f_frsize
    return "" if free >= need_bytes else f"{free / 1e6:.0f} MB free, {need_bytes / 1e6:.0f} MB needed"
