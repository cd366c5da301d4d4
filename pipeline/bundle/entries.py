"""Which experiments a run is of: those of the catalogue, or the one that an imported run brings with it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pipeline.bundle import run_file
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.catalogue.declared import plain
from pipeline.catalogue.entry import Experiment
from pipeline.ground import paths
from pipeline.ground.errors import LabError

FILE = "entry.json"


def of(bundle: Bundle) -> dict[str, Experiment]:
    """The experiments that a run may hold, by name. LabError where its own entry is missing or was changed."""
    if not own(bundle):
        return catalogue.load()
    try:
        content = (bundle.folder / FILE).read_bytes()
        if hashlib.sha256(content).hexdigest() != bundle.info["entry"]:
            raise LabError(f"run {bundle.name!r}: {FILE} was changed after the run (checksum); restore it", 4)
        entry = _checked(content)
    except (OSError, ValueError, KeyError, RecursionError):
        raise LabError(f"run {bundle.name!r}: {FILE} is missing or damaged; import its files again", 4) from None
    return {entry.name: entry}


def bring(entry: Experiment, folder: Path) -> str:
    """Put the entry that a run brings with it into the folder of its bundle; the SHA-256 for `entry` of run.json."""
    content = (json.dumps(plain(entry, with_defaults=False), indent=1, ensure_ascii=False) + "\n").encode()
    (folder / FILE).write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def _checked(content: bytes) -> Experiment:
    from pipeline.catalogue import check  # pydantic, which no run of the catalogue's experiments needs

    return check.experiment(json.loads(content))


def own(bundle: Bundle) -> bool:
    """Whether the run was imported: its files are somebody else's, and its host was not seen."""
    return bundle.info.get("kind") == run_file.OWN


def experiment(name: str, run: str) -> Experiment:
    """An experiment of a run; of one that is not there yet, of the catalogue. LabError lists the known names."""
    if not (paths.bundle(run) / "run.json").exists():
        return catalogue.experiment(name)
    bundle = Bundle.open(run)
    if not own(bundle):
        return catalogue.experiment(name)
    entries = of(bundle)
    if name not in entries:
        raise LabError(f"run {run!r} holds no experiment {name!r}; it holds: {', '.join(entries)}")
    return entries[name]
