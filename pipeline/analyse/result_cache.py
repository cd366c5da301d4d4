"""A cache of the numbers and verdicts of an experiment, next to its tables, until something that they are computed from
changes.

A page, the summary of a run, and each command that prints a number ask for the same ones. What says that they are still
the same is a digest (in the file itself) of the tables' own stamp, the catalogue's entry, the project's code and the
versions of the libraries that compute, and of what else the caller names. Only a process with fixed arithmetic
(`pipeline.ground.arithmetic`) keeps what it computed, for last digits would follow the CPU otherwise; any may read it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.analyse import refused
from pipeline.analyse.trials import Trials
from pipeline.catalogue.declared import plain
from pipeline.catalogue.entry import Experiment
from pipeline.ground import arithmetic, digest, paths
from pipeline.ingest.tables import Tables

LIBRARIES = ("numpy", "pandas", "scipy")
KEY = b"computed from"
METRICS = "metrics"


def table(
    name: str, entry: Experiment, tables: Tables, compute: Callable[[], pd.DataFrame], *words: str
) -> pd.DataFrame:
    """What `compute` gives, or gave when it was last computed from these tables, by the same code; as Arrow gives it
    back, the first time too. words: what else it depends on.

    Nothing is kept of tables that are not as they were ingested, and where there is no room.
    """
    if tables.ingested is None:
        return compute()
    folder, stamp = tables.ingested
    path, key = _file(folder, name), _key(stamp, entry, *words)
    if (known := _read(path, key)) is not None:
        return known
    found = pa.Table.from_pandas(compute(), preserve_index=False)
    found = found.replace_schema_metadata({**(found.schema.metadata or {}), KEY: key})
    if keeps():
        _write(path, found)
    return found.to_pandas()


def metrics(entry: Experiment, tables: Tables, several: Iterable[Trials] | None = None) -> pd.DataFrame:
    """All metrics of an experiment that its entry does not refuse (`pipeline.analyse.refused`), one number per trial;
    several: all parts of the trials, where others look at them too."""

    def compute() -> pd.DataFrame:
        return refused.compute(entry, tables) if several is None else refused.of(entry, several)

    return table(METRICS, entry, tables, compute)


def holds_metrics(entry: Experiment, folder: Path, stamp: str) -> bool:
    """Whether `metrics` has nothing to compute of tables that lie in `folder` with a stamp."""
    return _held(_file(folder, METRICS)) == _key(stamp, entry)


def keeps() -> bool:
    """Whether this process keeps what it computes."""
    return arithmetic.environment(os.environ) == dict(os.environ)


@cache
def _code() -> str:
    """Of the code that this process began with, and of what was published, by which claims are judged."""
    published = sorted(paths.published().glob("*.csv"))
    return digest.files([*digest.code(), *published], *(metadata.version(library) for library in LIBRARIES))


def _key(stamp: str, entry: Experiment, *words: str) -> bytes:
    return digest.files((), _code(), stamp, json.dumps(plain(entry)), *words).encode()


def _file(folder: Path, name: str) -> Path:
    return folder / "computed" / f"{name}.parquet"


def _held(path: Path) -> bytes:
    """What a kept table says it was computed from; empty where none is there, or a damaged one."""
    try:
        return (pq.read_schema(path).metadata or {}).get(KEY, b"")
    except (OSError, pa.ArrowException):
        return b""


def _read(path: Path, key: bytes) -> pd.DataFrame | None:
    try:
        return pq.read_table(path).to_pandas() if _held(path) == key else None
    except (OSError, pa.ArrowException):
        return None  # it is computed again


def _write(path: Path, found: pa.Table) -> None:
    """All of it or nothing, whoever else writes the same; without room nothing, for it can be computed again."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(found, part, compression="zstd")
        part.rename(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
