"""Export of what is seen: the published figures of a state, each with its kit, and the same again for who checks a
file.

Only kits are written, below build/; what the pages show of a run stays as it is, and the run itself too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pipeline.explore.code import drawings
from pipeline.explore.selection import NOTHING, Opened
from pipeline.explore.state import State
from pipeline.ground.errors import LabError
from pipeline.kit import figure_files, settings
from pipeline.kit.citation import Citation
from pipeline.kit.kit import WIDTH, Kit
from pipeline.kit.settings import Settings


def keep(opened: Opened, state: State) -> list[Path]:
    """Write the kits of a state; their folders. LabError where it has no figure, OSError where nothing can be
    written."""
    with _kits(opened, state, settings.read(), WIDTH) as found:
        return [kit.write() for kit in found]


def again(run: str, record: Mapping[str, Any], author: Settings) -> bytes | None:
    """A file of a kept figure as its record says (`Kit.record`); None where there is no such file.

    LabError for a state that the run does not have.
    """
    opened = Opened(run, record["experiment"])
    state = opened.choices.checked(State.of(record["state"], opened.choices.default))
    with _kits(opened, state, author, record["width"], record["figure"]) as found:
        return next((kit.files().get(record["file"]) for kit in found), None)


@contextmanager
def _kits(opened: Opened, state: State, author: Settings, width: int, only: str = "") -> Iterator[list[Kit]]:
    """The kits of all figures of a state, or only of one of them, while their files are there."""
    found = drawings(opened, state)
    if not found:
        raise LabError("trials are a table: there is no figure to keep; choose another view")
    with TemporaryDirectory(prefix="lab-keep-") as scratch:
        folder = Path(scratch)
        shown = [(one.name, one.draw(opened.lab, folder)) for one in found if only in ("", one.name)]
        names = [name for name, figure in shown if not isinstance(figure, str)]
        if not names:
            raise LabError(NOTHING)
        citation = Citation.of(opened.lab.bundle, author)
        yield [Kit(figure_files.read(opened.run, name, folder), citation, width, state.told()) for name in names]
