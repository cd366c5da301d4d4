"""Opening a file that nobody trusts: a tar of a few plain files, read piece by piece, each size counted before its use.

Standard library alone, and no `tarfile`, which reads what a header declares into memory and knows links, devices and
sparse files. Here a header is 512 bytes, a member is a plain file with a known name, and the first thing that is not so
ends it with `Refused`. Whatever is in a file, reading it takes a few MB of memory: a decompressor may use MEMORY bytes,
and a stream that grows by more than RATIO is no run's.
"""

from __future__ import annotations

import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pipeline.ground.errors import LabError

MB = 1 << 20
FILE = 200 * MB  # of what is imported
TOTAL = 2048 * MB  # of all that is unpacked
ARCHIVE = 256 * MB  # of what is unpacked of one archive, for an experiment is read into memory
MEMORY = 24 * MB  # of a decompressor: `lab share` packs with a dictionary of 16 MiB
RATIO, SLACK = 400, 8 * MB  # real archives unpack to 5 to 60 times their size
MEMBERS = 50_000  # of an archive
BLOCK, CHUNK = 512, 1 << 16
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


class Refused(LabError):
    """A file that is not what `lab share` writes, with the reason in one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, 4)


@dataclass(frozen=True)
class Member:
    name: str
    size: int


def begins_like_one(head: bytes) -> bool:
    """Whether the first kilobyte of a file may be that of a shared run: a gzip or xz stream, or a tar of its names."""
    if head[:2] == b"\x1f\x8b" or head[:6] == b"\xfd7zXZ\0":
        try:
            head = next(_grown(iter([head]), _decoder(head)), b"")
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
        stream = _Stream(file, FILE)
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
        stream = _Stream(file, limit)
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


class _Stream:
    """The bytes of a file, unpacked where it is packed, in pieces; Refused when there are more than `limit`."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        head = file.read(6)
        file.seek(0)
        self.count, self.limit = 0, limit
        self._chunks = _grown(iter(lambda: file.read(CHUNK), b""), _decoder(head))
        self._held = b""

    def pieces(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes; what pads them to whole blocks is passed over."""
        yield from self._exactly(size)
        for _ in self._exactly(-size % BLOCK):
            pass

    def _exactly(self, size: int) -> Iterator[bytes]:
        while size:
            piece = self.some(size)
            if not piece:
                raise Refused("cut short; copy the file again")
            size -= len(piece)
            yield piece

    def some(self, most: int) -> bytes:
        """The next bytes, at least one and at most so many; none at the end."""
        if not self._held:
            self._held = next(self._chunks, b"")
            self.count += len(self._held)
            if self.count > self.limit:
                raise Refused(f"unpacks to more than {self.limit // MB} MB, which no run does")
        piece, self._held = self._held[:most], self._held[most:]
        return piece


def _decoder(head: bytes) -> Callable[[], object] | None:
    if head[:2] == b"\x1f\x8b":
        return lambda: zlib.decompressobj(31)
    if head[:6] == b"\xfd7zXZ\0":
        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)
    return None


def _grown(chunks: Iterator[bytes], decoder: Callable[[], object] | None) -> Iterator[bytes]:
    """Chunks, unpacked in pieces of at most CHUNK bytes; Refused when they grow as no run does."""
    if decoder is None:
        yield from chunks
        return
    made, taken, given = decoder(), 0, 0
    try:
        for chunk in chunks:
            taken += len(chunk)
            if made.eof:
                raise Refused("holds more than one stream")
            while not made.eof:
                piece = made.decompress(chunk, CHUNK)
                given += len(piece)
                if given > SLACK + RATIO * taken:
                    raise Refused(f"unpacks to more than {RATIO} times its size, which no run does")
                if piece:
                    yield piece
                chunk = made.unconsumed_tail if hasattr(made, "unconsumed_tail") else b""
                if not chunk and getattr(made, "needs_input", len(piece) < CHUNK):
                    break
            if made.eof and made.unused_data:
                raise Refused("holds more than one stream")
    except (lzma.LZMAError, zlib.error, EOFError) as error:
        reason = "needs more memory to unpack than a shared run" if "emory" in str(error) else "is damaged"
        raise Refused(f"{reason} ({error}); copy the file again or share the run again") from None
    if not made.eof:
        raise Refused("cut short; copy the file again")


def _members(stream: _Stream, limit_of: Callable[[str], int]) -> Iterator[Member]:
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
        if kind not in (b"0", b"\0"):
            raise Refused(f"holds {name[:100]!r}, which is no plain file (a link, a folder, a device or a sparse file)")
        member = Member(longer or name, size)
        longer = ""
        if size > (most := limit_of(member.name)):
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


def _ended(stream: _Stream) -> None:
    """Behind the last member there is nothing but zeros, and few of them."""
    for _ in range(2 * 20):
        piece = stream.some(BLOCK)
        if not piece:
            return
        if piece.strip(b"\0"):
            break
    raise Refused("holds something behind its last file")
