"""The most memory that a process had at any time."""

from __future__ import annotations

import re
from pathlib import Path


def peak(process: int | str = "self") -> int:
    """The most bytes that were resident (VmHWM of proc(5)); 0 of a process that has ended and is not waited for yet.
    Raises OSError where there is none."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0
