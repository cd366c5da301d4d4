"""One line of an interval log at a time: comments of the head, legends, and the four fields of an interval."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pipeline.ground.errors import LabError
from pipeline.hdr.packed import UNREADABLE, opened

MAX_LINE = 1 << 26  # bytes: the payload of the widest histogram there is takes a quarter of it
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
NUMBER = re.compile(_NUMBER, re.ASCII)
USUAL = re.compile(rf"(?:Tag=(.*),)?({_NUMBER}),({_NUMBER}),({_NUMBER})", re.ASCII)  # before the payload
TIME_COMMENT = re.compile(r"#\[(StartTime|BaseTime):[ ,]+([^ ,\]]*)")
VERSION_COMMENT = re.compile(r"#\[Histogram log format version ([^\]]*)\]")
LEGENDS = ('"StartTimestamp"', '"Timestamp"')
ENDS = '"EndTimestamp"'  # in the legend: the second field may be when an interval ended, not how long it was


class Fields(NamedTuple):
    """What a line says of an interval: `second` is a length or an end, in seconds; payload: base64."""

    tag: str | None
    timestamp: float
    second: float
    max: float
    payload: str


def of_file(path: Path) -> Iterator[bytes]:
    """The lines of a log, unpacked where it is packed; LabError names a file that cannot be read."""
    try:
        with opened(path, str(path)) as file:
            while line := file.readline(MAX_LINE):
                if len(line) == MAX_LINE:
                    raise LabError(f"{path}: holds a line longer than {MAX_LINE >> 20} MiB; give a histogram log")
                yield line
    except FileNotFoundError:
        raise LabError(f"{path}: no such file; give the path of a histogram log") from None
    except IsADirectoryError:
        raise LabError(f"{path}: is a directory; give the path of a histogram log") from None
    except UNREADABLE as error:
        if not isinstance(error, OSError) or error.errno is None:
            raise LabError(f"{path}: cannot be unpacked ({error}); copy it again") from None
        raise LabError(f"{path}: cannot be read ({error.strerror or error}); check its permissions") from None


def of_bytes(data: bytes) -> Iterator[bytes]:
    """The lines of a log that is in memory."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        yield data[at:end]
        at = end


def text_of(line: bytes, where: str) -> str:
    """A line as text, without blanks at its ends; LabError when it is none."""
    try:
        return line.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise LabError(f"{where}: not UTF-8 text; give a histogram log (unpack it first if compressed)") from None


def comment(line: str, where: str) -> tuple[str | None, float]:
    """(StartTime or BaseTime, its seconds) of a comment that tells one; (None, 0) of another.

    LabError for a version of the format that is not read."""
    version = VERSION_COMMENT.match(line)
    if version and not re.fullmatch(r"1\.\d+", version[1]):
        raise LabError(f"{where}: log format version {version[1][:40]!r} is unknown; version 1.x is read")
    time = TIME_COMMENT.match(line)
    return (time[1], number(time[2], time[1], where)) if time else (None, 0.0)


def fields(line: str, where: str) -> Fields:
    """The fields of an interval; LabError when the line is none."""
    head, _, payload = line.rpartition(",")
    if " " not in line and (usual := USUAL.fullmatch(head)):
        tag, *texts = usual.groups()
        numbers = [float(text) for text in texts]
        if all(map(math.isfinite, numbers)):
            return Fields(tag, *numbers, payload)
    parts, tag = line.replace(" ", ",").split(","), None
    if line.startswith("Tag="):  # it may hold commas and blanks: the four fields are the last ones
        tag, parts = line[4 : len(line) - len(",".join(parts[-4:])) - 1], parts[1:][-4:]
    if len(parts) != 4:
        found = f"timestamp,length,max,payload expected, {len(parts)} fields found"
        raise LabError(f"{where}: not a histogram line ({found}); give a complete histogram log")
    names = ("timestamp", "interval length", "interval maximum")
    numbers = (number(text, what, where) for text, what in zip(parts[:3], names, strict=True))
    return Fields(tag, *numbers, parts[3])


def number(text: str, what: str, where: str) -> float:
    """A finite number; LabError when it is none."""
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise LabError(f"{where}: {what} {text[:40]!r} is not a finite number; give a complete histogram log")
    return value
