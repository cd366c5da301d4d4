"""How few blocks find a planted change, and how often one is said where there is none: estimators side by side.

Blocks of a program that runs against itself are measured once. Invocations are then drawn from them in stretches, so
that neighbours stay neighbours; which execution of a block was whose is drawn anew, as an invocation draws it, so that
nothing has changed but what is planted: a factor on one side. Each is judged at the looks of `pipeline.versus`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
from scipy.special import stdtrit

from pipeline.bench.interleave import Result
from pipeline.bench.versus import LOOPS, METRICS, built
from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.models.median_interval import MedianInterval, median_interval, reached
from pipeline.models.signed_rank import signed_rank_interval
from pipeline.own.entry import NAME
from pipeline.versus import looks, plan, versus
from pipeline.versus.asked import Asked

BLOCKS, MINUTES = 400, 60.0
STRETCH = 10  # blocks that are drawn together
TRIM = 0.2  # of the differences, at either end
NONE = MedianInterval(math.nan, -math.inf, math.inf, 0.0)


@dataclass(frozen=True)
class Drawn:
    """Blocks of an invocation, in order: logarithms of the first command, of it again, and of the other (n,), and by
    how many places the other ran later than the first."""

    first: np.ndarray
    again: np.ndarray
    other: np.ndarray
    later: np.ndarray

    def __getitem__(self, some: slice) -> Drawn:
        return Drawn(self.first[some], self.again[some], self.other[some], self.later[some])


Estimator = Callable[[Drawn, float], MedianInterval]


def ranks(drawn: Drawn, level: float) -> MedianInterval:
    """As built."""
    return signed_rank_interval(drawn.other - drawn.first, level)


def middle(drawn: Drawn, level: float) -> MedianInterval:
    """The median by order statistics, as our own experiments are judged."""
    found = median_interval(drawn.other - drawn.first, level)
    return found if reached(len(drawn.first), level) >= level - 1e-9 else NONE


def mean(drawn: Drawn, level: float, trim: float = 0.0) -> MedianInterval:
    """The mean of the logarithms, or what is left of them without `trim` at either end, by Student's t of the
    winsorised variance (Tukey and McLaughlin 1963)."""
    values = np.sort(drawn.other - drawn.first)
    count, cut = len(values), int(trim * len(values))
    kept = count - 2 * cut
    centre = float(values[cut : count - cut].mean())
    deviation = np.clip(values, values[cut], values[-cut - 1]).std(ddof=1) / ((1 - 2 * trim) * math.sqrt(count))
    half = float(stdtrit(kept - 1, (1 + level) / 2) * deviation)
    return MedianInterval(centre, centre - half, centre + half, level)


def trimmed(drawn: Drawn, level: float) -> MedianInterval:
    return mean(drawn, level, TRIM)


def both(drawn: Drawn, level: float) -> MedianInterval:
    """Signed ranks of the other less the mean of both executions of the first."""
    return signed_rank_interval(drawn.other - (drawn.first + drawn.again) / 2, level)


def neighbours(drawn: Drawn, level: float) -> MedianInterval:
    """Signed ranks of what is left when the drift from the block before to the block after is taken out, by least
    squares: the later a side ran in its block, the more of it."""
    block = (drawn.first + drawn.again + drawn.other) / 3
    drift, differences = np.gradient(block) * drawn.later, drawn.other - drawn.first
    apart = drift - drift.mean()
    slope = float(apart @ differences) / max(float(apart @ apart), 1e-300)
    return signed_rank_interval(differences - slope * drift, level)


ESTIMATORS: Mapping[str, Estimator] = {
    "signed ranks": ranks,
    "order statistics": middle,
    "mean, Student's t": mean,
    "trimmed mean": trimmed,
    "signed ranks, first twice": both,
    "signed ranks, neighbours": neighbours,
}


@dataclass(frozen=True)
class Recorded:
    """log of a metric by block and place in its order (blocks, 3), and the seconds that a block takes."""

    values: np.ndarray
    block_s: float

    def drawn(self, count: int, planted: float, rng: np.random.Generator) -> Drawn:
        """An invocation of so many blocks, the other side being longer by the share `planted`."""
        begins = rng.integers(len(self.values), size=-(-count // STRETCH))
        rows = ((begins[:, None] + np.arange(STRETCH)) % len(self.values)).ravel()[:count]
        sides = rng.permuted(np.tile(np.arange(3), (count, 1)), axis=1)
        mine = np.take_along_axis(self.values[rows], sides, axis=1)
        return Drawn(mine[:, 0], mine[:, 1], mine[:, 2] + math.log1p(planted), sides[:, 2] - sides[:, 0])


def run(
    result: Result, work: Path, step: Callable[[str, int, int], None], blocks: int = BLOCKS, studies: int = 500
) -> None:
    """Measure blocks and judge invocations drawn from them; fills `result`. Missing without a C compiler."""
    step("pairs: measuring", 0, 1)
    every = recorded(work, blocks)
    cases = [(0.0, 5.0), (0.05, 2.0), (0.02, 1.0)]
    todo = [(metric, name, *case) for metric in every for name in ESTIMATORS for case in cases]
    for at, (metric, name, planted, margin) in enumerate(todo):
        step(f"pairs: {metric}, {name}", at, len(todo))
        rng = np.random.default_rng(1)  # the same invocations for every estimator
        said = [invocation(every[metric], ESTIMATORS[name], planted, margin, rng) for _ in range(studies)]
        shares = told(said)
        one = {"metric": metric, "estimator": name, "planted": planted, "margin": margin} | shares
        result.raw.append(one)
        result.left_out.append(
            f"{metric}, {name}, {100 * planted:g} % planted, margin {margin:g} %: "
            f"{100 * shares['changed']:.1f} % changed, {100 * shares['wrong']:.1f} % of the wrong sign, decided after "
            f"{shares['minutes']:.1f} minutes (median), {100 * shares['foreseen']:.0f} % in the minutes foretold"
        )
    for metric, one in every.items():
        inside = float(np.std(one.values[:, 1] - one.values[:, 0]))
        told_ = f"{metric}: {len(one.values)} blocks of {one.block_s:.2f} s, a pair scatters by {100 * inside:.1f} %"
        result.left_out.append(told_)


def recorded(work: Path, blocks: int) -> dict[str, Recorded]:
    """Blocks of a program that runs against itself, by metric."""
    built(work)
    command = ["./loop", str(LOOPS), "{out}"]
    asked = Asked({"old": command, "new": command}, str(work), {}, metrics=METRICS, margin=1e-9)
    folders = {"LAB_RUNS": str(work / "runs"), "LAB_BUILD": str(work / "build")}
    with mock.patch.dict("os.environ", folders), mock.patch.object(plan, "MOST", blocks):
        versus.measure(asked, "pairs", versus.Length(MINUTES), {}, say=lambda _: None, hold=lambda _: nullcontext())
        bundle = Bundle.open("pairs")
    lines = [line for line in journal.trials(bundle.journal(), NAME) if line["status"] == journal.MEASURED]
    block_s = sum(line["took_s"] for line in lines) / blocks
    found = {}
    for metric, name in zip(METRICS, ("time_ns", "cpu_ns"), strict=True):
        values = np.full((blocks, 3), np.nan)
        for line in lines:
            raw = json.loads((bundle.folder / "raw" / NAME / f"{line['trial']}.json").read_text())["measures"]
            values[line["block"] - 1, line["order"]] = math.log(raw["value"][raw["name"].index(name)])
        found[metric] = Recorded(values[np.isfinite(values).all(axis=1)], block_s)
    return found


def invocation(
    of: Recorded, estimator: Estimator, planted: float, margin: float, rng: np.random.Generator
) -> tuple[str, float, bool]:
    """(what is said, after how many minutes, whether also in the minutes that its first look foretells) of an
    invocation of five minutes with one row."""
    whole = max(int(60 * 5.0 * 0.9 / of.block_s), looks.fewest(looks.ERROR * looks.END, 1))
    when = [*looks.planned(whole, 1), whole]
    bound, drawn = math.log1p(margin / 100), of.drawn(4 * whole, planted, rng)
    said, foreseen = "", None
    for number, count in enumerate(when):
        early = number if count < whole else -1
        error = looks.error_of(early, 0)
        found = estimator(drawn[:count], 1 - error)
        said = judged(found, bound)
        if foreseen is None:
            foreseen = said or _foretold(drawn, count, found, bound, error, estimator)
        if said:
            break
    return said, count * of.block_s / 60, bool(foreseen)


def _foretold(drawn: Drawn, count: int, found: MedianInterval, bound: float, error: float, estimator: Estimator) -> str:
    """What is said at the end of the minutes that a look foretells."""
    half = (found.high - found.low) / 2
    then = looks.error_of(-1, 0)
    times = looks.further(found.estimate, half, bound, error, then) if math.isfinite(half) else None
    if times is None:
        return ""
    until = min(math.ceil(count * (1 + times)), len(drawn.first))
    return judged(estimator(drawn[:until], 1 - then), bound)


def judged(found: MedianInterval, bound: float) -> str:
    """`changed +`, `changed -`, `same`, or nothing."""
    if (found.low > 0 and found.estimate > bound) or (found.high < 0 and found.estimate < -bound):
        return f"changed {'+' if found.low > 0 else '-'}"
    return "same" if -bound <= found.low and found.high <= bound else ""


def told(said: list[tuple[str, float, bool]]) -> dict[str, float]:
    """Shares of the studies, and the median of their minutes."""
    words = [one[0] for one in said]
    return {
        "studies": len(said),
        "changed": sum(one.startswith("changed") for one in words) / len(said),
        "wrong": words.count("changed -") / len(said),
        "same": words.count("same") / len(said),
        "minutes": float(np.median([one[1] for one in said])),
        "foreseen": sum(one[2] for one in said) / len(said),
    }
