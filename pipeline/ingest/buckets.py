"""The table `buckets`: by far the longest, so a long one is read a row group at a time, and only where it is wanted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from pipeline.hdr import histograms

KEPT = 1 << 20  # rows (about 40 MB) that are read at once and kept


class Buckets:
    """Rows of `buckets` in memory or in a file whose row groups hold whole trials (`pipeline.ingest.writer`)."""

    def __init__(self, source: pd.DataFrame | Path) -> None:
        self._source = source

    def of(self, rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
        """The buckets of `rows` (columns trial, iteration, series), in parts that each hold whole trials."""
        return (part for _, part in self.of_each([rows]))

    def of_each(self, several: Sequence[pd.DataFrame]) -> Iterator[tuple[int, pd.DataFrame]]:
        """`of` of each of `several` in one pass over the table, each part with its place in `several`."""
        wanted = [histograms.wanted(rows) for rows in several]
        for part in self.parts({name for rows in several for name in rows["trial"].unique()}):
            for place, within in enumerate(wanted):
                mine = within(part)
                yield place, part if mine.all() else part[mine]

    def parts(self, trials: Collection[str]) -> Iterator[pd.DataFrame]:
        """Parts of whole trials in the order of the table, those left out that have none of `trials`; at least one."""
        if isinstance(self._source, pd.DataFrame):
            yield self._source
        elif self.rows <= KEPT:
            yield self._whole
        else:
            yield from row_groups(self._source, trials)

    @cached_property
    def rows(self) -> int:
        """How many buckets there are."""
        return len(self._source) if isinstance(self._source, pd.DataFrame) else pq.read_metadata(self._source).num_rows

    @cached_property
    def _whole(self) -> pd.DataFrame:
        return pq.read_table(self._source).to_pandas(split_blocks=True, self_destruct=True)  # each column but once


def row_groups(path: Path, trials: Collection[str]) -> Iterator[pd.DataFrame]:
    """The row groups of a table that have any of `trials`, in order; at least one frame, be it empty."""
    wanted, found = set(trials), False
    with pq.ParquetFile(path) as file:
        for number in range(file.num_row_groups):
            names = file.read_row_group(number, columns=["trial"])["trial"]
            if not wanted.isdisjoint(names.unique().to_pylist()):
                found = True
                yield file.read_row_group(number).to_pandas()
        if not found:
            yield file.schema_arrow.empty_table().to_pandas()


def joined(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Parts one after another, their categories united."""
    first, *others = parts
    if not others:
        return first
    every = pd.concat([first, *others], ignore_index=True)
    for name in first.select_dtypes("category"):
        every[name] = pd.api.types.union_categoricals([one[name] for one in (first, *others)])
    return every
