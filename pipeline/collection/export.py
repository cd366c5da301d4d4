"""The tables of a collection as files: CSV and Parquet, by host, the same bytes for the same hosts in any order.

Written host after host and read again by the pages, so that the memory they take does not grow with the hosts.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.collection import hosts as hosts_
from pipeline.collection import redaction
from pipeline.collection.hosts import Host

MERGED = ("estimates", "ratios", "curves")
TABLES = ("cpu.thread_siblings", "cpu.topology")  # facts of every CPU: no column of a table of hosts
BATCH = 64  # hosts that are in memory together


def write(hosts: Sequence[Host], claims: pd.DataFrame, across: Sequence[dict[str, Any]], folder: Path) -> None:
    """hosts, claims and across (claims over hosts) as CSV and Parquet; of each other table a file per experiment."""
    both(_hosts(hosts), folder / "hosts")
    both(claims, folder / "claims")
    told = [
        {key: value for key, value in row.items() if key not in ("counts", "effects")} | row["counts"] for row in across
    ]
    both(pd.DataFrame(told), folder / "across")
    experiments = sorted({one for host in hosts for one in host.told["experiments"]})
    for name in MERGED:
        _merge(hosts, name, {experiment: folder / name / experiment for experiment in experiments})


def _merge(hosts: Sequence[Host], name: str, paths: dict[str, Path]) -> None:
    """One table of all hosts, a file per experiment: Parquet has all rows, CSV of the estimates the headlines."""
    empty = hosts_.plain(hosts_.schema(name).empty_table(), name)
    with ExitStack() as opened:
        writers, texts = {}, {}
        for experiment, path in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.with_suffix(".parquet")
            writers[experiment] = opened.enter_context(pq.ParquetWriter(file, empty.schema, compression="zstd"))
            texts[experiment] = opened.enter_context(path.with_suffix(".csv").open("w", encoding="utf-8"))
            texts[experiment].write(_csv(empty, header=True))
        for first in range(0, len(hosts), BATCH):
            rows = hosts_.arrow(hosts[first : first + BATCH], name, {})
            for experiment in pc.unique(rows["experiment"]).to_pylist():
                own = hosts_.plain(rows.filter(pc.equal(rows["experiment"], experiment)), name)
                writers[experiment].write_table(own)
                texts[experiment].write(_csv(own.filter(own["headline"]) if "headline" in own.column_names else own))


def _csv(rows: pa.Table, header: bool = False) -> str:
    return rows.to_pandas().to_csv(index=False, header=header, lineterminator="\n")


def table(folder: Path, name: str, experiment: str, hosts: Sequence[Host] = (), **where: Any) -> pd.DataFrame:
    """The rows of an experiment whose columns have the values of `where`, as `write` left them; `hosts`: only of
    these."""
    filters = [(key, "=", one) for key, one in where.items()]
    filters += [("host", "in", {host.label for host in hosts})] if hosts else []
    words = [column.name for column in hosts_.schema(name) if pa.types.is_dictionary(column.type)]
    file = folder / name / f"{experiment}.parquet"
    rows = pq.read_table(file, filters=filters or None, read_dictionary=words, use_threads=False)
    return hosts_.plain(rows, name).to_pandas()


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
        facts = {name: value for name, value in redaction.leaves(told["host"]) if not name.startswith(TABLES)}
        rows.append(row | {name: str(value) for name, value in sorted(facts.items())})
    return pd.DataFrame(rows)
