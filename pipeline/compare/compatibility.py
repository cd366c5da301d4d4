"""Compatibility of the runs of both sides: which experiments can be compared, and what keeps two runs from it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from pipeline.bundle import entries as of_runs
from pipeline.catalogue.entry import Experiment
from pipeline.compare.measured import Run
from pipeline.compare.sides import Sides
from pipeline.ground.errors import LabError

Runs = Sequence[Sequence[Run]]  # of before, of after


def entries(sides: Sides, runs: Runs, names: Sequence[str]) -> tuple[list[Experiment], dict[str, list[bool]]]:
    """The experiments to compare, those named or all that both sides have; and by name, of those that only one has,
    whether before and after have it. LabError for one that is named and not shared, and where none is.
    """
    has = [set.intersection(*(run.experiments for run in side)) for side in runs]
    common = has[0] & has[1]
    known = _known(runs)
    if unknown := [name for name in names if name not in known]:
        raise LabError(f"unknown experiment {unknown[0]!r}; the catalogue has: {', '.join(known)}")
    if apart := [name for name in names if name not in common]:
        raise LabError(f"{apart[0]} was not measured on both sides; {_told(sides, has)}")
    if not common:
        raise LabError(f"{sides.before.words()} and {sides.after.words()} share no configuration; {_told(sides, has)}")
    lone = {} if names else {name: [name in one for one in has] for name in sorted(has[0] ^ has[1])}
    return [one for name, one in known.items() if name in common and name in (names or common)], lone


def _known(runs: Runs) -> dict[str, Experiment]:
    """The experiments that any of the runs may hold; of imported runs, whose entries have one name, all that any of
    them has."""
    found: dict[str, Experiment] = {}
    for bundle in {run.bundle.name: run.bundle for side in runs for run in side}.values():
        for name, one in of_runs.of(bundle).items():
            found[name] = found[name].with_all_of(one) if name in found and one.imported else one
    return found


def checked(sides: Sides, runs: Runs) -> None:
    """LabError for a runtime that a side has not, and for one measurement under two names."""
    for mine, side in zip(runs, sides.both, strict=True):
        known = sorted({name for run in mine for name in run.bundle.info["runtimes"]})
        if side.runtime not in (None, *known):
            raise LabError(f"{', '.join(side.runs)} has no runtime {side.runtime!r}; there are: {', '.join(known)}")
    every = {run.bundle.name: run for side in runs for run in side}.values()
    for one, other in itertools.combinations(every, 2):
        if one.lines and one.lines == other.lines:
            names = f"{one.bundle.name} and {other.bundle.name}"
            raise LabError(f"{names} are copies of one measurement, which counts once; measure again")


def _told(sides: Sides, has: Sequence[set[str]]) -> str:
    before, after = (", ".join(sorted(one)) or "nothing" for one in has)
    return f"{sides.before.words()} has {before}; {sides.after.words()} has {after}"
