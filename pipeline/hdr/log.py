"""Reads HdrHistogram interval logs: format 1.2, 1.3 or no version line, tagged or not, V2 payloads.

The numbers are those of the Java library (HistogramLogReader, Histogram). Three differences, all towards losing
nothing in silence: every tag is read unless one is asked for (Java's processor reads untagged lines only), blank
lines are skipped and intervals out of order are kept (Java stops there), and a damaged line is an error.
"""

import gzip
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.ground.errors import LabError
from pipeline.hdr.percentiles import Counts, maximum, mean, merge, minimum, percentiles
from pipeline.hdr.v2 import PayloadError, decode_plain, decode_together, unwrap

PERCENTS = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99.9": 99.9, "p99.99": 99.99}
YEAR_S = 365 * 24 * 3600.0
MAX_BYTES = 1 << 30
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
TIME_COMMENT = re.compile(r"#\[(StartTime|BaseTime):[ ,]+([^ ,\]]*)")
VERSION_COMMENT = re.compile(r"#\[Histogram log format version ([^\]]*)\]")
LEGENDS = ('"StartTimestamp"', '"Timestamp"')


@dataclass(frozen=True, eq=False)
class Record:
    """One interval: start in seconds after the log's start, length in seconds, max as the line says (its unit is the
    writer's: milliseconds by Java's default), counts of the recorded values. tag is None on an untagged line."""

    tag: str | None
    start: float
    length: float
    max: float
    counts: Counts


@dataclass
class Log:
    """start_time: seconds since the epoch, None when the log does not say; base_time: seconds that were added to the
    timestamps of the lines; records in the order of the file."""

    start_time: float | None = None
    base_time: float = 0.0
    records: list[Record] = field(default_factory=list)


def read_log(path, tag: str | None = None, start: float | None = None, end: float | None = None) -> Log:
    """Read the log at `path` (gzip when its name ends in .gz).

    tag: only the lines with this tag; "" means the untagged lines; None means all.
    start, end: only intervals that start in [start, end], in seconds after the log's start, as HistogramLogProcessor's
    -start and -end. The log's start is its StartTime, or else its first timestamp.
    LabError, one line with file, line and what to do, when the file cannot be read or nothing is selected.
    """
    path = Path(path)
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise LabError(f"{path}: no such file; give the path of a histogram log") from None
    except IsADirectoryError:
        raise LabError(f"{path}: is a directory; give the path of a histogram log") from None
    except (gzip.BadGzipFile, EOFError, ValueError) as error:
        raise LabError(f"{path}: cannot be read as gzip ({error}); unpack or copy it again") from None
    except OSError as error:
        raise LabError(f"{path}: cannot be read ({error.strerror or error}); check its permissions") from None
    if len(data) > MAX_BYTES:
        raise LabError(f"{path}: larger than {MAX_BYTES >> 20} MiB; split the log by time")
    return parse_log(data, str(path), tag, start, end)


def parse_log(
    data: bytes, name: str, tag: str | None = None, start: float | None = None, end: float | None = None
) -> Log:
    """`read_log` of bytes already in memory; `name` is what errors call the file."""
    first, last = _range(start, end)
    if not data.strip():
        raise LabError(f"{name}: the file is empty; give a histogram log")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LabError(f"{name}:{line}: not UTF-8 text; give a histogram log (unpack it first if compressed)") from None

    log, origin, base = Log(), None, None
    intervals, tags, chosen = 0, {}, []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        where = f"{name}:{number}"
        if line.startswith("#"):
            kind, seconds = _comment(line, where)
            if kind == "StartTime":
                log.start_time = origin = seconds
            elif kind == "BaseTime":
                base = seconds
            continue
        if not line or line.startswith(LEGENDS):
            continue
        line_tag, timestamp, length, peak, payload = _fields(line, where)
        origin = timestamp if origin is None else origin
        if base is None:
            # A timestamp more than a year before the start cannot be absolute (the Java reader's rule).
            base = origin if timestamp < origin - YEAR_S else 0.0
        log.base_time = base
        intervals += 1
        tags[line_tag] = None
        offset = timestamp + base - origin
        if (tag is not None and (line_tag or "") != tag) or not first <= offset <= last:
            continue
        chosen.append((where, payload, (line_tag, offset, length, peak)))

    if not intervals:
        raise LabError(f"{name}: holds no histogram line; give a log written by an HdrHistogram log writer")
    log.records = [Record(*about, counts) for (*_, about), counts in zip(chosen, _decoded(chosen), strict=True)]
    if not log.records:
        known = ", ".join(repr(one or "") for one in tags)
        asked = f"tag {tag!r}, start {start}, end {end}"
        raise LabError(f"{name}: none of its {intervals} intervals is selected by {asked}; its tags are {known}")
    return log


def _decoded(chosen: list[tuple]) -> list[Counts]:
    """The counts of the lines (where, payload, ...); LabError names the line whose payload is damaged."""

    def each(decode: Callable, values: Iterable) -> list:
        found = []
        for (where, *_), value in zip(chosen, values, strict=True):
            try:
                found.append(decode(value))
            except PayloadError as error:
                raise LabError(f"{where}: {error}; copy the log again or remove the line") from None
        return found

    payloads = each(unwrap, (payload for _, payload, _ in chosen))
    together = decode_together(payloads) if payloads else []
    return each(decode_plain, payloads) if together is None else together


def summary(log: Log) -> dict:
    """What `lab hlog --json` prints: the overall numbers over all records, and one set per tag in `by_tag`.

    Values are in the recorded unit. `merged_tags` is true when the overall numbers mix several tags; an untagged line
    counts as the tag "" then.
    """
    groups: dict[str, list[Record]] = {}
    for record in log.records:
        groups.setdefault(record.tag or "", []).append(record)
    tagged = any(record.tag is not None for record in log.records)
    return {
        **_numbers(log.records),
        "start_time": log.start_time,
        "tags": list(groups) if tagged else [],
        "merged_tags": len(groups) > 1,
        "by_tag": {tag: _numbers(records) for tag, records in groups.items()} if tagged else {},
    }


def _numbers(records: list[Record]) -> dict:
    counts = merge(record.counts for record in records)
    return {
        "intervals": len(records),
        "count": counts.total,
        "min": minimum(counts),
        "max": maximum(counts),
        "mean": mean(counts),
        **dict(zip(PERCENTS, percentiles(counts, PERCENTS.values()), strict=True)),
    }


def _range(start: float | None, end: float | None) -> tuple[float, float]:
    first = -math.inf if start is None else float(start)
    last = math.inf if end is None else float(end)
    for option, value in (("--start", first), ("--end", last)):
        if math.isnan(value):
            raise LabError(f"{option}: not a number; give seconds after the log's start")
    if first > last:
        raise LabError(f"--start {start:g} is after --end {end:g}; give an earlier start")
    return first, last


def _comment(line: str, where: str) -> tuple[str | None, float]:
    version = VERSION_COMMENT.match(line)
    if version and not re.fullmatch(r"1\.\d+", version[1]):
        raise LabError(f"{where}: log format version {version[1]!r} is unknown; version 1.x is read")
    time = TIME_COMMENT.match(line)
    return (time[1], _number(time[2], time[1], where)) if time else (None, 0.0)


def _fields(line: str, where: str) -> tuple[str | None, float, float, float, str]:
    fields = line.replace(" ", ",").split(",")
    tag = fields.pop(0)[4:] if fields[0].startswith("Tag=") else None
    if len(fields) != 4:
        found = f"timestamp,length,max,payload expected, {len(fields)} fields found"
        raise LabError(f"{where}: not a histogram line ({found}); give a complete histogram log")
    names = ("timestamp", "interval length", "interval maximum")
    timestamp, length, peak = (_number(text, what, where) for text, what in zip(fields[:3], names, strict=True))
    return tag, timestamp, length, peak, fields[3]


def _number(text: str, what: str, where: str) -> float:
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise LabError(f"{where}: {what} {text[:40]!r} is not a finite number; give a complete histogram log")
    return value
