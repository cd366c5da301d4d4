"""Tables to Parquet while they grow: memory holds one row group of each, however many trials there are."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.catalogue.entry import Experiment
from pipeline.ground.errors import LabError
from pipeline.ingest import tables

ROW_GROUP = 1 << 16  # rows: a row group has so many and the rest of the trial in which it got them
OF_TRIALS = 1 << 12  # rows of a row group of trials: while they are collected, each takes some KB


def _writer(file: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """Whole numbers as differences, words by their number: written in half the time of pages that zstd packs, read in
    two thirds of it, and two fifths smaller. Nobody asks for the least and greatest of a row group."""
    words = [one.name for one in schema if pa.types.is_dictionary(one.type)]
    whole = {one.name: "DELTA_BINARY_PACKED" for one in schema if pa.types.is_integer(one.type)}
    how = {"compression": "lz4", "use_dictionary": words, "column_encoding": whole, "write_statistics": False}
    return pq.ParquetWriter(file, schema, **how)


class Writer:
    """Writes what is collected in `collected` (table -> `pipeline.ingest.columns`) to files in `folder`.

    A context: each file has a temporary name of this process until all are complete, and on an error there is none. Two
    processes may write the same tables: their bytes are equal, and each file is replaced whole.
    """

    def __init__(self, entry: Experiment, folder: Path) -> None:
        self.collected = tables.collected()
        self._entry, self._folder = entry, folder
        folder.mkdir(parents=True, exist_ok=True)
        self._files = {name: _writer(self._part(name), tables.schema(name, entry)) for name in self.collected}

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if kind is None:
                self._write(1)
        except BaseException as fault:
            kind = type(fault)
            raise
        finally:
            for name, file in self._files.items():
                file.close()
                if kind is None:
                    self._part(name).rename(tables.file(self._folder, name))
                else:
                    self._part(name).unlink()
            pa.default_memory_pool().release_unused()

    def trial_ended(self) -> None:
        """Write the tables that hold a row group. LabError when one breaks its schema."""
        self._write(ROW_GROUP)

    def _write(self, least: int) -> None:
        for name, columns in self.collected.items():
            if columns.rows >= (min(least, OF_TRIALS) if name == "trials" else least):
                self._files[name].write_table(self._arrow(name), row_group_size=columns.rows)
                columns.clear()

    def _arrow(self, name: str) -> pa.Table:
        try:
            return self.collected[name].arrow(tables.schema(name, self._entry))
        except (pa.ArrowException, KeyError) as error:
            raise LabError(f"{self._entry.name}: table {name} does not fit its schema: {error}") from None

    def _part(self, name: str) -> Path:
        file = tables.file(self._folder, name)
        return file.with_name(f"{file.name}.{os.getpid()}.part")
