"""Interleaving: two sides take turns in every round, so that the host's drift and its bad moments hit both alike.

A round is the unit of replication: every value of it comes from fresh processes, and the ratio's interval is that of
the median of the rounds' own ratios (pipeline.models.median_interval).
"""

from __future__ import annotations

import math
import random
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.measure import processes
from pipeline.measure.environment import environment
from pipeline.models.median_interval import median_interval

OURS, REFEREE = "ours", "referee"
LIMITS = (0.95, 1.05)
Step = Callable[[str, int, int], None]  # told before each measurement: what it is, how many are done, of how many


class Missing(Exception):
    """A referee or one of our own parts is not there; says what and how to get it. The comparison is left out."""


@dataclass
class Result:
    """What a part has found so far. Filled as it goes, so that an interrupt loses nothing that was measured.

    `comparisons` and `raw` are those of build/bench/<part>.json; `left_out` are lines about what was not compared;
    `extra` are further keys of the file.
    """

    part: str
    comparisons: list[dict] = field(default_factory=list)
    raw: list[dict] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    extra: dict[str, object] = field(default_factory=dict)

    @contextmanager
    def leaving_out(self, name: str) -> Iterator[None]:
        """What is Missing for `name` is told in a line, and the part goes on with the next."""
        try:
            yield
        except Missing as missing:
            self.left_out.append(f"{name}: {missing}")


def rounds(
    sides: Mapping[str, Callable[[int], float]],
    count: int,
    seed: object,
    most: int = 0,
    decided: Callable[[pd.DataFrame], bool] = lambda table: True,
) -> pd.DataFrame:
    """Run every side once per round, in a random order fixed by `seed` and the round.

    A side is called with the number of the round (0, 1, ...) and returns its value. After `count` rounds more follow,
    up to `most`, while `decided(table)` is false: a noisy host costs time, not the answer. Looking again after each
    round makes a 95 % interval somewhat too narrow at the moment of stopping, which the limits' width forgives.
    Returns the columns round, side and value, in the order of measuring.
    """
    columns = ["round", "side", "value"]
    rows = []
    for number in range(max(count, most)):
        if number >= count and decided(pd.DataFrame(rows, columns=columns)):
            break
        order = list(sides)
        random.Random(f"{seed}/{number}").shuffle(order)
        rows += [(number, side, float(sides[side](number))) for side in order]
    return pd.DataFrame(rows, columns=columns)


def planned(number: int, count: int, most: int) -> int:
    """How many rounds there are to be when round `number` begins: `count`, and `most` once these did not decide."""
    return count if number < count else max(count, most)


def compare(
    name: str,
    table: pd.DataFrame,
    unit: str,
    ours: str = OURS,
    referee: str = REFEREE,
    limits: Sequence[float] = LIMITS,
    note: str = "",
) -> dict:
    """One entry of `comparisons` from a table of `rounds`: medians and ranges of both sides over rounds, and the
    ratio ours / referee. A side whose own range is wider than the limits cannot be told from the other to within them.

    ValueError when a round lacks a side, or the referee measured zero.
    """
    by_round = table.pivot(index="round", columns="side", values="value")[[ours, referee]]
    if by_round.isna().any(axis=None):
        raise ValueError(f"{name}: round {by_round.isna().any(axis=1).idxmax()} lacks a side")
    if (by_round[referee] == 0).any():
        raise ValueError(f"{name}: the referee measured zero")
    ratio, low, high, _ = median_interval(by_round[ours] / by_round[referee])
    return {
        "name": name,
        "ours": float(by_round[ours].median()),
        "referee": float(by_round[referee].median()),
        "unit": unit,
        "ours_range": [float(by_round[ours].min()), float(by_round[ours].max())],
        "referee_range": [float(by_round[referee].min()), float(by_round[referee].max())],
        "ratio": ratio,
        "low": None if math.isnan(low) else low,
        "high": None if math.isnan(high) else high,
        "rounds": len(by_round),
        "limits": list(limits),
        "verdict": verdict(low, high, limits),
        "note": note,
    }


def is_decided(table: pd.DataFrame, limits: Sequence[float] = LIMITS) -> bool:
    """Whether the rounds so far put the ratio inside or outside the limits."""
    return compare("", table, "", limits=limits)["verdict"] != "undecided"


def verdict(low: float, high: float, limits: Sequence[float]) -> str:
    """`within` when the whole interval lies inside the limits (ends included), `outside` when no part of it does,
    else `undecided`; an interval of nan (too few rounds) decides nothing."""
    if low >= limits[0] and high <= limits[1]:
        return "within"
    if high < limits[0] or low > limits[1]:
        return "outside"
    return "undecided"


def process(argv: Sequence[str]) -> str:
    """Run a referee's process in the environment of a trial and return what it printed on standard output.

    LabError (status 4) with its last words when it fails or has not ended after the time that a trial has.
    """
    program = Path(argv[0]).name
    try:
        ran = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            check=False,
            timeout=processes.TIMEOUT_S,
            cwd=paths.ROOT,
            stdin=subprocess.DEVNULL,
            env=environment(),
        )
    except subprocess.TimeoutExpired:
        raise LabError(f"bench: {program} has not ended after {processes.TIMEOUT_S} s", 4) from None
    if ran.returncode:
        lines = [line.strip() for line in (ran.stdout + "\n" + ran.stderr).splitlines() if line.strip()]
        last = lines[-1][:300] if lines else f"exit status {ran.returncode}"
        raise LabError(f"bench: {program} failed: {last}", 4)
    return ran.stdout
