"""The noise study: are trials beside a hog marked noisy, and trials of a quiet host not?

Every round runs each kernel on a quiet host, beside a hog on every CPU and beside a hog on one CPU, in random order. A
hog is a child process of ours that spins, pinned to its CPU. The facts of every trial are judged as a run's are: alone,
and for pressure beside the quiet trials of the same kernel, which is a hog that comes for a while. The table has, per
condition, the share of trials that the standing rule marks, the shares that each limit of foreign CPU would mark, and
by how much the hog changed the result.
"""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pipeline.bench import ours
from pipeline.bench.aa_findings import exact_share
from pipeline.bench.compared import declared
from pipeline.bench.interleave import Result
from pipeline.bench.ours import Kernel
from pipeline.catalogue.selectors import Scalar
from pipeline.host import cpus
from pipeline.measure import noise

QUIET, ONE, EVERY = "quiet", "a hog on one CPU", "a hog on every CPU"
FOREIGN_PCT = (2.0, 5.0, 10.0, 15.0, 20.0)
SPIN = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"
TIMED: dict[str, Scalar] = {"warmup": 15, "iterations": 50, "iteration-ms": 4}


@dataclass(frozen=True)
class Sizes:
    """Rounds, and how often a kernel runs under each condition in one of them: false alarms are the rarer event."""

    rounds: int = 10
    quiet: int = 3
    hogged: int = 1


@contextlib.contextmanager
def hogs(condition: str) -> Iterator[None]:
    """The spinning child processes of a condition, ended with the block whatever happens in it."""
    usable = cpus.usable()
    pinned = {QUIET: [], ONE: usable[:1], EVERY: usable}[condition]
    children = []
    try:
        for cpu in pinned:
            children.append(subprocess.Popen([sys.executable, "-c", SPIN, str(cpu)]))
        yield
    finally:
        for child in children:
            child.kill()
        for child in children:
            child.wait()


def run(
    result: Result,
    work: Path,
    step: Callable[[str, int, int], None],
    sizes: Sizes = Sizes(),
    kernels: Sequence[Kernel] | None = None,
) -> None:
    """Run the study of its kernels, or of these; fills `result` with the facts of every trial as `raw` and the table as
    `shares`.

    What an interrupt left of the study is concluded from as well.
    """
    trials = {}
    for kernel in declared(result.part, Kernel) if kernels is None else kernels:
        with result.leaving_out(kernel.name):
            trials[kernel.name] = ours.repeated(work, kernel, TIMED)
    conditions = [QUIET] * sizes.quiet + [ONE, EVERY] * sizes.hogged
    try:
        for number in range(sizes.rounds):
            random.Random(f"noise/{number}").shuffle(conditions)
            for condition in conditions:
                order = list(trials)
                random.Random(f"noise/{number}/{condition}").shuffle(order)
                with hogs(condition):
                    for kernel in order:
                        step(f"round {number + 1} of {sizes.rounds}, {condition}", number, sizes.rounds)
                        told = {"kernel": kernel, "condition": condition, "round": number}
                        line, value = trials[kernel]()
                        result.raw.append(told | {"value": value, "wall_s": line["wall_s"], "noise": line["noise"]})
    finally:
        if result.raw:
            found = shares(pd.DataFrame(result.raw))
            result.extra["shares"] = found.to_dict("records")
            result.left_out += list(words(found))


def shares(trials: pd.DataFrame) -> pd.DataFrame:
    """One row per condition and kernel (and `all`): trials, the share marked by the standing rule with its exact 95 %
    interval, the share that each limit of foreign CPU alone would mark, and the median value over the quiet one's."""
    quiet = trials[trials["condition"] == QUIET]
    level = quiet.groupby("kernel")["value"].median()
    marked = [bool(_reasons(row, quiet)) for _, row in trials.iterrows()]
    excess = [facts["foreign_pct"] - facts["foreign_error_pct"] for facts in trials["noise"]]
    seen = trials.assign(marked=marked, excess=excess, times=trials["value"] / trials["kernel"].map(level))
    rows = []
    for condition in (QUIET, ONE, EVERY):
        mine = seen[seen["condition"] == condition]
        for kernel, group in [*mine.groupby("kernel", sort=False), ("all", mine)]:
            if len(group):
                rows.append({"condition": condition, "kernel": kernel} | _row(group))
    return pd.DataFrame(rows)


def _row(group: pd.DataFrame) -> dict:
    share, low, high = exact_share(int(group["marked"].sum()), len(group))
    return {
        "trials": len(group),
        "marked": share,
        "low": low,
        "high": high,
        **{f"foreign_above_{limit:g}": float((group["excess"] > limit).mean()) for limit in FOREIGN_PCT},
        "foreign_median_pct": float(group["excess"].median()),
        "times_quiet": float(group["times"].median()),
    }


def _reasons(row: pd.Series, quiet: pd.DataFrame) -> list[str]:
    """Why a trial is noisy beside the quiet trials of its kernel."""
    peers = quiet[(quiet["kernel"] == row["kernel"]) & (quiet.index != row.name)]
    return noise.judge_together([*peers["noise"], row["noise"]])[-1]


def words(found: pd.DataFrame) -> Iterator[str]:
    """A line per condition over all kernels."""
    for row in found[found["kernel"] == "all"].to_dict("records"):
        bounds = f"[{100 * row['low']:.0f}, {100 * row['high']:.0f}]"
        yield f"{row['condition']}: {100 * row['marked']:.1f} % {bounds} of {row['trials']} trials marked noisy"
