"""The lock that keeps measuring alone on the machine."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from pipeline.ground.errors import LabError

# One place for every user and whatever TMPDIR says: a lock in a private temporary folder would exclude nobody.
FOLDERS = (Path("/dev/shm"), Path("/tmp"))
NAME = "mechanical-sympathy-lab.lock"


class Measuring(LabError):
    """Another run measures on this machine; its words say which."""


def path() -> Path:
    """The lock file of this machine: in the first folder that holds it or may hold it, else in the last."""
    usable = (folder for folder in FOLDERS if (folder / NAME).exists() or os.access(folder, os.W_OK))
    return next(usable, FOLDERS[-1]) / NAME


@contextlib.contextmanager
def alone(run: str) -> Iterator[None]:
    """Hold the machine's measuring lock; Measuring says who holds it. The kernel releases it if we are killed."""
    with _open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = lock.read().decode(errors="replace").strip() or "another process"
            raise Measuring(f"{holder} is measuring on this machine; two at once would disturb each other", 5) from None
        lock.truncate(0)
        with contextlib.suppress(OSError):  # where the disk is full, others are not told by whom they are kept out
            lock.write(f"run {run!r} (process {os.getpid()})".encode())
        try:
            yield
        finally:
            lock.truncate(0)


def _open() -> FileIO:
    """The lock file, made by whoever comes first, for everybody.

    Not O_CREAT on a file that exists: in a sticky folder the kernel forbids that for another user's file
    (fs.protected_regular).
    """
    file = path()
    while True:
        try:
            return os.fdopen(os.open(file, os.O_RDWR), "r+b", buffering=0)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                made = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
                os.fchmod(made, 0o666)
                os.close(made)
        except PermissionError:
            raise LabError(f"{file} cannot be opened; ask its owner to remove it or to make it writable", 5) from None
