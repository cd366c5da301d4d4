"""Decodes one HdrHistogram payload, encoding V2, into its non-empty buckets.

Written with NumPy. The Python hdrhistogram library takes as long (measured: 110-140 us a histogram against 120-180 us,
because it fills and is searched for all 33,000 counters of the harness's range), but drops values outside the range and
trusts its input; here every inconsistency is an error. The tests compare the two.

Layout (big endian): cookie i32, payload length i32, normalizing offset i32, digits i32, lowest i64, highest i64,
conversion ratio f64, then the counters as zig-zag LEB128 numbers of at most 9 bytes, where -n means n empty counters.
A compressed payload wraps it: cookie i32, length i32, zlib stream.
"""

import binascii
import struct
import zlib

import numpy as np

from pipeline.hdr.counts import INT64_MAX, Counts, Geometry, Several, overflows

PLAIN_V2, COMPRESSED_V2 = 0x1C849303, 0x1C849304
OLD = {0x1C849308: "V0", 0x1C849309: "V0", 0x1C849301: "V1", 0x1C849302: "V1"}
DOUBLES = {0x0C72124E, 0x0C72124F}
HEADER = struct.Struct(">iiiiqqd")
WORD_BYTES = 9
AT_ONCE = 1 << 12  # bytes that are expanded before the header tells how many there are: all of most payloads
MAX_ZERO_RUN = 2**31 - 1
NOTHING = np.empty(0, np.int64)


class PayloadError(Exception):
    """What is wrong with a payload; the log reader adds file, line and what to do."""


def decode_base64(text: str) -> Counts:
    """Counts of a base64 payload as a log line holds it, compressed (HISTF...) or plain (HISTE...).

    PayloadError for anything that is not a complete, consistent V2 histogram of integer values.
    """
    return decode_plain(unwrap(text))


def decode_together(payloads: list[bytes]) -> Several | None:
    """Buckets of many plain payloads of one layout at once, a log's usual case: three times as fast as one by one.

    None when they differ in layout or anything at all is unusual about one of them: `decode_plain` then says what.
    """
    bodies = [payload[HEADER.size :] for payload in payloads]
    settings = {(payload[:4], payload[12 : HEADER.size]) for payload in payloads}
    declared = all(struct.unpack_from(">i", p, 4)[0] == len(b) for p, b in zip(payloads, bodies, strict=True))
    if len(settings) != 1 or not declared or any(body and body[-1] >= 0x80 for body in bodies):
        return None
    try:
        geometry, highest, digits, lowest = layout(payloads[0])
    except PayloadError:
        return None
    data = np.frombuffer(b"".join(bodies), dtype=np.uint8)
    if not len(data):  # histograms of nothing, as of trials whose operations are not timed
        return Several(NOTHING, NOTHING, NOTHING, np.zeros(len(bodies), np.int64), digits, lowest, highest)
    ends = np.flatnonzero(data < 0x80)
    if not len(ends) or np.diff(ends, prepend=-1).max() > WORD_BYTES:
        return None
    words = zigzag_leb128(data)
    last = np.searchsorted(ends, np.cumsum([len(body) for body in bodies]))  # words up to each payload's end
    if len(words) != len(ends) or words.min() < -MAX_ZERO_RUN or words.max() > INT64_MAX // len(words):
        return None
    reached = np.where(words < 0, -words, 1).cumsum()  # counters from the first payload on
    until = np.concatenate(([0], reached))[last]
    begin = np.concatenate(([0], until[:-1]))
    if (until - begin).max() > geometry.length(highest):
        return None
    filled = np.flatnonzero(words > 0)
    length = np.diff(np.searchsorted(filled, last), prepend=0)
    low, width = geometry.buckets(reached[filled] - np.repeat(begin + 1, length))
    return Several(low, width, words[filled], length, digits, lowest, highest)


def unwrap(text: str) -> bytes:
    """The plain payload of a base64 payload, with its header checked; PayloadError as `decode_base64`."""
    return unwrapped(from_base64(text))


def from_base64(text: str) -> bytes:
    """The bytes of a payload, at least 8; PayloadError when it is no base64."""
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except (binascii.Error, ValueError):
        raise PayloadError("the payload is not base64 (damaged or cut short)") from None
    if len(data) < 8:
        raise PayloadError("the payload is too short for a histogram (cut short)")
    return data


def unwrapped(data: bytes) -> bytes:
    """The plain payload of one that may be compressed; PayloadError as `decode_base64`."""
    cookie, length = struct.unpack_from(">Ii", data)
    base = cookie & ~0xF0
    if base in OLD:
        raise PayloadError(f"the payload is encoded in {OLD[base]} and V2 is needed: write it with HdrHistogram 2.1.5+")
    if cookie in DOUBLES:
        raise PayloadError("the payload holds a DoubleHistogram; only histograms of integer values are read")
    if cookie == PLAIN_V2 | 0x10:
        if len(data) < HEADER.size:
            raise PayloadError("the payload is shorter than a histogram header (cut short)")
        return data
    if cookie != COMPRESSED_V2 | 0x10:
        raise PayloadError(f"the payload starts with the unknown cookie 0x{cookie:08x} (damaged?)")
    if length != len(data) - 8:
        raise PayloadError(f"the payload declares {length} compressed bytes and has {len(data) - 8} (cut short?)")
    return inflate(data[8:])


def inflate(compressed: bytes) -> bytes:
    """The plain payload; never more bytes than its own header allows, whatever the stream would expand to."""
    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(compressed, AT_ONCE)
        if len(plain) < HEADER.size:
            raise PayloadError("the compressed payload is shorter than a histogram header")
        _, declared = struct.unpack_from(">Ii", plain)
        geometry, highest = layout(plain)[:2]
        allowed = geometry.length(highest) * WORD_BYTES
        if not 0 <= declared <= allowed:
            raise PayloadError(f"the payload declares {declared} bytes of counters; its range allows 0 to {allowed}")
        # One byte more than declared, so that a longer stream is noticed without being expanded.
        if not stream.eof and (more := HEADER.size + declared + 1 - len(plain)) > 0:
            plain += stream.decompress(stream.unconsumed_tail, more)
    except zlib.error:
        raise PayloadError("the compressed payload is damaged (zlib)") from None
    if len(plain) > HEADER.size + declared or not stream.eof or stream.unused_data:
        raise PayloadError(f"the compressed payload does not end after the {declared} bytes it declares")
    return plain


def layout(data: bytes) -> tuple[Geometry, int, int, int]:
    """(geometry, highest, digits, lowest) of a plain payload's header."""
    cookie, _, _, digits, lowest, highest, _ = HEADER.unpack_from(data)
    if cookie != PLAIN_V2 | 0x10:
        raise PayloadError(f"the histogram header has the unknown cookie 0x{cookie & 0xFFFFFFFF:08x}")
    return geometry_of(digits, lowest, highest), highest, digits, lowest


def geometry_of(digits: int, lowest: int, highest: int) -> Geometry:
    """The layout that a header's settings ask for; PayloadError for settings that no histogram has."""
    if not (0 <= digits <= 5 and 1 <= lowest <= INT64_MAX // 2 and highest >= 2 * lowest):
        raise PayloadError(f"impossible histogram settings: digits {digits}, lowest {lowest}, highest {highest}")
    geometry = Geometry.of(digits, lowest)
    if geometry.half + 1 + geometry.unit > 62:
        raise PayloadError(f"impossible histogram settings: {digits} digits from {lowest} upwards exceed 64 bits")
    return geometry


def decode_plain(data: bytes) -> Counts:
    """Counts of an uncompressed payload (header and counters)."""
    if len(data) < HEADER.size:
        raise PayloadError("the payload is shorter than a histogram header (cut short)")
    geometry, highest, digits, lowest = layout(data)
    declared = struct.unpack_from(">i", data, 4)[0]
    if declared != len(data) - HEADER.size:
        raise PayloadError(f"the payload declares {declared} bytes of counters and has {len(data) - HEADER.size}")
    words = zigzag_leb128(np.frombuffer(data, dtype=np.uint8, offset=HEADER.size))
    if not len(words):
        return Counts(words, words, words, digits, lowest, highest)
    if words.min() < -MAX_ZERO_RUN:
        raise PayloadError("a run of empty counters is longer than any histogram")
    # The normalizing offset and the ratio concern DoubleHistogram only: Java ignores them for integer values.
    end = np.where(words < 0, -words, 1).cumsum()
    if end[-1] > geometry.length(highest):
        raise PayloadError(f"{end[-1]} counters do not fit the range up to {highest}")
    filled = np.flatnonzero(words > 0)
    count = words[filled]
    if overflows(count):
        raise PayloadError("the counts add up to more than 64 bits hold")
    low, width = geometry.buckets(end[filled] - 1)
    return Counts(low, width, count, digits, lowest, highest)


def zigzag_leb128(data: np.ndarray) -> np.ndarray:
    """The signed numbers in `data` (uint8): 7 bits a byte, least significant first, the ninth byte whole."""
    if not len(data):
        return np.empty(0, dtype=np.int64)
    start, length = boundaries(data)
    found = SHORT[data[start]]  # most numbers have one byte
    if len(several := np.flatnonzero(length > 1)):
        found[several] = _long(data, start[several], length[several])
    return found


def _long(data: np.ndarray, start: np.ndarray, length: np.ndarray) -> np.ndarray:
    """The numbers of two bytes and more that begin at `start`."""
    values = (data[start] & 0x7F).astype(np.uint64)
    for k in range(1, int(length.max())):
        longer = np.flatnonzero(length > k)
        byte = data[start[longer] + k]
        byte = byte if k == WORD_BYTES - 1 else byte & 0x7F
        values[longer] |= byte.astype(np.uint64) << np.uint64(7 * k)
    return _signed(values)


def _signed(values: np.ndarray) -> np.ndarray:
    """What zig-zag made of signed numbers (uint64), signed again."""
    return (values >> np.uint64(1)).view(np.int64) ^ -(values & np.uint64(1)).view(np.int64)


SHORT = _signed(np.arange(256, dtype=np.uint64))  # the numbers of one byte, which is below 128


def boundaries(data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(start, length) of each number; PayloadError when the last one is cut."""
    ends = np.flatnonzero(data < 0x80)
    start = np.zeros(len(ends), dtype=np.int64)
    start[1:] = ends[:-1] + 1
    length = ends - start + 1
    if data[-1] < 0x80 and length.max() <= WORD_BYTES:
        return start, length
    # Counts of 2^55 and more: the ninth byte has no continuation bit, so the bytes must be walked.
    starts, lengths, at = [], [], 0
    while at < len(data):
        size = next((k + 1 for k in range(WORD_BYTES - 1) if at + k < len(data) and data[at + k] < 0x80), WORD_BYTES)
        if at + size > len(data):
            raise PayloadError("the last counter is cut short")
        starts.append(at)
        lengths.append(size)
        at += size
    return np.array(starts), np.array(lengths)
