"""Tidy tables: their schemas, and Parquet files that are validated against them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.bundle.journal import MEASURED
from pipeline.catalogue.entry import Experiment
from pipeline.ground.errors import LabError
from pipeline.ingest.buckets import Buckets, joined, row_groups
from pipeline.ingest.columns import Columns, Rows

S, I32, I64, F, B = pa.string(), pa.int32(), pa.int64(), pa.float64(), pa.bool_()
CATEGORY = pa.dictionary(pa.int32(), pa.string())

TRIALS_BEFORE_AXES = {"trial": S, "experiment": S, "variant": S, "runtime": S}
TRIALS_AFTER_AXES = {
    "block": I32,
    "order": I32,
    "attempt": I32,
    "status": S,
    "reason": S,
    "wall_s": F,
    "cpus": S,
    "apart": S,
    "steal_pct": F,
    "foreign_pct": F,
    "foreign_error_pct": F,
    "psi_pct": F,
    "voluntary": I64,
    "involuntary": I64,
    "floor_before_ns": F,
    "floor_after_ns": F,
    "cycle_ns": F,
    "hiccup_p99_ns": F,
    "hiccup_max_ns": F,
    "cpus_steal_pct": F,
    "cpus_foreign_pct": F,
    "cpus_error_pct": F,
    "sibling_foreign_pct": F,
    "run_delay_pct": F,
    "way": I32,
    "core": I32,
    "noisy": B,
    "noise_reasons": S,
    "monotonic_ns": I64,
    "epoch_ms": I64,
}
SCHEMAS = {
    "iterations": {
        "trial": CATEGORY,
        "iteration": I32,
        "phase": CATEGORY,
        "series": CATEGORY,
        "start_ns": I64,
        "elapsed_ns": I64,
        "operations": I64,
        "samples": I64,
    },
    "buckets": {"trial": CATEGORY, "iteration": I32, "series": CATEGORY, "low_ns": I64, "width_ns": I64, "count": I64},
    "trial_buckets": {
        "trial": CATEGORY,
        "phase": CATEGORY,
        "series": CATEGORY,
        "low_ns": I64,
        "width_ns": I64,
        "count": I64,
    },
    "readings": {"trial": CATEGORY, "iteration": I32, "word_ns": F, "word_most_ns": F, "width": F, "chain_ns": F},
    "measures": {"trial": CATEGORY, "iteration": I32, "series": CATEGORY, "name": CATEGORY, "value": F},
    "events": {
        "trial": CATEGORY,
        "t_ns": I64,
        "kind": CATEGORY,
        "method": S,
        "level": I32,
        "size": I64,
        "detail": S,
        "compilation": S,
    },
    "checks": {"trial": CATEGORY, "name": S, "expected": S, "actual": S, "passed": B},
    "facts": {"trial": CATEGORY, "name": CATEGORY, "value": CATEGORY},
}


MOST = 1 << 17  # rows of iterations that are computed with at once


@dataclass
class Tables:
    """The tables of one experiment of one run; docs/formats.md describes every column."""

    trials: pd.DataFrame
    iterations: pd.DataFrame
    buckets: Buckets
    trial_buckets: pd.DataFrame
    readings: pd.DataFrame
    measures: pd.DataFrame
    events: pd.DataFrame
    checks: pd.DataFrame
    facts: pd.DataFrame

    # Of tables as they were ingested, whole: their folder, and a digest of what they were made of, and by what.
    ingested: ClassVar[tuple[Path, str] | None] = None

    @property
    def measured(self) -> pd.DataFrame:
        """The trials that were measured: not refused, failed or cut short."""
        return self.trials[self.trials["status"] == MEASURED]

    def but(self, **frames: Any) -> Tables:
        """The same with other frames in place of some."""
        other = copy(self)
        vars(other).update({"ingested": None} | frames)
        return other

    def only(self, names: Collection[str]) -> Tables:
        """The tables of these trials alone; `buckets` are those of all."""
        frames = {name: getattr(self, name) for name in SCHEMAS if name != "buckets"} | {"trials": self.trials}
        return self.but(**{name: frame[frame["trial"].isin(names)] for name, frame in frames.items()})

    def parts(self) -> Iterator[Tables]:
        """Tables of whole trials, in order, of some MOST iterations each: what is computed of a trial alone takes no
        more memory however many there are. A usual run is one part, itself."""
        number = -(-self._iterations // MOST)
        if number < 2:
            yield self
        else:
            yield from (self.only(names) for names in np.array_split(self.trials["trial"].to_numpy(), number))

    @property
    def _iterations(self) -> int:
        return len(self.iterations)


class Stored(Tables):
    """Tables that lie in files: each is read when it is asked for first."""

    def __init__(self, folder: Path, trials: pd.DataFrame, names: Collection[str] | None = None) -> None:
        self.trials, self.buckets = trials, Buckets(file(folder, "buckets"))
        self._folder, self._names = folder, names

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name not in SCHEMAS:
            raise AttributeError(name)
        path = file(self._folder, name)
        if self._names is None:
            frame = pq.read_table(path).to_pandas()
        else:
            groups = row_groups(path, self._names)
            frame = joined(part[part["trial"].isin(self._names)] for part in groups)
        setattr(self, name, frame)
        return frame

    def only(self, names: Collection[str]) -> Tables:
        here = {name: frame for name, frame in vars(self).items() if name in SCHEMAS and name != "buckets"}
        here = {name: frame[frame["trial"].isin(names)] for name, frame in here.items()}
        those = Stored(self._folder, self.trials[self.trials["trial"].isin(names)], set(names))
        return those.but(buckets=self.buckets, **here)

    @property
    def _iterations(self) -> int:
        if self._names is not None or "iterations" in vars(self):
            return len(self.iterations)
        return pq.read_metadata(file(self._folder, "iterations")).num_rows


def schema(table: str, entry: Experiment) -> pa.Schema:
    """The Arrow schema of a table; an experiment's axes are columns of its trials."""
    if table != "trials":
        return pa.schema(list(SCHEMAS[table].items()))
    axes = {axis: I64 if kind == "int" else S for axis, kind in entry.axes.items()}
    return pa.schema(list((TRIALS_BEFORE_AXES | axes | TRIALS_AFTER_AXES).items()))


def collected() -> dict[str, Columns | Rows]:
    """Of every table what collects its rows, empty."""
    return {"trials": Rows()} | {name: Columns(kinds) for name, kinds in SCHEMAS.items()}


def of(frames: Mapping[str, pd.DataFrame]) -> Tables:
    """The tables in memory."""
    return Tables(**{**frames, "buckets": Buckets(frames["buckets"])})


def file(folder: Path, table: str) -> Path:
    return folder / f"{table}.parquet"


def read(entry: Experiment, folder: Path) -> Tables:
    """The tables of one experiment, each read when it is asked for; LabError when one is missing or has another
    schema."""
    for field in fields(Tables):
        path = file(folder, field.name)
        if not path.exists():
            raise LabError(f"{path.parent.name}: table {path.name} is missing; run: lab ingest")
        if not pq.read_schema(path).equals(schema(field.name, entry)):
            raise LabError(f"{path.parent.name}: table {path.name} has another schema; run: lab ingest")
    return Stored(folder, pq.read_table(file(folder, "trials")).to_pandas())
