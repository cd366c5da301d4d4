"""A spool: files that are too many for memory, in one on disk that nothing else can name and that ends with them."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping

from pipeline.ground.errors import FULL, LabError


class Spool(Mapping[str, bytes]):
    """Name -> content, in the order in which they were put; each is read when it is asked for.

    LabError (status 5) where the folder for temporary files has no room.
    """

    def __init__(self) -> None:
        file = tempfile.TemporaryFile(prefix="lab-")
        self._number, self._end, self._places = file.fileno(), 0, dict[str, tuple[int, int]]()
        weakref.finalize(self, file.close)

    def put(self, name: str, content: bytes) -> None:
        """Hold a content under a name, in the place of what was held under it."""
        try:
            written = 0
            while written < len(content):
                written += os.pwrite(self._number, content[written:], self._end + written)
        except OSError as error:
            if error.errno not in FULL:
                raise
            place = tempfile.gettempdir()
            raise LabError(f"{place} has no room to unpack an archive; make some, or set TMPDIR", 5) from None
        self._places.pop(name, None)
        self._places[name] = self._end, len(content)
        self._end += len(content)

    def part(self, name: str, start: int, size: int) -> bytes:
        """At most `size` bytes of a content, from its byte `start` on."""
        at, length = self._places[name]
        return os.pread(self._number, max(0, min(size, length - start)), at + start)

    def __getitem__(self, name: str) -> bytes:
        return self.part(name, 0, self._places[name][1])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
