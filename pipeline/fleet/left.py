"""End the workers of this checkout that a lost connection left behind; run on the host, it prints how many, as JSON.

    python -m pipeline.fleet.left

A worker is known by its folder and its words; each is asked to end, and ended where it does not listen.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
from pathlib import Path

WORDS = (b"-m", b"dask", b"worker", b"--preload", b"pipeline.fleet.task")
PATIENCE_S = 15.0
PROC = Path("/proc")


def workers(folder: Path) -> list[int]:
    """The processes that are workers of the checkout in `folder`."""
    return [pid for pid in with_words(*WORDS) if _folder(pid) == folder.resolve()]


def with_words(*words: bytes) -> list[int]:
    """The processes that have all these words in their command line."""
    found = []
    for folder in PROC.iterdir():
        with contextlib.suppress(OSError, ValueError):
            pid, told = int(folder.name), (folder / "cmdline").read_bytes().split(b"\0")
            if all(word in told for word in words):
                found.append(pid)
    return sorted(found)


def _folder(pid: int) -> Path | None:
    with contextlib.suppress(OSError):
        return (PROC / str(pid) / "cwd").resolve()
    return None


def end(pids: list[int], patience_s: float = PATIENCE_S) -> int:
    """End processes, with a kill after `patience_s` seconds; how many there were."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            handle = os.pidfd_open(pid)
            try:
                signal.pidfd_send_signal(handle, signal.SIGTERM)
                if not select.select([handle], [], [], patience_s)[0]:
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
            finally:
                os.close(handle)
    return len(pids)


if __name__ == "__main__":
    print(json.dumps({"ended": end(workers(Path.cwd()))}))
