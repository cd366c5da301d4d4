"""How a table of text is written: what stands between its columns, the decimal mark, whether it has a head."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.foreign.csv_headers import JMETER, JMETER_ROW, VEGETA, VEGETA_ROW, Writer, writer_of
from pipeline.foreign.files import HEAD, as_text

BETWEEN = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas"}
ROWS = 50  # by which a table is known
ALIKE = 0.9  # of them that have as many columns as the first
COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")


@dataclass(frozen=True)
class Shape:
    """names: of its columns, f0, f1, ... where it has no head; rows: the first, as text; writer: who is known to write
    so; between: what stands between columns, decimal: the mark in numbers."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    head: bool = True
    between: str = ","
    decimal: str = "."
    writer: Writer | None = None

    @property
    def numbers(self) -> list[str]:
        """The columns that hold numbers in every row that is known."""
        return [name for at, name in enumerate(self.names) if self._column(at) and self.all_numbers(at)]

    @property
    def said(self) -> str:
        """What is not plain about it, as the end of a sentence; empty for a plain CSV."""
        told = [f"{BETWEEN[self.between]} between columns"] if self.between != "," and len(self.names) > 1 else []
        told += ["decimal commas"] if self.decimal == "," else []
        if not self.head:
            known = self.writer.columns_said if self.writer else ""
            told += [f"no head: {known}" if known else "no head"]
        return ", ".join(told)

    def all_numbers(self, at: int) -> bool:
        """Whether a column, by its place, holds nothing but numbers."""
        return all(is_number(one, self.decimal) for one in self._column(at))

    def _column(self, at: int) -> list[str]:
        return [row[at] for row in self.rows if at < len(row)]


def number(text: str | None, decimal: str = ".") -> float | None:
    """A finite number as text with that decimal mark, or a point; None for anything else."""
    plain = (text or "").replace(",", ".") if decimal == "," else (text or "")
    try:
        found = float(plain)
    except ValueError:
        return None
    python_alone = "_" in plain or not plain.isascii()  # as 1_000 is a number
    return found if math.isfinite(found) and not python_alone else None


def is_number(text: str, decimal: str = ".") -> bool:
    """Whether text is a number with that decimal mark."""
    return number(text, decimal) is not None


def shape_of(head: bytes) -> Shape | None:
    """The shape of a table whose first bytes are given; None for what is no table: its rows differ in their columns,
    or it is one column of words."""
    lines = _lines(head)
    if not lines or "\0" in lines[0] or lines[0].lstrip()[:1] in ("{", "["):
        return None
    if VEGETA_ROW.match(head):
        rows = _rows(lines, ",")
        return Shape(_counted(len(rows[0])), rows, False, writer=VEGETA)
    if JMETER_ROW.match(lines[0]):
        rows = _rows(lines, ",")
        return Shape((JMETER.header + _counted(99))[: len(rows[0])], rows, False, writer=JMETER)
    between = _between(lines)
    rows = _rows(lines, between) if between else tuple((line.strip().strip('"'),) for line in lines)
    if not rows:
        return None
    decimal = _decimal(rows, between)
    with_head = not any(is_number(one, decimal) or TIME.fullmatch(one.strip()) for one in rows[0])
    names = tuple(one.strip().strip('"') for one in rows[0]) if with_head else _counted(len(rows[0]))
    made = Shape(names, rows[1:] if with_head else rows, with_head, between or ";", decimal)
    if not between and not (made.rows and made.all_numbers(0)):
        return None
    if with_head and not all(one and len(one) < 60 and one.isprintable() and "{" not in one for one in names):
        return None
    return Shape(made.names, made.rows, with_head, made.between, decimal, writer_of(list(names)) if with_head else None)


def _lines(head: bytes) -> list[str]:
    """The first lines that are not empty; the last of a head that is cut is left out."""
    lines = as_text(head).read().splitlines()
    whole = lines[:-1] if len(head) >= HEAD and len(lines) > 1 else lines
    return [line for line in whole[: 4 * ROWS] if line.strip()][:ROWS]


def _between(lines: Sequence[str]) -> str:
    """What stands between columns: of what gives nearly all lines as many as the first, what gives the most lines so;
    empty for one column."""
    shares = {}
    for one in BETWEEN:
        counts = [len(row) for row in _rows(lines, one)]
        if counts and counts[0] > 1:
            shares[one] = Counter(counts)[counts[0]] / len(counts)
    best = max(shares, key=shares.get, default="")
    return best if best and shares[best] >= ALIKE else ""


def _rows(lines: Sequence[str], between: str) -> tuple[tuple[str, ...], ...]:
    try:
        return tuple(tuple(row) for row in csv.reader(lines, delimiter=between))
    except csv.Error:  # a field that is too long
        return ()


def _decimal(rows: Sequence[Sequence[str]], between: str) -> str:
    """The decimal mark: a comma where commas are not between columns, some number has one, and none has a point."""
    cells = [one.strip() for row in rows for one in row] if between != "," else []
    commas = any(COMMA.fullmatch(one) for one in cells)
    return "," if commas and not any("." in one and is_number(one) for one in cells) else "."


def _counted(number: int) -> tuple[str, ...]:
    return tuple(f"f{at}" for at in range(number))
