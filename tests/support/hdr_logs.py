"""Recorded logs, made-up ones, and how what is read of them is compared with what the Java library read."""

import base64
import struct
import zlib

import numpy as np
from hdrh.histogram import HdrHistogram
from laboratory import DATA as ALL

from pipeline.hdr.counts import Counts, Geometry

DATA = ALL / "hlog"
LOGS = sorted(DATA.glob("*.hlog"))
NUMBERS = ("count", "min", "max", "mean", "p50", "p90", "p99", "p99.9", "p99.99")


def assert_like_java(ours: dict, java: dict) -> None:
    assert {key: ours[key] for key in ("intervals", *NUMBERS)} == java["overall"]
    by_tag = ours["by_tag"] or {"": java["overall"]}
    assert by_tag == java["by_tag"]


HIGHEST = 3_600_000_000_000


def counts_of(values, counts=None, digits=3, lowest=1, highest=HIGHEST) -> Counts:
    """The histogram of values, each recorded once or as often as `counts` says."""
    geometry = Geometry.of(digits, lowest)
    index, position = np.unique(geometry.index(np.array(values, dtype=np.int64)), return_inverse=True)
    count = np.zeros(len(index), dtype=np.int64)
    np.add.at(count, position, 1 if counts is None else np.asarray(counts, dtype=np.int64))
    low, width = geometry.buckets(index)
    return Counts(low, width, count, digits, lowest, highest)


def encode(values, digits=3) -> str:
    histogram = HdrHistogram(1, HIGHEST, digits)
    for value in values:
        assert histogram.record_value(value)
    return histogram.encode().decode("ascii")


def payload(data: bytes, cookie=0x1C849314, length=None, squeeze=zlib.compress) -> str:
    body = squeeze(data)
    return base64.b64encode(struct.pack(">Ii", cookie, len(body) if length is None else length) + body).decode()


def plain(words: bytes, cookie=0x1C849313, declared=None, digits=3, lowest=1, highest=HIGHEST) -> bytes:
    declared = len(words) if declared is None else declared
    return struct.pack(">Iiiiqqd", cookie, declared, 0, digits, lowest, highest, 1.0) + words


def log_of(*payloads: str) -> bytes:
    return "".join(f"{i}.000,1.000,0.000,{one}\n" for i, one in enumerate(payloads)).encode()
