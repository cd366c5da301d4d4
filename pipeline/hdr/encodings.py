"""Payloads of all encodings that HdrHistogram had: V2, the older V1 and V0, and those of DoubleHistogram.

Layouts (big endian) are those of AbstractHistogram and DoubleHistogram of the Java library, version 2.2.2:
V1: cookie i32, bytes of counters i32, normalizing offset i32, digits i32, lowest i64, highest i64, ratio f64;
V0: cookie i32, digits i32, lowest i64, highest i64, number of values i64, which Java does not look at.
Counters of 2, 4 or 8 bytes follow, as the cookie's second half-byte says, from the value 0 on. The compressed ones are
wrapped as in V2. DoubleHistogram: cookie i32, digits i32, ratio of highest to lowest i64, then a histogram of integers;
its values are those times the conversion ratio of its header, a power of two.
"""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import replace

import numpy as np

from pipeline.hdr import v2
from pipeline.hdr.counts import Counts, Geometry, overflows
from pipeline.hdr.v2 import HEADER, PayloadError

PLAIN_V1, COMPRESSED_V1, PLAIN_V0, COMPRESSED_V0 = 0x1C849301, 0x1C849302, 0x1C849308, 0x1C849309
PLAIN_OF = {COMPRESSED_V1: PLAIN_V1, COMPRESSED_V0: PLAIN_V0}
HEADER_V0 = struct.Struct(">iiqqq")
DOUBLE = struct.Struct(">Iiq")
WORDS = (2, 4, 8)
LEAST_EXPONENT, GREATEST_EXPONENT = -960, 960  # of a ratio: 63 bits of values around it are doubles


def opened(text: str) -> bytes | Counts:
    """A base64 payload: of V2 the plain payload, which `decode_plain` and `decode_together` read; of another encoding
    the counts. PayloadError for anything that is not a complete, consistent histogram."""
    data = v2.from_base64(text)
    if struct.unpack_from(">I", data)[0] in v2.DOUBLES:
        return _double(data)
    return _old(data) if _base(data) in v2.OLD else v2.unwrapped(data)


def counts_of(text: str) -> Counts:
    """The counts of a base64 payload of any encoding; PayloadError as of `opened`."""
    found = opened(text)
    return found if isinstance(found, Counts) else v2.decode_plain(found)


def _double(data: bytes) -> Counts:
    """A histogram of doubles: counts of integers with their ratio."""
    if len(data) < DOUBLE.size + 8:
        raise PayloadError("the payload is too short for a DoubleHistogram (cut short)")
    _, digits, _ = DOUBLE.unpack_from(data)
    inner = data[DOUBLE.size :]
    if _base(inner) in v2.OLD:
        counts = _old(inner)
    else:
        plain = v2.unwrapped(inner)
        counts = replace(v2.decode_plain(plain), ratio=HEADER.unpack_from(plain)[-1])
    if counts.digits != digits:
        raise PayloadError(f"a DoubleHistogram of {digits} digits holds a histogram of {counts.digits}")
    mantissa, exponent = math.frexp(counts.ratio) if math.isfinite(counts.ratio) else (0.0, 0)
    if mantissa != 0.5 or not LEAST_EXPONENT <= exponent <= GREATEST_EXPONENT:
        raise PayloadError(f"the ratio of a DoubleHistogram's values is {counts.ratio!r} and no power of two")
    return counts


def _old(data: bytes) -> Counts:
    """A histogram of V0 or V1, compressed or plain; its ratio is the header's, 1 of V0."""
    stream, base = None, _base(data)
    if base in PLAIN_OF:
        length = struct.unpack_from(">i", data, 4)[0]
        if length != len(data) - 8:
            raise PayloadError(f"the payload declares {length} compressed bytes and has {len(data) - 8} (cut short?)")
        stream, base = zlib.decompressobj(), PLAIN_OF[base]
    size = (HEADER if base == PLAIN_V1 else HEADER_V0).size
    try:
        head = stream.decompress(data[8:], size) if stream else data[:size]
        geometry, highest, digits, lowest, declared, word, ratio = _header(head, base, size)
        most = geometry.length(highest) * word if declared is None else declared
        if not 0 <= most <= geometry.length(highest) * word:
            raise PayloadError(f"the payload declares {most} bytes of counters, which do not fit its range")
        # One byte more, so that a longer stream is noticed without being expanded.
        body = stream.decompress(stream.unconsumed_tail, most + 1) if stream else data[size : size + most + 1]
    except zlib.error:
        raise PayloadError("the compressed payload is damaged (zlib)") from None
    if len(body) > most or (stream and (not stream.eof or stream.unused_data)):
        raise PayloadError(f"the payload does not end after {most} bytes of counters")
    if len(body) % word or (declared is not None and len(body) != declared):
        raise PayloadError(f"the payload has {len(body)} bytes of counters of {word} each (cut short)")
    every = np.frombuffer(body, dtype=f">i{word}")
    filled = np.flatnonzero(every)
    count = every[filled].astype(np.int64)
    if len(count) and count.min() < 0:
        raise PayloadError("a counter is below 0")
    if overflows(count):
        raise PayloadError("the counts add up to more than 64 bits hold")
    return Counts(*geometry.buckets(filled), count, digits, lowest, highest, ratio)


def _header(head: bytes, base: int, size: int) -> tuple[Geometry, int, int, int, int | None, int, float]:
    """(geometry, highest, digits, lowest, bytes of counters where they are told, bytes of each, conversion ratio)."""
    if len(head) < size:
        raise PayloadError("the payload is shorter than a histogram header (cut short)")
    word = head[3] >> 4 & 0xE
    if _base(head) != base or word not in WORDS:
        raise PayloadError(f"the histogram header has the unknown cookie 0x{head[:4].hex()}")
    if base == PLAIN_V1:
        _, declared, _, digits, lowest, highest, ratio = HEADER.unpack(head)
    else:
        (_, digits, lowest, highest, _), declared, ratio = HEADER_V0.unpack(head), None, 1.0
    return v2.geometry_of(digits, lowest, highest), highest, digits, lowest, declared, word, ratio


def _base(data: bytes) -> int:
    """The cookie without the half-byte that tells how long counters are."""
    return struct.unpack_from(">I", data)[0] & ~0xF0
