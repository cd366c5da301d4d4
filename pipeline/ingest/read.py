"""A run bundle's raw files -> tidy tables. Checksums are checked; raw files are never rewritten."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping

import numpy as np

from pipeline.bundle import journal as journals
from pipeline.bundle import readings
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.entry import COMMAND, Experiment
from pipeline.ground.errors import LabError
from pipeline.hdr import log
from pipeline.host import topology
from pipeline.ingest import futex_log, gc_log, jvm_logs, machine_code, state_changes, tables, trial_buckets
from pipeline.ingest.columns import Columns, Rows
from pipeline.ingest.imported import HARNESS, OwnFiles
from pipeline.ingest.tables import Tables
from pipeline.ingest.trial_row import trial_row
from pipeline.measure import noise, states
from pipeline.measure.states import States

# What reads which of the logs that a runtime writes beside its trial.
PARSERS = {"jit": jvm_logs.jit, "compilation": jvm_logs.compilation, "code": machine_code.code, "gc": gc_log.gc}
Logged = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # as of `log.buckets`


def _facts(runtime: dict, prefix: str = "") -> list[tuple[str, str]]:
    flat = []
    for name, value in runtime.items():
        if isinstance(value, dict):
            flat += _facts(value, f"{prefix}{name}.")
        else:
            flat.append((prefix + name, " ".join(value) if isinstance(value, list) else str(value)))
    return flat


def _named(part: str, names: list[str]) -> list[str]:
    return [f"{part}.{name}" if part and name else name for name in names]


class _Reader:
    """Reads the measured trials of one experiment, one after the other, into `columns`."""

    def __init__(
        self, bundle: Bundle, entry: Experiment, histograms: bool, columns: Mapping[str, Columns | Rows], found: States
    ) -> None:
        self.bundle, self.entry, self.histograms, self.columns = bundle, entry, histograms, columns
        self.states = found
        self._own = OwnFiles(bundle)
        # Bundles of the Lab's own studies tell of no host, and people's own files of no CPU.
        self.topology = topology.of_host(bundle.info.get("host", {}).get("cpu", {}))

    def trial(self, line: dict, reasons: list[str]) -> None:
        clock: dict = {}
        given: dict = {}
        state = dict.fromkeys(states.RANKS, states.UNTOLD)
        if line.get("harness") == HARNESS:
            clock = self._own.rows(line, self.columns)
        elif line["status"] in (journals.MEASURED, "check_failed"):
            contents = {name: self._content(name, sha) for name, sha in line.get("files", {}).items()}
            told = {}
            for part in ("", *line.get("parts", ())):
                own = {name: content for name, content in contents.items() if journals.part_of(line, name) == part}
                if found := self._told(own):
                    told[part] = found, own
            objects = [one for one, _ in told.values()]
            state = self._states(line["trial"], objects)
            for part, (one, own) in told.items():
                logged = self.histograms and line.get("harness") != COMMAND  # whose log is what the program wrote
                self._rows(line["trial"], part, one, self._buckets(line, own) if logged else None)
                for name, content in own.items():
                    self._events(line["trial"], name, content)
                    self._traced(line["trial"], part, name, content)
                clock = clock or one.get("clock", {})
                given = given or one.get("parameters", {})
        if line.get("harness") == COMMAND and line["status"] == journals.MEASURED and self.histograms:
            for one, began in self._own.written(line, self.entry.variants, self.columns):
                self.columns["trials"].add(trial_row(one, self.entry, began, given, reasons, self.topology, state))
        reasons = [*reasons, noise.moved()] if states.MOVED in state.values() else reasons
        self.columns["trials"].add(trial_row(line, self.entry, clock, given, reasons, self.topology, state))

    def _states(self, trial: str, objects: list[dict]) -> dict[str, int]:
        """The state of a trial, whose readings are kept; iterations of another one are set apart."""
        try:
            read = readings.gaps(objects)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            why = f"its readings do not keep the harness contract: {error}"
            raise LabError(f"run {self.bundle.name!r}: {trial}: {why}", 4) from None
        if read:
            self.columns["readings"].add(len(read.iteration), trial=trial, **vars(read))
        return state_changes.set_apart(objects, read, self.states)

    def _content(self, name: str, sha256: str) -> bytes:
        needed = self.histograms or name.endswith(".json")
        return self.bundle.verified(name, sha256) if needed else b""

    def _told(self, contents: dict[str, bytes]) -> dict:
        """The JSON object among the files of a part; empty when there is none."""
        found = [(name, content) for name, content in contents.items() if name.endswith(".json")]
        return self._json(*found[-1]) if found else {}

    def _json(self, name: str, content: bytes) -> dict:
        try:
            told = json.loads(content)
            lengths = {len(column) for column in told["iterations"].values()}
            if len(lengths) != 1:
                raise ValueError("columns of iterations differ in length")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LabError(f"run {self.bundle.name!r}: {name} does not keep the harness contract: {error}", 4) from None
        return told

    def _buckets(self, line: dict, contents: dict[str, bytes]) -> Logged:
        name = next((name for name in contents if name.endswith(".hlog")), None)
        if name is None:
            raise LabError(f"run {self.bundle.name!r}: trial {line['trial']} has no histogram log", 4)
        return log.buckets(contents[name], name)

    def _rows(self, trial: str, part: str, told: dict, logged: Logged | None) -> None:
        """What a part told, its names behind that of the part; the series of a whole trial has none."""
        rows, measures, checks = told["iterations"], told["measures"], told["checks"]
        rows = rows | {"series": _named(part, rows["series"])}
        length = len(rows["iteration"])
        samples = np.zeros(length, np.int64)
        if logged is not None:
            low, width, count, repeats = logged
            if len(repeats) != length:
                raise LabError(
                    f"run {self.bundle.name!r}: trial {trial}: {len(repeats)} histograms for "
                    f"{length} iterations; the harness broke its contract",
                    4,
                )
            samples = np.diff(np.concatenate(([0], count.cumsum()))[np.concatenate(([0], repeats.cumsum()))])
            buckets = {"low_ns": low, "width_ns": width, "count": count}
            about = {"trial": trial, "iteration": rows["iteration"], "series": rows["series"]}
            self.columns["buckets"].add(len(low), repeats, **about, **buckets)
            merged = trial_buckets.merged(rows["phase"], rows["series"], repeats, buckets)
            self.columns["trial_buckets"].add(trial=trial, **merged)
        self.columns["iterations"].add(length, trial=trial, samples=samples, **rows)
        measures = measures | {one: _named(part, measures[one]) for one in ("name", "series")}
        self.columns["measures"].add(len(measures["name"]), trial=trial, **measures)
        if checks:
            keys = ("name", "expected", "actual", "passed")
            columns = {key: [check[key] for check in checks] for key in keys}
            columns["name"] = _named(part, columns["name"])
            self.columns["checks"].add(len(checks), trial=trial, **columns)
        facts = _facts(told["runtime"], f"{part}." if part else "")
        self.columns["facts"].add(len(facts), trial=trial, name=[f[0] for f in facts], value=[f[1] for f in facts])

    def _events(self, trial: str, name: str, content: bytes) -> None:
        parser = next((p for kind, p in PARSERS.items() if name.endswith(f".{kind}.log")), None)
        if parser is None or not content:
            return
        found = defaultdict(list)
        for event in parser(content.decode("utf-8", errors="replace")):
            for key, value in event.items():
                found[key].append(value)
        if found:
            self.columns["events"].add(len(found["kind"]), trial=trial, **found)

    def _traced(self, trial: str, part: str, file: str, content: bytes) -> None:
        """What a trace of system calls tells, as a measure of the whole trial for each thread."""
        if not file.endswith(".futex.log"):
            return
        calls = futex_log.wakes(content.decode("utf-8", errors="replace"))
        told = {"series": _named(part, list(calls)), "value": list(calls.values())}
        name = _named(part, [futex_log.WAKES])[0]
        self.columns["measures"].add(len(calls), trial=trial, iteration=-1, name=name, **told)


def read(bundle: Bundle, entry: Experiment, journal: list[dict] | None = None, histograms: bool = True) -> Tables:
    """The tables of one experiment of a bundle, in memory. Without `histograms` the logs are left unread (the stop
    rule's view). Raises as `into`.
    """
    collected = tables.collected()
    into(collected, bundle, entry, journal, histograms)
    return tables.of({name: columns.frame() for name, columns in collected.items()})


def into(
    collected: Mapping[str, Columns | Rows],
    bundle: Bundle,
    entry: Experiment,
    journal: list[dict] | None = None,
    histograms: bool = True,
    trial_ended: Callable[[], None] = lambda: None,
) -> None:
    """Add the rows of one experiment of a bundle trial by trial; `trial_ended` is called after each.

    An experiment that ended without a trial adds none. Raises LabError for one that has none yet, and (status 4) for a
    changed, missing or malformed raw file, naming it.
    """
    every = bundle.journal()
    journal = every if journal is None else journal
    reader = _Reader(bundle, entry, histograms, collected, states.of(every))
    lines = journals.trials(journal, entry.name)
    if not lines and not journals.finished(journal, entry.name):
        raise LabError(f"run {bundle.name!r} holds no trial of {entry.name}; measure it first")
    reasons = noise.judged(lines)
    for line in lines:
        reader.trial(line, reasons[line["trial"]])
        trial_ended()
