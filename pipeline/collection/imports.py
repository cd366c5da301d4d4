"""Imports: files that others shared become runs here, each wholly or not at all.

A file is prepared in a folder of its own (`staging`, here or by workers: `dask_workers`), and only then the folder is
renamed to a run, one after the other in the order of the files. A kill at any moment leaves nothing but folders that
the next import removes; imports of one checkout take turns.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.bundle.bundle import Bundle
from pipeline.collection import staging, untrusted_tar
from pipeline.collection.staging import STAGED, Job, Prepared
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import fingerprint

LOCK = ".import.lock"
IMPORTED, HERE, REFUSED = "imported", "already here", "refused"


@dataclass(frozen=True)
class Outcome:
    """What became of a file: IMPORTED, HERE or REFUSED, the name of the run (empty: none), and a sentence."""

    file: Path
    state: str
    run: str
    sentence: str


def recognise(file: Path) -> bool:
    """Whether a file begins as one that `lab share` wrote; what it holds is checked when it is imported."""
    try:
        with file.open("rb") as content:
            return untrusted_tar.begins_like_one(content.read(1024))
    except OSError:
        return False


def in_turn(jobs: Iterable[Job]) -> Iterator[Prepared]:
    """Prepare one file after the other in this process."""
    return (staging.prepare(job) for job in jobs)


def import_runs(
    files: Sequence[Path], *, dry_run: bool = False, by: Callable[[Sequence[Job]], Iterator[Prepared]] = in_turn
) -> Iterator[Outcome]:
    """Import the files in their order; what became of each. dry_run: check everything, keep nothing. by: who prepares
    them, and hands them back in their order.

    LabError where a file cannot be read at all. A file that is not what it should be is REFUSED, and others go on.
    """
    with _alone():
        stages = [paths.runs() / f"{STAGED}{os.getpid()}-{number}" for number in range(len(files))]
        for one in by([Job(file, stage) for file, stage in zip(files, stages, strict=True)]):
            try:
                yield _settled(one, dry_run)
            finally:
                staging.away(one.job.stage)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """One import at a time in a checkout, so that what another one left behind is known to be nobody's."""
    paths.runs().mkdir(parents=True, exist_ok=True)
    with (paths.runs() / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        staging.away(*paths.runs().glob(f"{STAGED}*"), *paths.build().glob(f"{STAGED}*"))
        try:
            yield
        finally:
            staging.away(*paths.runs().glob(f"{STAGED}*"), *paths.build().glob(f"{STAGED}*"))


def _settled(one: Prepared, dry_run: bool) -> Outcome:
    """Make a run of what was prepared, unless it is here by now."""
    file = one.job.file
    if one.refused:
        return Outcome(file, REFUSED, "", one.refused)
    if known := staging.known(one.identity):
        return Outcome(file, HERE, known, f"{HERE} as {known}")
    if dry_run:
        return Outcome(file, HERE, "", f"would be imported as {one.name}: {one.sentence}")
    sentence = one.sentence
    if twins := _of_the_same_machine(one.machine):
        sentence += f"; another run of a machine that is here as {twins[0]}"
    _synced(one.job.stage)
    one.job.stage.rename(paths.runs() / one.name)
    return Outcome(file, IMPORTED, one.name, sentence)


def _of_the_same_machine(machine: str) -> list[str]:
    found = []
    for file in sorted(paths.runs().glob("*/run.json")):
        with contextlib.suppress(LabError, KeyError, TypeError):
            name = file.parent.name
            if not name.startswith(STAGED) and fingerprint.identity(Bundle.open(name).info["host"]) == machine:
                found.append(name)
    return found


def _synced(folder: Path) -> None:
    """Flush all files of a folder to the disk."""
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb") as content:
                os.fsync(content.fileno())
