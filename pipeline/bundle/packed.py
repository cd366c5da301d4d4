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

A recoded or reduced file has a checksum of its own in the manifest; the journal's is that of the original. What makes
such archives is `pipeline.publish.packing`.
"""

from __future__ import annotations

import base64
import io
import json
import lzma
import re
import struct
import tarfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

MANIFEST, COUNTERS = "packed.json", "counters"
COLUMNS = ("start_ns", "elapsed_ns", "operations")
WITHHELD = "withheld"
AT = "{at}"
DAMAGE = (tarfile.TarError, lzma.LZMAError, EOFError, OSError, ValueError, LookupError, TypeError, AttributeError)

PAYLOAD_HOLE = re.compile(rf"\{{(\d+|{WITHHELD})\}}(?=[ \t\r]*$)", re.M | re.A)
COLUMN_HOLE = re.compile(rf'"({"|".join(COLUMNS)})": \{{(\d+)\}}', re.A)


def unpack(path: Path) -> tuple[dict[str, bytes], dict[str, str]]:
    """The files of an archive, holes filled, and the checksums of those that are not the bytes that were written.

    Raises one of DAMAGE when the archive is not what `pipeline.publish.packing` made.
    """
    with tarfile.open(path, "r:xz") as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
    if MANIFEST not in files:
        return files, {}
    told = json.loads(files.pop(MANIFEST))
    header, manifest = bytes.fromhex(told["header"]), told["files"]
    counters = io.BytesIO(files.pop(COUNTERS))
    columns = {column: _Numbers(files.pop(column)) for column in COLUMNS}
    if files.keys() != manifest.keys():
        raise ValueError("the manifest names other files")
    for name in (name for name in files if name.endswith(".json")):
        files[name] = _fill_columns(files[name], columns)
    for name in (name for name in files if name.endswith(".hlog") and manifest[name]["is"] != "whole"):
        kept = fill_times(files[name], files[beside(name)]) if AT.encode() in files[name] else files[name]
        files[name] = fill_payloads(kept, header, counters)
    return files, {name: about["sha256"] for name, about in manifest.items() if about["is"] != "whole"}


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

    each = zip(rows["start_ns"], rows["elapsed_ns"], strict=True)
    return [f"{seconds(passed(a))},{seconds(passed(a + took) - passed(a))}" for a, took in each]


def fill_times(kept: bytes, told: bytes) -> bytes:
    each: Iterable[str] = iter(times(json.loads(told)))
    return re.sub(re.escape(AT), lambda _: next(each), kept.decode()).encode()


def fill_payloads(kept: bytes, header: bytes, counters: io.BytesIO) -> bytes:
    def payload(hole: re.Match) -> str:
        length = 0 if hole[1] == WITHHELD else int(hole[1])
        content = header[:4] + struct.pack(">i", length) + header[8:] + counters.read(length)
        return base64.b64encode(content).decode()

    return PAYLOAD_HOLE.sub(payload, kept.decode()).encode()


class _Numbers:
    """The lists of numbers of `_planes`, one after the other."""

    def __init__(self, planes: bytes) -> None:
        words = np.frombuffer(planes, np.uint8).reshape(8, -1).T.copy().view("<u8").ravel()
        self.steps, self.at = (words >> np.uint64(1)).astype(np.int64) ^ -(words & np.uint64(1)).astype(np.int64), 0

    def take(self, length: int) -> list[int]:
        self.at += length
        return self.steps[self.at - length : self.at].cumsum().tolist()


def _fill_columns(kept: bytes, columns: dict[str, _Numbers]) -> bytes:
    def numbers(hole: re.Match) -> str:
        return f'"{hole[1]}": [{",".join(map(str, columns[hole[1]].take(int(hole[2]))))}]'

    try:
        return COLUMN_HOLE.sub(numbers, kept.decode()).encode()
    except UnicodeDecodeError:
        return kept
