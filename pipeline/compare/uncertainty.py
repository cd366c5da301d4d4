"""The uncertainty of a comparison: what its intervals know of other runs, at which clock times are told, and, class by
class, which changes it could have seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import numpy as np

from pipeline.catalogue.classes import UNCONTENDED, Class
from pipeline.compare import verdicts
from pipeline.compare.clock import middle
from pipeline.compare.comparison import Comparison
from pipeline.words.numbers import counted, number

HEAD = ("class", "comparisons", "the same", "changed", "undecided", "controls moved by", "half would see")
WAYS = {
    "paired": "both sides ran in the same blocks of one run, so that drift of the host hits both",
    "repeated": "runs are what is compared, {before} before and {after} after; the intervals hold what runs differ by",
}

SESSIONS = {
    "paired": "sessions were measured in pairs, so that drift of the host hits both sides",
    "repeated": "sessions are what is compared, {before} before and {after} after: the intervals hold how they differ",
}
PROGRAMS = "both ran in every block, in random order, so that drift of the host hits both"


def controls(found: Comparison) -> str:
    """What the intervals know of the difference between runs."""
    if found.randomised:
        return PROGRAMS
    if found.imported and found.way != "single":
        before, after = (len(side) for side in found.runs)
        return SESSIONS[found.way].format(before=before, after=after)
    if found.way != "single":
        runs = {"before": len(found.sides.before.runs), "after": len(found.sides.after.runs)}
        return WAYS[found.way].format(**runs)
    if found.controls.empty:
        return "none: nothing was measured that cannot have changed, so change and run cannot be told apart"
    if found.unchanged:
        return "nothing that the Lab can see differs: each variant is judged by how far the others of its class moved"
    runtimes = ", ".join(dict.fromkeys(found.controls["runtime"]))
    few = int((found.table["method"] == "alone").sum())
    alone = f"; too few of them for {counted(few, 'comparison')}" if few else ""
    told = f"{counted(len(found.controls), 'configuration')} that cannot have changed ({runtimes})"
    return f"{told}: each row is judged by how far those of its class moved{alone}"


def clock(found: Comparison) -> str:
    """At which clock times of the core are told; empty where none is compared."""
    rows = found.table[found.table["class"] == UNCONTENDED]
    if rows.empty:
        return ""
    if rows["cycle_ns"].isna().all():
        return "a run has not recorded its cycles, so all times are as they were measured"
    sides = [1 / middle(run.cycles for run in side) for side in found.runs]
    before, after = (f"{number(one)} GHz {name}" for one, name in zip(sides, ("before", "after"), strict=True))
    return (
        f"it ran at {before} and {after}; times of one CPU's own work are those at {number(1 / found.cycle)} GHz, by "
        "the cycle that each trial calibrated; all others are as they were measured"
    )


def classes(found: Comparison) -> Iterator[tuple[str, ...]]:
    """A row of CLASSES for each class that is compared: how it came out, and what it could have seen."""
    moved = np.abs(np.log(found.controls["ratio"].astype(float))).groupby(found.controls["class"]).median()
    for name in get_args(Class):
        rows = found.table[found.table["class"] == name]
        if rows.empty:
            continue
        counts = rows["verdict"].value_counts()
        changes = sum(int(counts.get(one, 0)) for one in verdicts.MOVED)
        told = (counts.get(verdicts.SAME, 0), changes, counts.get(verdicts.UNDECIDED, 0))
        seen = rows.loc[rows["kind"] == "ratio", "smallest"].dropna()
        yield (
            name,
            f"{len(rows):,}",
            *(f"{one:,}" for one in told),
            verdicts.share(float(np.expm1(moved[name]))) if name in moved else verdicts.share(np.nan),
            verdicts.share(float(seen.median()) if len(seen) else np.nan),
        )


def chance(found: Comparison) -> str:
    count = counted(len(found.table), "comparison")
    if found.randomised:
        return f"{count}; when nothing has changed, 1 run in 20 at most says otherwise, of all its rows and looks."
    return f"{count}; when nothing has changed, about 1 in 40 such intervals lies above and 1 in 40 below 1."
