"""Interval logs of HdrHistogram: Java's and the C library's, cassandra-stress, YCSB, jHiccup, Aeron, scylla-bench."""

from __future__ import annotations

import re

from pipeline.foreign import units
from pipeline.foreign.files import File
from pipeline.foreign.names import shown
from pipeline.foreign.reading import EDITED, RATE, Format, Found, Options, Thing
from pipeline.ground.errors import LabError
from pipeline.hdr.counts import INT64_MAX, Counts
from pipeline.hdr.lines import MAX_LINE
from pipeline.hdr.merge import Sum, finer
from pipeline.hdr.percentiles import maximum
from pipeline.hdr.reader import Reader, Record
from pipeline.words.numbers import exact

LINE = re.compile(rb"(^|\n)[^\n]*[,\s]D?HIST[A-Za-z0-9+/=]{8,}")
SERIES = re.compile(r"Logging for: (.+?)\]?$")
ALL = "latency"  # the series of lines without a tag
RATIOS = tuple(10.0**power for power in range(10))  # by which a writer may have divided the maximum that it tells
ENOUGH = 3  # lines that agree before one that does not is a fault
# How cassandra-stress and YCSB call times from when an operation was meant to begin, and from when it did.
CORRECTED = (re.compile(r".*-(rt)$"), re.compile(r"Intended-.*"))


def recognises(head: bytes) -> bool:
    return LINE.search(head) is not None


def read(file: File, options: Options, found: Found) -> None:
    """A series for each tag; values in ns by the unit that the head, its writer or --unit tells."""
    reader = Reader(lambda: file.lines(MAX_LINE), file.name, start=options.start, end=options.end, lenient=True)
    ns, told, seconds, every = 0, _Maxima(file.name), 0.0, Sum()
    last: Record | None = None
    tags: dict[str, str | None] = {}
    samples, ratio = 0, None
    for record in reader:
        if not every.added and not ns:
            ns = _head(reader, file, options, found)
        if ratio is None:
            ratio = record.counts.ratio if record.counts.ratio == 1 else _finest(file, options)
        _once(file, record, last)
        last = record if record.tag is None else last
        told.agrees(record)
        if not ns:
            if (samples := samples + record.counts.total) > INT64_MAX:
                raise LabError(f"{file.name}:{record.line}: holds more values than can be counted; {EDITED}", 4)
            every.add(_as(record.counts, ratio, f"{file.name}:{record.line}"))
            seconds = max(seconds, record.start + record.length)
            continue
        name = _series(reader, record.tag)
        if not options.wants(name):
            continue
        if tags.setdefault(name, record.tag) != record.tag:
            found.note(f"{file.title}: several tags are called {name}, and were added up")
        where = f"{file.name}:{record.line}"
        if not units.fits(record.counts, ns):
            raise LabError(f"{where}: its values are beyond any time; is the unit right?")
        found.window(Thing(name), record.start, max(record.length, 0.0), _as(record.counts, ratio, where), where, ns)
    if not ns:
        raise units.unknown(file.name, every.total, seconds)
    found.begun = reader.start_time
    for note in [*reader.notes, *told.notes]:
        found.note(f"{file.title}: {note}")
    if not found.windows:
        raise LabError(f"{file.name}: none of its series is one of {', '.join(options.series)}; correct --series")
    for thing, windows in found.windows.items():
        length = sum(one.length for one in windows)
        if length > 0:
            found.value(thing, RATE, sum(one.counts.total for one in windows) / length)
        if any(pattern.fullmatch(thing.name) for pattern in CORRECTED):
            found.corrected.add(thing.name)


def _head(reader: Reader, file: File, options: Options, found: Found) -> int:
    """What the head tells; the ns of the unit, 0 where it is not known."""
    unit, how, writer = units.of_head(reader.comments)
    found.tool = writer or "HdrHistogram log"
    found.unit, found.unit_from = units.agreed(file.name, unit, how, options.unit)
    return units.FACTORS[found.unit] if found.unit else 0


def _finest(file: File, options: Options) -> float:
    """The least ratio of a log of DoubleHistograms, which adapts from line to line: of it all values are multiples."""
    reader = Reader(lambda: file.lines(MAX_LINE), file.name, start=options.start, end=options.end, lenient=True)
    return min(one.counts.ratio for one in reader)


def _as(counts: Counts, ratio: float, where: str) -> Counts:
    """The counts as multiples of the log's ratio; LabError where they have none in common."""
    if counts.ratio == ratio:
        return counts
    if counts.ratio < ratio:
        raise LabError(f"{where}: a DoubleHistogram after histograms of integers; split the log there")
    try:
        return finer(counts, ratio)
    except LabError as error:
        raise LabError(f"{where}: {error}", 4) from None


def _series(reader: Reader, tag: str | None) -> str:
    if tag:
        return shown(tag)
    named = (SERIES.search(line) for line in reader.comments)
    return next((shown(one[1]) for one in named if one), ALL)


def _once(file: File, record: Record, last: Record | None) -> None:
    """LabError for a second thing under no name: its histograms would be added up."""
    if record.tag is None and last is not None and (record.start, record.length) == (last.start, last.length):
        lines = f"{file.name}:{last.line},{record.line}"
        raise LabError(f"{lines}: two untagged histograms of one interval; use a writer with tags, or keep one")


class _Maxima:
    """The maximum that each line tells is that of its histogram over one ratio, the same on all lines."""

    def __init__(self, name: str) -> None:
        self._name, self._ratios, self._agreed, self.notes = name, list(RATIOS), 0, []

    def agrees(self, record: Record) -> None:
        """LabError (status 4) for a line that contradicts those before it."""
        if not self._ratios or not record.counts.total:
            return
        greatest = maximum(record.counts) * (1 if record.counts.ratio == 1 else record.counts.ratio)
        kept = [ratio for ratio in self._ratios if _alike(record, greatest, ratio)]
        if not kept and self._agreed >= ENOUGH:
            told, ours = record.max * self._ratios[0], greatest
            words = f"{self._name}:{record.line}: the line tells the maximum {exact(told)}, its histogram has {ours}"
            raise LabError(f"{words}; {EDITED}", 4)
        if not kept:
            self.notes = ["the maxima that its lines tell are in a unit of their own, and were not compared"]
        self._ratios, self._agreed = kept, self._agreed + 1


def _alike(record: Record, greatest: float, ratio: float) -> bool:
    """Whether a maximum with three places is the histogram's, anywhere in its last bucket."""
    width = int(record.counts.width[-1]) * record.counts.ratio
    half = 0.00051 * ratio
    return greatest - width - half <= record.max * ratio <= greatest + half + 1e-9 * greatest


FORMAT = Format("hlog", "HdrHistogram interval log", recognises, read)
