"""Columns that grow chunk by chunk and become one frame at the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pipeline.ingest.tables import CATEGORY, SCHEMAS


class Columns:
    """Collects chunks of columns of equal length and joins them into one frame.

    A scalar stands for a whole chunk. Text columns are categories from the start: most of a million rows repeat a
    few words.
    """

    def __init__(self, table: str) -> None:
        self._kinds = SCHEMAS[table]
        self._chunks: dict[str, list[np.ndarray]] = {name: [] for name in self._kinds}
        self._codes: dict[str, dict[str, int]] = {name: {} for name in self._kinds}

    def add(self, length: int, repeats: np.ndarray | None = None, **columns: Any) -> None:
        """Add a chunk of `length` rows. `repeats`: how many rows each value of a list stands for; arrays have all."""
        for name, values in columns.items():
            repeated = repeats is not None and isinstance(values, list)
            if self._kinds[name] == CATEGORY:
                values = self._encoded(name, values)
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
            chunks = self._chunks[name]
            if kind == CATEGORY:
                codes = np.concatenate(chunks) if chunks else np.empty(0, np.int32)
                data[name] = pd.Categorical.from_codes(codes, pd.Index(list(self._codes[name]), dtype="str"))
            else:
                data[name] = np.concatenate(chunks) if chunks else np.empty(0, kind.to_pandas_dtype())
        return pd.DataFrame(data)
