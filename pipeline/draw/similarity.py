"""The similarity of two versions of a figure's file: the same bytes, other last digits only, or another figure.

An architecture with other arithmetic, or a C library with another logarithm, changes last digits of numbers, and where
such a number decides on a pixel, the shade of its edge. Neither is another figure, and neither hides one.
"""

from __future__ import annotations

import base64
import hashlib
import io
import math
import re

import numpy as np
from PIL import Image

SAME, DIGITS, OTHER = "same bytes", "other last digits", "another figure"
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
DIGITS_KEPT = 6  # significant digits that a number of a table keeps; fits are found to about eight
POINTS = 0.02  # of a coordinate in a picture, which is written to a hundredth
SHADE = 16  # of 255: what a pixel at an edge may change by
PICTURE = b"\x89PNG"
# An SVG holds clouds of points as pixels, and calls shapes by a digest of their coordinates.
EMBEDDED = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=\s]+)")
NAMED = re.compile(r"\b[a-z]?[0-9a-f]{10}\b")


def likeness(old: bytes, new: bytes) -> str:
    """SAME, DIGITS or OTHER, of two contents of one file: text with numbers in it (CSV, JSON, SVG, ...) or PNG."""
    if old == new:
        return SAME
    if old.startswith(PICTURE) or new.startswith(PICTURE):
        return DIGITS if _alike_pixels(old, new) else OTHER
    return DIGITS if _alike_text(old, new) else OTHER


def numbers_digest(*contents: bytes) -> str:
    """SHA-256 (hex) of texts with every number in them rounded to DIGITS_KEPT digits: equal where only last digits
    differ. A number that lies on the edge of a rounding may make it differ all the same."""
    digest = hashlib.sha256()
    for content in contents:
        text = content.decode(errors="replace")
        digest.update(NUMBER.sub(lambda found: f"{float(found[0]):.{DIGITS_KEPT - 1}e}", text).encode() + b"\0")
    return digest.hexdigest()


def _alike_text(old: bytes, new: bytes) -> bool:
    texts = [content.decode(errors="replace") for content in (old, new)]
    near = 0.0
    if "<svg" in texts[1]:
        clouds = [[base64.b64decode(one) for one in EMBEDDED.findall(text)] for text in texts]
        if len(clouds[0]) != len(clouds[1]) or not all(map(_alike_pixels, *clouds)):
            return False
        texts, near = [NAMED.sub("id", EMBEDDED.sub("", text)) for text in texts], POINTS
    if NUMBER.sub("#", texts[0]) != NUMBER.sub("#", texts[1]):
        return False
    pairs = zip(*(map(float, NUMBER.findall(text)) for text in texts), strict=True)
    return all(math.isclose(a, b, rel_tol=10.0**-DIGITS_KEPT, abs_tol=near) for a, b in pairs)


def _alike_pixels(old: bytes, new: bytes) -> bool:
    try:
        before, after = (np.asarray(Image.open(io.BytesIO(one)).convert("RGB"), dtype=int) for one in (old, new))
    except OSError:
        return False
    return before.shape == after.shape and bool(np.abs(before - after).max() <= SHADE)
