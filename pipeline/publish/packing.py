"""Packing an experiment's raw files so that a clone stays quick, and proving that they read back.

`pipeline.bundle.packed` says what lies in such an archive and reads it.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import re
import tarfile
from collections.abc import Collection, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from pipeline.bundle.packed import (
    AT,
    COLUMNS,
    COUNTERS,
    MANIFEST,
    PAYLOAD_HOLE,
    WITHHELD,
    beside,
    fill_payloads,
    fill_times,
    times,
    unpack,
)
from pipeline.ground.errors import LabError
from pipeline.hdr import log
from pipeline.hdr.coarse import coarse
from pipeline.hdr.encode import plain
from pipeline.hdr.v2 import HEADER, PayloadError, unwrap
from pipeline.ingest import trial_buckets
from pipeline.publish.archived_logs import READ

# In counters and in digits the byte before tells more than the position: most context for it, none for alignment.
XZ = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]
PAYLOAD = re.compile(r"(?<=[, ])HIST[\w+/=]+(?=[ \t\r]*$)", re.M | re.A)
TIMES = re.compile(rf"^(Tag=[^,\n]*,|)([\d.]+,[\d.]+)(?=,[\d.]+,\{{(?:\d+|{WITHHELD})\}}[ \t\r]*$)", re.M | re.A)
COLUMN = re.compile(rf'"({"|".join(COLUMNS)})": \[(\d+(?:,\d+)*)\]', re.A)
INT64_DIGITS = 18
UNREAD = tuple(
    f"{phase}/*" for phase in trial_buckets.LEFT_OUT
)  # what nothing that is drawn or judged reads, in any experiment


def pack(
    files: dict[str, bytes],
    path: Path,
    evidence: Collection[str] = (),
    without: Collection[str] = (),
    parts: Mapping[str, str] | None = None,
    altered: Collection[str] = (),
    dictionary: int | None = None,
    coarse: bool = False,
) -> None:
    """Write the archive of one experiment; the same files make the same bytes.

    evidence: names of the compilation logs that stay whole. without: globs of `phase/series` or `trial/phase/series`
    whose histograms are withheld, beside those of warm-up and of iterations in which something was compiled. parts:
    file -> part of its trial, which is in front of its series. altered: names of files that are not as they were
    measured, so that the journal's checksum is of others. dictionary: bytes that whoever unpacks needs (None: as the
    preset has it). coarse: whether values of histograms are kept to `pipeline.hdr.coarse.BITS` bits. LabError when a
    file does not read back as it should.
    """
    packing = _Packing(files, without, parts or {}, altered, coarse)
    for name in sorted(files, key=by_kind):
        if name.endswith(".hlog"):
            packing.histograms(name)
        elif name.endswith(".json"):
            packing.columns(name)
        elif name.endswith(tuple(READ)) and name not in evidence:
            packing.compilations(name)
        else:
            packing.whole(name)
    write(packing.members(), path, dictionary)
    restored, checksums = unpack(path)
    for name, content in files.items():
        if _sha256(restored.get(name, b"")) != checksums.get(name, _sha256(content)):
            raise _refused(name)


def by_kind(name: str) -> tuple:
    """Sorts files of one kind side by side, because they resemble each other."""
    return name.split(".")[-2:], name


def write(members: dict[str, bytes], path: Path, dictionary: int | None = None) -> None:
    """A solid archive, without times and owners."""
    filters = XZ if dictionary is None else [{**XZ[0], "dict_size": dictionary}]
    with (
        lzma.open(path, "wb", filters=filters) as out,
        tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


class _Packing:
    """Collects the members of one archive."""

    def __init__(
        self,
        files: dict[str, bytes],
        without: Collection[str],
        parts: Mapping[str, str],
        altered: Collection[str],
        coarse: bool,
    ) -> None:
        self.files, self.without, self.parts, self.altered = files, [*UNREAD, *without], parts, altered
        self.coarse = coarse
        self.kept, self.manifest = {}, {}
        self.header, self.counters = b"", []
        self.numbers: dict[str, list[np.ndarray]] = {column: [] for column in COLUMNS}

    def members(self) -> dict[str, bytes]:
        manifest = json.dumps({"header": self.header.hex(), "files": self.manifest}, indent=0, sort_keys=True)
        numbers = {column: _planes(parts) for column, parts in self.numbers.items()}
        return {MANIFEST: manifest.encode(), **self.kept, COUNTERS: b"".join(self.counters), **numbers}

    def whole(self, name: str, content: bytes | None = None) -> None:
        kept = self.files[name] if content is None else content
        if name in self.altered:
            self._changed(name, kept, self.files[name], "reduced")
        else:
            self.kept[name], self.manifest[name] = kept, {"is": "whole"}

    def histograms(self, name: str) -> None:
        """A log that this version cannot read, or whose header differs from that of the others, stays whole."""
        try:
            text = self.files[name].decode()
            original = log.parse_log(self.files[name], name)
            payloads = [unwrap(found[0]) for found in PAYLOAD.finditer(text)]
        except (UnicodeDecodeError, LabError, PayloadError):
            return self.whole(name)
        headers = {_header(payload) for payload in payloads} | ({self.header} if self.header else set())
        if len(headers) != 1 or len(payloads) != len(original.records) or PAYLOAD_HOLE.search(text):
            return self.whole(name)
        if self.coarse:
            original = replace(original, records=[replace(one, counts=coarse(one.counts)) for one in original.records])
            payloads = [plain(record.counts) for record in original.records]
        told = self._told(name)
        withheld = self._withheld(name, told, [record.tag for record in original.records])
        counters = [b"" if out else payload[HEADER.size :] for payload, out in zip(payloads, withheld, strict=True)]
        holes = iter([WITHHELD if out else str(len(one)) for one, out in zip(counters, withheld, strict=True)])
        kept, timed = _without_times(PAYLOAD.sub(lambda _: f"{{{next(holes)}}}", text), told)
        (self.header,) = headers
        filled = fill_times(kept, self.files[beside(name)]) if timed else kept
        restored = fill_payloads(filled, self.header, io.BytesIO(b"".join(counters)))
        if not _same_histograms(original, log.parse_log(restored, name), withheld):
            raise _refused(name)
        self.counters += counters
        word = "reduced" if any(withheld) or name in self.altered else "recoded"
        self._changed(name, kept, restored, "coarse" if self.coarse else word)

    def _told(self, name: str) -> dict:
        """What the JSON beside a log says, empty where it cannot be read: it has a row for each line."""
        try:
            told = json.loads(self.files[beside(name)])
            return told if len(told["iterations"]["phase"]) else {}
        except (ValueError, LookupError, TypeError):
            return {}

    def _withheld(self, name: str, told: dict, tags: list[str]) -> list[bool]:
        """Which of a log's histograms no reader needs."""
        phases = told["iterations"]["phase"] if told else []
        if len(phases) != len(tags):
            return [False] * len(tags)
        trial, part = Path(name).name.partition(".")[0], f"{self.parts[name]}." if self.parts.get(name) else ""
        each = (f"/{trial}/{phase}/{part}{tag}" for phase, tag in zip(phases, tags, strict=True))
        return [any(fnmatchcase(one, f"*/{pattern}") for pattern in self.without) for one in each]

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
        parsed, read = next(READ[kind] for kind in READ if name.endswith(kind))
        kept = read(text)
        if list(parsed(kept)) != list(parsed(text)):
            raise _refused(name)
        self._changed(name, kept.encode(), kept.encode(), "reduced")

    def _changed(self, name: str, kept: bytes, restored: bytes, word: str) -> None:
        self.kept[name] = kept
        self.manifest[name] = {"is": word, "sha256": _sha256(restored)}


def _without_times(text: str, told: dict) -> tuple[bytes, bool]:
    """A log's text without the times of its lines, and whether they went: all that the JSON has too, or none."""
    try:
        each = times(told)
    except (LookupError, TypeError, ValueError):
        return text.encode(), False
    if AT in text or [found[2] for found in TIMES.finditer(text)] != each:
        return text.encode(), False
    return TIMES.sub(lambda found: found[1] + AT, text).encode(), True


def _header(payload: bytes) -> bytes:
    """A plain payload's header without its own length."""
    return payload[:4] + bytes(4) + payload[8 : HEADER.size]


def _same_histograms(original: log.Log, restored: log.Log, withheld: list[bool]) -> bool:
    def same(a: log.Record, b: log.Record, out: bool) -> bool:
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


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _refused(name: str) -> LabError:
    return LabError(f"{name} would not read back from the archive as it is; nothing was archived", 4)
