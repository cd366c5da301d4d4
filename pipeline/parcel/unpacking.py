"""What a parcel does as a file, before anything of it is unpacked: this text is in it, and runs alone.

Its sum has been compared by now. It says what is in it, or unpacks itself next to itself, once, and hands on to what is
unpacked (`pipeline.parcel.host`).
"""

from __future__ import annotations

import io
import json
import os
import platform
import shutil
import sys
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HELP = """The Mechanical Sympathy Lab in one file: it measures where nothing can be installed.

  sh {name} measure --profile quick [--experiments a,b] [--run NAME]
        measures here, or goes on after Ctrl-C, and writes RUN.lab: take it home, then `lab import RUN.lab`
  sh {name} doctor      what this host has and lacks, and what is not measured then
  sh {name} check       compares the file's sum, and says what is in it

It unpacks itself once into {folder}/ next to itself, and writes nowhere else; there ./measure
and ./doctor do the same. It needs Linux on {architecture}, Python 3.9 or later, and no root.
PYTHON names another Python, LAB_JDKS=home:home other JDKs, LAB_IO_DIR another folder for files.

Exit status: 0 done; 1 an experiment could not be measured, the rest is; 2 a wrong argument, or a
run of another parcel; 4 the parcel is damaged; 5 the host lacks something (its architecture, Python,
room on the disk, a folder from which programs may run); 130 interrupted, the same command continues."""
DAMAGED, LACKING = 4, 5
MB = 1 << 20
SPARE = 64 * MB  # for a run


class Refused(Exception):
    """Why it goes no further, in one line, and the exit status."""

    def __init__(self, why: str, status: int = LACKING) -> None:
        super().__init__(why)
        self.status = status


def folder_of(file: Path, total: str) -> Path:
    """Where a parcel is unpacked."""
    return file.with_name(f"lab-{total[:12]}")


def contents(about: dict, file: Path, total: str) -> str:
    """What is in it, in words."""
    jdks = [f"{name} {one['build'] or one['version']} ({one['vendor']})" for name, one in about["jdks"].items()]
    held = ", ".join(jdks) or "no JDK: it takes the host's"
    made = f"of revision {about['git'] or 'unknown'}, for Linux on {about['architecture']}"
    return f"{file.name} is whole: sha256 {total} of all after its second line; {made}; {held}"


def check_host(about: dict, folder: Path) -> None:
    """Refused where it cannot run, or be unpacked, here."""
    here = platform.machine() if sys.platform == "linux" else sys.platform
    if here != about["architecture"]:
        raise Refused(f"this parcel is for Linux on {about['architecture']}, and this host is {here}; make one there")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"{folder} cannot be written to; copy the parcel to a folder of yours")
    seen = os.statvfs(folder)
    if seen.f_flag & os.ST_NOEXEC:
        raise Refused(f"{folder} is mounted noexec: no program may run from there; copy the parcel to another folder")
    free, needed = seen.f_bavail * seen.f_frsize, about["bytes"] + SPARE
    if free < needed:
        has = f"{folder} has {free // MB} MB free, and {needed // MB} MB are needed"
        raise Refused(f"{has}; free some, or copy the parcel to another disk")


class Joined:
    """Pieces, one after the other, as a file that is read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._piece = pieces, io.BytesIO()

    def read(self, size: int) -> bytes:
        """So many bytes; fewer at the end."""
        found = self._piece.read(size)
        while len(found) < size and (piece := next(self._pieces, b"")):
            self._piece = io.BytesIO(piece)
            found += self._piece.read(size - len(found))
        return found


def unpack(file: Path, at: int, about: dict, total: str) -> Path:
    """The folder of what is in it, unpacked there unless it is; whole or not at all."""
    folder = folder_of(file, total)
    if folder.is_dir():
        return folder
    check_host(about, folder.parent)
    try:
        import lzma
    except ImportError:
        raise Refused(f"{sys.executable} comes without lzma; name another with PYTHON (Debian: python3)") from None
    part = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        part.mkdir()
        with file.open("rb") as packed:
            packed.seek(at)
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                pieces = pool.map(lzma.decompress, [packed.read(size) for size in about["pieces"]])
                with tarfile.open(fileobj=Joined(pieces), mode="r|") as archive:
                    archive.extraction_filter = lambda member, path: member  # its sum says whose it is
                    archive.extractall(part)
        (part / "parcel.json").write_text(json.dumps({**about, "sum": total}, indent=1) + "\n", encoding="utf-8")
        try:
            part.rename(folder)
        except OSError:  # another process was as fast
            if not folder.is_dir():
                raise
        return folder
    finally:
        shutil.rmtree(part, ignore_errors=True)


def begin(name: str, at: int, about: dict, total: str, words: list[str]) -> None:
    """Do what the words of a command line say; ends the process."""
    file = Path(name).absolute()
    try:
        if not words or words[0] in ("-h", "--help", "help"):
            folder = folder_of(file, total).name
            print(HELP.format(name=file.name, folder=folder, architecture=about["architecture"]))
        elif words[0] == "check":
            print(contents(about, file, total))
        elif words[0] not in ("measure", "doctor", "fleet"):
            raise Refused(f"{words[0]!r} is nothing that a parcel does; see: sh {file.name} --help", 2)
        else:
            folder = unpack(file, at, about, total)
            os.execv(sys.executable, [sys.executable, "-E", "-s", "-S", "-B", str(folder / "parcel.py"), *words])
    except Refused as error:
        print(f"lab: {error}", file=sys.stderr)
        sys.exit(error.status)
    except OSError as error:
        print(f"lab: {error}", file=sys.stderr)
        sys.exit(LACKING)
    except KeyboardInterrupt:
        print("lab: interrupted; the same command continues", file=sys.stderr)
        sys.exit(130)
