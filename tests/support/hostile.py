"""Files that pretend to be shared runs."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tarfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import shared

Members = Iterable[tuple[tarfile.TarInfo, bytes]]


def plain(name: str, content: bytes = b"x") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    return member, content


def of_type(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member, b""


def tar(members: Members, how: int = tarfile.USTAR_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=how) as archive:
        for member, content in members:
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def of(members: Mapping[str, bytes]) -> bytes:
    return gzip.compress(tar(plain(name, content) for name, content in members.items()), 1, mtime=0)


def changed(**others: bytes) -> bytes:
    """The toy's file with members replaced; `run_json` stands for run.json, a tar.xz for its inner files."""
    return of({**shared.parcel().members, **others})


def inner(members: Members) -> bytes:
    return lzma.compress(tar(members, tarfile.PAX_FORMAT), preset=1)


def journal(change) -> bytes:
    """The toy's journal, packed, its lines changed by a function of the list of objects."""
    lines = journal_lines()
    change(lines)
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    return inner([plain("journal.jsonl", text.encode())])


def journal_lines() -> list[dict]:
    with tarfile.open(fileobj=io.BytesIO(shared.parcel().members["journal.jsonl.tar.xz"]), mode="r:xz") as archive:
        return [json.loads(line) for line in archive.extractfile("journal.jsonl").read().splitlines()]


def raw(experiment: str) -> dict[str, bytes]:
    """The inner members of an experiment's archive."""
    with tarfile.open(fileobj=io.BytesIO(shared.parcel().members[f"{experiment}.tar.xz"]), mode="r:xz") as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


def gzip_bomb(size: int) -> bytes:
    """A gzip stream of a tar whose first member declares `size` zeros, and has them: a thousandth of it in size."""
    head = plain("README.txt", b"")[0]
    head.size = size
    made, out = zlib.compressobj(9, zlib.DEFLATED, 31), []
    out.append(made.compress(head.tobuf(tarfile.GNU_FORMAT)))
    block = bytes(1 << 20)
    for _ in range(size >> 20):
        out.append(made.compress(block))
    return b"".join([*out, made.flush()])


def xz_bomb(size: int) -> bytes:
    """An archive of an experiment whose first member has `size` zeros."""
    head = plain("counters", b"")[0]
    head.size = size
    made, out = lzma.LZMACompressor(preset=0), []
    out.append(made.compress(head.tobuf(tarfile.GNU_FORMAT)))
    block = bytes(1 << 20)
    for _ in range(size >> 20):
        out.append(made.compress(block))
    return b"".join([*out, made.flush()])


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def of_large_dictionary(size: int) -> bytes:
    """An archive that takes `size` bytes of memory to unpack."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": size}]
    return lzma.compress(tar([plain("packed.json")]), filters=filters)
