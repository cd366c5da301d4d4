"""The study of states: do the readings of a trial tell what its numbers follow?

Kernels run in turn, in random order, for as many rounds as asked for; of every HOGGED rounds one runs with a hog of
our own, on the other hardware thread of the first core or, where cores have one, on the last CPU. States are found from
the readings of all trials, as those of a run are. Told is how often the two sides of an iteration agree, and how much
each kernel's costs scatter: in all, and in each state. A reading that tells nothing leaves the scatter as it was; a
host in one state has one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.analyse.trials import PHASE
from pipeline.analyse.window import per_iteration
from pipeline.bench.comparisons import declared
from pipeline.bench.interleave import Result, Step
from pipeline.bench.kernel_trials import Kernel, Ours
from pipeline.bench.noise import hogs
from pipeline.catalogue.placement import SPREAD
from pipeline.catalogue.selectors import Scalar
from pipeline.host import cpus
from pipeline.ingest.tables import Tables
from pipeline.measure import states
from pipeline.measure.states import States
from pipeline.plan import placement

HOGGED = 5
HOG = ", with a hog"
AGREE = 1.1  # the readings on both sides of an iteration, at most this factor apart
TIMED: dict[str, Scalar] = {"warmup": 15, "iterations": 50, "iteration-ms": 4}
FACTS = ("word_ns", "width", "chain_ns")


def run(result: Result, work: Path, step: Step, rounds: int = 60, kernels: Sequence[Kernel] | None = None) -> None:
    """Run the study of its kernels, or of these; `raw` holds every iteration, `extra` the table. What an interrupt left
    is concluded from as well."""
    each: list[tuple[Kernel, Ours]] = []
    for kernel in declared(result.part, Kernel) if kernels is None else kernels:
        with result.leaving_out(kernel.name):
            side = Ours(work / kernel.name.replace("/", "-"), kernel.experiment)
            side.trial(kernel.variant, kernel.runtime, TIMED | kernel.parameters)
            each.append((kernel, side))
    frames, lines, began = [], [], time.monotonic()
    try:
        for number in range(rounds):
            random.Random(f"state/{number}").shuffle(each)
            beside = [_hog_cpu()] if number % HOGGED == HOGGED - 1 else []
            for kernel, side in each:
                step(f"round {number + 1} of {rounds}", number, rounds)
                at = time.monotonic() - began
                with hogs(beside):
                    line, tables = side.trial(kernel.variant, kernel.runtime, TIMED | kernel.parameters)
                name = kernel.name + (HOG if beside else "")
                frames.append(iterations(tables).assign(kernel=name, round=number, t=round(at, 2)))
                lines.append(line)
    finally:
        if frames:
            found = states.of(lines)
            every = pd.concat([one.assign(state=_states(found, one)) for one in frames], ignore_index=True)
            result.raw.extend(_plain(every))
            result.extra["scatter"] = _plain(scatter := table(every))
            result.left_out += list(words(every, scatter, found))


def _hog_cpu() -> int:
    """A sibling of the first CPU that trials take, else the last CPU."""
    (first,), usable = placement.cpus_of(SPREAD, 1), cpus.usable()
    return next((cpu for cpu in cpus.siblings(first) if cpu in usable and cpu != first), max(usable))


def _states(found: States, rows: pd.DataFrame) -> list[str]:
    """The state of each iteration of a trial in words; `moved` where its two sides differ."""
    sides = []
    for after in ("", "_after"):
        ranks = (
            found.way.of(rows[f"word_ns{after}"].to_numpy(float)),
            found.core.of(rows[f"width{after}"].to_numpy(float)),
        )
        names = [(found.way.name(way), found.core.name(core)) for way, core in zip(*ranks, strict=True)]
        sides.append([", ".join(filter(None, one)) or "one state" for one in names])
    return [one if one == other else "moved" for one, other in zip(*sides, strict=True)]


def _plain(frame: pd.DataFrame) -> list[dict]:
    """Rows as JSON has them, without NaN."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def iterations(tables: Tables) -> pd.DataFrame:
    """The measured iterations of one trial: iteration, cost (ns), and each of FACTS before and after it."""
    rows = tables.iterations[tables.iterations["phase"] == PHASE]
    rows = rows.assign(trial=0, end_ns=rows["start_ns"] + rows["elapsed_ns"])
    cost = per_iteration(rows)["cost"].reset_index()[["iteration", "cost"]]
    read = tables.readings.set_index("iteration")[list(FACTS)]
    before, after = (read.reindex(cost["iteration"] + more).reset_index(drop=True) for more in (0, 1))
    return cost.join(before).join(after.add_suffix("_after"))


def table(every: pd.DataFrame) -> pd.DataFrame:
    """A row for each kernel and state, and one for all: iterations, their median cost (ns), the standard deviation of
    its logarithm, the trials with half of their iterations in it, and the greatest median of these over the least."""
    rows = []
    for kernel, mine in every.groupby("kernel", sort=True):
        half = 0.5 * mine.groupby("round").size().median()
        for state, kept in [("all", mine), *mine.groupby("state", sort=True)]:
            trials = kept.groupby("round")["cost"].agg(["median", "size"])
            medians = trials.loc[trials["size"] >= half, "median"]
            rows.append(
                {"kernel": kernel, "state": state, "iterations": len(kept), "of": len(mine)}
                | {"median": float(kept["cost"].median()), "scatter": float(np.log(kept["cost"]).std())}
                | {"trials": len(medians), "times": float(medians.max() / medians.min()) if len(medians) else np.nan}
            )
    return pd.DataFrame(rows)


def words(every: pd.DataFrame, scatter: pd.DataFrame, found: States) -> Iterator[str]:
    """What the study tells, a line each."""
    for fact, groups in (("word_ns", found.way), ("width", found.core)):
        before, after = every[fact], every[f"{fact}_after"]
        known = before.notna() & after.notna()
        agree = np.maximum(before / after, after / before)[known] <= AGREE
        parted = f"groups part at {', '.join(f'{one:.3g}' for one in groups.limits)}" if groups.limits else "one group"
        middle = f"{before.quantile(0.05):.3g} to {before.quantile(0.95):.3g} in nine of ten"
        yield f"{fact}: {middle}; both sides of an iteration agree in {agree.sum()} of {len(agree)}; {parted}"
    for row in scatter.to_dict("records"):
        of = f"{row['iterations']} of {row['of']} iterations, median {row['median']:.3g} ns"
        across = f"{row['trials']} trials, greatest over least {row['times']:.2f}"
        yield f"{row['kernel']}, {row['state']}: {of}, scatter {row['scatter']:.3f}, {across}"
