"""The A/A study: the same variant entered twice must come out the same, and the noise limits are set by it.

Every kernel is entered as A and as B in blocks, all of them in one random order per block, as a run measures. What the
trials say is in aa_findings.py: how often a comparison finds a difference that is none, how often it finds one that was
put in, and what other limits of noise would have made of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pipeline.bench import interleave, kernel_trials
from pipeline.bench.aa_findings import (
    SLOWDOWN,
    A,
    B,
    complete_pairs,
    detections,
    falsehoods,
    looked,
    looked_words,
    recommend,
    rules,
    share_words,
    shares,
)
from pipeline.bench.comparisons import declared
from pipeline.bench.interleave import Result, Step
from pipeline.bench.kernel_trials import Kernel
from pipeline.catalogue import catalogue
from pipeline.measure.noise import drift_pct, steal_pct


@dataclass(frozen=True)
class Sizes:
    """Pairs per comparison, those of them before its first look, comparisons per kernel, and sizes of a trial (of
    kernels with iterations by time)."""

    pairs: int = 16
    first: int = 6
    comparisons: int = 34
    warmup: int = 15
    iterations: int = 50
    iteration_ms: int = 2


def run(
    result: Result, work: Path, step: Step, sizes: Sizes = Sizes(), kernels: Sequence[Kernel] | None = None
) -> None:
    """Run the study of its kernels, or of these; fills `result`, with the table of rules as `rules` and the conclusion
    as `recommendation`.

    What an interrupt left of the study is concluded from as well.
    """
    kernels = declared(result.part, Kernel) if kernels is None else kernels
    blocks = sizes.pairs * sizes.comparisons
    sides: dict[str, Callable[[int], float]] = {}
    for kernel in kernels:
        with result.leaving_out(kernel.name):
            trial = _trial(result, work, step, kernel, sizes, blocks)
            sides |= {f"{kernel.name}/{side}": _side(trial, side) for side in (A, B)}
    try:
        interleave.rounds(sides, blocks, "aa")
    finally:
        _conclude(result, sizes, [kernel.name for kernel in kernels])


def _side(trial: Callable[[str, int], float], side: str) -> Callable[[int], float]:
    return lambda block: trial(side, block)


def _trial(result, work: Path, step: Step, kernel: Kernel, sizes: Sizes, blocks: int) -> Callable[[str, int], float]:
    """A function that runs one trial of the kernel as a side in a block. Missing when it cannot be measured here."""
    timed = {"warmup": sizes.warmup, "iterations": sizes.iterations, "iteration-ms": sizes.iteration_ms}
    measured = kernel_trials.repeated(work, kernel, timed)
    metric = catalogue.experiment(kernel.experiment).metrics[kernel.metric]

    def run_one(side: str, block: int) -> float:
        step(f"block {block + 1} of {blocks}, {kernel.name}", block, blocks)
        line, value = measured()
        noise = line["noise"]
        result.raw.append(
            {
                "kernel": kernel.name,
                "block": block,
                "side": side,
                "value": value,
                "unit": metric.unit,
                "better": metric.better,
                "steal_pct": steal_pct(noise),
                "drift_pct": abs(drift_pct(noise)),
            }
        )
        return value

    return run_one


def _conclude(result: Result, sizes: Sizes, kernels: Sequence[str]) -> None:
    if not result.raw:
        return
    trials = complete_pairs(pd.DataFrame(result.raw))
    found_by_kernel: list[tuple[str, int, int, int]] = []
    twice: list[tuple[int, int, int]] = []
    for kernel in kernels:
        mine = trials[trials["kernel"] == kernel]
        if mine.empty:
            continue
        table = mine.rename(columns={"block": "round"})[["round", "side", "value"]]
        false, decided = falsehoods(mine, sizes.pairs)
        seen, _ = detections(mine, sizes.pairs)
        note = f"{kernel}: {false} of {decided} comparisons of {sizes.pairs} pairs found a false difference, "
        note += f"{seen} a slowdown by {SLOWDOWN - 1:.0%}"
        found_by_kernel.append((kernel, false, seen, decided))
        result.comparisons.append(interleave.compare(kernel, table, mine["unit"].iloc[0], A, B, note=note))
        twice.append(looked(mine, sizes.pairs, sizes.first))
    result.extra["shares"] = shares(found_by_kernel)
    result.extra["looked"] = twice
    result.left_out += [looked_words(twice, sizes.pairs, sizes.first)] if twice else []
    result.left_out += [share_words(one) for one in result.extra["shares"] if one["kernel"] == "all"]
    found = rules(trials, sizes.pairs)
    result.extra["rules"] = found.astype(object).where(found.notna(), None).to_dict("records")
    result.extra["recommendation"] = recommend(found)
    result.left_out.append(result.extra["recommendation"])
