"""ingest: the tables of an experiment of a run, kept until a raw file or the code that reads it changes."""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.entry import Experiment
from pipeline.ground import digest, durable, paths
from pipeline.ingest import read, tables
from pipeline.ingest.tables import Tables
from pipeline.ingest.writer import Writer
from pipeline.measure import states

STAMP = "tables.stamp"
# What the tables depend on: the code that reads raw files, and the rule that says which trials are noisy.
CODE = (
    "bundle",
    "foreign",
    "hdr",
    "host/order.py",
    "host/topology.py",
    "ingest",
    "measure/noise.py",
    "measure/states.py",
    "models/gaps.py",
)


def ingest(bundle: Bundle, entry: Experiment, fresh: bool = False) -> Tables:
    """Read one experiment's raw files, write its Parquet tables under build/, and return them.

    Tables that were made of the same files by the same code are kept, unless `fresh`.
    """
    folder = written(bundle, entry, fresh)
    return tables.read(entry, folder).but(ingested=(folder, _stamped(folder)))


def written(bundle: Bundle, entry: Experiment, fresh: bool = False) -> Path:
    """As `ingest`, but only the folder of the tables: memory holds no more than a row group of each."""
    folder = paths.tables(bundle.name, entry.name)
    stamp, now = folder / STAMP, _key(bundle, entry)
    if fresh or _stamped(folder) != now:
        stamp.unlink(missing_ok=True)
        with Writer(entry, folder) as writer:
            read.into(writer.collected, bundle, entry, trial_ended=writer.trial_ended)
        durable.write(stamp, now)
    return folder


def current(bundle: Bundle, entry: Experiment) -> str:
    """The stamp of the tables that are there, if they are of the files and the code as these are now; else empty."""
    stamp = _stamped(paths.tables(bundle.name, entry.name))
    return stamp if stamp == _key(bundle, entry) else ""


def _stamped(folder: Path) -> str:
    stamp = folder / STAMP
    return stamp.read_text(encoding="utf-8") if stamp.exists() else ""


def _key(bundle: Bundle, entry: Experiment) -> str:
    """Digest of what tables depend on: the journal's lines (with the raw files' checksums), the files as they lie
    there, and the code that reads them."""
    lines = journal.of(bundle.journal(), entry.name)
    raw = [bundle.folder / name for line in lines for name in line.get("files", ())]
    seen = [
        (str(file), file.stat().st_size, file.stat().st_mtime_ns)
        for file in [bundle.packed(entry.name, bundle.folder), *raw]
        if file.exists()
    ]
    told = [seen, entry.axes, bundle.info.get("own"), repr(states.of(bundle.journal()))]
    return digest.files(digest.code(*CODE), *map(json.dumps, [*lines, *told]))
