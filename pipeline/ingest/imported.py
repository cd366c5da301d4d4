"""Trials of imported runs: their files are read by `foreign`, anew each time, and become rows of the same tables."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.foreign import sessions
from pipeline.foreign.files import File
from pipeline.foreign.reading import Found, Options, Thing
from pipeline.foreign.windows import Window
from pipeline.hdr.counts import Counts
from pipeline.ingest.columns import Columns, Rows

HARNESS = "own"  # of a journal's line
WRITTEN = ".written"  # ends the name of a file that a program wrote (`pipeline/measure/command`)
PHASE = "recorded"  # of all of its iterations: nobody else's warm-up is cut off


MOST_HELD, MOST_FILES = 1 << 21, 500  # buckets, of 24 bytes, and sessions that are held: a few long logs, or many small
_held: dict[tuple, Found] = {}


def remember(sums: Sequence[str], options: Options, form: str, found: Found) -> None:
    """Keep what was read of files with these sums, so that this process need not read them again; not of so many that
    memory would grow with them."""
    buckets = sum(each.buckets for one in (*_held.values(), found) for each in one.windows.values())
    if buckets <= MOST_HELD and len(_held) < MOST_FILES:
        parts = {name: dict(getattr(found, name)) for name in ("windows", "values", "checks")}
        _held[_key(sums, options, form)] = replace(found, **parts)


def _key(sums: Sequence[str], options: Options, form: str) -> tuple:
    return tuple(sums), options, form


class OwnFiles:
    """Reads the files of an imported run's sessions; the last is kept, for each of its series is a trial."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._last: tuple[Any, Found] | None = None

    def found(self, files: Mapping[str, str], names: Mapping[str, str], form: str) -> Found:
        """What the files of a session hold (name in the bundle -> SHA-256, and -> what it is called); LabError
        (status 4) where one was changed."""
        key = tuple(files.items())
        if self._last is None or self._last[0] != key:
            each = [File(self._bundle.verified_path(name, sha), names[name]) for name, sha in key]
            options = Options.of(self._bundle.info["own"]["options"])
            known = _held.pop(_key([sha for _, sha in key], options, form), None)
            self._last = key, known or sessions.read(each, options, form)[1]
        return self._last[1]

    def rows(self, line: Mapping[str, Any], columns: Mapping[str, Columns | Rows]) -> dict[str, int]:
        """Add the rows of an imported trial; when it began, as the clock of the trials table."""
        found = self.found(line["files"], line["names"], line["format"])
        return self.of(line["trial"], _thing(line["thing"]), found, line["names"].values(), columns)

    def written(self, line: Mapping[str, Any], known: Container[str], columns: Mapping[str, Columns | Rows]):
        """Add the rows of what a program wrote: (line, clock) of each series or benchmark in it that the entry has."""
        files = {name: sha for name, sha in line["files"].items() if name.endswith(WRITTEN)}
        if not files:
            return
        found = self.found(files, dict.fromkeys(files, f"trial {line['trial']}"), "")
        things = [thing for thing in found.things if thing.name in known]
        for number, thing in enumerate(things):
            one = f"{line['trial']}{journal.PART}{number}"
            clock = self.of(one, thing, found, (), columns)
            yield {**line, "trial": one, "variant": thing.name, "axes": line["axes"] | dict(thing.axes)}, clock

    def of(
        self, trial: str, thing: Thing, found: Found, names: Iterable[str], columns: Mapping[str, Columns | Rows]
    ) -> dict[str, int]:
        """Add the rows of one thing under the name of a trial; when it began."""
        series = thing.name
        windows = list(found.windows.get(thing, ()))
        if windows:
            _windows(trial, series, windows, columns)
        values = found.values.get(thing, [])
        limits = _beyond(windows, self._bundle.info["own"].get("limits", []))
        named = [(one.measure.name, one.value, one.iteration) for one in values] + [(*one, -1) for one in limits]
        if named:
            name, value, iteration = map(list, zip(*named, strict=True))
            columns["measures"].add(len(named), trial=trial, iteration=iteration, series="", name=name, value=value)
        checks = found.checks.get(thing, [])
        if checks:
            told = {key: [getattr(one, key) for one in checks] for key in ("name", "expected", "actual", "passed")}
            columns["checks"].add(len(checks), trial=trial, **told)
        facts = {"tool": found.tool, "unit": found.unit, "unit known by": found.unit_from, **found.facts}
        facts |= {f"file {number}": name for number, name in enumerate(names, 1)}
        facts = {name: text for name, text in facts.items() if text}
        columns["facts"].add(len(facts), trial=trial, name=list(facts), value=list(facts.values()))
        return {"epoch_ms": round(1000 * (found.begun or 0)), "monotonic_ns": 0}


def _thing(told: list[Any]) -> Thing:
    name, axes, trial = told
    return Thing(name, tuple((axis, value) for axis, value in axes), trial)


def _windows(trial: str, series: str, windows: list[Window], columns: Mapping[str, Columns | Rows]) -> None:
    counts = [one.counts for one in windows]
    samples = np.array([one.total for one in counts], np.int64)
    number = np.arange(len(windows), dtype=np.int32)
    columns["iterations"].add(
        len(windows),
        trial=trial,
        iteration=number,
        phase=PHASE,
        series=series,
        start_ns=np.array([round(1e9 * one.start) for one in windows], np.int64),
        elapsed_ns=np.array([round(1e9 * one.length) for one in windows], np.int64),
        operations=samples,
        samples=samples,
    )
    for at, one in zip(number, counts, strict=True):
        buckets = {"low_ns": one.low, "width_ns": one.width, "count": one.count}
        columns["buckets"].add(len(one.low), iteration=at, trial=trial, series=series, **buckets)
    whole = sessions.total(windows)
    told = {"low_ns": whole.low, "width_ns": whole.width, "count": whole.count}
    columns["trial_buckets"].add(len(whole.low), trial=trial, phase=PHASE, series=series, **told)


def _beyond(windows: list[Window], limits: list[list[float]]) -> list[tuple[str, float]]:
    """Of each limit the share of all values that are longer, as a measure of the whole trial."""
    if not windows:
        return []
    whole = sessions.total(windows)
    return [(beyond(most), _share(whole, most)) for _, most in limits] if whole.total else []


def beyond(most: float) -> str:
    """The metric of a limit in ns: `beyond_10000000`."""
    return f"beyond_{round(most)}"


def _share(counts: Counts, most: float) -> float:
    above = counts.low + (counts.width - 1) > most
    return float(counts.count[above].sum() / counts.total)
