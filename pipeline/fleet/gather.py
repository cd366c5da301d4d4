"""What a host measured comes home: the file compared with its sum, every raw file in it with the journal.

A host's run is taken over as a whole or not at all: it is put together beside the runs, and one rename shows it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.bundle import content_id, journal, run_file
from pipeline.bundle.bundle import Bundle
from pipeline.collection import staging, untrusted_tar, validation
from pipeline.collection.stream import Refused
from pipeline.ground import digest, durable, paths
from pipeline.ground.errors import LabError

DAMAGED = 4
RUN = "run.json"


class Damaged(LabError):
    """What arrived is not what was measured."""

    def __init__(self, message: str) -> None:
        super().__init__(message, DAMAGED)


def here(run: str, identity: str) -> bool:
    """Whether all that has this content id was gathered before."""
    return (paths.bundle(run) / RUN).exists() and content_id.content_id(Bundle.open(run)) == identity


def arriving(run: str) -> Path:
    """Where the file of a run is written while it arrives."""
    paths.runs().mkdir(parents=True, exist_ok=True)
    return paths.runs() / f".arriving-{run}.lab"


def take(run: str, file: Path, sha256: str) -> bool:
    """Put what a file holds in the place of what was gathered of the run before; whether the file is whole, which is
    gone then. Damaged where it holds something else than a run, or one that goes back behind what is here."""
    stage, old = (paths.runs() / f".{what}-{run}" for what in ("staged", "left"))
    try:
        if digest.large(file) != sha256:
            return False
        staging.away(stage, old)
        stage.mkdir()
        try:
            bundle = _read(stage, untrusted_tar.unpack(file, stage))
        except Refused as reason:
            raise Damaged(f"what it sent {reason}") from None
        content = bundle.read_raw(journal.FILE)
        _goes_on(run, content)
        # A run like any other, which goes on there: its journal lies open, and it was not shared.
        (stage / journal.FILE).write_bytes(content)
        Bundle.packed(journal.FILE, stage).unlink()
        told = {name: value for name, value in bundle.info.items() if name != "shared"}
        durable.write(stage / RUN, json.dumps(told, indent=1, sort_keys=True) + "\n")
        if paths.bundle(run).exists():
            paths.bundle(run).rename(old)
        stage.rename(paths.bundle(run))
        return True
    finally:
        file.unlink(missing_ok=True)
        for left in (stage, old):
            shutil.rmtree(left, ignore_errors=True)


def _read(stage: Path, archives: Sequence[Path]) -> Bundle:
    """What was unpacked, compared with its sums. Refused, or LabError, where it is no run of this version."""
    info = json.loads((stage / RUN).read_text(encoding="utf-8"))
    if wrong := run_file.problem(info):
        raise Refused(f"has a {RUN} that is damaged ({wrong})")
    bundle = Bundle(stage, info)
    lines = validation.journal_lines(bundle)
    validation.archives(archives, lines)
    for experiment in sorted(journal.experiments(lines)):
        validation.raw_files(bundle, lines, experiment)
    return bundle


def _goes_on(run: str, content: bytes) -> None:
    before = paths.bundle(run) / journal.FILE
    if before.exists() and not content.startswith(before.read_bytes()):
        raise Damaged(f"run {run!r} here is another one than on its host; move {before.parent} away")


def remember(file: Path, told: Mapping[str, Any]) -> None:
    """Write what is known of a fleet's hosts."""
    file.parent.mkdir(parents=True, exist_ok=True)
    durable.write(file, json.dumps(told, indent=1, sort_keys=True) + "\n")


def remembered(file: Path) -> dict[str, Any]:
    """What was known of a fleet's hosts; LabError when the file is damaged, empty where there is none."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        return {"hosts": dict(told["hosts"]), **{key: told[key] for key in ("name", "profile")}}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError):
        raise LabError(f"{file} is damaged; remove it, and run the fleet again") from None
