"""The file that a parcel is: a shell that begins it, the program that unpacks it, and a tar in pieces of xz.

The same contents make the same bytes. The pieces are compressed, and unpacked, side by side; one after the other they
are one file of xz to whoever else unpacks it.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import tarfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pipeline.host import cpus
from pipeline.parcel import scripts, unpacking

PIECE = 8 << 20  # bytes of the tar that are compressed together
PRESET = 1  # a fifth larger than with 6, in an eighth of the time
TIME = 1767225600  # of all files: 2026-01-01, as in the jar
EXECUTABLE = scripts.COMMANDS


def tar(files: Mapping[str, Path | bytes]) -> bytes:
    """Files as a tar, in the order of their names, without owners and times."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(files):
            content = files[name]
            member = tarfile.TarInfo(name)
            member.mtime, member.mode = TIME, 0o755 if _runs(name, content) else 0o644
            if isinstance(content, Path) and content.is_symlink():
                member.type, member.linkname = tarfile.SYMTYPE, str(content.readlink())
                archive.addfile(member)
                continue
            held = content if isinstance(content, bytes) else content.read_bytes()
            member.size = len(held)
            archive.addfile(member, io.BytesIO(held))
    return out.getvalue()


def _runs(name: str, content: Path | bytes) -> bool:
    return name in EXECUTABLE if isinstance(content, bytes) else bool(content.stat().st_mode & 0o100)


def _pieces(content: bytes) -> Iterator[memoryview]:
    whole = memoryview(content)
    return (whole[at : at + PIECE] for at in range(0, len(whole), PIECE))


def write(files: Mapping[str, Path | bytes], about: Mapping[str, Any], path: Path | None, folder: Path) -> Path:
    """Write a parcel to `path`, else into `folder` by the name of its sum; where it is."""
    content = tar(files)
    with ThreadPoolExecutor(len(cpus.usable())) as pool:
        packed = list(pool.map(lambda piece: lzma.compress(piece, preset=PRESET), _pieces(content)))
    about = {**about, "bytes": sum(map(_on_disk, files.values())), "pieces": [*map(len, packed)]}
    program = _program(about)
    rest = scripts.head("0" * 64, len(program)).split(b"\n", 2)[2]
    total = hashlib.sha256()
    for piece in (rest, program, *packed):
        total.update(piece)
    path = path or folder / f"lab-{total.hexdigest()[:12]}.run"
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as out:
        for piece in (scripts.head(total.hexdigest(), len(program)), program, *packed):
            out.write(piece)
    part.chmod(0o755)
    return part.replace(path)


def _program(about: Mapping[str, Any]) -> bytes:
    """What unpacks it: the text of `unpacking`, and its call with what is in the parcel."""
    source = Path(unpacking.__file__).read_text(encoding="utf-8")
    told = json.dumps(about, sort_keys=True)
    # The arguments of the shell's line: name, sum, where the program begins and how long it is, then the user's words.
    call = "begin(sys.argv[1], int(sys.argv[3]) + int(sys.argv[4]), json.loads(ABOUT), sys.argv[2], sys.argv[5:])"
    return f"{source}\n\nABOUT = {told!r}\n{call}\n".encode()


def _on_disk(content: Path | bytes) -> int:
    """The bytes that a file takes of a disk, in blocks of 4 KiB."""
    size = len(content) if isinstance(content, bytes) else content.lstat().st_size
    return (size + 4095) // 4096 * 4096
