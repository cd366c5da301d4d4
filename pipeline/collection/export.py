"""The tables of a collection as files: CSV and Parquet, sorted, the same bytes for the same hosts in any order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.collection import summary, telling
from pipeline.collection.hosts import Host

ORDER = ["experiment", "metric", "variant", "axes", "runtime", "host"]


def write(hosts: Sequence[Host], claims: pd.DataFrame, across: Sequence[dict[str, Any]], folder: Path) -> None:
    """hosts, claims and across (claims over hosts) as CSV and Parquet; of each other table a file per experiment."""
    both(_hosts(hosts), folder / "hosts")
    both(claims, folder / "claims")
    told = [
        {key: value for key, value in row.items() if key not in ("counts", "effects")} | row["counts"] for row in across
    ]
    both(pd.DataFrame(told), folder / "across")
    for experiment in sorted({one for host in hosts for one in host.told["experiments"]}):
        for name in ("estimates", "ratios", "curves"):
            _rows(hosts, name, experiment, folder / name / experiment)


def _rows(hosts: Sequence[Host], name: str, experiment: str, path: Path) -> None:
    """One table of one experiment, of all hosts: Parquet has all rows, CSV of the estimates the headlines."""
    parts = []
    for host in hosts:
        rows = summary.rows(host.folder, name, {"experiment": experiment})
        parts.append(rows.append_column("host", pa.array([host.label] * len(rows), pa.string())))
    keys = [column for column in (*ORDER, "percentile") if column in parts[0].column_names]
    table = pa.concat_tables(parts).sort_by([(key, "ascending") for key in keys])
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path.with_suffix(".parquet"), compression="zstd", row_group_size=1 << 17)
    shown = table.filter(table["headline"]) if "headline" in table.column_names else table
    text = shown.to_pandas().to_csv(index=False, lineterminator="\n")
    path.with_suffix(".csv").write_text(text, encoding="utf-8")


def both(frame: pd.DataFrame, path: Path) -> None:
    """Write `path`.csv and `path`.parquet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".csv").write_text(frame.to_csv(index=False, lineterminator="\n"), encoding="utf-8")
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()
    pq.write_table(table, path.with_suffix(".parquet"), compression="zstd", row_group_size=1 << 17)


def _hosts(hosts: Sequence[Host]) -> pd.DataFrame:
    """A row per host: what its run is, how quiet it was, and every fact that is text or a number."""
    rows = []
    for host in hosts:
        told = host.told
        row = {"host": host.label, "origin": host.origin, "id": host.id, "machine": host.machine, "vendor": host.vendor}
        row |= {"virtualised": host.virtualised, "jdks": " ".join(host.jdks)}
        row |= {name: told[name] for name in ("created", "profile", "git", "trials", "noisy")}
        row |= {name: told["shared"].get(name, "") for name in ("by", "label", "note", "licence")}
        row |= told["noise"]
        facts = {name: value for name, value in telling.leaves(told["host"]) if "thread_siblings" not in name}
        rows.append(row | {name: str(value) for name, value in sorted(facts.items())})
    return pd.DataFrame(rows)
