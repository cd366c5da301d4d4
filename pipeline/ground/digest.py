"""Digests of files and of the project's own code: what was made of the same things by the same code is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
SUFFIXES = (".py", ".mplstyle", ".css", ".html")


def files(paths: Iterable[Path], *words: str) -> str:
    """SHA-256 (hex) of the names and contents of those of the paths that are files, and of further words."""
    digest = hashlib.sha256()
    for path in paths:
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    for word in words:
        digest.update(b"\0" + word.encode())
    return digest.hexdigest()


def large(path: Path) -> str:
    """SHA-256 (hex) of a file that may be larger than memory; OSError where it cannot be read."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def code(*rooms: str) -> list[Path]:
    """The source files of rooms of the pipeline (`hdr`, `measure/noise.py`), sorted; of all where none is named."""
    places = [PACKAGE / room for room in rooms] or [PACKAGE]
    found = [file for place in places for file in ([place] if place.is_file() else place.rglob("*"))]
    return sorted(file for file in found if file.suffix in SUFFIXES)
