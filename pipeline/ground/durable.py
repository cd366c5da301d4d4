"""Writing so that a reader sees all of a file or nothing, whatever happens meanwhile."""

from __future__ import annotations

import os
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write under a temporary name of this process, flush to disk, rename: a reader sees all of it or nothing."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.rename(path)
