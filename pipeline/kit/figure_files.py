"""The files of a figure as the report drew it, and its words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pipeline.bundle.bundle import Bundle
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.kit import raster

NEEDED = ("title", "brief", "alt", "caption", "provenance", "table", "rests_on")


@dataclass(frozen=True)
class Drawn:
    """words: NAME.json; folder: where its files are."""

    name: str
    run: str
    words: dict[str, Any]
    folder: Path

    def read(self, ending: str) -> bytes:
        """The bytes of NAME plus `ending`."""
        return (self.folder / f"{self.name}{ending}").read_bytes()

    def pixels(self, ending: str) -> bytes:
        """The PNG of NAME plus `ending`, an SVG."""
        return raster.png(self.read(ending))


def names(folder: Path) -> list[str]:
    """The names of the figures in a folder."""
    return sorted(file.stem for file in folder.glob("*.json"))


def read(run: str, name: str, folder: Path | None = None) -> Drawn:
    """A figure of a run, of those that its pages show or of a folder's; LabError when there is none of that name, or it
    lacks its words."""
    Bundle.open(run)
    folder = folder or paths.figures(run)
    known = names(folder)
    if not known:
        raise LabError(f"run {run!r} has no figures yet; draw them with: make figures RUN={run}")
    if name not in known:
        near = get_close_matches(name, known, 3, 0) or known[:3]
        raise LabError(f"run {run!r} has no figure {name[:60]!r}; the nearest are: {', '.join(near)}")
    try:
        words = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        missing = [word for word in NEEDED if not words.get(word)]
    except (ValueError, AttributeError):
        missing = ["everything"]
    if missing:
        raise LabError(f"figure {name} has no {missing[0]}; draw it anew with: make figures RUN={run}")
    return Drawn(name, run, words, folder)
