"""Tidy tables: their schemas, and Parquet files that are validated against them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.bundle.journal import MEASURED
from pipeline.catalogue.entry import Experiment
from pipeline.ground.errors import LabError
from pipeline.ingest.buckets import Buckets
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
    "facts": {"trial": CATEGORY, "name": CATEGORY, "value": S},
}


@dataclass
class Tables:
    """The tables of one experiment of one run; docs/formats.md describes every column."""

    trials: pd.DataFrame
    iterations: pd.DataFrame
    buckets: Buckets
    trial_buckets: pd.DataFrame
    measures: pd.DataFrame
    events: pd.DataFrame
    checks: pd.DataFrame
    facts: pd.DataFrame

    @property
    def measured(self) -> pd.DataFrame:
        """The trials that were measured: not refused, failed or cut short."""
        return self.trials[self.trials["status"] == MEASURED]


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
    """Read the tables of one experiment, `buckets` when they are asked for; LabError when one is missing or has
    another schema."""
    found = {}
    for field in fields(Tables):
        path = file(folder, field.name)
        if not path.exists():
            raise LabError(f"{path.parent.name}: table {path.name} is missing; run: lab ingest")
        if not pq.read_schema(path).equals(schema(field.name, entry)):
            raise LabError(f"{path.parent.name}: table {path.name} has another schema; run: lab ingest")
        found[field.name] = Buckets(path) if field.name == "buckets" else pq.read_table(path).to_pandas()
    return Tables(**found)
