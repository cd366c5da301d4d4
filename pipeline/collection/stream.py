"""The bytes of a file that nobody trusts, unpacked piece by piece: counted, and refused when they are too many.

A decompressor may use MEMORY bytes, and a stream that grows by more than RATIO is no run's.
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from pipeline.ground.errors import LabError

MB = 1 << 20
MEMORY = 24 * MB  # of a decompressor: `lab share` packs with a dictionary of 16 MiB
RATIO, SLACK = 400, 8 * MB  # real archives unpack to 5 to 60 times their size
BLOCK, CHUNK = 512, 1 << 16


class Refused(LabError):
    """A file that is not what `lab share` writes, with the reason in one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, 4)


class Stream:
    """The bytes of a file, unpacked where it is packed, in pieces; Refused when there are more than `limit`."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        head = file.read(6)
        file.seek(0)
        self.count, self.limit = 0, limit
        self._chunks = grown(iter(lambda: file.read(CHUNK), b""), decoder(head))
        self._held = b""

    def pieces(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes; what pads them to whole blocks is passed over."""
        yield from self._exactly(size)
        for _ in self._exactly(-size % BLOCK):
            pass

    def _exactly(self, size: int) -> Iterator[bytes]:
        while size:
            piece = self.some(size)
            if not piece:
                raise Refused("cut short; copy the file again")
            size -= len(piece)
            yield piece

    def some(self, most: int) -> bytes:
        """The next bytes, at least one and at most so many; none at the end."""
        if not self._held:
            self._held = next(self._chunks, b"")
            self.count += len(self._held)
            if self.count > self.limit:
                raise Refused(f"unpacks to more than {self.limit // MB} MB, which no run does")
        piece, self._held = self._held[:most], self._held[most:]
        return piece


def decoder(head: bytes) -> Callable[[], object] | None:
    """What makes the decompressor for a file that begins so; None: it is not packed."""
    if head[:2] == b"\x1f\x8b":
        return lambda: zlib.decompressobj(31)
    if head[:6] == b"\xfd7zXZ\0":
        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)
    return None


def grown(chunks: Iterator[bytes], decoder: Callable[[], object] | None) -> Iterator[bytes]:
    """Chunks, unpacked in pieces of at most CHUNK bytes; Refused when they grow as no run does."""
    if decoder is None:
        yield from chunks
        return
    made, taken, given = decoder(), 0, 0
    try:
        for chunk in chunks:
            taken += len(chunk)
            if made.eof:
                raise Refused("holds more than one stream")
            while not made.eof:
                piece = made.decompress(chunk, CHUNK)
                given += len(piece)
                if given > SLACK + RATIO * taken:
                    raise Refused(f"unpacks to more than {RATIO} times its size, which no run does")
                if piece:
                    yield piece
                chunk = made.unconsumed_tail if hasattr(made, "unconsumed_tail") else b""
                if not chunk and getattr(made, "needs_input", len(piece) < CHUNK):
                    break
            if made.eof and made.unused_data:
                raise Refused("holds more than one stream")
    except (lzma.LZMAError, zlib.error, EOFError) as error:
        reason = "needs more memory to unpack than a shared run" if "emory" in str(error) else "is damaged"
        raise Refused(f"{reason} ({error}); copy the file again or share the run again") from None
    if not made.eof:
        raise Refused("cut short; copy the file again")
