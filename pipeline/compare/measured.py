"""What was measured on each side, configuration by configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pipeline.analyse import estimates, result_cache
from pipeline.analyse.frames import joined
from pipeline.analyse.states import chosen, told
from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.classes import Class
from pipeline.catalogue.entry import Experiment
from pipeline.compare import clock
from pipeline.compare.sides import Side
from pipeline.ingest import ingest
from pipeline.ingest.tables import Tables
from pipeline.measure import states
from pipeline.measure.states import MOVED, RANKS, UNTOLD, States

FLAG = "flag "  # begins a flag of the runtime, not an option of the harness
# Options that say where files lie, which of the sides it is, or what changes from block to block.
PLACES = ("--out", "--native", "--dir", "--commands", "--side", "--padding", "--build")


class Run:
    """One run: its journal, its tables, and the metrics of an experiment."""

    def __init__(self, name: str) -> None:
        self.bundle = Bundle.open(name)
        self.lines = self.bundle.journal()
        self._metrics: dict[tuple[str, ...], pd.DataFrame] = {}

    @cached_property
    def experiments(self) -> set[str]:
        return journal.experiments(self.lines)

    @cached_property
    def cycles(self) -> np.ndarray:
        """The calibrated cycle of every measured trial that has one, in ns."""
        noise = [line.get("noise") or {} for line in journal.trials(self.lines)]
        return np.array([one[clock.CYCLE] for one in noise if one.get(clock.CYCLE, 0) > 0], float)

    def tables(self, entry: Experiment) -> Tables:
        return ingest.ingest(self.bundle, entry)

    def metrics(self, entry: Experiment, names: Iterable[str]) -> pd.DataFrame:
        """The metrics table of an experiment, with `how`, the parameters of each trial, and its calibrated cycle."""
        key = (entry.name, *names)
        if key not in self._metrics:
            tables = self.tables(entry)
            every = result_cache.metrics(entry, tables)
            found = joined([every[every["metric"] == name] for name in names], [*every.columns], every)
            how = {line["trial"]: parameters(line) for line in journal.trials(self.lines, entry.name)}
            cycle = tables.trials.set_index("trial")[clock.CYCLE]
            asked = found["trial"].map(lambda trial: trial.partition(journal.PART)[0])
            self._metrics[key] = found.assign(**{"how": asked.map(how), clock.CYCLE: found["trial"].map(cycle)})
        return self._metrics[key]

    def absence(self, experiment: str, variant: str, runtime: str, axes: Mapping[str, Any]) -> str:
        """Why there is no number of a configuration."""
        for line in journal.trials(self.lines, experiment):
            if (line["variant"], line["runtime"]) == (variant, runtime) and same(line["axes"], axes):
                status = line["status"].replace("_", " ")
                return "no number" if status == journal.MEASURED else f"{status}: {line['reason'] or 'no reason given'}"
        return "not measured"


@dataclass(frozen=True)
class Configuration:
    """One configuration and metric, and its metric rows in each run of both sides; empty where a run has none.

    `made_of`: the class of its numbers. `cycle`: values are what they would be with this cycle (ns); nan: as measured.
    """

    entry: Experiment
    metric: str
    variant: str
    runtimes: tuple[str, str]
    axes: Mapping[str, Any]
    before: tuple[pd.DataFrame, ...]
    after: tuple[pd.DataFrame, ...]
    made_of: Class
    cycle: float

    @property
    def otherwise(self) -> str:
        """What parameters differ between the sides, in words; empty when none does."""
        sides = [{how for rows in side for how in rows["how"].unique()} for side in (self.before, self.after)]
        if sides[0] == sides[1] or not all(sides):
            return ""
        first, second = (max(side - other, default=max(side)) for side, other in (sides, sides[::-1]))
        before, after = (
            " ".join(word for word in one if word not in other) or "none"
            for one, other in ((first, second), (second, first))
        )
        return f"other parameters: {before} → {after}"


def parameters(line: Mapping[str, Any]) -> tuple[str, ...]:
    """What a trial was asked to do, beside its variant, as `--name value`; flags of a JVM as they are."""
    commands = [line["command"], *(part["command"] for part in line.get("parts", {}).values())]
    return tuple(word for command in commands for word in _parameters(command))


def _parameters(command: list[str]) -> Iterator[str]:
    # The experiment, which of a part may be another's, stands before the variant; fio has neither.
    start = command.index("--variant") - 1 if "--variant" in command else 0
    yield from (FLAG + word for word in command[1:start] if word[0] == "-" and "/" not in word and word != "-jar")
    options = iter(command[start + 1 :])
    for name in options:
        value = next(options, "")
        if name not in PLACES:
            yield f"{name} {value}".rstrip()


def same(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two configurations have the same axes; one that is not set is None or absent."""
    return all(first.get(key) == second.get(key) for key in {*first, *second})


def matched(
    entry: Experiment,
    names: list[str],
    before: list[Run],
    after: list[Run],
    sides: tuple[Side, Side],
    cycle: float = np.nan,
) -> list[Configuration]:
    """Every configuration that a side has, runtimes matched by name, or as the sides name them. `cycle`: the clock at
    which times of the core are told (`pipeline.compare.clock`)."""
    several: dict[tuple, tuple[list, list]] = {}
    found = states.of([line for run in {id(run): run for run in (*before, *after)}.values() for line in run.lines])
    for at, (runs, side) in enumerate(zip((before, after), sides, strict=True)):
        for place, run in enumerate(runs):
            for key, rows in _split(entry, _ranked(run.metrics(entry, names), run.lines, found), side.runtime):
                lists = several.setdefault(key, ([None] * len(before), [None] * len(after)))
                lists[at][place] = rows
    empty = pd.DataFrame(columns=["value", "noisy", "steady", "block", "how"])
    configurations = []
    for (metric, variant, runtime, *axes), lists in several.items():
        runtimes = (runtime, runtime) if runtime else (sides[0].runtime, sides[1].runtime)
        rows = _of_one_state([tuple(empty if one is None else one for one in side) for side in lists])
        known = {axis: value for axis, value in zip(entry.axes, axes, strict=True) if value is not None}
        made_of, unit = entry.class_of(metric, variant, known), entry.metrics[metric].unit
        at = cycle if cycle > 0 and clock.ruled(made_of, unit) and clock.known(rows) else np.nan
        if at > 0:
            rows = [tuple(clock.at(one, at, unit) for one in side) for side in rows]
        configurations.append(Configuration(entry, metric, variant, runtimes, known, *rows, made_of, at))
    return configurations


def _ranked(rows: pd.DataFrame, lines: Iterable[Mapping], found: States) -> pd.DataFrame:
    """Metric rows of a run (its journal's lines) with the state of each trial by the states of all runs that are
    compared: what is near in one run may be far in another. By the medians of its readings; MOVED as in its run."""
    moved = (told(rows) == MOVED).any(axis=1)
    if not found.several:
        return rows.assign(**dict.fromkeys(RANKS, UNTOLD)) if (told(rows) != UNTOLD).any() else rows
    read = {line["trial"]: line["readings"] for line in lines if line.get("readings")}
    ranks = found.of_medians([read.get(trial.partition(journal.PART)[0], {}) for trial in rows["trial"]])
    ranks = np.where(moved[:, None], MOVED, np.array(ranks, int).reshape(-1, len(RANKS)))
    return rows.assign(**dict(zip(RANKS, ranks.T, strict=True)))


def _of_one_state(sides: list[tuple[pd.DataFrame, ...]]) -> list[tuple[pd.DataFrame, ...]]:
    """The rows of all runs that were measured in the state in which both sides are compared."""
    known = [one for side in sides for one in side if len(one)]
    kept = iter([one[keep] for one, keep in zip(known, chosen([told(one) for one in known]), strict=True)])
    return [tuple(next(kept) if len(one) else one for one in side) for side in sides]


def _split(entry: Experiment, rows: pd.DataFrame, runtime: str | None) -> Iterator[tuple[tuple, pd.DataFrame]]:
    """(metric, variant, runtime or empty, axes ...) -> its rows; JVM flags belong to a runtime that is named."""
    if runtime is not None:
        rows = rows[rows["runtime"] == runtime]
        rows = rows.assign(how=rows["how"].map(lambda how: tuple(word for word in how if not word.startswith(FLAG))))
    keys = ["metric", "variant", "runtime", *entry.axes]
    for key, positions in estimates.configurations(rows, keys):
        axes = (_plain(entry, axis, key[axis]) for axis in entry.axes)
        yield (key["metric"], key["variant"], "" if runtime else key["runtime"], *axes), rows.iloc[positions]


def _plain(entry: Experiment, axis: str, value: Any) -> Any:
    if pd.isna(value):
        return None
    return int(value) if entry.axes[axis] == "int" else str(value)
