"""A shared file of as many histograms as are asked for.

It holds an experiment of the archived run, many times over: copies have blocks and names of trials of their own, and
all else as it was measured. It is written as `lab share` does, but for how hard it is packed.
"""

from __future__ import annotations

import json
import lzma
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import hostile
import numpy as np

from pipeline.bundle import journal, packed
from pipeline.bundle.bundle import Bundle
from pipeline.collection import redaction, share
from pipeline.ground import paths

EXPERIMENT = "lock_scaling"
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": share.DICTIONARY}]


def write(file: Path, histograms: int) -> int:
    """Write a file of at least so many histograms; how many they are."""
    source = Bundle.open(paths.REFERENCE)
    with tarfile.open(source.packed(EXPERIMENT, source.folder), "r:xz") as archive:
        kept = {member.name: archive.extractfile(member).read() for member in archive}
    of_one = len(kept[packed.COLUMNS[0]]) // 8
    copies = -(-histograms // of_one)
    info = redaction.of_run(source.info) | {"shared": {"licence": share.LICENCE, "label": f"{copies} copies"}}
    lines = [one for one in source.journal() if one.get("experiment") == EXPERIMENT]
    members = {
        share.RUN: json.dumps(info).encode(),
        f"{journal.FILE}.tar.xz": _archive({journal.FILE: b"".join(_journal(lines, copies))}),
        f"{EXPERIMENT}.tar.xz": _archive(_members(kept, copies)),
    }
    file.write_bytes(hostile.of(members))
    return of_one * copies


def _name(name: str, copy: int) -> str:
    """A trial's name, or that of a file of it, of a copy."""
    trial, dot, suffix = name.partition(".")
    return f"{trial}-{copy}{dot}{suffix}"


def _journal(lines: list[dict], copies: int) -> Iterator[bytes]:
    blocks = 1 + max(line["block"] for line in lines if "trial" in line)
    for copy in range(copies):
        for line in lines:
            if "trial" in line:
                files = {_name(name, copy): sha for name, sha in line["files"].items()}
                own = {"trial": _name(line["trial"], copy), "block": line["block"] + copy * blocks, "files": files}
                yield json.dumps(line | own).encode() + b"\n"
            elif not copy:
                yield json.dumps(line).encode() + b"\n"


def _members(kept: Mapping[str, bytes], copies: int) -> dict[str, bytes]:
    told = json.loads(kept[packed.MANIFEST])
    raw = [name for name in kept if name.startswith("raw/")]
    files = {_name(name, copy): about for copy in range(copies) for name, about in told["files"].items()}
    members = {packed.MANIFEST: json.dumps(told | {"files": files}).encode()}
    members |= {_name(name, copy): kept[name] for copy in range(copies) for name in raw}
    members[packed.COUNTERS] = kept[packed.COUNTERS] * copies
    for column in packed.COLUMNS:
        planes = np.frombuffer(kept[column], np.uint8).reshape(8, -1)
        members[column] = np.tile(planes, copies).tobytes()
    return members


def _archive(members: Mapping[str, bytes]) -> bytes:
    content = hostile.tar((hostile.plain(*one) for one in members.items()), tarfile.PAX_FORMAT)
    return lzma.compress(content, filters=FILTERS)
