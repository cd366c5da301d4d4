"""The journal's lines: checked when they are read, and the questions that every step asks of them.

Lines stay plain mappings, so that what a later version adds is kept; what this version relies on has its type checked
here, once, for a damaged line must be named and not end in a traceback somewhere downstream.
"""

from __future__ import annotations

import io
import json
import statistics
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pipeline.bundle.journal_schema import CHECKS
from pipeline.ground.errors import LabError
from pipeline.host.load import Load, Process
from pipeline.plan.plan import key_of

FILE = "journal.jsonl"
PART = "#"  # in the name of a trial in the tables: before it that of its line, of which a program wrote several series
SHARED = 64  # characters: what is as long is a checksum, which no other line has
MEASURED = "measured"  # the status of a trial that kept the contract


def parse(content: bytes, run: str) -> list[dict]:
    """The lines of a journal. A last line cut short by a kill is ignored: its trial counts as not run.

    Events that this version does not know are kept as they are. Raises LabError naming the line, and the field where
    it is one, when any other line is damaged.
    """
    lines, reader = [], _Reader()
    for number, text in enumerate(io.BytesIO(content), 1):
        if not text.endswith(b"\n"):
            break
        try:
            line = reader.read(text)
            kind = "trial" if "trial" in line else line["event"]
            fault = CHECKS[kind](line) if kind in CHECKS else None
            if not isinstance(kind, str) or not isinstance(line, dict):
                raise TypeError
        except (ValueError, TypeError, KeyError, RecursionError):
            raise LabError(f"run {run!r}: {FILE} line {number} is damaged; restore the file") from None
        if fault:
            what = f"{FILE} line {number} is damaged ({'.'.join(map(str, fault[0]))}: {fault[1]})"
            raise LabError(f"run {run!r}: {what}; restore the file")
        lines.append(line)
    return lines


class _Reader:
    """Reads lines so that names and words which all of them have are there once: of thousands they took most of the
    memory."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._decoder = json.JSONDecoder(object_pairs_hook=self._shared)

    def read(self, text: bytes) -> Any:
        """What a line holds. ValueError for what is no JSON, or no text that could be written again."""
        line = self._decoder.decode(text.decode())
        if b"\\ud" in text.lower():  # half a pair of what UTF-16 writes as two is no character
            json.dumps(line, ensure_ascii=False).encode()
        return line

    def _shared(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {self._once(name): self._once(value) for name, value in pairs}

    def _once(self, value: Any) -> Any:
        if type(value) is str:
            return self._known.setdefault(value, value) if len(value) < SHARED else value
        return list(map(self._once, value)) if type(value) is list else value


def of(lines: Iterable[dict], experiment: str) -> list[dict]:
    """The lines of one experiment, events included."""
    return [line for line in lines if line.get("experiment") == experiment]


def trials(lines: Iterable[dict], experiment: str | None = None) -> list[dict]:
    """The lines of trials, of one experiment or of all."""
    return [line for line in lines if "trial" in line and experiment in (None, line["experiment"])]


def whole(lines: Iterable[dict]) -> list[dict]:
    """The lines that are of no sitting."""
    return [line for line in lines if not line.get("sitting")]


def sittings(lines: Iterable[dict]) -> list[dict]:
    """The `sitting` lines, in order: when it began, its rounds, its verdicts and configurations."""
    return [line for line in lines if line.get("event") == "sitting"]


def looks(lines: Iterable[dict], experiment: str) -> list[dict]:
    """The `look` lines of an experiment of a user's programs, in order (`pipeline.versus.alpha_spending`)."""
    return [line for line in of(lines, experiment) if line.get("event") == "look"]


def sat(lines: Iterable[dict]) -> dict[int, dict]:
    """The `sat` lines by number: the sittings that have ended."""
    return {line["number"]: line for line in lines if line.get("event") == "sat"}


def deciding(lines: Iterable[dict]) -> float | None:
    """The minutes for which the run sits after its whole blocks, as said last; None where that was never said."""
    said = [line["minutes"] for line in lines if line.get("event") == "deciding"]
    return said[-1] if said else None


def costs(lines: Iterable[dict]) -> dict[tuple[str, str], float]:
    """Seconds that a trial of each (experiment, key of a configuration) takes: the median over its trials."""
    took = defaultdict(list)
    for line in trials(lines):
        if "took_s" in line:
            key = key_of(line["variant"], line["runtime"], line["axes"])
            took[line["experiment"], key].append(line["took_s"])
    return {key: statistics.median(seconds) for key, seconds in took.items()}


def part_of(line: dict, file: str) -> str:
    """Which part of a trial wrote a file of it; the main one has no name."""
    own = {f"{line['trial']}.{part}.{kind}": part for part in line.get("parts", ()) for kind in ("hlog", "json")}
    return own.get(Path(file).name, "")


def experiments(lines: Iterable[dict]) -> set[str]:
    """The experiments of which the journal holds a trial."""
    return {line["experiment"] for line in trials(lines)}


def reported(lines: Iterable[dict]) -> set[str]:
    """The experiments that have a page: those with a trial, and those that ended without one."""
    lines = list(lines)
    return experiments(lines) | {line["experiment"] for line in lines if line.get("event") == "finished"}


def finished(lines: Iterable[dict], experiment: str) -> dict | None:
    """The last `finished` line of an experiment: why measuring ended, after how many blocks; None while it has not."""
    return _event(list(lines)[::-1], experiment, "finished")


def planned(lines: Iterable[dict], experiment: str) -> dict | None:
    """The `planned` line of an experiment: overrides, number of configurations, what was left out; None before it."""
    return _event(lines, experiment, "planned")


def host_changes(lines: Iterable[dict]) -> list[dict]:
    """The `host_changed` lines: what of the host's state differed when the run was resumed."""
    return [line for line in lines if line.get("event") == "host_changed"]


def busy(lines: Iterable[dict]) -> list[str]:
    """A sentence for every time that measuring began or went on beside other processes."""
    found = []
    for line in lines:
        if line.get("event") == "host_busy":
            seen = Load(line["pct"], tuple(Process(**one) for one in line["processes"]))
            found.append(f"When measuring began ({line['at'][:16].replace('T', ' ')}), {seen.words()}.")
    return found


def told(lines: Iterable[dict]) -> list[str]:
    """A sentence for every change of the host's state during the run, for a reader of its numbers."""
    return [
        f"The host changed while this run was paused ({line['at'][:10]}): "
        + "; ".join(f"{name} from {before} to {after}" for name, (before, after) in line["changes"].items())
        + "."
        for line in host_changes(lines)
    ]


def _event(lines: Iterable[dict], experiment: str, event: str) -> dict | None:
    return next((line for line in of(lines, experiment) if line.get("event") == event), None)
