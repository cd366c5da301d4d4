"""check: is a figure what its run says? The run is found by its content id, the figure drawn anew from its raw files,
and the bytes compared. No signature is needed, and none could say more.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pipeline import paths
from pipeline.bundle.bundle import Bundle
from pipeline.bundle.content_id import content_id
from pipeline.catalogue import catalogue
from pipeline.errors import LabError
from pipeline.kit import provenance
from pipeline.kit.kit import Kit
from pipeline.kit.settings import Settings
from pipeline.publish import notebooks

SAME, DIFFERS, UNKNOWN = 0, 1, 2


@dataclass(frozen=True)
class Checked:
    """What is said of one file; status: SAME, DIFFERS or UNKNOWN."""

    status: int
    says: str


def check(file: Path, drawn: Path | None = None) -> Checked:
    """Draw the figure of a file anew, in a folder of its own, and compare.

    drawn: a build folder in which the run's figures have just been drawn, to be used instead.
    Raises LabError where the file cannot be read or the figure not drawn.
    """
    try:
        record = provenance.read(file)
    except OSError as error:
        raise LabError(f"{file}: {error.strerror}") from None
    if record is None:
        return Checked(UNKNOWN, f"no provenance in {file}: no kit made it, or a platform has removed it")
    run = find(str(record["content_id"]), str(record["run"]))
    if run is None:
        where = record["settings"].get("site") if isinstance(record["settings"], dict) else ""
        source = where or "whoever published the figure"
        return Checked(UNKNOWN, f"run {record['content_id']} is not here; get it from {source}")
    try:
        settings = Settings(**record["settings"])
    except (ValidationError, TypeError):
        return Checked(DIFFERS, f"differs: {file.name} names settings that no kit has")
    with elsewhere(drawn):
        if drawn is None:
            redraw(run, record)
        try:
            made = Kit.of(run, str(record["figure"]), settings).files().get(str(record["file"]))
        except LabError as error:
            return Checked(DIFFERS, f"differs: {file.name}: {error}")
    if made == file.read_bytes():
        return Checked(SAME, f"same bytes: {file.name} is figure {record['figure']} of run {record['content_id']}")
    called = Bundle.open(run).info["name"]
    other = f" (it says run {record['run']}, which is called {called} here)" if called != record["run"] else ""
    return Checked(DIFFERS, f"differs: {file.name}{other}")


def find(wanted: str, name: str) -> str | None:
    """The run of a content id, that of the same name where there are several; None where there is none."""
    folders = sorted(paths.runs().glob("*/run.json"))
    found = []
    for run in [paths.REFERENCE, *(file.parent.name for file in folders)]:
        try:
            bundle = Bundle.open(run)
            if content_id(bundle) == wanted:
                found.append((bundle.info["name"] != name, run))
        except LabError:
            continue  # a damaged neighbour says nothing of this run
    return min(found)[1] if found else None


def redraw(run: str, record: dict[str, Any]) -> None:
    """Execute the notebook that draws a figure; LabError where it fails."""
    entry = catalogue.experiment(str(record["experiment"]))
    result = notebooks.execute(entry, run, Bundle.open(run).info["profile"])
    if result.failed:
        raise LabError(f"{entry.name}: {result.failed}", 1)


@contextmanager
def elsewhere(build: Path | None) -> Iterator[None]:
    """Everything generated goes to another folder: the given one, or one that is removed in the end."""
    before = os.environ.get("LAB_BUILD")
    with tempfile.TemporaryDirectory(prefix="lab-check-") as scratch:
        os.environ["LAB_BUILD"] = str(build or scratch)
        try:
            yield
        finally:
            os.environ.pop("LAB_BUILD")
            if before is not None:
                os.environ["LAB_BUILD"] = before
