"""A cache of the catalogue as it was checked, until one of its files or the code that checks them changes, so that a
command neither reads YAML nor loads what checks it. In a parcel it stands in the place of the YAML."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Mapping
from pathlib import Path

from pipeline.catalogue.entry import Experiment
from pipeline.ground import digest, paths
from pipeline.ground.errors import LabError

FILE = "catalogue.checked"  # a stamp, a line feed, the entries
PROTOCOL = 4  # which Python 3.9 reads


def stamp(folder: Path) -> str:
    """What a checked catalogue depends on: the files of its folder, and the code of the room."""
    entries, claims = sorted(folder.glob("*.yaml")), sorted(folder.glob("claims/*.yaml"))
    return digest.files([*digest.code("catalogue"), *entries, *claims], str(len(entries)))


def write(folder: Path, entries: Mapping[str, Experiment], known_by: str) -> None:
    """Put checked entries, and the stamp that they are known by, into a folder; OSError where it cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{FILE}.{os.getpid()}.part"
    part.write_bytes(known_by.encode() + b"\n" + pickle.dumps(dict(entries), PROTOCOL))
    part.replace(folder / FILE)


def keep(entries: Mapping[str, Experiment], known_by: str) -> None:
    """Keep what was checked for the next command, where that can be written."""
    with contextlib.suppress(OSError):
        write(paths.build(), entries, known_by)


def kept(known_by: str) -> dict[str, Experiment] | None:
    """What was checked last, where it is known by this stamp."""
    try:
        found, _, entries = (paths.build() / FILE).read_bytes().partition(b"\n")
        return pickle.loads(entries) if found == known_by.encode() else None
    except Exception:  # not there, or cut short, which shows in any way: it is made again
        return None


def handed_on(folder: Path) -> dict[str, Experiment] | None:
    """The entries of a folder that has a checked catalogue in the place of YAML; None where it has none, or YAML."""
    file = folder / FILE
    if not file.exists() or any(folder.glob("*.yaml")):
        return None
    try:
        return pickle.loads(file.read_bytes().partition(b"\n")[2])
    except Exception:
        raise LabError(f"{file} is damaged; unpack the parcel again") from None
