"""An experiment's raw files in one archive, `<experiment>.tar.xz`: how they are kept there and read back.

Most of a run is histogram logs. Their payloads are compressed one by one and written as base64, which hides from xz
how much they resemble each other. Here the counters of all logs lie in one member and the text of each log keeps a
hole, `{bytes of counters}`, for every payload; the long columns of the harness's JSON likewise, as differences. The
times of a log's lines are those of the rows of its JSON, in whole milliseconds: `{at}`. Reading fills the holes. A word
in the manifest says what a reader of a file gets:

whole    the bytes as they were written: the journal's checksum holds.
recoded  a histogram log with plain payloads (`HISTE...`) in the place of compressed ones; all else is as it was.
reduced  the same with the histograms of warm-up iterations empty; or a log of compilations or machine code with only
         what `pipeline.ingest` reads of it.

coarse   recoded or reduced, and the values of its histograms are kept to eight bits (`pipeline.hdr.coarse`).

A recoded, reduced or coarse file has a checksum of its own in the manifest; the journal's is that of the original. What
makes such archives is `pipeline.publish.packing`.
"""

from __future__ import annotations

import base64
import itertools
import json
import lzma
import re
import struct
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from pipeline.bundle.spool import Spool
from pipeline.ground.columns import rows as rows_of

MANIFEST, COUNTERS = "packed.json", "counters"
COLUMNS = ("start_ns", "elapsed_ns", "operations")
WITHHELD = "withheld"
AT = "{at}"
DAMAGE = (tarfile.TarError, lzma.LZMAError, EOFError, OSError, ValueError, LookupError, TypeError, AttributeError)

PAYLOAD_HOLE = re.compile(rf"\{{(\d+|{WITHHELD})\}}(?=[ \t\r]*$)", re.M | re.A)
COLUMN_HOLE = re.compile(rf'"({"|".join(COLUMNS)})": \{{(\d+)\}}', re.A)


def unpack(path: Path) -> tuple[Mapping[str, bytes], dict[str, str]]:
    """The files of an archive, holes filled, and the checksums of those that are not the bytes that were written.
    Memory holds no more than one file, and the columns.

    Raises one of DAMAGE when the archive is not what `pipeline.publish.packing` made, and as `Held`.
    """
    kept = Spool()
    with tarfile.open(path, "r:xz") as archive:
        for member in archive:
            archive.members = []  # else it would remember each
            if member.isfile():
                kept.put(member.name, archive.extractfile(member).read())
    if MANIFEST not in kept:
        return kept, {}
    told = json.loads(kept[MANIFEST])
    header, manifest = bytes.fromhex(told["header"]), told["files"]
    if kept.keys() - {MANIFEST, COUNTERS, *COLUMNS} != manifest.keys():
        raise ValueError("the manifest names other files")
    columns = {column: _Numbers(kept[column]) for column in COLUMNS}
    counters, files, at = _Counters(kept), Spool(), list(kept)
    for name in (name for name in at if name.endswith(".json") and name in manifest):
        files.put(name, _fill_columns(kept[name], columns))
    for name in (name for name in at if not name.endswith(".json") and name in manifest):
        content = kept[name]
        if name.endswith(".hlog") and manifest[name]["is"] != "whole":
            content = fill_times(content, files[beside(name)]) if AT.encode() in content else content
            content = fill_payloads(content, header, counters)
        files.put(name, content)
    return files, {name: about["sha256"] for name, about in manifest.items() if about["is"] != "whole"}


class _Counters:
    """The counters of all logs, one after the other."""

    def __init__(self, kept: Spool) -> None:
        self.kept, self.at = kept, 0
        kept.part(COUNTERS, 0, 0)  # LookupError where there are none

    def read(self, size: int) -> bytes:
        self.at += size
        return self.kept.part(COUNTERS, self.at - size, size)


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def beside(name: str) -> str:
    """The JSON that the harness wrote beside a log."""
    return name.removesuffix(".hlog") + ".json"


def times(told: dict) -> list[str]:
    """Start and length of each line of a log as the harnesses write them, of the rows of the JSON beside it."""
    rows, clock = told["iterations"], told["clock"]

    def passed(ns: int) -> int:
        return clock["epoch_ms"] + (ns - clock["monotonic_ns"]) // 1_000_000

    def seconds(ms: int) -> str:
        return f"{ms // 1000}.{ms % 1000:03d}"

    each = rows_of(rows["start_ns"], rows["elapsed_ns"])
    return [f"{seconds(passed(a))},{seconds(passed(a + took) - passed(a))}" for a, took in each]


def fill_times(kept: bytes, told: bytes) -> bytes:
    each: Iterable[str] = iter(times(json.loads(told)))
    return re.sub(re.escape(AT), lambda _: next(each), kept.decode()).encode()


def fill_payloads(kept: bytes, header: bytes, counters: Readable) -> bytes:
    def payload(hole: re.Match) -> str:
        length = 0 if hole[1] == WITHHELD else int(hole[1])
        content = header[:4] + struct.pack(">i", length) + header[8:] + counters.read(length)
        return base64.b64encode(content).decode()

    return PAYLOAD_HOLE.sub(payload, kept.decode()).encode()


class _Numbers:
    """The lists of numbers of `_planes`, one after the other."""

    def __init__(self, planes: bytes) -> None:
        if len(planes) % 8:
            raise ValueError("these are no planes of numbers")
        size = len(planes) // 8
        self.planes, self.at = [memoryview(planes)[at * size : (at + 1) * size] for at in range(8)], 0

    def take(self, length: int) -> list[int]:
        """So many numbers: differences from the one before, their sign in the lowest bit."""
        self.at += length
        parts = [plane[self.at - length : self.at] for plane in self.planes]
        mixed = bytearray(8 * len(parts[0]))
        for at, part in enumerate(parts):
            mixed[at::8] = part
        words = struct.unpack(f"<{len(parts[0])}Q", mixed)
        return list(itertools.accumulate((word >> 1) ^ -(word & 1) for word in words))


def _fill_columns(kept: bytes, columns: dict[str, _Numbers]) -> bytes:
    def numbers(hole: re.Match) -> str:
        return f'"{hole[1]}": [{",".join(map(str, columns[hole[1]].take(int(hole[2]))))}]'

    try:
        return COLUMN_HOLE.sub(numbers, kept.decode()).encode()
    except UnicodeDecodeError:
        return kept
