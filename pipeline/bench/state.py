"""The study of states: do the readings of a trial tell what its numbers follow?

Kernels run in turn, in random order, for as many rounds as asked for. Of every iteration there are its cost and the
readings of the gaps on both of its sides. Told is how often the two sides agree, which groups the readings of all
trials fall into, and how much each kernel's costs scatter: in all, and within the group that most of its iterations are
of. A reading that tells nothing leaves the scatter as it was; a host in one state has one group.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.analyse.trials import PHASE
from pipeline.analyse.window import per_iteration
from pipeline.bench.compared import declared
from pipeline.bench.interleave import Result
from pipeline.bench.ours import Kernel, Ours
from pipeline.catalogue.selectors import Scalar
from pipeline.ingest.tables import Tables
from pipeline.models import gaps

AGREE = 1.1  # the readings on both sides of an iteration, at most this factor apart
FACTOR = 1.3
POINTS = 200
TIMED: dict[str, Scalar] = {"warmup": 15, "iterations": 50, "iteration-ms": 4}
FACTS = ("word_ns", "width", "chain_ns")


def run(
    result: Result,
    work: Path,
    step: Callable[[str, int, int], None],
    rounds: int = 60,
    kernels: Sequence[Kernel] | None = None,
) -> None:
    """Run the study of its kernels, or of these; `raw` holds every iteration, `extra` the table. What an interrupt left
    is concluded from as well."""
    each: list[tuple[Kernel, Ours]] = []
    for kernel in declared(result.part, Kernel) if kernels is None else kernels:
        with result.leaving_out(kernel.name):
            side = Ours(work / kernel.name.replace("/", "-"), kernel.experiment)
            side.trial(kernel.variant, kernel.runtime, TIMED | kernel.parameters)
            each.append((kernel, side))
    frames, began = [], time.monotonic()
    try:
        for number in range(rounds):
            random.Random(f"state/{number}").shuffle(each)
            for kernel, side in each:
                step(f"round {number + 1} of {rounds}", number, rounds)
                at = time.monotonic() - began
                _, tables = side.trial(kernel.variant, kernel.runtime, TIMED | kernel.parameters)
                rows = iterations(tables)
                frames.append(rows.assign(kernel=kernel.name, round=number, t=round(at, 2)))
    finally:
        if frames:
            every = pd.concat(frames, ignore_index=True)
            result.raw.extend(_plain(every))
            found = table(every)
            result.extra["scatter"] = _plain(found)
            result.left_out += list(words(every, found))


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
    return cost.join(before).join(after, rsuffix="_after")


def bounds(values: np.ndarray) -> list[float]:
    """Where the groups of readings part: between each two the geometric mean of the values that face each other."""
    known = values[~np.isnan(values)]
    if not len(known):
        return []
    points = np.quantile(known, (np.arange(POINTS) + 0.5) / POINTS)
    group = gaps.groups(points, FACTOR)
    firsts = np.flatnonzero(np.diff(group)) + 1
    return [float(np.sqrt(points[at - 1] * points[at])) for at in firsts]


def table(every: pd.DataFrame) -> pd.DataFrame:
    """A row for each kernel and way to part its iterations: how many count, the standard deviation of the logarithm of
    their cost, and the greatest median of a trial over the least (of those of which half the iterations count)."""
    limits = {fact: bounds(every[fact].to_numpy(float)) for fact in ("word_ns", "width")}
    rows = []
    for kernel, mine in every.groupby("kernel", sort=True):
        states = {}
        for fact, found in limits.items():
            sides = [np.searchsorted(found, mine[name].fillna(0)) for name in (fact, f"{fact}_after")]
            states[fact] = np.where(sides[0] == sides[1], sides[0], -1)
        ways = {"all": np.zeros(len(mine), int)} | states
        ways["both"] = np.where(
            (states["word_ns"] < 0) | (states["width"] < 0), -1, 10 * states["word_ns"] + states["width"]
        )
        for way, state in ways.items():
            for one in sorted(set(state) - {-1}):
                kept = mine[state == one]
                trials = kept.groupby("round")["cost"].agg(["median", "size"])
                medians = trials.loc[trials["size"] >= 0.5 * mine.groupby("round").size().median(), "median"]
                rows.append(
                    {"kernel": kernel, "way": way, "state": int(one), "iterations": len(kept), "of": len(mine)}
                    | {"median": float(kept["cost"].median()), "scatter": float(np.log(kept["cost"]).std())}
                    | {
                        "trials": len(medians),
                        "times": float(medians.max() / medians.min()) if len(medians) else np.nan,
                    }
                )
    return pd.DataFrame(rows)


def words(every: pd.DataFrame, found: pd.DataFrame) -> Iterator[str]:
    """What the study tells, a line each."""
    for fact in ("word_ns", "width"):
        before, after = every[fact], every[f"{fact}_after"]
        known = before.notna() & after.notna()
        agree = np.maximum(before / after, after / before)[known] <= AGREE
        parted = ", ".join(f"{one:.3g}" for one in bounds(before.to_numpy(float))) or "nowhere"
        yield f"{fact}: both sides of an iteration agree in {agree.sum()} of {len(agree)}; groups part at: {parted}"
    for row in found.to_dict("records"):
        of = f"{row['iterations']} of {row['of']} iterations, median {row['median']:.3g} ns"
        across = f"{row['trials']} trials, greatest over least {row['times']:.2f}"
        yield f"{row['kernel']}, {row['way']} {row['state']}: {of}, scatter {row['scatter']:.3f}, {across}"
