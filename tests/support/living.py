"""Which processes still run, and how long a test waits for what must happen."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path

# What must happen may take so long where a dozen others want the CPUs; what never happens fails after it. Nothing
# is said about speed.
PATIENCE_S = 600


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that its parent has not waited for does not."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


def gone(pids: Iterable[int]) -> bool:
    """Whether all of them end, at once or in a while."""
    return until(lambda: not any(map(alive, pids)))


def until(true: Callable[[], object]) -> bool:
    """Whether something comes true in a while."""
    deadline = time.monotonic() + PATIENCE_S
    while not (seen := true()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return bool(seen)


def with_arguments(*words: str) -> list[int]:
    """The processes whose command line holds all of these words."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (folder / "cmdline").read_bytes().decode(errors="replace")
            if all(word in line for word in words):
                found.append(int(folder.name))
    return found
