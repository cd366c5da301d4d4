"""ingest: a run bundle's raw files -> tidy tables. Checksums are checked; raw files are never rewritten."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pipeline import events, hdr_v2, hlog, packed, paths, percentiles, tables
from pipeline.bundle import Bundle, write_durably
from pipeline.catalogue import Experiment
from pipeline.errors import LabError
from pipeline.tables import SCHEMAS, Tables

NOISE = ("steal_pct", "psi_pct", "voluntary", "involuntary", "floor_before_ns", "floor_after_ns", "cycle_ns",
         "hiccup_p99_ns", "hiccup_max_ns", "noisy")  # fmt: skip
NO_NOISE = {name: np.nan for name in NOISE} | {"voluntary": 0, "involuntary": 0, "noisy": False}


class _Columns:
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
            if self._kinds[name] == tables.CATEGORY:
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
            if kind == tables.CATEGORY:
                codes = np.concatenate(chunks) if chunks else np.empty(0, np.int32)
                data[name] = pd.Categorical.from_codes(codes, pd.Index(list(self._codes[name]), dtype="str"))
            else:
                data[name] = np.concatenate(chunks) if chunks else np.empty(0, kind.to_pandas_dtype())
        return pd.DataFrame(data)


def _trial_row(line: dict, entry: Experiment, clock: dict) -> dict:
    noise = line.get("noise") or NO_NOISE
    return {
        "trial": line["trial"], "experiment": line["experiment"], "variant": line["variant"],
        "runtime": line["runtime"], **{axis: line["axes"].get(axis) for axis in entry.axes},
        "block": line["block"], "order": line["order"], "attempt": line["attempt"], "status": line["status"],
        "reason": line["reason"], "wall_s": line["wall_s"], **{name: noise[name] for name in NOISE},
        "noise_reasons": "; ".join(noise.get("reasons", [])), "monotonic_ns": clock.get("monotonic_ns", 0),
        "epoch_ms": clock.get("epoch_ms", 0),
    }  # fmt: skip


def _facts(runtime: dict, prefix: str = "") -> list[tuple[str, str]]:
    flat = []
    for name, value in runtime.items():
        if isinstance(value, dict):
            flat += _facts(value, f"{prefix}{name}.")
        else:
            flat.append((prefix + name, " ".join(value) if isinstance(value, list) else str(value)))
    return flat


class _Reader:
    """Reads the measured trials of one experiment, one after the other."""

    def __init__(self, bundle: Bundle, entry: Experiment, histograms: bool) -> None:
        self.bundle, self.entry, self.histograms = bundle, entry, histograms
        self.trials: list[dict] = []
        self.columns = {name: _Columns(name) for name in SCHEMAS}

    def trial(self, line: dict) -> None:
        told: dict = {}
        if line["status"] in ("measured", "check_failed"):
            contents = {name: self._content(name, sha) for name, sha in line["files"].items()}
            for name, content in contents.items():
                if name.endswith(".json"):
                    told = self._json(name, content)
            if told:
                self._rows(line["trial"], told, self._log(line, contents) if self.histograms else None)
                for name, content in contents.items():
                    self._events(line["trial"], name, content)
        self.trials.append(_trial_row(line, self.entry, told.get("clock", {})))

    def _content(self, name: str, sha256: str) -> bytes:
        needed = self.histograms or name.endswith(".json")
        return self.bundle.verified(name, sha256) if needed else b""

    def _json(self, name: str, content: bytes) -> dict:
        try:
            told = json.loads(content)
            lengths = {len(column) for column in told["iterations"].values()}
            if len(lengths) != 1:
                raise ValueError("columns of iterations differ in length")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LabError(f"run {self.bundle.name!r}: {name} does not keep the harness contract: {error}", 4) from None
        return told

    def _log(self, line: dict, contents: dict[str, bytes]) -> hlog.Log:
        name = next((name for name in contents if name.endswith(".hlog")), None)
        if name is None:
            raise LabError(f"run {self.bundle.name!r}: trial {line['trial']} has no histogram log", 4)
        return hlog.parse_log(contents[name], name)

    def _rows(self, trial: str, told: dict, log: hlog.Log | None) -> None:
        rows = told["iterations"]
        length = len(rows["iteration"])
        samples = np.zeros(length, np.int64)
        if log is not None:
            if len(log.records) != length:
                raise LabError(f"run {self.bundle.name!r}: trial {trial}: {len(log.records)} histograms for "
                               f"{length} iterations; the harness broke its contract", 4)  # fmt: skip
            counts = [record.counts for record in log.records]
            repeats = np.array([len(one.low) for one in counts], np.int64)
            low, width, count = (
                np.concatenate([getattr(one, name) for one in counts]) for name in ("low", "width", "count")
            )
            samples = np.array([one.total for one in counts], np.int64)
            self.columns["buckets"].add(
                len(low), repeats, trial=trial, iteration=rows["iteration"], series=rows["series"], low_ns=low,
                width_ns=width, count=count,
            )  # fmt: skip
        self.columns["iterations"].add(length, trial=trial, samples=samples, **rows)
        measures = told["measures"]
        self.columns["measures"].add(len(measures["name"]), trial=trial, **measures)
        checks = told["checks"]
        if checks:
            keys = ("name", "expected", "actual", "passed")
            self.columns["checks"].add(len(checks), trial=trial, **{k: [check[k] for check in checks] for k in keys})
        facts = _facts(told["runtime"])
        self.columns["facts"].add(len(facts), trial=trial, name=[f[0] for f in facts], value=[f[1] for f in facts])

    def _events(self, trial: str, name: str, content: bytes) -> None:
        parser = next((p for kind, p in events.PARSERS.items() if name.endswith(f".{kind}.log")), None)
        if parser is None or not content:
            return
        found = defaultdict(list)
        for event in parser(content.decode("utf-8", errors="replace")):
            for key, value in event.items():
                found[key].append(value)
        if found:
            self.columns["events"].add(len(found["kind"]), trial=trial, **found)

    def tables(self) -> Tables:
        return Tables(pd.DataFrame(self.trials), **{name: columns.frame() for name, columns in self.columns.items()})


def read(bundle: Bundle, entry: Experiment, journal: list[dict] | None = None, histograms: bool = True) -> Tables:
    """The tables of one experiment of a bundle. Without `histograms` the logs are left unread (the stop rule's view).

    Raises LabError (status 4) for a changed, missing or malformed raw file, naming it.
    """
    lines = bundle.journal() if journal is None else journal
    reader = _Reader(bundle, entry, histograms)
    for line in lines:
        if line["experiment"] == entry.name and "trial" in line:
            reader.trial(line)
    if not reader.trials:
        raise LabError(f"run {bundle.name!r} holds no trial of {entry.name}; measure it first")
    return reader.tables()


def ingest(bundle: Bundle, entry: Experiment, fresh: bool = False) -> Tables:
    """Read one experiment's raw files, write its Parquet tables under build/, and return them.

    Tables that were made of the same files by the same code are kept, unless `fresh`.
    """
    folder = paths.tables(bundle.name, entry.name)
    stamp, now = folder / "tables.stamp", _key(bundle, entry)
    if fresh or not stamp.exists() or stamp.read_text(encoding="utf-8") != now:
        stamp.unlink(missing_ok=True)
        tables.write(read(bundle, entry), entry, folder)
        write_durably(stamp, now)
    return tables.read(entry, folder)


def _key(bundle: Bundle, entry: Experiment) -> str:
    """Hash of what tables depend on: the journal's lines (with the raw files' checksums), the files as they lie there,
    and the code that reads them."""
    lines = [line for line in bundle.journal() if line["experiment"] == entry.name]
    raw = [bundle.folder / name for line in lines for name in line.get("files", ())]
    seen = [(str(file), file.stat().st_size, file.stat().st_mtime_ns)
            for file in [bundle.packed(entry.name, bundle.folder), *raw] if file.exists()]  # fmt: skip
    digest = hashlib.sha256(json.dumps([lines, seen, entry.axes]).encode())
    for module in (events, hdr_v2, hlog, packed, percentiles, tables):
        digest.update(Path(module.__file__).read_bytes())
    digest.update(Path(__file__).read_bytes())
    return digest.hexdigest()
