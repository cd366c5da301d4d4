"""archive: make a run the committed reference, packed; checksums stay those of the unpacked bytes."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from pathlib import Path

from pipeline import durable, paths
from pipeline.bundle import journal as journals
from pipeline.bundle.bundle import Bundle

LIMIT_BYTES = 25_000_000  # 2.5 MB for each of ten experiments: a clone must stay quick


def archive(run: str) -> tuple[Path, int]:
    """Replace data/reference by a packed copy of a run; returns its folder and its size in bytes.

    The same run packs to the same bytes. Raises LabError when the run is missing or one of its files was changed.
    """
    source = Bundle.open(run)
    journal = source.journal()
    target = paths.bundle(paths.REFERENCE)
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    contents: dict[str, dict[str, bytes]] = {}
    for line in journal:
        files = {name: source.verified(name, sha256) for name, sha256 in line.get("files", {}).items()}
        contents.setdefault(line["experiment"], {}).update(files)
    for experiment, files in contents.items():
        _pack(files, source.packed(experiment, part))
    _pack({journals.FILE: (source.folder / journals.FILE).read_bytes()}, source.packed(journals.FILE, part))
    info = source.info | {"name": paths.REFERENCE, "measured_as": source.name}
    durable.write(part / "run.json", json.dumps(info, indent=1, sort_keys=True) + "\n")
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)
    return target, sum(file.stat().st_size for file in target.rglob("*") if file.is_file())


def _pack(files: dict[str, bytes], path: Path) -> None:
    """A solid archive: files of one kind lie side by side, because they resemble each other. No times, no owners."""
    with tarfile.open(path, "w:xz", preset=9, format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files, key=lambda name: (name.split(".")[-2:], name)):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            archive.addfile(member, io.BytesIO(files[name]))
