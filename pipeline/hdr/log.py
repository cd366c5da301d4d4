"""An interval log as a whole: all of its records in memory, or their summary, for which a record at a time will do."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from pipeline.hdr import lines, reader
from pipeline.hdr.counts import Counts, Several
from pipeline.hdr.merge import Sum
from pipeline.hdr.percentiles import maximum, mean, minimum, percentiles
from pipeline.hdr.reader import Reader, Record

PERCENTS = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99.9": 99.9, "p99.99": 99.99}


@dataclass
class Log:
    """start_time: seconds since the epoch, None when the log does not say; base_time: seconds that were added to the
    timestamps of the lines; records in the order of the file; notes: what was left out."""

    start_time: float | None = None
    base_time: float = 0.0
    records: list[Record] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_log(path, tag: str | None = None, start: float | None = None, end: float | None = None) -> Log:
    """Read all of the log at `path` (unpacked where it is packed) into memory.

    tag: only the lines with this tag; "" means the untagged lines; None means all.
    start, end: only intervals that start in [start, end], in seconds after the log's start, as HistogramLogProcessor's
    -start and -end. The log's start is its StartTime, or else its first timestamp.
    LabError, one line with file, line and what to do, when the file cannot be read or nothing is selected.
    """
    return _all(Reader.of(path, tag=tag, start=start, end=end, lenient=True))


def parse_log(
    data: bytes, name: str, tag: str | None = None, start: float | None = None, end: float | None = None
) -> Log:
    """`read_log` of bytes already in memory, whose last line must be whole too; `name` is what errors call the file."""
    return _all(Reader(partial(lines.of_bytes, data), name, tag, start, end))


def buckets(data: bytes, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(low, width, count) of the buckets of all records of `parse_log`, one after another, and (length) how many each
    record has: what a table needs, in three quarters of the time. LabError as there."""
    columns: tuple[list, ...] = [], [], [], []
    for batch in Reader(partial(lines.of_bytes, data), name).batches():
        found = reader.together(batch)
        for one in [found] if found else [record.counts for record in reader.records(batch)]:
            length = one.length if isinstance(one, Several) else [len(one.low)]
            for column, values in zip(columns, (one.low, one.width, one.count, length), strict=True):
                column.append(values)
    return tuple(map(np.concatenate, columns))


def _all(source: Reader) -> Log:
    records = list(source)
    return Log(source.start_time, source.base_time, records, source.notes)


def summary(log: Log | Reader) -> dict:
    """What `lab hlog --json` prints: the overall numbers over all records, and one set per tag in `by_tag`.

    Values are in the recorded unit. `merged_tags` is true when the overall numbers mix several tags; an untagged line
    counts as the tag "" then. `notes`, where there are some: what was left out.
    """
    groups: dict[str, Sum] = {}
    tagged = False
    for record in log.records if isinstance(log, Log) else log:
        groups.setdefault(record.tag or "", Sum()).add(record.counts)
        tagged = tagged or record.tag is not None
    every = Sum()
    for one in groups.values():
        every.add(one.total, one.added)
    return {
        **_numbers(every),
        "start_time": log.start_time,
        "tags": list(groups) if tagged else [],
        "merged_tags": len(groups) > 1,
        "by_tag": {tag: _numbers(records) for tag, records in groups.items()} if tagged else {},
        **({"notes": log.notes} if log.notes else {}),
    }


def greatest_double(counts: Counts) -> float:
    """`getMaxValue` of DoubleHistogram: the double before the bucket that follows the largest value's; 0 when empty.
    Its percentiles are those of the integers times the ratio."""
    if not len(counts.low):
        return 0.0
    following = float(int(counts.low[-1]) + int(counts.width[-1])) * counts.ratio
    before = following - 2 * math.ulp(following)
    return before + math.ulp(before)


def _numbers(records: Sum) -> dict:
    counts = records.total
    ratio = 1 if counts.ratio == 1 else counts.ratio  # values of integers stay integers
    return {
        "intervals": records.added,
        "count": counts.total,
        "min": minimum(counts) * ratio,
        "max": maximum(counts) if ratio == 1 else greatest_double(counts),
        "mean": mean(counts) * ratio,
        **{name: value * ratio for name, value in zip(PERCENTS, percentiles(counts, PERCENTS.values()), strict=True)},
    }
