"""An untrusted file opened: a tar of a few plain files, read piece by piece, each size counted before its use.

Standard library alone, and no `tarfile`, which reads what a header declares into memory and knows links, devices and
sparse files. Here a header is 512 bytes, a member is a plain file with a known name, and the first thing that is not so
ends it with `Refused`. Whatever is in a file, reading it takes a few MB of memory (`pipeline.collection.stream`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.collection.stream import BLOCK, MB, Refused, Stream, decoder, grown

FILE = 200 * MB  # of what is imported
TOTAL = 2048 * MB  # of all that is unpacked
ARCHIVE = 256 * MB  # of what is unpacked of one archive, for an experiment is read into memory
MEMBERS = 50_000  # of an archive
PAX = 4096  # bytes of a header for a long name

RUN, README, JOURNAL = "run.json", "README.txt", "journal.jsonl"
OUTER = {RUN: MB // 4, README: MB // 4}
ARCHIVES = re.compile(r"(journal\.jsonl|[a-z][a-z0-9_]{0,59})\.tar\.xz", re.ASCII)
PACKED = {
    "packed.json": 16 * MB,
    "counters": 64 * MB,
    "start_ns": 64 * MB,
    "elapsed_ns": 64 * MB,
    "operations": 64 * MB,
}
RAW = re.compile(r"raw/([a-z][a-z0-9_]*)/(?!.*\.\.)[\w][\w=.,%+-]{0,199}\.(hlog|json|log)", re.ASCII)
RAW_LIMITS = {"hlog": 64 * MB, "log": 64 * MB, "json": 4 * MB}


@dataclass(frozen=True)
class Member:
    name: str
    size: int


def begins_like_one(head: bytes) -> bool:
    """Whether the first kilobyte of a file may be that of a shared run: a gzip or xz stream, or a tar of its names."""
    if head[:2] == b"\x1f\x8b" or head[:6] == b"\xfd7zXZ\0":
        try:
            head = next(grown(iter([head]), decoder(head)), b"")
        except Refused:
            return False
    name = head[:100].partition(b"\0")[0].decode("ascii", "replace")
    return head[257:262] == b"ustar" and (name in OUTER or ARCHIVES.fullmatch(name) is not None)


def unpack(path: Path, folder: Path) -> list[Path]:
    """Write the members of a shared file into an empty folder, and of every archive among them look at all its
    members; the paths of the archives. Refused when the file is anything else than `lab share` writes.

    Nothing is written but plain files of known names, each as long as its kind may be.
    """
    if path.stat().st_size > FILE:
        raise Refused(f"larger than {FILE // MB} MB; share fewer experiments")
    archives: list[Path] = []
    with path.open("rb") as file:
        stream = Stream(file, FILE)
        for member in _members(stream, _outer):
            target = folder / member.name
            if target.exists():
                raise Refused(f"holds {member.name} twice")
            with target.open("xb") as out:
                for piece in stream.pieces(member.size):
                    out.write(piece)
            if member.name.endswith(".tar.xz"):
                archives.append(target)
    if not (folder / RUN).exists() or not (folder / f"{JOURNAL}.tar.xz").exists():
        raise Refused(f"holds no {RUN} or no {JOURNAL}.tar.xz; give a file that lab share wrote")
    left = TOTAL
    for archive in archives:
        left -= _looked_through(archive, min(left, ARCHIVE))
    return archives


def _looked_through(archive: Path, limit: int) -> int:
    """Bytes that an archive unpacks to; Refused when a member of it is none that a packed experiment has."""
    experiment = archive.name.removesuffix(".tar.xz")
    names: set[str] = set()
    with archive.open("rb") as file:
        stream = Stream(file, limit)
        for member in _members(stream, lambda name: _inner(name, experiment)):
            if member.name in names:
                raise Refused(f"{archive.name} holds {member.name} twice")
            names.add(member.name)
            for _ in stream.pieces(member.size):
                pass
        return stream.count


def _outer(name: str) -> int:
    """The most bytes that a member of a shared file may have."""
    if ARCHIVES.fullmatch(name):
        return FILE
    if name in OUTER:
        return OUTER[name]
    if name == JOURNAL or name.partition("/")[0] == "raw":
        where = f"unpack it into data/runs/NAME, NAME as its {RUN} tells it"
        raise Refused(f"is no file of lab share but what is in the folder of a run; {where}")
    raise Refused(f"holds {name[:100]!r}, which no shared run has")


def _inner(name: str, experiment: str) -> int:
    """The most bytes that a member of an experiment's archive, or of the journal's, may have."""
    if experiment == JOURNAL and name == JOURNAL:
        return 64 * MB
    if experiment != JOURNAL and name in PACKED:
        return PACKED[name]
    found = RAW.fullmatch(name)
    if found and found[1] == experiment:
        return RAW_LIMITS[found[2]]
    raise Refused(f"{experiment}.tar.xz holds {name[:100]!r}, which no shared run has")


def _members(stream: Stream, limit_of: Callable[[str], int]) -> Iterator[Member]:
    """The members of a tar; whoever asks for the next has taken all `pieces` of the last."""
    longer = ""
    for _ in range(MEMBERS):
        header = b"".join(stream.pieces(BLOCK))
        if not header.strip(b"\0"):
            _ended(stream)
            return
        kind, name, size = _header(header)
        if kind == b"x" and not longer:
            if size > PAX:
                raise Refused("holds a name of more than 4,000 characters")
            longer = _long_name(b"".join(stream.pieces(size)))
            continue
        member = Member(longer or name, size)
        longer, most = "", limit_of(member.name)
        if kind not in (b"0", b"\0"):
            raise Refused(f"holds {name[:100]!r}, which is no plain file (a link, a folder, a device or a sparse file)")
        if size > most:
            raise Refused(f"{member.name} has {size:,} bytes; {most // MB or 1} MB are the most")
        yield member
    raise Refused(f"holds more than {MEMBERS:,} files")


def _header(header: bytes) -> tuple[bytes, str, int]:
    """Kind, name and size of a member."""
    told = _octal(header[148:156])
    if told != sum(header[:148]) + sum(header[156:]) + 8 * 32 or header[257:262] != b"ustar":
        raise Refused("is no tar that lab share wrote, or damaged")
    try:
        name, above = (header[at:to].partition(b"\0")[0].decode("ascii") for at, to in ((0, 100), (345, 500)))
    except UnicodeDecodeError:
        raise Refused("holds a name that is not ASCII") from None
    return header[156:157], f"{above}/{name}" if above else name, _octal(header[124:136])


def _octal(field: bytes) -> int:
    digits = field.strip(b" \0")
    if not re.fullmatch(rb"[0-7]{1,12}", digits):
        raise Refused("is no tar that lab share wrote, or damaged")
    return int(digits, 8)


def _long_name(content: bytes) -> str:
    """The name in an extended header that says nothing else."""
    try:
        length, _, record = content.decode("ascii").partition(" ")
        key, _, value = record.removesuffix("\n").partition("=")
    except UnicodeDecodeError:
        raise Refused("holds a name that is not ASCII") from None
    if length != str(len(content)) or key != "path" or not record.endswith("\n") or "\n" in value or not value:
        raise Refused("holds an extended header that says more than a name")
    return value


def _ended(stream: Stream) -> None:
    """Behind the last member there is nothing but zeros, and few of them."""
    for _ in range(2 * 20):
        piece = stream.some(BLOCK)
        if not piece:
            return
        if piece.strip(b"\0"):
            break
    raise Refused("holds something behind its last file")
