"""archive: make a run the committed reference, packed; checksums stay those of the unpacked bytes."""

from __future__ import annotations

import json
import lzma
import shutil
from pathlib import Path

from pipeline import paths
from pipeline.bundle import PACKED, Bundle, write_durably
from pipeline.verify import RUN

LIMIT_BYTES = 15_000_000


def archive(run: str) -> tuple[Path, int]:
    """Replace data/reference by a packed copy of a run; returns its folder and its size in bytes.

    The same run packs to the same bytes. Raises LabError when the run is missing or one of its files was changed.
    """
    source = Bundle.open(run)
    journal = source.journal()
    target = paths.bundle(RUN)
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    for line in journal:
        for name, sha256 in line.get("files", {}).items():
            _pack(source.verified(name, sha256), part / name)
    _pack((source.folder / "journal.jsonl").read_bytes(), part / "journal.jsonl")
    info = source.info | {"name": RUN, "measured_as": source.name}
    write_durably(part / "run.json", json.dumps(info, indent=1, sort_keys=True) + "\n")
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)
    return target, sum(file.stat().st_size for file in target.rglob("*") if file.is_file())


def _pack(content: bytes, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name(path.name + PACKED).write_bytes(lzma.compress(content, preset=9))
