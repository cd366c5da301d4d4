"""check: is a figure what its run says? The run is found by its content id, the figure drawn anew from its raw files,
and the bytes compared. No signature is needed, and none could say more.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pipeline.bundle import entries
from pipeline.bundle.bundle import Bundle
from pipeline.bundle.content_id import content_id
from pipeline.draw.similarity import DIGITS, OTHER, likeness
from pipeline.draw.similarity import SAME as SAME_BYTES
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.kit import provenance
from pipeline.kit.kit import Kit
from pipeline.kit.settings import Settings
from pipeline.own import fit_figures
from pipeline.publish import notebooks

Again = Callable[[str, Mapping[str, Any], Settings], bytes | None]
SAME, DIFFERS, UNKNOWN = 0, 1, 2


@dataclass(frozen=True)
class Checked:
    """What is said of one file; status: SAME, DIFFERS or UNKNOWN."""

    status: int
    says: str


def check(files: Iterable[Path], drawn: Path | None = None, kept: Again | None = None) -> Iterator[Checked]:
    """Draw the figures of files anew, in a folder that is removed in the end, and compare; of each what is said.

    drawn: a build folder in which they have just been drawn, to be used instead. kept: draws the file of a figure that
    is on no page, but was kept from the explorer.
    Raises LabError where a file cannot be read or a figure not drawn.
    """
    done: set[tuple[str, str]] = set()
    kit = lru_cache(1)(_kit)  # the files of one follow each other
    with elsewhere(drawn):
        for file in files:
            yield _checked(file, done, drawn is None, kept, kit)


def _kit(run: str, figure: str, settings: Settings, width: str) -> dict[str, bytes]:
    """All files of a kit; width: as JSON, for what a stranger's file calls one may be anything."""
    return Kit.of(run, figure, settings, json.loads(width)).files()


def _checked(
    file: Path, done: set[tuple[str, str]], draw: bool, kept: Again | None, kit: Callable[..., dict[str, bytes]]
) -> Checked:
    try:
        record = provenance.read(file)
    except OSError as error:
        raise LabError(f"{file}: {error.strerror}") from None
    if record is None:
        return Checked(UNKNOWN, f"no provenance in {file}: no kit made it, or a platform has removed it")
    try:
        settings = Settings(**record["settings"])
    except (ValidationError, TypeError):
        return Checked(DIFFERS, f"differs: {file.name} names settings that no kit has")
    wanted, name, experiment, figure = (str(record[one]) for one in ("content_id", "run", "experiment", "figure"))
    run = find(wanted, name)
    if run is None:
        source = settings.site or "whoever published the figure"
        return Checked(UNKNOWN, f"run {wanted} is not here; get it from {source}")
    of_page = "state" not in record
    fit = record.get("fit")
    drawing = run, provenance.written(fit) if fit else experiment
    drawn = not (of_page and draw) or drawing in done
    if not drawn and not fit:
        redraw(run, experiment)
    try:
        if not drawn and fit:
            fit_figures.again(run, fit)
        done.add(drawing)
        if of_page or kept is None:
            made = kit(run, figure, settings, json.dumps(record["width"])).get(str(record["file"]))
        else:
            made = kept(run, record, settings)
    except LabError as error:
        return Checked(DIFFERS, f"differs: {file.name}: {error}")
    alike = OTHER if made is None else likeness(file.read_bytes(), made)
    if alike == SAME_BYTES:
        return Checked(SAME, f"same bytes: {file.name} is figure {figure} of run {wanted}")
    called = Bundle.open(run).info["name"]
    other = f" (it says run {name}, which is called {called} here)" if called != name else ""
    return Checked(DIFFERS, f"{DIGITS if alike == DIGITS else 'differs'}: {file.name}{other}")


def find(wanted: str, name: str) -> str | None:
    """The run of a content id, that of the same name where there are several; None where there is none."""
    folders = sorted(paths.runs().glob("*/run.json"))
    found = []
    for run in [*paths.archived(), *(file.parent.name for file in folders)]:
        try:
            bundle = Bundle.open(run)
            if content_id(bundle) == wanted:
                found.append((bundle.info["name"] != name, run))
        except LabError:
            continue  # a damaged neighbour says nothing of this run
    return min(found)[1] if found else None


def redraw(run: str, experiment: str) -> None:
    """Execute the notebook that draws the figures of an experiment; LabError where it fails."""
    entry = entries.experiment(experiment, run)
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
