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


def workers(proc: Path = Path("/proc")) -> list[int]:
    """The processes that are workers of this checkout, of this user."""
    found = []
    for folder in proc.iterdir():
        with contextlib.suppress(OSError, ValueError):
            pid = int(folder.name)
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if all(word in words for word in WORDS) and (folder / "cwd").resolve() == Path.cwd():
                found.append(pid)
    return sorted(found)


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
    print(json.dumps({"ended": end(workers())}))
