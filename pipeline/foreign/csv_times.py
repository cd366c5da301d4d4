"""The column of times of a CSV file: seconds of the epoch or of the beginning, or dates as ISO 8601 writes them."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.foreign import units
from pipeline.foreign.csv_headers import unit_of
from pipeline.foreign.csv_shape import number
from pipeline.foreign.files import File
from pipeline.foreign.names import shown
from pipeline.foreign.reading import LATEST_S, Found
from pipeline.ground.errors import LabError

EPOCH = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}  # seconds of the units in which times since 1970 are told
CENTURY = (1e8, 1e10)  # seconds since 1970 that a date of a measurement lies between


class Times:
    """Turns a column of times into seconds. The first value says how all of them are written; it is said in a note.

    name: of the column; unit: as the writer of the file is known to tell it, empty where nobody says.
    """

    def __init__(self, file: File, name: str, unit: str, decimal: str, found: Found) -> None:
        self._file, self._name, self._unit, self._found = file, name, unit, found
        self._decimal = decimal
        self._scale: float | None = units.FACTORS[unit] / 1e9 if unit else None
        self._dates = False

    def seconds(self, column: pa.ChunkedArray, lines: np.ndarray) -> np.ndarray:
        """The times of some rows, whose lines in the file are given; LabError names the first that is none."""
        if not len(column):
            return np.zeros(0)
        if self._scale is None and not self._dates:
            self._first(column[0].as_py() or "")
        found = self._of_dates(column, lines) if self._dates else self._of_numbers(column, lines)
        if (late := np.abs(found) > LATEST_S).any():
            raise self._refusal(column, lines, int(late.argmax()), "is beyond any; correct it or remove the line")
        return found

    def _first(self, text: str) -> None:
        """Find out how times are written by the first of them."""
        told = number(text, self._decimal)
        if told is None:
            date = _date(text)
            self._dates = date is not None
            if date is not None:
                zone = "with their zone" if date[1] else "without a zone, taken as UTC"
                self._found.note(f"{self._file.title}: times in {shown(self._name)} are dates {zone}")
            self._scale = None if self._dates else 1.0
            return
        size = next((one for one, scale in EPOCH.items() if CENTURY[0] < abs(told) * scale < CENTURY[1]), "")
        unit = size or unit_of(self._name) or "s"
        self._scale = EPOCH[unit]
        if size:
            self._found.note(f"{self._file.title}: times in {shown(self._name)} are {size} since 1970, by their size")

    def _of_numbers(self, column: pa.ChunkedArray, lines: np.ndarray) -> np.ndarray:
        found = numbers(column, self._decimal)
        if not np.isfinite(found).all():
            at = next((at for at, one in enumerate(column.to_pylist()) if number(one, self._decimal) is None), 0)
            raise self._refusal(column, lines, at, "is no number; leave out --time")
        return found * self._scale

    def _of_dates(self, column: pa.ChunkedArray, lines: np.ndarray) -> np.ndarray:
        found = np.empty(len(column))
        for at, text in enumerate(column.to_pylist()):
            date = _date(text or "")
            if date is None:
                raise self._refusal(column, lines, at, "is no date as the first is; correct it or remove the line")
            found[at] = date[0]
        return found

    def _refusal(self, column: pa.ChunkedArray, lines: np.ndarray, at: int, why: str) -> LabError:
        return LabError(f"{self._file.name}:{lines[at]}: time {shown(str(column[at]))[:40]!r} {why}", 4)


def numbers(column: pa.ChunkedArray, decimal: str) -> np.ndarray:
    """A column of numbers as text with that decimal mark; NaN alone where one of them is no number."""
    plain = pc.utf8_trim_whitespace(column)
    plain = pc.replace_substring(plain, ",", ".") if decimal == "," else plain
    try:
        return pc.cast(plain, pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return np.array([np.nan])


def _date(text: str) -> tuple[float, bool] | None:
    """(seconds since 1970, whether a zone is told) of a date as ISO 8601 writes it; None for what is none."""
    try:
        found = datetime.fromisoformat(text.strip().replace(",", "."))
        told = found.tzinfo is not None
        return (found if told else found.replace(tzinfo=UTC)).timestamp(), told
    except (ValueError, OverflowError):
        return None
