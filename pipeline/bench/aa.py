"""The A/A study: the same variant entered twice must come out the same, and the noise limits are set by it.

Every kernel is entered as A and as B in blocks, all of them in one random order per block, as a run measures. Each
comparison takes the next `pairs` blocks; it is false when the 95 % interval of the paired ratio A / B excludes 1. An
interval that keeps its promise is wrong in 5 % of comparisons; how surely, the exact interval of the share tells, which
takes some 200 comparisons.

Power, the other half: the same trials with B made slower by a known factor, as if it had reported fewer operations in
the same time (`SLOWDOWN`). Such a difference must be found, in the right direction, by 90 % of comparisons.

The same trials are judged again under each pair of limits (steal, drift of the calibration floor): a pair counts only
when both of its trials pass. So the study says for every limit what it buys (fewer false differences) and what it
costs (the share of trials it condemns, and comparisons left with too few pairs to say anything).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from scipy import stats

from pipeline.bench import interleave, ours
from pipeline.bench.interleave import Missing, Result
from pipeline.bench.ours import Kernel
from pipeline.catalogue import catalogue
from pipeline.measure.noise import drift_pct
from pipeline.models.median_interval import FEWEST, median_interval

A, B = "A", "B"
STEAL_PCT = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, None)
DRIFT_PCT = (2.0, 5.0, 10.0, 20.0, None)
TARGET = 0.05
SLOWDOWN = 1.10  # of B in the power part: its cost times, its throughput divided by it
POWER = 0.90
# A rule under which fewer than half of the comparisons can still be made says nothing.
FEWEST_DECIDED = 0.5


# An iteration of a file is a pass in one direction.
FILE = {"warmup": 0, "iterations": 20, "iteration-ms": 5, "file-size": 16 << 20, "passes": 3}
KERNELS = (
    Kernel("C no lock, 1 thread", "c_no_lock", "c", "cost_floor"),
    Kernel("pthread mutex, 1 thread", "pthread_mutex", "c", "cost_floor"),
    Kernel("pthread mutex, 2 threads", "pthread_mutex", "c", "cost", parameters={"threads": 2}),
    Kernel("synchronized, 1 thread", "monitor", "jdk17", "cost_floor"),
    Kernel("ReentrantLock, 2 threads", "reentrant_lock", "jdk17", "cost", parameters={"threads": 2}),
    Kernel("write/read (C)", "c_write_read", "c", "write", "sequential_io", FILE),
)


@dataclass(frozen=True)
class Sizes:
    """Pairs per comparison, comparisons per kernel, and sizes of a trial (of kernels with iterations by time)."""

    pairs: int = 10
    comparisons: int = 34
    warmup: int = 15
    iterations: int = 50
    iteration_ms: int = 2


def run(
    result: Result,
    work: Path,
    step: Callable[[str, int, int], None],
    sizes: Sizes = Sizes(),
    kernels: Sequence[Kernel] = KERNELS,
) -> None:
    """Run the study; fills `result`, with the table of rules as `rules` and the conclusion as `recommendation`.

    What an interrupt left of the study is concluded from as well.
    """
    blocks = sizes.pairs * sizes.comparisons
    sides: dict[str, Callable[[int], float]] = {}
    for kernel in kernels:
        try:
            trial = _trial(result, work, step, kernel, sizes, blocks)
            sides |= {f"{kernel.name}/{side}": _side(trial, side) for side in (A, B)}
        except Missing as missing:
            result.left_out.append(f"{kernel.name}: {missing}")
    try:
        interleave.rounds(sides, blocks, "aa")
    finally:
        _conclude(result, sizes, [kernel.name for kernel in kernels])


def _side(trial: Callable[[str, int], float], side: str) -> Callable[[int], float]:
    return lambda block: trial(side, block)


def _trial(result, work: Path, step, kernel: Kernel, sizes: Sizes, blocks: int) -> Callable[[str, int], float]:
    """A function that runs one trial of the kernel as a side in a block. Missing when it cannot be measured here."""
    timed = {"warmup": sizes.warmup, "iterations": sizes.iterations, "iteration-ms": sizes.iteration_ms}
    measured = ours.repeated(work, kernel, timed)
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
                "steal_pct": noise["steal_pct"],
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
    result.extra["shares"] = shares(found_by_kernel)
    result.left_out += [share_words(one) for one in result.extra["shares"] if one["kernel"] == "all"]
    found = rules(trials, sizes.pairs)
    result.extra["rules"] = found.astype(object).where(found.notna(), None).to_dict("records")
    result.extra["recommendation"] = recommend(found)
    result.left_out.append(result.extra["recommendation"])


def complete_pairs(trials: pd.DataFrame) -> pd.DataFrame:
    """The trials whose twin of the same kernel and block was measured as well (columns as in `raw`)."""
    return trials[trials.groupby(["kernel", "block"])["side"].transform("nunique") == 2].reset_index(drop=True)


def falsehoods(trials: pd.DataFrame, pairs: int) -> tuple[int, int]:
    """(false differences, comparisons decided) over the complete pairs of one kernel.

    Blocks are cut into comparisons of `pairs`; one with fewer than 3 pairs left decides nothing.
    """
    found = _intervals(trials, pairs)
    return sum(not low <= 1 <= high for low, high in found), len(found)


def detections(trials: pd.DataFrame, pairs: int) -> tuple[int, int]:
    """(comparisons that find B slower by SLOWDOWN, comparisons decided); `better` is the metric's direction."""
    slower = 1 / SLOWDOWN if (trials["better"] == "higher").all() else SLOWDOWN
    values = trials["value"].where(trials["side"] == A, trials["value"] * slower)
    found = _intervals(trials.assign(value=values), pairs)
    return sum(low > 1 if slower < 1 else high < 1 for low, high in found), len(found)


def _intervals(trials: pd.DataFrame, pairs: int) -> list[tuple[float, float]]:
    """(low, high) of the paired ratio A / B of every comparison that has FEWEST pairs left."""
    if trials.empty:
        return []
    values = trials.pivot(index="block", columns="side", values="value")
    ratios = values[A] / values[B]
    return [median_interval(mine)[1:3] for _, mine in ratios.groupby(ratios.index // pairs) if len(mine) >= FEWEST]


def shares(counts: Sequence[tuple[str, int, int, int]]) -> list[dict]:
    """Of (kernel, false, seen, decided), and of all together: both shares with their exact 95 % intervals."""
    every = ("all", *(sum(column) for column in list(zip(*counts, strict=True))[1:]))
    return [
        {"kernel": kernel, "decided": decided, "false": false, "seen": seen}
        | {
            f"{name}_{end}": value
            for name, k in (("false", false), ("seen", seen))
            for end, value in _exact(k, decided)
        }
        for kernel, false, seen, decided in [*counts, every]
    ]


def _exact(hits: int, of: int) -> list[tuple[str, float | None]]:
    """A share and its interval (Clopper and Pearson 1934); None where there was nothing to count."""
    if not of:
        return [("share", None), ("low", None), ("high", None)]
    low, high = stats.binomtest(hits, of).proportion_ci()
    return [("share", hits / of), ("low", float(low)), ("high", float(high))]


def share_words(one: dict) -> str:
    """The two shares of `shares` in a line."""
    if not one["decided"]:
        return "no comparison has enough pairs"
    false, seen = (
        f"{one[name]} of {one['decided']} (95 %: {one[f'{name}_low']:.1%} to {one[f'{name}_high']:.1%})"
        for name in ("false", "seen")
    )
    verdict = "" if one["seen_share"] >= POWER else f", fewer than the {POWER:.0%} asked for"
    return f"false differences in {false}; a slowdown by {SLOWDOWN - 1:.0%} found in {seen}{verdict}"


def rules(trials: pd.DataFrame, pairs: int) -> pd.DataFrame:
    """One row per kernel (and `all`) and pair of limits: false differences, comparisons decided and possible, the rate
    of false ones with its exact 95 % interval (Clopper and Pearson 1934), and the share of trials condemned.

    A limit of None lets every trial pass. `trials` are complete pairs with steal_pct and drift_pct.
    """
    rows = []
    for steal, drift in itertools.product(STEAL_PCT, DRIFT_PCT):
        noisy = pd.Series(False, index=trials.index)
        if steal is not None:
            noisy |= trials["steal_pct"] > steal
        if drift is not None:
            noisy |= trials["drift_pct"] > drift
        quiet = complete_pairs(trials[~noisy])
        rule = {"steal_pct": steal, "drift_pct": drift}
        mine = []
        for kernel, of_kernel in trials.groupby("kernel", sort=False):
            false, decided = falsehoods(quiet[quiet["kernel"] == kernel], pairs)
            possible = falsehoods(of_kernel, pairs)[1]
            condemned = float(noisy[of_kernel.index].mean())
            mine.append(rule | _rates(kernel, false, decided, possible, condemned))
        false, decided, possible = (sum(row[key] for row in mine) for key in ("false", "decided", "possible"))
        rows += [*mine, rule | _rates("all", false, decided, possible, float(noisy.mean()))]
    return pd.DataFrame(rows)


def _rates(kernel: str, false: int, decided: int, possible: int, condemned: float) -> dict:
    low, high = stats.binomtest(false, decided).proportion_ci() if decided else (None, None)
    return {
        "kernel": kernel,
        "false": false,
        "decided": decided,
        "possible": possible,
        "rate": false / decided if decided else None,
        "low": low,
        "high": high,
        "condemned": condemned,
    }


def recommend(found: pd.DataFrame) -> str:
    """One line: the limits to use, from the `all` rows of `rules`.

    Among the rules under which at least half of the comparisons can still be made: the one that condemns the fewest
    trials of those with at most 5 % false differences, at equal shares the strictest, for that costs nothing. When none
    gets there, limits do not cure the differences; then it is the rule with the lowest rate, and the line says so.
    """
    usable = found[(found["kernel"] == "all") & (found["decided"] > 0)]
    usable = usable[usable["decided"] >= FEWEST_DECIDED * usable["possible"]]
    if usable.empty:
        return "no recommendation: too few pairs were measured"
    strict = usable.assign(
        steal=usable["steal_pct"].fillna(float("inf")), drift=usable["drift_pct"].fillna(float("inf"))
    )
    good = strict[strict["rate"].astype(float) <= TARGET]
    if len(good):
        best = good.sort_values(["condemned", "steal", "drift"]).iloc[0]
        return f"recommended limits: {_words(best)}"
    best = strict.sort_values(["rate", "condemned", "steal", "drift"]).iloc[0]
    return f"no limits bring false differences to {TARGET:.0%}; the best are {_words(best)}"


def _words(row: pd.Series) -> str:
    def limit(value: float | None) -> str:
        return "none" if pd.isna(value) else f"{value:g} %"

    return (
        f"steal {limit(row['steal_pct'])}, drift {limit(row['drift_pct'])}: {row['false']} of {row['decided']} "
        f"comparisons false (95 %: {row['low']:.0%} to {row['high']:.0%}), {row['condemned']:.0%} of trials "
        "condemned"
    )
