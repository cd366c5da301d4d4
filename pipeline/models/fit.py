"""What every model returns: parameters with intervals, and one sentence for the reader."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from pipeline.words.numbers import interval


@dataclass(frozen=True)
class Estimate:
    """A parameter and its interval; low and high are nan where no interval exists (fixed, or too few trials)."""

    estimate: float
    low: float = math.nan
    high: float = math.nan

    def against(self, low: float, high: float) -> Literal["inside", "outside", "across"]:
        """Where the whole interval lies: inside a region, wholly outside, or across one of its bounds."""
        if low <= self.low and self.high <= high:
            return "inside"
        return "outside" if self.high < low or self.low > high else "across"

    def times_trials(self, low: float, high: float) -> float:
        """About how many times the trials there are bring an interval that lies across a bound of a region wholly to
        where the estimate is: its ends come nearer to that as the square root of the trials.

        On the logarithm where all numbers are positive, as of ratios. 1 where the interval lies across no bound,
        infinite where no number of trials does it: the estimate lies on a bound, or there is no interval.
        """
        if self.against(low, high) != "across":
            return 1.0
        numbers = np.array([self.estimate, self.low, self.high, low, high])
        if np.isnan(numbers).any():
            return math.inf
        at, least, most, lower, upper = (np.log(numbers) if (numbers > 0).all() else numbers).tolist()
        below, above = at - least, most - at
        if lower < at < upper:
            return max(below / (at - lower), above / (upper - at)) ** 2
        reach, room = (below, at - upper) if at > upper else (above, lower - at)
        return (reach / room) ** 2 if room > 0 else math.inf

    def words(self, unit: str = "1", power: int | None = None) -> str:
        """As `pipeline.words.numbers.interval` says it."""
        return interval(self.estimate, self.low, self.high, unit, power=power)

    def to_dict(self) -> dict:
        return {key: finite(getattr(self, key)) for key in ("estimate", "low", "high")}


def combined(estimate: float, *parts: tuple[float, float]) -> Estimate:
    """Interval of an estimate that several independent inputs move: `parts` holds its (low, high) when only one of them
    moves within its own interval.

    The distances to the estimate add as squares, each side by itself (the method of variance estimates recovery, Zou
    and Donner 2008): no side need be like the other, and the level is that of the parts.
    """
    low, high = np.array(parts, dtype=float).T
    below, above = np.sqrt(((estimate - low) ** 2).sum()), np.sqrt(((high - estimate) ** 2).sum())
    return Estimate(estimate, float(estimate - below), float(estimate + above))


def combined_factor(estimate: float, *parts: tuple[float, float]) -> Estimate:
    """`combined` on the logarithm, for an estimate whose inputs act as factors: both ends stay above 0."""
    one = combined(math.log(estimate), *(tuple(np.log(part)) for part in parts))
    return Estimate(estimate, math.exp(one.low), math.exp(one.high))


@dataclass(frozen=True)
class Kind:
    """What is the same for all fits of a model, so that a table of them says it once: `rule`, how they are read, in
    sentences, and by parameter its heading and the unit of its values."""

    rule: str
    headings: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass
class Fit:
    """model: its name, None when nothing is fitted; parameters by name; interval: how they were obtained;
    identified: whether the parameters may be quoted; sentence: the result in plain words; details: what only this
    kind of model has (plain JSON values); kind, and what is left of the sentence beside parameters and rule: `short`,
    None where that is the sentence; times_trials: of a verdict that is undecided, how many times the trials would give
    one (`pipeline.models.sample_size`), None of any other."""

    model: str | None
    parameters: dict[str, Estimate]
    interval: str
    identified: bool
    sentence: str
    details: dict = field(default_factory=dict)
    kind: Kind | None = None
    short: str | None = None
    times_trials: float | None = None

    def to_dict(self) -> dict:
        """JSON-ready: numbers that are not finite become null."""
        return {
            "model": self.model,
            "parameters": {name: one.to_dict() for name, one in self.parameters.items()},
            "interval": self.interval,
            "identified": self.identified,
            "sentence": self.sentence,
            **self.details,
        }


def finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
