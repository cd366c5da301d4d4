"""A file to read, packed or not: its first bytes, all of it, its lines, its JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pipeline.foreign.names import shown
from pipeline.ground.errors import LabError
from pipeline.hdr.packed import UNREADABLE, opened

HEAD = 1 << 16  # bytes by which a format is recognised
WHOLE = 1 << 28  # bytes of a file that is not read as a stream


@dataclass(frozen=True)
class File:
    """A file to read. name: what errors call it, for in a run it lies under another."""

    path: Path
    name: str

    @property
    def title(self) -> str:
        """Its name without the folders, for notes that go with a run."""
        return shown(Path(self.name).name)

    def open(self) -> BinaryIO:
        """Its bytes, unpacked where it is packed (gzip, bzip2, xz) by its content; LabError when it cannot be read."""
        try:
            return opened(self.path, self.name)
        except FileNotFoundError:
            raise LabError(f"{self.name}: no such file; correct the path") from None
        except IsADirectoryError:
            raise LabError(f"{self.name}: is a folder; name its files, as {self.name}/*") from None
        except OSError as error:
            raise LabError(f"{self.name}: cannot be read ({error.strerror or error}); check its permissions") from None

    def head(self, most: int = HEAD) -> bytes:
        """The first bytes, so many at most; LabError where they cannot be unpacked."""
        return self._read(most)

    def whole(self, shorter: str) -> bytes:
        """All of it; LabError for more than WHOLE bytes, with what makes it `shorter`."""
        content = self._read(WHOLE + 1)
        if len(content) > WHOLE:
            raise LabError(f"{self.name}: larger than {WHOLE >> 20} MiB; {shorter}")
        return content

    def lines(self, most: int) -> Iterator[bytes]:
        """Line by line with their ends; LabError for one of `most` bytes."""
        try:
            with self.open() as file:
                while line := file.readline(most):
                    if len(line) == most:
                        raise LabError(f"{self.name}: holds a line longer than {most >> 20} MiB; is it text?")
                    yield line
        except UNREADABLE as error:
            raise LabError(f"{self.name}: cannot be unpacked ({error}); copy it again", 4) from None

    def _read(self, most: int) -> bytes:
        try:
            with self.open() as file:
                return file.read(most)
        except UNREADABLE as error:
            raise LabError(f"{self.name}: cannot be unpacked ({error}); copy it again", 4) from None


def parsed(file: File, shorter: str) -> Any:
    """The JSON of a file, words before and after it left out; LabError when it holds none."""
    text = file.whole(shorter).decode("utf-8-sig", errors="replace")
    begin = next((at for at, one in enumerate(text) if one in "[{"), len(text))
    try:
        return json.JSONDecoder().raw_decode(text, begin)[0]
    except (ValueError, RecursionError) as error:
        line = text.count("\n", 0, getattr(error, "pos", 0)) + 1
        raise LabError(f"{file.name}:{line}: not whole JSON; copy the file again", 4) from None


def as_text(content: bytes) -> io.StringIO:
    """Bytes as lines of text; what is no UTF-8 is replaced."""
    return io.StringIO(content.decode("utf-8-sig", errors="replace"))
