"""Columns that grow chunk by chunk and become a frame, of all rows or of those since the last one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa


class Columns:
    """Collects chunks of columns of equal length and joins them into one frame.

    kinds: name -> Arrow type. A scalar stands for a whole chunk. Text columns are categories from the start, in the
    order in which they come: most of a million rows repeat a few words.
    """

    def __init__(self, kinds: Mapping[str, pa.DataType]) -> None:
        self._kinds = kinds
        self.clear()

    def clear(self) -> None:
        self.rows = 0
        self._chunks: dict[str, list[np.ndarray]] = {name: [] for name in self._kinds}
        self._codes: dict[str, dict[str, int]] = {name: {} for name in self._kinds}

    def add(self, length: int, repeats: np.ndarray | None = None, **columns: Any) -> None:
        """Add a chunk of `length` rows. `repeats`: how many rows each value of a list stands for; arrays have all."""
        self.rows += length
        for name, values in columns.items():
            repeated = repeats is not None and isinstance(values, list)
            if pa.types.is_dictionary(self._kinds[name]):
                values = self._encoded(name, values)
            elif pa.types.is_floating(self._kinds[name]):
                values = _floats(values)
            array = np.repeat(values, repeats) if repeated else np.asarray(values)
            self._chunks[name].append(np.full(length, values) if array.ndim == 0 else array)

    def _encoded(self, name: str, values: Any) -> Any:
        codes = self._codes[name]
        if isinstance(values, str):
            return np.int32(codes.setdefault(values, len(codes)))
        return np.array([codes.setdefault(str(value), len(codes)) for value in values], np.int32)

    def frame(self) -> pd.DataFrame:
        data = {}
        for name, kind in self._kinds.items():
            data[name] = joined = self._joined(name)
            if pa.types.is_dictionary(kind):
                data[name] = pd.Categorical.from_codes(joined, pd.Index(list(self._codes[name]), dtype="str"))
        return pd.DataFrame(data, copy=False)

    def arrow(self, schema: pa.Schema) -> pa.Table:
        """The same without a frame between, which takes as long again; ArrowException where a value does not fit."""
        arrays = []
        for name, kind in self._kinds.items():
            if pa.types.is_dictionary(kind):
                words = pa.array(list(self._codes[name]), pa.string())
                arrays.append(pa.DictionaryArray.from_arrays(self._joined(name), words))
            else:
                values = self._joined(name)
                if values.dtype.kind == "U":  # text where a number belongs is refused by what it says
                    arrays.append(pa.array(values.astype(object), pa.string()).cast(kind))
                else:
                    arrays.append(pa.array(values, kind, from_pandas=True))
        return pa.Table.from_arrays(arrays, schema=schema)

    def _joined(self, name: str) -> np.ndarray:
        """A column's values, of words their codes."""
        kind = self._kinds[name]
        none = np.int32 if pa.types.is_dictionary(kind) else kind.to_pandas_dtype()
        return np.concatenate(self._chunks[name]) if self._chunks[name] else np.empty(0, none)


def _floats(values: Any) -> Any:
    """Numbers as floats, so that a whole number is the same one beside fractions and without; else as they are."""
    array = np.asarray(values)
    return array.astype(float) if array.dtype.kind in "iu" else array


class Rows:
    """As `Columns`, of a table that gets a row at a time and whose text is not repeated."""

    def __init__(self) -> None:
        self.clear()

    @property
    def rows(self) -> int:
        return len(self._rows)

    def clear(self) -> None:
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self._rows)

    def arrow(self, schema: pa.Schema) -> pa.Table:
        """ArrowException or KeyError where the rows are not of the schema."""
        return pa.Table.from_pandas(self.frame(), schema=schema, preserve_index=False, safe=True)
