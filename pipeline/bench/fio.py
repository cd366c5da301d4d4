"""fio as the referee of our IO: the same blocks of the same size, to and from a file of the same kind.

Both sides are variants of the catalogue and run as trials: several passes over a file that was written once, in order,
one thread on one CPU, in the page cache, without producing or checking bytes; both are summarised as total time over
total blocks, without the first pass, which meets a cold file. How the work was made alike is said in
harness/fio/lab_fio.py. One difference is made up for here: fio leaves unmapping to the end of its process, ours belongs
to the last block of a pass, so our last slice is left out.

What differs is what fio does besides: it fetches, times and accounts for every IO, in a few hundred nanoseconds. That
is a sizeable part of copying 4 KiB, and little beside copying the blocks of 256 KiB compared here. fio's `null` engine,
which does all of that and no IO, takes part in every round and says how much it is.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pipeline.bench import interleave, kernel_trials
from pipeline.bench.comparisons import declared
from pipeline.bench.interleave import Missing, Result, Step
from pipeline.catalogue.document import Strict
from pipeline.ground import paths
from pipeline.ingest.tables import Tables
from pipeline.measure import scratch

REFEREE_RUNTIME = "fio"
DIRECTIONS = ("write", "read")
EMPTY = "null"
PASSES = "pass[2-9]"
LIMITS = (0.9, 1.1)


class Way(Strict):
    """One of our variants, the fio variant that does the same, and the one that does all of that but the IO."""

    experiment: str
    variant: str
    referee: str
    empty: str
    note: str = ""


@dataclass(frozen=True)
class Sizes:
    """Rounds per comparison, at least and (while undecided) at most, bytes, and passes (1..8) that count."""

    rounds: int = 7
    most: int = 15
    file_size: int = 64 << 20
    block_size: int = 256 << 10
    passes: int = 5


def block_times(tables: Tables) -> dict[str, float]:
    """Nanoseconds per block of the passes that count, by direction: total time over total blocks, without the last
    slice of a pass that has several."""
    found = {}
    for direction in DIRECTIONS:
        rows = kernel_trials.selected(tables, f"{direction}*", PASSES)
        passes = rows.groupby("phase", observed=True)["iteration"]
        rows = rows[(rows["iteration"] < passes.transform("max")) | (passes.transform("size") == 1)]
        found[direction] = float(rows["elapsed_ns"].sum() / rows["operations"].sum())
    return found


def run(result: Result, work: Path, step: Step, sizes: Sizes = Sizes(), ways: Sequence[Way] | None = None) -> None:
    """Compare every way, or these, on every runtime; fills `result`. Missing when there is no fio."""
    if shutil.which("fio") is None:
        raise Missing("there is no fio; install it (Debian: fio)")
    scratch.check_resources(paths.io(), 3 * sizes.file_size)
    for way in declared(result.part, Way) if ways is None else ways:
        with result.leaving_out(way.variant):
            side = kernel_trials.Ours(work, way.experiment)
            for runtime in side.runtimes(way.variant):
                _compare(result, side, way, runtime, sizes, step)


def _compare(result, side: kernel_trials.Ours, way: Way, runtime: str, sizes: Sizes, step: Step) -> None:
    name = f"{way.variant}, {runtime}"
    common = {
        "threads": 1,
        "warmup": 0,
        "file-size": sizes.file_size,
        "block-size": sizes.block_size,
        "fill": "once",
        "preparation": "reuse",
        "passes": 1 + sizes.passes,
        "iterations": 20,
    }
    measured = []

    def runner(which: str, variant: str, on: str) -> Callable[[int], float]:
        def run_one(number: int) -> float:
            if which == interleave.OURS:
                step(name, number, interleave.planned(number, sizes.rounds, sizes.most))
            line, tables = side.trial(variant, on, common)
            times = block_times(tables)
            measured.append({"name": name, "round": number, "side": which, **times})
            result.raw.append(measured[-1] | {"unit": "ns/block", "noise": line["noise"]})
            return times[DIRECTIONS[0]]

        return run_one

    sides = {
        interleave.OURS: runner(interleave.OURS, way.variant, runtime),
        interleave.REFEREE: runner(interleave.REFEREE, way.referee, REFEREE_RUNTIME),
        EMPTY: runner(EMPTY, way.empty, REFEREE_RUNTIME),
    }

    def decided(_: pd.DataFrame) -> bool:
        both = pd.DataFrame(measured)
        both = both[both["side"] != EMPTY]
        return all(interleave.is_decided(both.rename(columns={direction: "value"}), LIMITS) for direction in DIRECTIONS)

    interleave.rounds(sides, sizes.rounds, name, sizes.most, decided)
    for direction in DIRECTIONS:
        result.comparisons.append(comparison(f"{name}, {direction}", way, pd.DataFrame(measured), direction))


def comparison(name: str, way: Way, measured: pd.DataFrame, direction: str) -> dict:
    """Ours against fio; the note tells fio's own share.

    `measured` has the columns round, side (ours, referee, null) and, in ns per block, `direction`.
    """
    table = measured[["round", "side", direction]].rename(columns={direction: "value"})
    by_round = table.pivot(index="round", columns="side", values="value")
    share = 100 * float((by_round[EMPTY] / by_round[interleave.REFEREE]).median())
    note = f"{name}: {share:.0f} % of fio's time is its own work per IO (null engine)"
    note += f"; {way.note}" if way.note else ""
    return interleave.compare(f"{name} / {way.referee}", table, "ns/block", limits=LIMITS, note=note)
