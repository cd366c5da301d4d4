"""The duration of a plan, estimated by what the trials of an archived run took."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from pipeline.catalogue.entry import DECIDE_MINUTES
from pipeline.catalogue.selectors import Scalar
from pipeline.measure.sweep import REPEAT_SHARE, blocks_paid
from pipeline.plan.plan import Configuration, Plan

ITERATIONS = ("warmup", "iterations", "iteration-ms")


def seconds(lines: Iterable[Mapping]) -> Callable[[Configuration], float]:
    """What tells the seconds of a trial, from a journal's lines: its iterations, and beside them (starting, probing)
    what trials of its variant took beside theirs; of a variant that is not there, those of its experiment, or of all,
    in the same harness."""
    return by(beside(lines))


def beside(lines: Iterable[Mapping]) -> dict[str, float]:
    """What trials took beside their iterations, the median, by harness, experiment and variant, from a journal's
    lines."""
    found: dict[str, list[float]] = defaultdict(list)
    for line in lines:
        if "took_s" in line and line["status"] == "measured":
            command = line["command"]
            rest = line["took_s"] - _iterating_s(dict(zip(command, command[1:])), "--")
            for key in _keys(line["experiment"], line["variant"], line["harness"]):
                found[key].append(rest)
    return {key: statistics.median(times) for key, times in found.items()}


def by(median: Mapping[str, float]) -> Callable[[Configuration], float]:
    """As `seconds`, from what `beside` told."""

    def told(one: Configuration) -> float:
        keys = _keys(one.experiment, one.variant, one.main.harness)
        return next((median[key] for key in keys if key in median), 0.0) + _iterating_s(one.parameters)

    return told


def _keys(experiment: str, variant: str, harness: str) -> list[str]:
    return [f"{harness} {experiment} {variant}", f"{harness} {experiment}", harness]


def _iterating_s(parameters: Mapping[str, Scalar], prefix: str = "") -> float:
    """The seconds of all iterations; 0 of an experiment whose iterations are no time."""
    told = [parameters.get(prefix + name) for name in ITERATIONS]
    if any(one is None for one in told):
        return 0.0
    warmup, iterations, length_ms = map(float, told)
    return (warmup + iterations) * length_ms / 1000


def minutes(plans: Sequence[Plan], trial_s: Callable[[Configuration], float], sits: bool = True) -> float:
    """The minutes that plans of one profile may take at most: the blocks that each one's budget pays for, noisy trials
    again, and the sitting, if the run sits."""
    total_s = 60 * DECIDE_MINUTES[plans[0].profile] if plans and sits else 0.0
    for plan in plans:
        block_s = sum(map(trial_s, plan.configurations))
        total_s += blocks_paid(plan.sizes, block_s) * block_s * (1 + REPEAT_SHARE)
    return total_s / 60
