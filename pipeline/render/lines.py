"""Rows of words as lines: of a terminal, and of Markdown that is pasted into an issue or a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines whose columns stand below each other; the last column ends where its text does."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def pipes(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown."""
    lines = [head, ["---"] * len(head), *([escaped(cell) for cell in row] for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def escaped(words: str) -> str:
    """Words that Markdown shows as they are: names hold underscores, intervals brackets, labels may hold pipes."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in " ".join(words.split()))
