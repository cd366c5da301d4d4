"""Files that were damaged, or made to do harm: a good file with a few faults, the same for the same chance."""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
import zlib
from collections.abc import Callable
from random import Random

MARK = "hostilemark"  # in every word that would do harm where it is not taken for text
WORDS = [
    f"\x1b[2J\x1b]0;{MARK}\x07",
    f"\x9b31m{MARK}",
    f"\u202e{MARK}",
    f"<script>{MARK}()</script>",
    f'"><img src=x onerror={MARK}>',
    f"]({'java'}script:{MARK}) [a](x)",
    f"{{{{{MARK}}}}} {{%raw%}} ${{{MARK}}}",
    f"$\\{MARK}$ \\frac{{1}}{{0}}",
    f"../../{MARK}",
    f"/tmp/{MARK}",
    f"a\n{MARK}\r\nb",
    f"{MARK}\0",
    f"={MARK}()+%n%s",
    MARK * 500,
    "",
]
NUMBERS = [
    "1e400",
    "-1",
    "NaN",
    "Infinity",
    "-Infinity",
    "9" * 400,
    "0",
    "-0.0",
    "1e-320",
    "1e18",
    "1_000",
    "0x10",
    "٣",
]
NUMBERS += [str(2**power + more) for power in (31, 32, 53, 62, 63, 64) for more in (-1, 0)]
NESTED = [b"[" * 3000, b'{"a":' * 2000, b"]" * 50, b'"' * 3, b"\n\n", b"\0" * 8, b"\xff\xfe", b"\xef\xbb\xbf"]
TOKEN = re.compile(rb"[^,\s:\[\]{}\"=]+")
NAME = re.compile(rb"[A-Za-z_]\w*")
PAYLOAD = re.compile(rb"HIST[A-Za-z0-9+/=]+")
LINES = 400  # that are repeated at most


def damaged(raw: bytes, chance: Random) -> bytes:
    """A file with one to four faults: bytes turned, cut and doubled, numbers and names that do harm."""
    for _ in range(chance.randint(1, 4)):
        raw = chance.choice(FAULTS)(raw, chance)
    return raw


def _turned(raw: bytes, chance: Random) -> bytes:
    data = bytearray(raw)
    if data:
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


def _taken_out(raw: bytes, chance: Random) -> bytes:
    at = _place(raw, chance)
    return raw[:at] + raw[at + chance.randint(1, 200) :]


def _cut(raw: bytes, chance: Random) -> bytes:
    return raw[: _place(raw, chance)]


def _doubled(raw: bytes, chance: Random) -> bytes:
    at = _place(raw, chance)
    return raw[:at] + raw[at : at + chance.randint(1, 400)] + raw[at:]


def _nested(raw: bytes, chance: Random) -> bytes:
    at = _place(raw, chance)
    return raw[:at] + chance.choice(NESTED) + raw[at:]


def _number(raw: bytes, chance: Random) -> bytes:
    """A field becomes a number."""
    return _replaced(raw, TOKEN, chance.choice(NUMBERS).encode(), chance)


def _name(raw: bytes, chance: Random) -> bytes:
    """A name becomes a word that would do harm; in JSON, and every other time, so that the file stays whole."""
    word = chance.choice(WORDS)
    if raw.lstrip()[:1] in (b"[", b"{") or chance.random() < 0.5:
        word = json.dumps(word)[1:-1]
    return _replaced(raw, NAME, word.encode(), chance)


def _line(raw: bytes, chance: Random) -> bytes:
    """A line is said again, many times, or two change places."""
    lines = raw.splitlines(keepends=True)
    if len(lines) < 2:
        return raw
    one, two = sorted(chance.sample(range(len(lines)), 2))
    if chance.random() < 0.5:
        lines[one], lines[two] = lines[two], lines[one]
    else:
        lines[one:one] = [lines[two]] * chance.choice((1, 2, LINES))
    return b"".join(lines)


def _payload(raw: bytes, chance: Random) -> bytes:
    """The counters or the head of a histogram, packed again so that it can be unpacked."""
    found = list(PAYLOAD.finditer(raw))
    if not found:
        return _number(raw, chance)
    one = chance.choice(found)
    try:
        data = base64.b64decode(one[0])
        plain = bytearray(zlib.decompress(data[8:]))
    except (binascii.Error, zlib.error, ValueError):
        return raw
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(48 if chance.random() < 0.5 else len(plain) or 1)
        plain[at : at + 1] = bytes([chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))])
    body = zlib.compress(bytes(plain))
    packed = base64.b64encode(data[:4] + struct.pack(">i", len(body)) + body)
    return raw[: one.start()] + packed + raw[one.end() :]


def _place(raw: bytes, chance: Random) -> int:
    return chance.randrange(len(raw) or 1)


def _replaced(raw: bytes, pattern: re.Pattern[bytes], word: bytes, chance: Random) -> bytes:
    found = list(pattern.finditer(raw))
    if not found:
        return raw + word
    one = chance.choice(found)
    return raw[: one.start()] + word + raw[one.end() :]


FAULTS: tuple[Callable[[bytes, Random], bytes], ...] = (
    _turned,
    _taken_out,
    _cut,
    _doubled,
    _nested,
    _number,
    _number,
    _name,
    _name,
    _line,
    _payload,
)
