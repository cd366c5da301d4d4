"""What recording one sample costs, in bare clock reads.

A recorded operation stands between two readings of the clock, `after - before` is stored, and the same `after` is
compared with the deadline: two reads and nothing else that could be dear. So, in nanoseconds per operation of the
uncontended kernel of one locked instruction,

    cost(every) = operation + recording / every,   recording = (cost(1) - cost(4096)) / (1 - 1/4096)

and recording / (2 x clock_read) is 1 when a sample costs its two readings. `clock_read` is the harness's own
measure: the median distance of consecutive readings with nothing between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pipeline.bench import interleave, kernel_trials
from pipeline.bench.comparisons import declared
from pipeline.bench.interleave import Result, Step
from pipeline.catalogue.document import Strict

READS_PER_SAMPLE = 2
EVERY, SELDOM = 1, 4096
LIMITS = (0.0, 1.25)


class Kernel(Strict):
    """A variant that does nothing dear, so that recording is what a sample costs."""

    experiment: str
    variant: str


@dataclass(frozen=True)
class Sizes:
    """Rounds per comparison and sizes of a trial."""

    rounds: int = 15
    warmup: int = 40
    iterations: int = 50
    iteration_ms: int = 3


def run(
    result: Result, work: Path, step: Step, sizes: Sizes = Sizes(), kernels: Sequence[Kernel] | None = None
) -> None:
    """Compare on every runtime of every kernel, or of these; fills `result`."""
    for kernel in declared(result.part, Kernel) if kernels is None else kernels:
        with result.leaving_out(kernel.variant):
            side = kernel_trials.Ours(work, kernel.experiment)
            for runtime in side.runtimes(kernel.variant):
                _compare(result, side, kernel.variant, runtime, sizes, step)


def _compare(result: Result, side: kernel_trials.Ours, variant: str, runtime: str, sizes: Sizes, step: Step) -> None:
    name = f"recording a sample, {runtime}"
    reads: dict[int, list[float]] = {}

    def trial(every: int) -> Callable[[int], float]:
        def run_one(number: int) -> float:
            step(name, number, sizes.rounds)
            parameters = {
                "threads": 1,
                "sample-every": every,
                "warmup": sizes.warmup,
                "iterations": sizes.iterations,
                "iteration-ms": sizes.iteration_ms,
            }
            line, tables = side.trial(variant, runtime, parameters)
            value = kernel_trials.estimate(kernel_trials.costs(tables, "t*"), "floor")
            read = float(tables.measures.loc[tables.measures["name"] == "clock_read", "value"].iloc[0])
            reads.setdefault(number, []).append(read)
            result.raw.append(
                {
                    "name": name,
                    "round": number,
                    "sample_every": every,
                    "ns_per_operation": value,
                    "clock_read_ns": read,
                    "noise": line["noise"],
                }
            )
            return value

        return run_one

    table = interleave.rounds({"every": trial(EVERY), "seldom": trial(SELDOM)}, sizes.rounds, name)
    note = "ours: nanoseconds of one sample; referee: its two clock readings"
    result.comparisons.append(interleave.compare(name, sample_and_reads(table, reads), "ns", limits=LIMITS, note=note))


def sample_and_reads(table: pd.DataFrame, reads: dict[int, list[float]]) -> pd.DataFrame:
    """Sides `ours` (ns to record one sample) and `referee` (ns of the readings it takes), by round.

    `table` has the sides `every` and `seldom` in ns per operation, `reads` the clock reads of each round's trials.
    """
    cost = table.pivot(index="round", columns="side", values="value")
    sample = (cost["every"] - cost["seldom"]) / (1 / EVERY - 1 / SELDOM)
    bare = pd.Series({number: READS_PER_SAMPLE * sum(of) / len(of) for number, of in reads.items()})
    sides = [("ours", sample), ("referee", bare)]
    return pd.concat([v.rename("value").rename_axis("round").reset_index().assign(side=s) for s, v in sides])
