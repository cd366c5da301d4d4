"""Faults planted in a copy of the pipeline, for tests that read its source."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.ground import paths


def copied(folder: Path) -> Path:
    """The pipeline's source in a folder."""
    return Path(shutil.copytree(paths.ROOT / "pipeline", folder / "pipeline", ignore=shutil.ignore_patterns("*.pyc")))


@contextmanager
def planted(copy: Path, file: str, text: str) -> Iterator[None]:
    """Meanwhile a file of the copy ends with `text`; one that was not there is there."""
    place, before = copy / file, None
    if place.exists():
        before = place.read_text(encoding="utf-8")
    made = not place.parent.exists()
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"{before or ''}\n{text}\n", encoding="utf-8")
    try:
        yield
    finally:
        if before is None:
            place.unlink()
        else:
            place.write_text(before, encoding="utf-8")
        if made:
            shutil.rmtree(place.parent)
