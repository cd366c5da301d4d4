"""Reads numeric columns of a CSV file, with errors that name file, line and value."""

import csv
import io
import math
from pathlib import Path

from pipeline.ground.errors import LabError

MAX_BYTES = 64 << 20


def read_columns(
    path: Path, columns: list[str], optional: tuple[str, ...] = (), labels: tuple[str, ...] = ()
) -> list[tuple[int, dict]]:
    """(line number, value by column) of every row; the first row names the columns, others are ignored.

    `optional` and `labels`: further columns, read where the file has them; labels stay text.

    LabError: file missing, empty, not UTF-8, column missing or twice, value absent, not a number or not finite.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise LabError(f"{path}: no such file; give a CSV file with the columns {', '.join(columns)}") from None
    except OSError as error:
        raise LabError(f"{path}: cannot be read ({error.strerror or error}); give a CSV file") from None
    if len(data) > MAX_BYTES:
        raise LabError(f"{path}: larger than {MAX_BYTES >> 20} MiB; give one row per trial")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LabError(f"{path}:{line}: not UTF-8 text; save the table as UTF-8 CSV") from None
    reader = csv.reader(io.StringIO(text, newline=""))
    rows = []
    try:
        header = next((row for row in reader if row), None)
        if header is None:
            raise LabError(f"{path}: the file is empty; give the columns {', '.join(columns)}")
        names = [name.strip() for name in header]
        columns = columns + [column for column in (*optional, *labels) if column in names]
        for column in columns:
            if names.count(column) != 1:
                found = "is missing" if column not in names else "appears twice"
                raise LabError(f"{path}:{reader.line_num}: column {column!r} {found}; the first line must name it once")
        at = {name: (names.index(name), _label if name in labels else _value) for name in columns}
        for row in reader:
            if any(cell.strip() for cell in row):
                where = f"{path}:{reader.line_num}"
                rows.append((reader.line_num, {name: read(row, i, name, where) for name, (i, read) in at.items()}))
    except csv.Error as error:
        raise LabError(f"{path}:{reader.line_num}: not readable as CSV ({error}); save it again as UTF-8 CSV") from None
    if not rows:
        raise LabError(f"{path}: no row below the column names; give one row per trial")
    return rows


def _label(row: list[str], index: int, name: str, where: str) -> str:
    if index < len(row) and row[index].strip():
        return row[index].strip()
    raise LabError(f"{where}: {name} is missing; add it or remove the line")


def _value(row: list[str], index: int, name: str, where: str) -> float:
    text = row[index].strip() if index < len(row) else ""
    try:
        if not text.isascii() or "_" in text:
            raise ValueError  # Python's own notations
        value = float(text)
    except ValueError:
        raise LabError(f"{where}: {name} {text[:40]!r} is not a number; correct it or remove the line") from None
    if not math.isfinite(value):
        raise LabError(f"{where}: {name} {text[:40]!r} is not finite; correct it or remove the line")
    return value
