"""The noise study: are trials that a hog touches marked noisy, and others not?

Every round runs each kernel on a quiet host and with a hog: on one of its CPUs, on a CPU that it does not touch, on a
sibling of one, and on every CPU; all in random order. A hog is a child process of ours that spins, pinned to its CPU.
What a host lacks (a sibling, a CPU that two threads leave) is left out and told. The facts of every trial are judged as
a run's are: alone, and for pressure beside the quiet trials of the same kernel, which is a hog that comes for a while.
The table has, per condition, the share of trials that the standing rule marks, the shares that each limit of a fact
would mark, and by how much the hog changed the result.
"""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.bench import kernel_trials
from pipeline.bench.aa_findings import exact_share
from pipeline.bench.comparisons import declared
from pipeline.bench.interleave import Missing, Result, Step
from pipeline.bench.kernel_trials import Kernel
from pipeline.catalogue.selectors import Scalar
from pipeline.host import cpus
from pipeline.measure import noise

QUIET, EVERY = "quiet", "a hog on every CPU"
ON, BESIDE, SIBLING = "a hog on one of its CPUs", "a hog on a CPU that it does not touch", "a hog on a sibling"
HOGGED = (ON, BESIDE, SIBLING, EVERY)
LIMITS = {  # of a fact in percent, less its counter's error
    "cpus_foreign_pct": (2.0, 5.0, 10.0, 15.0, 20.0),
    "sibling_foreign_pct": (5.0, 10.0, 20.0, 40.0),
    "run_delay_pct": (1.0, 2.0, 5.0, 10.0, 20.0),
    "foreign_pct": (2.0, 5.0, 10.0, 15.0, 20.0),
}
ERRORS = {
    "cpus_foreign_pct": "cpus_error_pct",
    "sibling_foreign_pct": "cpus_error_pct",
    "foreign_pct": "foreign_error_pct",
}
SPIN = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nprint(flush=True)\nwhile True: pass"
TIMED: dict[str, Scalar] = {"warmup": 15, "iterations": 50, "iteration-ms": 4}


@dataclass(frozen=True)
class Sizes:
    """Rounds, and how often a kernel runs under each condition in one of them: false alarms are the rarer event."""

    rounds: int = 10
    quiet: int = 3
    hogged: int = 1


def pinned(condition: str, own: Sequence[int]) -> list[int]:
    """The CPUs of the hogs of a condition, for a trial on CPUs `own`; Missing where there is no such CPU."""
    usable = cpus.usable()
    beside = sorted({sibling for cpu in own for sibling in cpus.siblings(cpu)} - set(own))
    found = {
        QUIET: [],
        ON: [*own][:1],
        BESIDE: [cpu for cpu in usable if cpu not in (*own, *beside)][:1],
        SIBLING: [cpu for cpu in beside if cpu in usable][:1],
        EVERY: usable,
    }[condition]
    if condition != QUIET and not found:
        raise Missing(f"{condition}: there is none here")
    return found


@contextlib.contextmanager
def hogs(pinned: Sequence[int]) -> Iterator[None]:
    """A spinning child process on each of these CPUs, ended with the block whatever happens in it."""
    children = []
    try:
        for cpu in pinned:
            children.append(subprocess.Popen([sys.executable, "-c", SPIN, str(cpu)], stdout=subprocess.PIPE))
        for child in children:
            child.stdout.readline()  # it is on its CPU
        yield
    finally:
        for child in children:
            child.kill()
        for child in children:
            child.communicate()


def run(
    result: Result, work: Path, step: Step, sizes: Sizes = Sizes(), kernels: Sequence[Kernel] | None = None
) -> None:
    """Run the study of its kernels, or of these; fills `result` with the facts of every trial as `raw` and the table as
    `shares`.

    What an interrupt left of the study is concluded from as well.
    """
    trials, cases = {}, []
    for kernel in declared(result.part, Kernel) if kernels is None else kernels:
        with result.leaving_out(kernel.name):
            trials[kernel.name] = kernel_trials.repeated(work, kernel, TIMED, missing=np.nan)
            cases += [(kernel.name, QUIET, [])] * sizes.quiet
            for condition in HOGGED:
                with result.leaving_out(kernel.name):
                    cases += [(kernel.name, condition, pinned(condition, kernel.cpus))] * sizes.hogged
    try:
        for number in range(sizes.rounds):
            random.Random(f"noise/{number}").shuffle(cases)
            for kernel, condition, hogged in cases:
                step(f"round {number + 1} of {sizes.rounds}, {condition}", number, sizes.rounds)
                with hogs(hogged):
                    line, value = trials[kernel]()
                told = {"kernel": kernel, "condition": condition, "round": number}
                value = None if np.isnan(value) else value  # a hog may keep threads from running together
                result.raw.append(told | {"value": value, "wall_s": line["wall_s"], "noise": line["noise"]})
    finally:
        if result.raw:
            found = shares(pd.DataFrame(result.raw))
            result.extra["shares"] = found.astype(object).where(found.notna(), None).to_dict("records")
            result.left_out += list(words(found))


def shares(trials: pd.DataFrame) -> pd.DataFrame:
    """One row per condition and kernel (and `all`): trials, the share marked by the standing rule with its exact 95 %
    interval, the median and the greatest of each fact of LIMITS with the share that each of its limits alone would mark
    (nan where no trial has the fact), and the median value over the quiet one's."""
    trials = trials.astype({"value": float})
    quiet = trials[trials["condition"] == QUIET]
    level = quiet.groupby("kernel")["value"].median()
    marked = [bool(_reasons(row, quiet)) for _, row in trials.iterrows()]
    seen = trials.assign(marked=marked, times=trials["value"] / trials["kernel"].map(level))
    for fact in LIMITS:
        seen[fact] = [facts.get(fact, np.nan) - facts.get(ERRORS.get(fact), 0.0) for facts in trials["noise"]]
    rows = []
    for condition in (QUIET, *HOGGED):
        mine = seen[seen["condition"] == condition]
        for kernel, group in [*mine.groupby("kernel", sort=False), ("all", mine)]:
            if len(group):
                rows.append({"condition": condition, "kernel": kernel} | _row(group))
    return pd.DataFrame(rows)


def _row(group: pd.DataFrame) -> dict:
    share, low, high = exact_share(int(group["marked"].sum()), len(group))
    row = {"trials": len(group), "marked": share, "low": low, "high": high}
    for fact, limits in LIMITS.items():
        known = group[fact].dropna()
        row |= {f"{fact}_median": float(known.median()), f"{fact}_most": float(known.max())}
        row |= {f"{fact}_above_{limit:g}": float((known > limit).mean()) for limit in limits}
    return row | {"times_quiet": float(group["times"].median())}


def _reasons(row: pd.Series, quiet: pd.DataFrame) -> list[str]:
    """Why a trial is noisy beside the quiet trials of its kernel."""
    peers = quiet[(quiet["kernel"] == row["kernel"]) & (quiet.index != row.name)]
    return noise.judge_together([*peers["noise"], row["noise"]])[-1]


def words(found: pd.DataFrame) -> Iterator[str]:
    """A line per condition over all kernels, above it one for each kernel beside a hog."""
    for row in found.to_dict("records"):
        bounds = f"[{100 * row['low']:.0f}, {100 * row['high']:.0f}]"
        marked = f"{100 * row['marked']:.1f} % {bounds} of {row['trials']} trials marked noisy"
        if row["kernel"] == "all":
            yield f"{row['condition']}: {marked}"
        elif row["condition"] != QUIET:
            waited, times = row["run_delay_pct_median"], row["times_quiet"]
            waiting = "waiting not told" if np.isnan(waited) else f"waiting {waited:.1f} %"
            value = "no value" if np.isnan(times) else f"{times:.2f} times the quiet value"
            yield f"  {row['kernel']}: {marked}, {waiting}, {value}"
