"""A memory limit for one trial's process, through the kernel's control groups (version 1 or 2).

Page cache counts against the limit, so a file larger than it cannot stay cached: the cache-starved regime without
a file larger than the machine's memory.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from pipeline.ground.errors import Unavailable

V1 = Path("/sys/fs/cgroup/memory")
V2 = Path("/sys/fs/cgroup")


def _create(megabytes: int) -> Path:
    root, limit = (V1, "memory.limit_in_bytes") if V1.is_dir() else (V2, "memory.max")
    group = root / f"mechanical-sympathy-lab-{os.getpid()}"
    try:
        (root / "cgroup.procs").stat()  # a folder of any other kind takes the file of a limit, and limits nothing
        group.mkdir(exist_ok=True)
        (group / limit).write_text(str(megabytes << 20))
    except OSError as error:
        with contextlib.suppress(OSError):
            group.rmdir()
        raise Unavailable(
            f"a memory limit needs a writable memory control group ({error.strerror}); run as root or delegate one"
        ) from None
    return group


@contextlib.contextmanager
def limited(megabytes: int | None) -> Iterator[list[str]]:
    """Yield the command prefix that starts a process inside a group limited to `megabytes`; [] for no limit.

    The shell moves itself into the group and becomes the program, so the process measured is the one started.
    Raises Unavailable when the host has no memory group we may write.
    """
    if megabytes is None:
        yield []
        return
    group = _create(megabytes)
    try:
        yield ["/bin/sh", "-c", f'echo $$ > "{group}/cgroup.procs" && exec "$@"', "lab"]
    finally:
        for _ in range(50):
            try:
                group.rmdir()
                break
            except OSError:  # the kernel still releases the last process
                time.sleep(0.01)
