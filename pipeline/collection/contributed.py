"""import: files that others shared become runs here, each wholly or not at all.

A file is unpacked into a folder of its own (`opened`), read as what nobody trusts (`checked`), every trial of it is
ingested anew and summarised (`summary`), and only then the folder is renamed to a run. A kill at any moment leaves
nothing but a folder that the next import removes; imports of one checkout take turns.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.bundle import content_id
from pipeline.bundle.bundle import Bundle
from pipeline.collection import opened
from pipeline.collection.stream import Refused
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import fingerprint
from pipeline.words.numbers import counted

STAGED = "_import-"  # a run's name while it is imported
SUMMARY = "summary"  # the folder of an imported run that `summary` wrote
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
            return opened.begins_like_one(content.read(1024))
    except OSError:
        return False


def import_runs(files: Iterable[Path], *, dry_run: bool = False) -> Iterator[Outcome]:
    """Import the files one after the other; what became of each. dry_run: check everything, keep nothing.

    LabError where a file cannot be read at all. A file that is not what it should be is REFUSED, and others go on.
    """
    with _alone():
        for file in files:
            with _staged() as stage:
                try:
                    yield _imported(file, stage, dry_run)
                except Refused as reason:
                    yield Outcome(file, REFUSED, "", str(reason))


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """One import at a time in a checkout, so that what another one left behind is known to be nobody's."""
    paths.runs().mkdir(parents=True, exist_ok=True)
    with (paths.runs() / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in (*paths.runs().glob(f"{STAGED}*"), *paths.build().glob(f"{STAGED}*")):
            shutil.rmtree(left, ignore_errors=True)
        yield


@contextlib.contextmanager
def _staged() -> Iterator[Path]:
    """An empty folder among the runs, gone afterwards with all that was made of it."""
    stage = paths.runs() / f"{STAGED}{os.getpid()}"
    stage.mkdir()
    try:
        yield stage
    finally:
        for left in (stage, paths.build() / stage.name):
            shutil.rmtree(left, ignore_errors=True)


def _imported(file: Path, stage: Path, dry_run: bool) -> Outcome:
    archives = opened.unpack(file, stage)
    # Only now what reads it: until here a file of any content costs a few MB of memory.
    from pipeline.collection import checked, summary

    try:
        info = checked.run_json(stage)
        bundle = Bundle(stage, info)
        lines = checked.journal_lines(bundle)
        checked.archives(archives, lines)
        identity = content_id.content_id(bundle)
        if known := sorted(paths.runs().glob(f"*-{identity}")):
            return Outcome(file, HERE, known[0].name, f"{HERE} as {known[0].name}")
        for experiment in sorted({line["experiment"] for line in lines if "trial" in line}):
            checked.raw_files(bundle, lines, experiment)
        (stage / opened.README).unlink(missing_ok=True)
        name = f"{_slug(info)}-{identity}"
        checked.renamed(stage, info, name)
        told = summary.write(stage.name, stage / SUMMARY)
    except Refused:
        raise
    except LabError as error:
        raise Refused(str(error).replace(f"run {stage.name!r}: ", "")) from None
    except OSError:
        raise
    except Exception as error:  # whatever its content made our code do: it is not believed
        raise Refused(
            f"holds what no trial writes ({type(error).__name__}: {' '.join(str(error).split())[:120]})"
        ) from None
    sentence = f"{counted(told['trials'], 'trial')} of {fingerprint.sentence(info['host'])}"
    if dry_run:
        return Outcome(file, HERE, "", f"would be imported as {name}: {sentence}")
    if twins := _of_the_same_machine(info):
        sentence += f"; another run of a machine that is here as {twins[0]}"
    _synced(stage)
    stage.rename(paths.runs() / name)
    return Outcome(file, IMPORTED, name, sentence)


def _slug(info: dict) -> str:
    """A plain name for a run of it: what its owner calls the machine, or its CPU."""
    told = info["shared"].get("label") or fingerprint.sentence(info["host"]).split(",")[0]
    return re.sub(r"[^a-z0-9]+", "-", told.lower()).strip("-")[:40].strip("-") or "host"


def _of_the_same_machine(info: dict) -> list[str]:
    own, found = fingerprint.identity(info["host"]), []
    for file in sorted(paths.runs().glob("*/run.json")):
        with contextlib.suppress(LabError, KeyError, TypeError):
            name = file.parent.name
            if not name.startswith(STAGED) and fingerprint.identity(Bundle.open(name).info["host"]) == own:
                found.append(name)
    return found


def _synced(folder: Path) -> None:
    """Flush all files of a folder to the disk."""
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb") as content:
                os.fsync(content.fileno())
