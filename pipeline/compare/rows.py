"""The table of a comparison: one row per configuration and metric that both sides have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pipeline.analyse import blocks, estimates
from pipeline.analyse.claim_test import DOUBTFUL_SHARE, FEWEST_TRIALS
from pipeline.analyse.selection import Missing
from pipeline.compare import methods, verdicts
from pipeline.compare.measured import Configuration
from pipeline.compare.methods import Change, Controls
from pipeline.compare.randomised_blocks import RandomisedBlocks
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.words.numbers import counted

NAN = float("nan")
COLUMNS = ["experiment", "metric", "variant", "label", "runtime", "runtime_before", "runtime_after", "axes", "unit"]
COLUMNS += ["before", "before_low", "before_high", "after", "after_low", "after_high", "kind", "ratio", "low", "high"]
COLUMNS += ["level", "method", "verdict", "reason", "trials_before", "trials_after", "class", "cycle_ns", "smallest"]
SESSIONS = "one session on a side; a verdict needs 2 and more on each, measured in turn: A1 B1 A2 B2"
ASIDE = ["beyond", "way"]  # how far a change is from none for sure, and the words for it: no data


@dataclass(frozen=True)
class Control:
    """What a configuration that cannot have changed did: the change of its logarithm, and its trials' variance."""

    configuration: Configuration
    change: float
    variance: float


class Side:
    """The trials that count of one configuration on one side, by run."""

    def __init__(self, rows: Sequence[pd.DataFrame]) -> None:
        used = [estimates.used(one) for one in rows if len(one)]
        self.values = [one["value"].to_numpy(float) for one in used]
        self.trials = sum(map(len, self.values))
        self.noisy = sum(int(one["noisy"].sum()) for one in used)
        self.fewest = min(map(len, self.values), default=0)

    def positive(self) -> bool:
        return all((values > 0).all() for values in self.values)

    def estimate(self, log: bool) -> tuple[float, float, float]:
        """Of one run its median and interval; of several what lies in their middle, for no interval is of one run."""
        if len(self.values) == 1:
            return median_interval(self.values[0])[:3]
        medians = self.medians(log)
        middle = float(medians.mean())
        return math.exp(middle) if log else middle, NAN, NAN

    def medians(self, log: bool) -> np.ndarray:
        return np.array([np.median(np.log(one) if log else one) for one in self.values])


def control(configuration: Configuration) -> Control | None:
    """A control of one run per side; None where it has too few trials, or a 0."""
    sides = Side(configuration.before), Side(configuration.after)
    if min(side.fewest for side in sides) < FEWEST or not all(side.positive() for side in sides):
        return None
    logs = [np.log(side.values[0]) for side in sides]
    return Control(configuration, methods.shift(*logs), float(methods.variance(*logs)))


def alike(mine: Configuration, controls: Iterable[Control], unchanged: bool) -> Controls | None:
    """What runs did to numbers of the same class; None where too few tell. `unchanged`: nothing differs, so that every
    configuration is a control but those of the row's own variant."""
    found = [
        one
        for one in controls
        if one.configuration.made_of == mine.made_of and not (unchanged and _kin(mine, one.configuration))
    ]
    if len(found) < methods.FEWEST_CONTROLS:
        return None
    return Controls(np.array([one.change for one in found]), np.array([one.variance for one in found]))


def _kin(mine: Configuration, other: Configuration) -> bool:
    return (mine.entry.name, mine.variant) == (other.entry.name, other.variant)


def row(
    mine: Configuration,
    way: str,
    controls: Controls | None,
    margin: float,
    randomised: RandomisedBlocks | None = None,
    against: str = "",
) -> dict[str, Any]:
    """The row of a configuration that both sides have. `margin`: 0.05 is 5 %; `randomised`: how a run of programs is
    judged; `against`: what speaks against any verdict."""
    sides = Side(mine.before), Side(mine.after)
    log = all(side.positive() for side in sides)
    numbers = {}
    for name, side in zip(("before", "after"), sides, strict=True):
        numbers |= dict(zip((name, f"{name}_low", f"{name}_high"), side.estimate(log), strict=True))
    change, method, counts, doubts = (
        randomised.change(mine, log) if randomised else _change(mine, sides, way, controls, log)
    )
    doubts = doubts or against
    bound = math.log1p(margin) if log else margin * max(abs(numbers["before"]), abs(numbers["after"]))
    metric = mine.entry.metrics[mine.metric]
    verdict = verdicts.judge(change, bound, metric, method == "alone")
    if verdict != verdicts.UNDECIDED and doubts:
        verdict = verdicts.UNDECIDED
    reason = doubts if verdict == verdicts.UNDECIDED else ""
    changed = verdict in verdicts.MOVED
    distance = max(change.low, -change.high) if changed else 0.0  # from no change, for sure
    smallest = methods.smallest(change, bound)
    estimate, low, high = (float(np.exp(one) if log else one) for one in change[:3])
    label, runtime = labelled(mine)
    return {
        "experiment": mine.entry.name,
        "metric": mine.metric,
        "variant": mine.variant,
        "label": label,
        "runtime": runtime,
        "runtime_before": mine.runtimes[0],
        "runtime_after": mine.runtimes[1],
        "axes": dict(mine.axes),
        "unit": metric.unit,
        **numbers,
        "kind": "ratio" if log else "difference",
        "ratio": estimate,
        "low": low,
        "high": high,
        "level": change.level,
        "method": method,
        "verdict": verdict,
        "reason": reason,
        "trials_before": counts[0],
        "trials_after": counts[1],
        "class": mine.made_of,
        "cycle_ns": mine.cycle,
        "smallest": float(np.expm1(smallest) if log else smallest),
        "beyond": distance,
        "way": verdicts.way(metric),
    }


def _change(
    mine: Configuration, sides: tuple[Side, Side], way: str, controls: Controls | None, log: bool
) -> tuple[Change, str, tuple[int, int], str]:
    """The change, by which method, trials per side, and what speaks against a verdict (empty: nothing)."""
    counts = sides[0].trials, sides[1].trials
    if way == "paired":
        return _paired(mine, log)
    few = min((side.fewest, name) for side, name in zip(sides, ("before", "after"), strict=True))
    medians = [side.medians(log) for side in sides]
    middle = float(medians[1].mean() - medians[0].mean())
    if mine.entry.imported and min(map(len, medians)) < 2 and few[0] < FEWEST:
        return Change(middle, NAN, NAN, NAN), "alone", counts, SESSIONS
    if few[0] < (1 if mine.entry.imported else FEWEST):
        way = "alone" if way == "single" else way
        return Change(middle, NAN, NAN, NAN), way, counts, f"{counted(few[0], 'trial')} {few[1]}"
    noisy = max(side.noisy / side.trials for side in sides)
    doubts = "mostly noisy trials" if noisy > DOUBTFUL_SHARE else ""
    if way == "repeated":
        if min(map(len, medians)) < 2:
            only = SESSIONS if mine.entry.imported else "only one run of a side has it"
            return Change(middle, NAN, NAN, NAN), way, counts, only
        return methods.repeated(*medians), way, counts, doubts
    if few[0] < FEWEST_TRIALS:
        doubts = doubts or f"{counted(few[0], 'trial')} {few[1]}; a verdict needs {FEWEST_TRIALS}"
    values = [np.log(side.values[0]) if log else side.values[0] for side in sides]
    if controls is None or not log:
        return methods.alone(*values), "alone", counts, doubts
    return methods.single(*values, controls), "controls", counts, doubts


def _paired(mine: Configuration, log: bool) -> tuple[Change, str, tuple[int, int], str]:
    try:
        both = blocks.shared([mine.before[0], mine.after[0]])
    except Missing as reason:
        return Change(NAN, NAN, NAN, NAN), "paired", (0, 0), str(reason)
    values = np.log(both.values) if log else both.values
    count = len(values)
    doubts = "mostly noisy trials" if both.noisy > count * DOUBTFUL_SHARE else ""
    if count < FEWEST_TRIALS:
        doubts = f"{counted(count, 'block')}; a verdict needs {FEWEST_TRIALS}"
    return methods.paired(values[:, 1] - values[:, 0]), "paired", (count, count), doubts


def labelled(mine: Configuration) -> tuple[str, str]:
    """What its variant is called, and its runtime, or the one of either side."""
    variants = mine.entry.variants  # of an old run some may be gone
    label = variants[mine.variant].label if mine.variant in variants else mine.variant
    return label, " → ".join(dict.fromkeys(mine.runtimes))


def table(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows by verdict, changes by how far they are from none for sure, then as the catalogue has them."""
    frame = pd.DataFrame(list(rows), columns=[*COLUMNS, *ASIDE])
    if frame.empty:
        return frame
    rank = frame["verdict"].map(verdicts.ORDER.index)
    return frame.iloc[np.lexsort((-frame["beyond"], rank))].reset_index(drop=True)
