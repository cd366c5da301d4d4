"""Columns of one length, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def rows(*columns: Sequence) -> Iterator[tuple]:
    """The rows of columns; ValueError where one is shorter than another (`zip(strict=True)` of Python 3.10)."""
    if len({len(one) for one in columns}) > 1:
        raise ValueError(f"columns of different lengths: {', '.join(str(len(one)) for one in columns)}")
    return zip(*columns)
