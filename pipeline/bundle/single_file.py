"""A run as a single file, `<run>.lab`, as it was measured: what a parcel and `lab share --whole` write, for another
machine of one's own. `lab import` takes it as any shared run, and checks every byte of it.

A tar of `run.json`, the packed journal and an archive for each experiment, in which every raw file lies as it is.
"""

from __future__ import annotations

import io
import json
import lzma
import os
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from pipeline.bundle import content_id, journal
from pipeline.bundle.bundle import Bundle
from pipeline.ground.errors import LabError

SUFFIX = ".lab"
# Histogram logs are compressed by who wrote them: more effort makes them hardly smaller, and a host waits for it.
PRESET = 1


def write(bundle: Bundle, path: Path) -> Path:
    """Write what a run holds by now; `path`. LabError where it holds no trial, or one of its files was changed."""
    lines = bundle.journal()
    if not journal.trials(lines):
        raise LabError(f"run {bundle.name!r} holds no trial yet; measure it")
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as out:
                told = {**bundle.info, "shared": {"of": content_id.content_id(bundle)}}
                _add(out, "run.json", io.BytesIO((json.dumps(told, indent=1, sort_keys=True) + "\n").encode()))
                content = bundle.read_raw(journal.FILE)
                _pack(out, f"{journal.FILE}.tar.xz", [(journal.FILE, content[: content.rfind(b"\n") + 1])], path.parent)
                for name in sorted(journal.experiments(lines)):
                    if sums := _sums(lines, name):
                        files = ((one, _as_measured(bundle, one, sha)) for one, sha in sums.items())
                        _pack(out, f"{name}.tar.xz", files, path.parent)
            file.flush()
            os.fsync(file.fileno())
        return part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _sums(lines: list[dict], experiment: str) -> dict[str, str]:
    return {name: sha for line in journal.trials(lines, experiment) for name, sha in line.get("files", {}).items()}


def _as_measured(bundle: Bundle, name: str, sha: str) -> bytes:
    content = bundle.verified(name, sha)
    if bundle.recoded(name):
        raise LabError(f"run {bundle.name!r} was archived, and its files are not as they were measured; lab share it")
    return content


def _pack(out: tarfile.TarFile, name: str, files: Iterable[tuple[str, bytes]], scratch: Path) -> None:
    """An archive of files as they are; memory holds one of them."""
    with tempfile.TemporaryFile(dir=scratch) as packed:
        with lzma.open(packed, "wb", preset=PRESET) as stream:
            with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
                for one, content in files:
                    _add(archive, one, io.BytesIO(content))
        packed.seek(0)
        _add(out, name, packed)


def _add(archive: tarfile.TarFile, name: str, content: BinaryIO) -> None:
    member = tarfile.TarInfo(name)
    member.size = content.seek(0, os.SEEK_END)
    content.seek(0)
    archive.addfile(member, content)
