"""Comparisons, as people say them: in words that the interval chooses.

A ratio is `3.1x slower [2.9, 3.3]`, never `0.325x`; nearer than NEAR to 1 it is `12 % slower [9, 15]`. An interval
that includes 1 shows no difference, and says the smallest one that it excludes; one within 5 % of 1 that both are the
same. Slower and faster are opposites: 12 % slower takes 12 % longer for the same, 12 % faster does 12 % more in the
same time. Of other pairs of words (more and fewer, longer and shorter) per cent are of what is compared with; a factor
is the same both ways round.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Union

from pipeline.words.numbers import LEVEL, about, interval, is_time, number, quantity, shortfall

NEAR = 1.5
SAME_WITHIN = 0.05  # times or over 1 and this: an interval inside shows that there is no difference to speak of
VAGUE = 4.0  # an interval that spans a greater factor has no middle to speak of
TOO_FEW = "(too few trials for an interval)"
SAME, SILENT = "the same", "no number"
NO_DIFFERENCE, AS_GOOD_AS = "no difference shown", f"the same within {round(100 * SAME_WITHIN)} %"
NAN = float("nan")
DIGITS = r"[\d.,]+(?: [MG](?= times))?"  # of an amount


@dataclass(frozen=True)
class Way:
    """The words for a ratio above 1 and for one below; `speed`: of how fast something is."""

    more: str
    less: str
    speed: bool = False


BETTER = Way("better", "worse", speed=True)
TIME, RATE = Way("slower", "faster", speed=True), Way("faster", "slower", speed=True)
LENGTH, COUNT, LEVELS = Way("longer", "shorter"), Way("more", "fewer"), Way("higher", "lower")
DONE = Way("more", "less")  # of a rate, where a sentence says how much gets done


def way(unit: str, better: str | None = None, kind: str = "") -> Way:
    """The words for ratios of a metric, from what the catalogue says of it: what work takes is slower or faster, any
    other time longer or shorter, work done in a time faster or slower; things are counted, what has no unit is higher
    or lower."""
    if is_time(unit) or unit == "cycles":
        return TIME if kind == "cost" and better == "lower" else LENGTH
    if unit.endswith("/s"):
        return RATE if better == "higher" else LEVELS
    return LEVELS if unit in ("", "1", "%", "ratio", "yes/no") or unit.startswith(("B", "bytes", "per ")) else COUNT


@dataclass(frozen=True)
class Comparison:
    """A ratio with its interval (NaN: too few trials) and the interval's level."""

    estimate: float
    low: float
    high: float
    level: float = LEVEL
    way: Way = LEVELS

    @property
    def side(self) -> int:
        """1: surely more, -1: surely less, 0: no difference is shown. Without an interval, what the estimate says."""
        low, high = (self.estimate, self.estimate) if math.isnan(self.low) else (self.low, self.high)
        return 1 if low > 1 else -1 if high < 1 else 0

    @property
    def same(self) -> bool:
        """Whether the whole interval lies so near to 1 that both are the same for all purposes."""
        return not self.side and 1 / (1 + SAME_WITHIN) <= self.low and self.high <= 1 + SAME_WITHIN

    @property
    def word(self) -> str:
        return {1: self.way.more, -1: self.way.less, 0: ""}[self.side]

    @property
    def wide(self) -> bool:
        """Whether the interval's ends are so far apart that its middle says little."""
        return bool(self.side) and self.high > VAGUE * self.low

    def head(self) -> str:
        """`3.1x slower`, `12 % slower`, `the same within 5 %`, `no difference shown`."""
        if math.isnan(self.estimate):
            return SILENT
        if self.low == self.high == 1:
            return SAME
        return self.amount() if self.side else AS_GOOD_AS if self.same else NO_DIFFERENCE

    def surely(self) -> str:
        """The head; of a wide interval `at least` the end of it that is nearer to none."""
        return how_much([self]) if self.wide else self.head()

    def bracket(self, surely: bool = False) -> str:
        """The interval in the measure of the head, or of what is sure, `[2.9, 3.3]`; of no difference the smallest that
        is excluded."""
        if math.isnan(self.low):
            return "" if math.isnan(self.estimate) else TOO_FEW
        if not self.side:
            return "" if self.low == self.high else f"({self.open()})"
        if self.estimate in (0, math.inf):
            return ""
        _, low, high = self._scaled(_nearest(self) >= NEAR if surely and self.wide else self.times)
        return f"[{number(low)}, {number(high)}{shortfall(self.level)}{_apart(self)}]"

    def words(self) -> str:
        return f"{self.head()} {self.bracket()}".rstrip()

    @property
    def farthest(self) -> float:
        """How far the interval reaches from no difference, in times."""
        return max(_times(self.low), _times(self.high))

    @property
    def times(self) -> bool:
        """Whether it is said in times: it is far enough from 1."""
        return _times(self.estimate) >= NEAR

    def amount(self, say: Callable[[float], str] = number, times: bool | None = None, least: bool = False) -> str:
        """How much on the side that the interval lies on; `least`: by the end of the interval that is nearer to 1."""
        if self.estimate in (0, math.inf) and not least:
            return f"{self.word} ({'some, compared with none' if self.estimate else 'none, compared with some'})"
        times = self.times if times is None else times
        said, nearest, _ = self._scaled(times)
        return f"{_measured(say(nearest if least else said), times)} {self.word}"

    def open(self, say: Callable[[float], str] = number) -> str:
        """What the interval leaves open where it shows no difference: `a difference of 7 % would have shown`."""
        bound, only = self.excluded(say), "only " if self.farthest > VAGUE else ""
        return f"{only}a difference of {bound} would have shown" if bound else "a difference of any size is possible"

    def excluded(self, say: Callable[[float], str] = number) -> str:
        """The smallest difference, either way, that the whole interval excludes; empty where there is none."""
        if not math.isfinite(self.farthest):
            return ""
        if self.farthest >= NEAR:
            return _measured(say(self.farthest), times=True)
        return _measured(say(max(_per_cent(end, self.way.speed) for end in (self.low, self.high))), times=False)

    def _scaled(self, times: bool) -> tuple[float, float, float]:
        """Estimate and the interval's ends, that nearer to 1 first, in times or per cent."""
        ends = (self.low, self.high)[:: self.side]
        measure = _times if times else lambda value: _per_cent(value, self.way.speed)
        return tuple(map(measure, (self.estimate, *ends)))


def _apart(one: Comparison | Amount) -> str:
    """What the brackets add where the median of all blocks lies outside of what a run's looks have in common."""
    return "; its looks differ" if one.estimate < one.low or one.estimate > one.high else ""


def _measured(said: str, times: bool) -> str:
    """`3.1x`, `12 %`; a factor of millions is in words."""
    return f"{said} %" if not times else f"{said} times" if " " in said else f"{said}x"


def _times(value: float) -> float:
    return max(value, 1 / value) if value > 0 else math.inf


def _per_cent(value: float, speed: bool) -> float:
    return 100 * (_times(value) - 1 if speed else abs(value - 1))


@dataclass(frozen=True)
class Amount:
    """A value with its interval, in a unit of the tables."""

    estimate: float
    low: float
    high: float
    unit: str
    level: float = LEVEL

    def head(self) -> str:
        return quantity(self.estimate, self.unit)

    surely = head

    def bracket(self, surely: bool = False) -> str:
        """The interval in brackets, with the value's own unit left out where it is the same."""
        said = self.words()
        return said[said.index("[") : said.index("]") + 1] if "[" in said else ""

    def words(self) -> str:
        said = interval(self.estimate, self.low, self.high, self.unit, self.level)
        return said.replace("]", f"{_apart(self)}]")


@dataclass(frozen=True)
class Name:
    """What came first, and what cannot be told apart from it."""

    name: str
    level: Amount
    near: tuple[str, ...] = ()

    def head(self) -> str:
        return listed([self.name, *self.near], "or")

    surely = head

    def bracket(self, surely: bool = False) -> str:
        return self.level.words()

    def words(self) -> str:
        return f"{self.name}, {self.level.words()}" + (
            f", not told apart from {', '.join(self.near)}" if self.near else ""
        )


def how_much(told: Sequence[Comparison]) -> str:
    """How much several differ that all do so on one side: `9.8–10x slower`; of wide intervals what is sure."""
    if any(one.wide for one in told):
        nearest = min(told, key=_nearest)
        return f"at least {nearest.amount(about, times=_nearest(nearest) >= NEAR, least=True)}"
    ends = sorted(told, key=lambda one: _times(one.estimate))
    times = any(one.times for one in told)
    least, most = (one.amount(about, times=times) for one in (ends[0], ends[-1]))
    none = {0.0, math.inf} & {one.estimate for one in told}
    return most if none or least == most else between(re.match(DIGITS, least)[0], most)


def between(least: str, most: str) -> str:
    """A range, of which the end is in full: `9.8–10x slower`, `950 ns–1.1 µs`."""
    return f"{least}–{most}"


def _nearest(one: Comparison) -> float:
    return min(_times(one.low), _times(one.high))


Told = Union[Comparison, Amount, Name]


def listed(names: Sequence[str], word: str) -> str:
    """`a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last
