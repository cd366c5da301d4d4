"""Frames whose columns have their types also when they hold no row.

pandas takes a column's type from its values, and that of no values is `object` (or text): joined to others it makes
theirs `object` too, and what computes with numbers fails far from there. So what may come to nothing is made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

# By a column's name; every other one holds numbers, with NaN for what is missing.
TYPES = {
    **dict.fromkeys(("trial", "variant", "runtime", "metric", "unit", "model", "name", "part", "label", "why"), "str"),
    **dict.fromkeys(("noisy", "steady"), "bool"),
    **dict.fromkeys(("iteration", "block", "blocks", "trials", "of"), "int64"),
    "rests_on": "object",
}


def framed(rows: Iterable[Any], columns: Sequence[str], like: pd.DataFrame | None = None) -> pd.DataFrame:
    """A frame of rows (mappings, or sequences in the order of `columns`). Without any, a column has the type that it
    has in `like`, or that of TYPES."""
    made = pd.DataFrame(list(rows), columns=list(columns))
    if len(made):
        return made
    known = {} if like is None else dict(like.dtypes)
    return made.astype({name: known.get(name, TYPES.get(name, "float64")) for name in columns})


def joined(parts: Sequence[pd.DataFrame], columns: Sequence[str], like: pd.DataFrame | None = None) -> pd.DataFrame:
    """Frames one below the other under a new index; without any, as `framed` makes it."""
    return pd.concat(parts, ignore_index=True) if parts else framed((), columns, like)
