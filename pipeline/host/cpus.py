"""The CPUs of this process, and which of them are hardware threads of one core."""

from __future__ import annotations

import os
import re
from pathlib import Path

CPU = Path("/sys/devices/system/cpu")


def usable() -> list[int]:
    """The CPUs this process may run on."""
    return sorted(os.sched_getaffinity(0))


def of_list(text: str) -> list[int]:
    """The CPUs of a kernel's list (`0,64`, `0-3,6`); none where it does not tell."""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        return []
    ranges = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return [cpu for ends in ranges for cpu in range(ends[0], ends[-1] + 1)]


def siblings(cpu: int) -> list[int]:
    """The hardware threads of a CPU's core, itself included, as the kernel reports them; none where it does not."""
    try:
        text = (CPU / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text(encoding="utf-8")
    except OSError:
        return []
    return of_list(text.strip())
