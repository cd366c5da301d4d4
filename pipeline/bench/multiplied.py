"""A shared file of as many histograms as are asked for, and how much memory its import takes.

It holds an experiment of the archived run, many times over: copies have blocks and names of trials of their own, and
all else as it was measured. It is written as `lab share` does, but for how hard it is packed.
"""

from __future__ import annotations

import io
import json
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from pipeline.bench import archived, resident
from pipeline.bench.interleave import Result
from pipeline.bundle import journal, packed
from pipeline.bundle.bundle import Bundle
from pipeline.collection import opened, prepared, share, summary, telling
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.words.numbers import number, quantity

EXPERIMENT = archived.chosen().histograms
CHILD = "import sys; from pipeline.bench import multiplied; multiplied.tell(*sys.argv[1:])"
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": share.DICTIONARY}]


def compare(result: Result, work: Path, step: Callable[[str, int, int], None], few: int, many: int) -> None:
    """Import a shared file of `few` and one of `many` histograms, each in a process of its own; fills `result`. Once:
    what a process needs varies by some MB."""
    work.mkdir(parents=True, exist_ok=True)
    peaks = []
    for at, wanted in enumerate((few, many)):
        step(f"shared file, {wanted:,} histograms", at, 2)
        told = import_apart(work, wanted)
        peaks.append(told["peak_bytes"])
        result.raw.append({"name": "shared file", "round": 0, **told})
    told = f"{quantity(peaks[1], 'bytes')} at most, {number(peaks[1] / peaks[0])} times that of {few:,}"
    result.left_out.append(f"Import of a shared file of {many:,} histograms: {told}.")


def import_apart(work: Path, histograms: int) -> dict[str, float]:
    """What a process of its own tells of checking, ingesting and summarising a shared file of at least so many
    histograms below `work`: `histograms`, `cpu_s` and `peak_bytes`, the most that was resident."""
    folder = work / f"of{histograms}"
    folder.mkdir()
    held = write(folder / "given.tgz", histograms)
    env = os.environ | {"LAB_RUNS": str(folder / "runs"), "LAB_BUILD": str(folder / "build")}
    argv = [sys.executable, "-c", CHILD, str(folder / "given.tgz")]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=paths.ROOT, env=env)
    shutil.rmtree(folder)
    if ran.returncode:
        raise LabError(f"bench: import of a shared file failed: {(ran.stderr.strip().splitlines() or ['?'])[-1]}", 4)
    return {"histograms": held, **json.loads(ran.stdout)}


def tell(file: str) -> None:
    """Check, ingest and summarise a shared file as an import does, and print as JSON what `import_apart` reads."""
    stage = paths.runs() / f"{prepared.STAGED}0"
    stage.mkdir(parents=True)
    info, _ = prepared.read(stage, opened.unpack(Path(file), stage))
    prepared.ingested(stage, info, "given")
    summary.write(stage.name, stage / prepared.SUMMARY)
    print(json.dumps({"cpu_s": time.process_time(), "peak_bytes": resident.peak()}))


def write(file: Path, histograms: int) -> int:
    """Write a file of at least so many histograms; how many they are."""
    source = Bundle.open(paths.REFERENCE)
    with tarfile.open(source.packed(EXPERIMENT, source.folder), "r:xz") as archive:
        kept = {member.name: archive.extractfile(member).read() for member in archive}
    of_one = len(kept[packed.COLUMNS[0]]) // 8
    copies = -(-histograms // of_one)
    info = telling.of_run(source.info) | {"shared": {"licence": share.LICENCE, "label": f"{copies} copies"}}
    lines = [one for one in source.journal() if one.get("experiment") == EXPERIMENT]
    with tarfile.open(file, "w:gz", compresslevel=1, format=tarfile.USTAR_FORMAT) as out:
        for name, content in (
            (share.RUN, json.dumps(info).encode()),
            (f"{journal.FILE}.tar.xz", _archive({journal.FILE: b"".join(_journal(lines, copies))})),
            (f"{EXPERIMENT}.tar.xz", _archive(_members(kept, copies))),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            out.addfile(member, io.BytesIO(content))
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
    out = io.BytesIO()
    with lzma.open(out, "wb", filters=FILTERS) as content:
        with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, one in members.items():
                member = tarfile.TarInfo(name)
                member.size = len(one)
                archive.addfile(member, io.BytesIO(one))
    return out.getvalue()
