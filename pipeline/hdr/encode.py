"""Writes what the log reader reads: V2 payloads, and interval logs of format 1.3 as Java's HistogramLogWriter does."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable
from datetime import UTC, datetime

from pipeline.hdr.counts import Counts, Geometry
from pipeline.hdr.percentiles import maximum
from pipeline.hdr.reader import Record
from pipeline.hdr.v2 import COMPRESSED_V2, HEADER, PLAIN_V2, WORD_BYTES

WORD_SIZE = 0x10  # added to a cookie: numbers of V2 have no fixed size
LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'


def plain(counts: Counts) -> bytes:
    """The uncompressed V2 payload of a histogram: the bytes of Java's `encodeIntoByteBuffer`."""
    words, after = [], 0
    index = Geometry.of(counts.digits, counts.lowest).index(counts.low)
    for at, count in zip(index.tolist(), counts.count.tolist(), strict=True):
        if at > after:
            words.append(_zigzag(after - at if at > after + 1 else 0))
        words.append(_zigzag(count))
        after = at + 1
    body = b"".join(words or [_zigzag(0)])  # as Java does, an empty one has the counter of the value 0
    settings = 0, counts.digits, counts.lowest, counts.highest, 1.0
    return HEADER.pack(PLAIN_V2 | WORD_SIZE, len(body), *settings) + body


def payload(counts: Counts) -> str:
    """The compressed payload as a log line holds it, in base64 (HISTF...)."""
    body = zlib.compress(plain(counts), 9)
    return base64.b64encode(struct.pack(">ii", COMPRESSED_V2 | WORD_SIZE, len(body)) + body).decode("ascii")


def log_text(start_time: float, records: Iterable[Record], comments: Iterable[str] = ()) -> str:
    """An interval log. start_time: seconds since the epoch; records: of nanoseconds, in order of their start, which is
    in seconds after it (their `max` is not looked at); comments: a line of the head each.

    Times have three places, and the maximum is in milliseconds with three, half up, as HistogramLogWriter has them.
    """
    lines = ["#[Histogram log format version 1.3]", *(comment(words) for words in comments)]
    lines += [start_line(start_time), f"#[BaseTime: {start_time:.3f} (seconds since epoch)]", LEGEND]
    for one in records:
        tag = "" if one.tag is None else f"Tag={one.tag},"
        told = f"{one.start:.3f},{one.length:.3f},{(maximum(one.counts) + 500) // 1000 / 1000:.3f}"
        lines.append(f"{tag}{told},{payload(one.counts)}")
    return "\n".join(lines) + "\n"


def comment(words: str) -> str:
    """A comment of a log or of a percentile distribution, on one line."""
    return f"#[{' '.join(words.split())}]"


def start_line(start_time: float) -> str:
    """The line that says when a log begins, as Java has it where the time zone is UTC."""
    begun = datetime.fromtimestamp(int(start_time * 1000) / 1000, UTC)
    return f"#[StartTime: {start_time:.3f} (seconds since epoch), {begun:%a %b %d %H:%M:%S UTC %Y}]"


def _zigzag(number: int) -> bytes:
    """A signed number in 7 bits a byte, least significant first, the ninth byte whole."""
    left = (number << 1) ^ (number >> 63)
    found = bytearray()
    while left >= 0x80 and len(found) < WORD_BYTES - 1:
        found.append(left & 0x7F | 0x80)
        left >>= 7
    found.append(left)
    return bytes(found)
