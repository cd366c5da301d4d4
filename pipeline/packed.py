"""An experiment's raw files in one archive, `<experiment>.tar.xz`: how they are kept there and read back.

Most of a run is histogram logs. Their payloads are compressed one by one and written as base64, which hides from xz
how much they resemble each other. Here the counters of all logs lie in one member and the text of each log keeps a
hole, `{bytes of counters}`, for every payload; the long columns of the harness's JSON likewise, as differences. Reading
fills the holes. A word in the manifest says what a reader of a file gets:

whole    the bytes as they were written: the journal's checksum holds.
recoded  a histogram log with plain payloads (`HISTE...`) in the place of compressed ones; all else is as it was.
reduced  the same with the histograms of warm-up iterations empty; or a compilation log with only those elements that
         `events.compilation` reads.

A recoded or reduced file has a checksum of its own in the manifest; the journal's is that of the original.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import lzma
import re
import struct
import tarfile
from collections.abc import Collection
from pathlib import Path

import numpy as np

from pipeline import events, hlog
from pipeline.errors import LabError
from pipeline.hdr_v2 import HEADER, PayloadError, unwrap

MANIFEST, COUNTERS = "packed.json", "counters"
COLUMNS = ("start_ns", "elapsed_ns", "operations")
WITHHELD = "withheld"
# In counters and in digits the byte before tells more than the position: most context for it, none for alignment.
XZ = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]
DAMAGE = (tarfile.TarError, lzma.LZMAError, EOFError, OSError, ValueError, LookupError, TypeError, AttributeError)

PAYLOAD = re.compile(r"(?<=[, ])HIST[\w+/=]+(?=[ \t\r]*$)", re.M | re.A)
PAYLOAD_HOLE = re.compile(rf"\{{(\d+|{WITHHELD})\}}(?=[ \t\r]*$)", re.M | re.A)
COLUMN = re.compile(rf'"({"|".join(COLUMNS)})": \[(\d+(?:,\d+)*)\]', re.A)
COLUMN_HOLE = re.compile(rf'"({"|".join(COLUMNS)})": \{{(\d+)\}}', re.A)
INT64_DIGITS = 18


def pack(files: dict[str, bytes], path: Path, evidence: Collection[str] = ()) -> None:
    """Write the archive of one experiment; the same files make the same bytes.

    evidence: names of the compilation logs that stay whole. LabError when a file does not read back as it should.
    """
    packing = _Packing(files)
    for name in sorted(files, key=by_kind):
        if name.endswith(".hlog"):
            packing.log(name)
        elif name.endswith(".json"):
            packing.columns(name)
        elif name.endswith(".compilation.log") and name not in evidence:
            packing.compilations(name)
        else:
            packing.whole(name)
    write(packing.members(), path)
    restored, checksums = unpack(path)
    for name, content in files.items():
        if _sha256(restored.get(name, b"")) != checksums.get(name, _sha256(content)):
            raise _refused(name)


def by_kind(name: str) -> tuple:
    """Sorts files of one kind side by side, because they resemble each other."""
    return name.split(".")[-2:], name


def write(members: dict[str, bytes], path: Path) -> None:
    """A solid archive, without times and owners."""
    with lzma.open(path, "wb", filters=XZ) as out, \
            tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:  # fmt: skip
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def unpack(path: Path) -> tuple[dict[str, bytes], dict[str, str]]:
    """The files of an archive, holes filled, and the checksums of those that are not the bytes that were written.

    Raises one of DAMAGE when the archive is not what `pack` or `write` made.
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
    for name, content in files.items():
        if name.endswith(".hlog") and manifest[name]["is"] != "whole":
            files[name] = _fill_payloads(content, header, counters)
        elif name.endswith(".json"):
            files[name] = _fill_columns(content, columns)
    return files, {name: about["sha256"] for name, about in manifest.items() if about["is"] != "whole"}


class _Packing:
    """Collects the members of one archive."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files, self.kept, self.manifest = files, {}, {}
        self.header, self.counters = b"", []
        self.numbers: dict[str, list[np.ndarray]] = {column: [] for column in COLUMNS}

    def members(self) -> dict[str, bytes]:
        manifest = json.dumps({"header": self.header.hex(), "files": self.manifest}, indent=0, sort_keys=True)
        numbers = {column: _planes(parts) for column, parts in self.numbers.items()}
        return {MANIFEST: manifest.encode(), **self.kept, COUNTERS: b"".join(self.counters), **numbers}

    def whole(self, name: str, content: bytes | None = None) -> None:
        self.kept[name] = self.files[name] if content is None else content
        self.manifest[name] = {"is": "whole"}

    def log(self, name: str) -> None:
        """A log that this version cannot read, or whose header differs from that of the others, stays whole."""
        try:
            text = self.files[name].decode()
            original = hlog.parse_log(self.files[name], name)
            payloads = [unwrap(found[0]) for found in PAYLOAD.finditer(text)]
        except (UnicodeDecodeError, LabError, PayloadError):
            return self.whole(name)
        headers = {_header(payload) for payload in payloads} | ({self.header} if self.header else set())
        if len(headers) != 1 or len(payloads) != len(original.records) or PAYLOAD_HOLE.search(text):
            return self.whole(name)
        withheld = self._warm_up(name, len(payloads))
        counters = [b"" if out else payload[HEADER.size :] for payload, out in zip(payloads, withheld, strict=True)]
        holes = iter([WITHHELD if out else str(len(one)) for one, out in zip(counters, withheld, strict=True)])
        kept = PAYLOAD.sub(lambda _: f"{{{next(holes)}}}", text).encode()
        (self.header,) = headers
        restored = _fill_payloads(kept, self.header, io.BytesIO(b"".join(counters)))
        if not _same_histograms(original, hlog.parse_log(restored, name), withheld):
            raise _refused(name)
        self.counters += counters
        self._changed(name, kept, restored, "reduced" if any(withheld) else "recoded")

    def _warm_up(self, name: str, length: int) -> list[bool]:
        """Which of a log's histograms are of warm-up iterations: the JSON beside it has a row for each."""
        try:
            phases = json.loads(self.files[name.removesuffix(".hlog") + ".json"])["iterations"]["phase"]
        except (ValueError, LookupError, TypeError):
            phases = []
        return [phase == "warmup" for phase in phases] if len(phases) == length else [False] * length

    def columns(self, name: str) -> None:
        """The bytes come back whole. Numbers that are not written as Python writes them stay where they are."""

        def hole(found: re.Match) -> str:
            words = found[2].split(",")
            if max(map(len, words)) > INT64_DIGITS or any(len(w) > 1 and w[0] == "0" for w in words):
                return found[0]
            self.numbers[found[1]].append(np.array(words, dtype=np.int64))
            return f'"{found[1]}": {{{len(words)}}}'

        try:
            self.whole(name, COLUMN.sub(hole, self.files[name].decode()).encode())
        except UnicodeDecodeError:
            self.whole(name)

    def compilations(self, name: str) -> None:
        text = self.files[name].decode("utf-8", errors="replace")
        kept = _what_is_read(text)
        if list(events.compilation(kept)) != list(events.compilation(text)):
            raise _refused(name)
        self._changed(name, kept.encode(), kept.encode(), "reduced")

    def _changed(self, name: str, kept: bytes, restored: bytes, word: str) -> None:
        self.kept[name] = kept
        self.manifest[name] = {"is": word, "sha256": _sha256(restored)}


def _header(payload: bytes) -> bytes:
    """A plain payload's header without its own length."""
    return payload[:4] + bytes(4) + payload[8 : HEADER.size]


def _fill_payloads(kept: bytes, header: bytes, counters: io.BytesIO) -> bytes:
    def payload(hole: re.Match) -> str:
        length = 0 if hole[1] == WITHHELD else int(hole[1])
        content = header[:4] + struct.pack(">i", length) + header[8:] + counters.read(length)
        return base64.b64encode(content).decode()

    return PAYLOAD_HOLE.sub(payload, kept.decode()).encode()


def _same_histograms(original: hlog.Log, restored: hlog.Log, withheld: list[bool]) -> bool:
    def same(a: hlog.Record, b: hlog.Record, out: bool) -> bool:
        if (a.tag, a.start, a.length, a.max) != (b.tag, b.start, b.length, b.max):
            return False
        if out:
            return not len(b.counts.count)
        one, two = a.counts, b.counts
        layout = (one.digits, one.lowest, one.highest) == (two.digits, two.lowest, two.highest)
        return layout and all(np.array_equal(getattr(one, k), getattr(two, k)) for k in ("low", "width", "count"))

    times = (original.start_time, original.base_time) == (restored.start_time, restored.base_time)
    return times and all(map(same, original.records, restored.records, withheld))


def _planes(parts: list[np.ndarray]) -> bytes:
    """Numbers as differences (each list's first from 0), zig-zag, all first bytes, then all second bytes, and so on."""
    steps = np.concatenate([np.diff(part, prepend=0) for part in parts] or [np.empty(0, np.int64)])
    return ((steps << 1) ^ (steps >> 63)).astype("<i8").view(np.uint8).reshape(-1, 8).T.tobytes()


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


def _what_is_read(text: str) -> str:
    """The elements of a compilation log that `events.compilation` reads, in their order."""
    kept = [found[0] for found in events.NMETHOD.finditer(text) if _top_tier(found[0])]
    for task in events.TASK.finditer(text):
        if _top_tier(task["attributes"]):
            parse = (found[0] for found in events.PARSE_TAGS.finditer(task["body"]))
            kept += [f"<task {task['attributes']}>", *parse, "</task>"]
    return "\n".join(kept) + "\n"


def _top_tier(tag: str) -> bool:
    return " level='" not in tag or " level='4'" in tag


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _refused(name: str) -> LabError:
    return LabError(f"{name} would not read back from the archive as it is; nothing was archived", 4)
