"""A file of the kernel: the fact of the machine that it tells, or that it cannot be seen."""

from __future__ import annotations

from pathlib import Path

UNKNOWN = "not visible here"


def read(path: Path | str) -> str:
    """The text of a file without white space around it; UNKNOWN where it is not there or not for us to read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return UNKNOWN
