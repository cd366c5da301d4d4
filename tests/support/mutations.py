"""Whether an import can be broken: shared files, each with something changed (`given.changed`).

Each is imported as `lab import` does. It must be refused in one line and leave nothing, or become a run with all that a
run has, which the collection can show; and nothing may appear anywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

import given
from given import Given

from pipeline.collection import hosts, imports, place, staging, summary
from pipeline.ground import paths

SENTENCE = 350  # characters of what is said of a file
FILE = "given.tgz"


@dataclass(frozen=True)
class Tried:
    """A change: its number, where it was made, what became of the file (`contributed`), and how that is a `fault`."""

    number: int
    layer: str
    state: str
    sentence: str
    fault: str = ""


def tried(good: Given, number: int, folder: Path) -> Tried:
    """Import one changed file in `folder`, where runs and builds are too (LAB_RUNS, LAB_BUILD), and take away the run
    that it became."""
    layer, content = given.changed(good, number)
    (folder / FILE).write_bytes(content)
    try:
        (found,) = imports.import_runs([folder / FILE])
    except Exception as error:
        return Tried(number, layer, "raised", "", f"{type(error).__name__}: {error}")
    fault = _fault(found, folder)
    if found.run:
        rmtree(paths.bundle(found.run))
    return Tried(number, layer, found.state, found.sentence, fault)


def _fault(found: imports.Outcome, folder: Path) -> str:
    """What is wrong with an import and with what it left; empty: nothing."""
    if not found.sentence.isprintable() or len(found.sentence) > SENTENCE:
        return f"its sentence is no single line: {found.sentence[:200]!r}"
    left = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    runs = paths.runs().relative_to(folder).as_posix()
    strange = sorted(one for one in left - {FILE, f"{runs}/{imports.LOCK}"} if not _of_run(one, runs, found.run))
    if strange:
        return f"left {strange[0][:200]!r}"
    if found.state == imports.REFUSED:
        return ""
    run = paths.bundle(found.run)
    expected = ("run.json", given.JOURNAL, *(f"{staging.SUMMARY}/{name}.parquet" for name in summary.TABLES))
    if missing := [name for name in expected if not (run / name).is_file()]:
        return f"lacks {missing[0]}"
    try:
        every = hosts.every()
        mine = next(host for host in every if host.run == found.run)
        place.told(mine, [host for host in every if host is not mine])
    except Exception as error:
        return f"the collection cannot show it: {type(error).__name__}: {error}"
    return ""


def _of_run(name: str, runs: str, run: str) -> bool:
    return bool(run) and name.startswith(f"{runs}/{run}/")
