"""Staging: a shared file is made ready to be a run, in a folder of its own; all of an import that takes time.

It is unpacked (`untrusted_tar`), read as what nobody trusts (`validation`), every trial of it is ingested anew, and
what it comes to is summarised (`summary`). What is made does not depend on which other files are imported, nor on who
does it.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.bundle import content_id, journal
from pipeline.bundle.bundle import Bundle
from pipeline.collection import redaction, untrusted_tar
from pipeline.collection.stream import Refused
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import fingerprint
from pipeline.words.numbers import counted

STAGED = "_import-"  # a run's name while it is imported
LONGEST = 300  # characters of a sentence about a file
NO_ROOM = 5  # the status of a LabError of this machine
SUMMARY = "summary"  # the folder of an imported run that `summary` wrote


@dataclass(frozen=True)
class Job:
    """A file, and the folder among the runs, called STAGED and more, in which it is prepared."""

    file: Path
    stage: Path


@dataclass(frozen=True)
class Prepared:
    """What came of a job: why it was `refused`, or content id, name, a sentence about it and the machine's identity
    (`pipeline.host.fingerprint`). Of a run that is here already, the content id alone."""

    job: Job
    refused: str = ""
    identity: str = ""
    name: str = ""
    sentence: str = ""
    machine: str = ""


def prepare(job: Job) -> Prepared:
    """Make the job's folder, and in it all that the run will have. OSError where that cannot be read or written."""
    job.stage.mkdir()
    try:
        return _prepared(job)
    except Refused as reason:
        return Prepared(job, refused=_line(str(reason)))


def away(*stages: Path) -> None:
    """Remove folders of jobs, and what was built from them."""
    for stage in stages:
        for left in (stage, paths.build() / stage.name):
            shutil.rmtree(left, ignore_errors=True)


def known(identity: str) -> str:
    """The name of the run that is here with a content id; empty: there is none."""
    return next((one.name for one in sorted(paths.runs().glob(f"*-{identity}"))), "")


def _prepared(job: Job) -> Prepared:
    stage = job.stage
    archives = untrusted_tar.unpack(job.file, stage)
    # Only now what reads it: until here a file of any content costs a few MB of memory.
    from pipeline.collection import summary

    try:
        info, identity = read(stage, archives)
        if known(identity):
            return Prepared(job, identity=identity)
        name = f"{redaction.slug(info)}-{identity}"
        ingested(stage, info, name)
        told = summary.write(stage.name, stage / SUMMARY)
    except Refused:
        raise
    except LabError as error:
        if error.status == NO_ROOM:  # which is no fault of the file
            raise
        raise Refused(str(error).replace(f"run {stage.name!r}: ", "")) from None
    except OSError:
        raise
    except Exception as error:  # whatever its content made our code do: it is not believed
        raise Refused(f"holds what no trial writes ({type(error).__name__}: {error})") from None
    sentence = f"{counted(told['trials'], 'trial')} of {fingerprint.sentence(info['host'])}"
    return Prepared(job, "", identity, name, _line(sentence), fingerprint.identity(info["host"]))


def read(stage: Path, archives: Sequence[Path]) -> tuple[dict[str, Any], str]:
    """Check all that was unpacked into `stage`: what its `run.json` says, and its content id."""
    from pipeline.collection import validation

    info = validation.run_json(stage)
    bundle = Bundle(stage, info)
    lines = validation.journal_lines(bundle)
    validation.archives(archives, lines)
    identity = content_id.content_id(bundle)
    for experiment in [] if known(identity) else sorted({line["experiment"] for line in lines if "trial" in line}):
        validation.raw_files(bundle, lines, experiment)
    return info, identity


def ingested(stage: Path, info: Mapping[str, Any], name: str) -> None:
    """Make of what was checked a bundle called `name`, and write the tables of all its trials: memory holds the
    journal, a raw file, and a row group of each table."""
    from pipeline.catalogue import catalogue
    from pipeline.collection import validation
    from pipeline.ingest import ingest

    (stage / untrusted_tar.README).unlink(missing_ok=True)
    validation.renamed(stage, info, name)
    bundle = Bundle.open(stage.name)
    for experiment in sorted(journal.experiments(bundle.journal())):
        ingest.written(bundle, catalogue.experiment(experiment))


def _line(text: str) -> str:
    """A text as a line that can be read: on one line, and not longer than LONGEST."""
    told = " ".join(text.split())
    return told if len(told) <= LONGEST else f"{told[: LONGEST - 1]}…"
