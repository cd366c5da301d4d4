"""Reads HdrHistogram interval logs: format 1.x or no version line, tagged or not, payloads of V0 to V2 and doubles.

A log is read a few hundred lines at a time, whatever its size. The numbers are those of the Java library
(HistogramLogReader, Histogram). Differences, all towards losing nothing in silence: every tag is read unless one is
asked for (Java's processor reads untagged lines only), blank lines are skipped and intervals out of order are kept
(Java stops there), a damaged line is an error, and so is a second head, by which Java would shift what follows.
The C library writes under the legend "EndTimestamp" when an interval ended (`hdr_log_write`), or how long it was
(`hdr_log_write_entry`), as old Java writers did: where every second field lies behind the first it is an end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pipeline.ground.errors import LabError
from pipeline.hdr import encodings, lines
from pipeline.hdr.counts import Counts, Several
from pipeline.hdr.lines import Fields
from pipeline.hdr.v2 import PayloadError, decode_plain, decode_together

YEAR_S = 365 * 24 * 3600.0
BATCH, BATCH_BYTES = 256, 1 << 18  # lines, and bytes of their counters, that are decoded at once
HEAD_LINES = 100  # comments that are kept: who wrote the log
Batch = list[tuple[str, bytes | Counts, tuple]]  # of each line: where it is, its plain payload, what it says


@dataclass(frozen=True, eq=False)
class Record:
    """One interval: start in seconds after the log's start, length in seconds, max as the line says (its unit is the
    writer's: milliseconds by Java's default, as recorded by the C library's), counts of the recorded values. tag is
    None on an untagged line; line: its number in the file."""

    tag: str | None
    start: float
    length: float
    max: float
    counts: Counts
    line: int = 0


class Reader:
    """The records of a log, one by one, each time it is iterated; memory holds a few hundred at most.

    source: its lines, anew at each call. name: what errors call it. tag, start, end: as of `read_log`. lenient: a last
    line that is damaged and has no line end, as a kill leaves it, is dropped and told in `notes`; else it is an error.
    `start_time`, `base_time`, `comments` (the head's) and `notes` are complete when the last record was.
    """

    def __init__(
        self,
        source: Callable[[], Iterator[bytes]],
        name: str,
        tag: str | None = None,
        start: float | None = None,
        end: float | None = None,
        lenient: bool = False,
    ) -> None:
        self._source, self.name, self._tag, self._lenient = source, name, tag, lenient
        self._first, self._last = _range(start, end)
        self._asked = f"tag {tag!r}, start {start}, end {end}"
        self.start_time: float | None = None
        self.base_time = 0.0
        self.comments: list[str] = []
        self.notes: list[str] = []

    @classmethod
    def of(cls, path: str | Path, **how) -> Reader:
        """The reader of a file, unpacked where it is packed."""
        return cls(partial(lines.of_file, Path(path)), str(path), **how)

    def __iter__(self) -> Iterator[Record]:
        """LabError as of `batches`."""
        for batch in self.batches():
            yield from records(batch)

    def batches(self) -> Iterator[Batch]:
        """Lines that may be decoded at once.

        LabError, one line with file, line and what to do, when the log cannot be read or nothing is selected."""
        self.start_time, self.base_time, self.comments, self.notes = None, 0.0, [], []
        intervals, chosen, tags = 0, 0, {}
        batch: Batch = []
        size = 0
        for number, told, offset in self._intervals():
            intervals += 1
            tags[told.tag] = None
            if (self._tag is not None and (told.tag or "") != self._tag) or not self._first <= offset <= self._last:
                continue
            where = f"{self.name}:{number}"
            if (payload := self._unwrapped(told, where, number, alone=intervals == 1)) is None:
                intervals -= 1
                break
            batch.append((where, payload, (told.tag, offset, told.second, told.max, number)))
            size += 24 * len(payload.low) if isinstance(payload, Counts) else len(payload)
            chosen += 1
            if len(batch) == BATCH or size >= BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch
        if not intervals:
            raise LabError(f"{self.name}: holds no histogram line; give a log written by an HdrHistogram log writer")
        if not chosen:
            known = ", ".join(repr(one or "")[:40] for one in [*tags][:20])
            none = f"none of its {intervals} intervals is selected by {self._asked}; its tags are {known}"
            raise LabError(f"{self.name}: {none}")

    def _intervals(self) -> Iterator[tuple[int, Fields, float]]:
        """(number of the line, its fields with a length as second, seconds after the log's start)."""
        origin, base, ends = None, None, None
        any_text = False
        for number, line, whole in self._lines():
            where = f"{self.name}:{number}"
            any_text = any_text or bool(line)
            if line.startswith("#"):
                kind, seconds = lines.comment(line, where)
                if kind and ends is not None:
                    raise LabError(f"{where}: a second head; these are two logs joined, split them there")
                if kind == "StartTime":
                    self.start_time = origin = seconds
                elif kind == "BaseTime":
                    base = seconds
                if len(self.comments) < HEAD_LINES:
                    self.comments.append(line[1:].strip("[] "))
                continue
            if not line:
                continue
            if line.startswith(lines.LEGENDS):
                self._with_ends = lines.ENDS in line
                continue
            try:
                told = lines.fields(line, where)
            except LabError:
                if whole or not self._lenient or ends is None:
                    raise
                self.notes.append(_cut(number))
                return
            if ends is None:
                ends = self._with_ends and self._behind()
            origin = told.timestamp if origin is None else origin
            if base is None:
                # A timestamp more than a year before the start cannot be absolute (the Java reader's rule).
                base = origin if told.timestamp < origin - YEAR_S else 0.0
            self.base_time = base
            self._whole = whole
            if ends:
                told = told._replace(second=told.second - told.timestamp)
            yield number, told, told.timestamp + base - origin
        if not any_text:
            raise LabError(f"{self.name}: the file is empty; give a histogram log")

    def _lines(self) -> Iterator[tuple[int, str, bool]]:
        """(number, text, whether it has its line end) of each line."""
        self._with_ends = False
        for number, line in enumerate(self._source(), 1):
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            yield number, lines.text_of(line, f"{self.name}:{number}"), line.endswith(b"\n")

    def _behind(self) -> bool:
        """Whether the second field of every interval lies behind the first, as no length of a long log does."""
        for number, line in enumerate(self._source(), 1):
            if line.startswith((b"#", b'"')) or not line.strip():
                continue
            try:
                told = lines.fields(lines.text_of(line, f"{self.name}:{number}"), f"{self.name}:{number}")
            except LabError:
                return True  # the damaged line is told where it is read
            if told.second <= told.timestamp:
                return False
        return True

    def _unwrapped(self, told: Fields, where: str, number: int, alone: bool) -> bytes | Counts | None:
        """The plain payload of V2, counts of another encoding; None for the damaged one of a line
        that was cut, unless it is the only one."""
        try:
            return encodings.opened(told.payload)
        except PayloadError as error:
            if self._lenient and not self._whole and not alone:
                self.notes.append(_cut(number))
                return None
            raise _damaged(where, error) from None


def together(batch: Batch) -> Several | None:
    """The buckets of all of a batch, where they are of one layout and nothing is unusual about one of them."""
    plain = [payload for _, payload, _ in batch if not isinstance(payload, Counts)]
    return decode_together(plain) if len(plain) == len(batch) else None


def records(batch: Batch) -> Iterator[Record]:
    """The records of a batch; LabError names the line whose payload is damaged."""
    found = together(batch)
    several = found.each if found else None
    for at, (where, payload, (*about, line)) in enumerate(batch):
        try:
            if isinstance(payload, Counts):
                counts = payload
            else:
                counts = decode_plain(payload) if several is None else several[at]
        except PayloadError as error:
            raise _damaged(where, error) from None
        yield Record(*about, counts, line)


def _damaged(where: str, error: PayloadError) -> LabError:
    return LabError(f"{where}: {error}; copy the log again or remove the line")


def _cut(number: int) -> str:
    return f"line {number}, the last, is cut short, as when a writer is killed; it is left out"


def _range(start: float | None, end: float | None) -> tuple[float, float]:
    first = -math.inf if start is None else float(start)
    last = math.inf if end is None else float(end)
    for option, value in (("--start", first), ("--end", last)):
        if math.isnan(value):
            raise LabError(f"{option}: not a number; give seconds after the log's start")
    if first > last:
        raise LabError(f"--start {start:g} is after --end {end:g}; give an earlier start")
    return first, last
