"""Imported runs: what is repeated there is the session, one invocation of somebody's tool, as a run is elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

import pandas as pd

from pipeline.bundle import journal
from pipeline.catalogue.entry import Experiment
from pipeline.compare import rows
from pipeline.compare.measured import Configuration, Run
from pipeline.compare.sides import Side, Sides, Way
from pipeline.ingest.tables import Tables

Runs = Sequence[Sequence[Run]]


class OneSession(Run):
    """A session of an imported run, in the place of a run."""

    def __init__(self, run: Run, block: int) -> None:
        super().__init__(run.bundle.name)
        self._run, self.block = run, block
        self.lines = [line for line in self.lines if line.get("block", block) == block]

    def tables(self, entry: Experiment) -> Tables:
        return self._run.tables(entry)

    def metrics(self, entry: Experiment, names: Iterable[str]) -> pd.DataFrame:
        found = self._run.metrics(entry, names)
        return found[found["block"] == self.block]


def by_session(sides: Sides, runs: Runs) -> tuple[Way, Runs]:
    """(way, the sessions of both sides in the place of their runs): `paired` where the user says that sessions were
    measured in pairs, `repeated` with two sessions and more on each side, else `single`."""
    if sides.way == "paired" and runs[0][0].bundle.info["own"]["paired"]:
        return "paired", runs
    found = [
        [OneSession(run, block) for run in mine for block in _blocks(run, side)]
        for mine, side in zip(runs, sides.both, strict=True)
    ]
    return "repeated" if min(map(len, found)) > 1 else "single", found


def _blocks(run: Run, side: Side) -> list[int]:
    lines = journal.trials(run.lines)
    return sorted({line["block"] for line in lines if side.runtime in (None, line["runtime"])})


def controls(runs: Runs, found: Iterable[Configuration]) -> list[rows.Control]:
    """The configurations that the user says the change cannot have reached."""
    return [one for mine in found if is_control(runs, mine) and (one := rows.control(mine))]


def is_control(runs: Runs, mine: Configuration) -> bool:
    """Whether the user says that the change cannot have reached a configuration."""
    globs = {glob for side in runs for run in side for glob in run.bundle.info["own"]["controls"]}
    return any(fnmatchcase(mine.variant, glob) for glob in globs)
