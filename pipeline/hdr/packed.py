"""A file as its bytes, unpacked by what is in it and never by its name: gzip, bzip2 and xz."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from pathlib import Path
from typing import BinaryIO

from pipeline.ground.errors import LabError

OPENED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}  # by its first bytes
ZSTANDARD = b"\x28\xb5\x2f\xfd"
UNREADABLE = (EOFError, zlib.error, lzma.LZMAError, ValueError, OSError)  # what a damaged file raises when unpacked


def opened(path: Path, name: str) -> BinaryIO:
    """The file, to be read as bytes. name: what errors call it. OSError when it cannot be opened; LabError for one that
    is packed in a way that is not read."""
    with path.open("rb") as file:
        head = file.read(6)
    if head.startswith(ZSTANDARD):
        raise LabError(f"{name}: is packed with zstd, which is not read; unpack it first: unzstd {name}")
    how = next((one for sign, one in OPENED.items() if head.startswith(sign)), None)
    return how(path) if how else path.open("rb")
