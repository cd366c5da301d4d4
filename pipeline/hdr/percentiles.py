"""Statistics of histogram counts by the rules of the Java HdrHistogram library, version 2.2.2.

The Python library rounds differently (the 94th percentile of 1..10 is 9 there and 10 in Java), so every number
of the Lab comes from here. Values keep the unit they were recorded in.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from pipeline.ground.errors import LabError

INT64_MAX = 2**63 - 1
DENSE = 8  # counters for each bucket up to which buckets are added where they lie, and beyond which they are sorted
MIN_BEYOND = 10  # samples: the rank of a percentile with fewer beyond it varies by a third and more from trial to trial


@dataclass(frozen=True, eq=False)
class Counts:
    """The non-empty buckets of one histogram, in ascending order.

    low: lowest value equivalent of each bucket; low + width - 1 is the highest; count: recorded values (all int64,
    one dimension, equal length). digits, lowest, highest: the precision and range the histogram was made with;
    digits = 0: the buckets are as another tool made them, of no layout of HdrHistogram's. ratio: of a DoubleHistogram,
    whose values are these times it, a power of two.
    """

    low: np.ndarray
    width: np.ndarray
    count: np.ndarray
    digits: int
    lowest: int
    highest: int
    ratio: float = 1.0

    @property
    def total(self) -> int:
        return int(self.count.sum())


@dataclass(frozen=True, eq=False)
class Several:
    """The non-empty buckets of several histograms of one layout, those of one after those of another; length: how many
    each has. All int64, and the rest as of `Counts`."""

    low: np.ndarray
    width: np.ndarray
    count: np.ndarray
    length: np.ndarray
    digits: int
    lowest: int
    highest: int

    @property
    def each(self) -> list[Counts]:
        """One by one."""
        layout = self.digits, self.lowest, self.highest
        cuts = [0, *np.cumsum(self.length).tolist()]
        return [Counts(self.low[a:b], self.width[a:b], self.count[a:b], *layout) for a, b in pairwise(cuts)]


@dataclass(frozen=True)
class Geometry:
    """The bucket layout that (digits, lowest) fix: Java's `init`, with its floating-point logarithms."""

    unit: int
    half: int

    @classmethod
    @cache
    def of(cls, digits: int, lowest: int) -> "Geometry":
        return cls(int(math.log(lowest) / math.log(2)), math.ceil(math.log(2 * 10**digits) / math.log(2)) - 1)

    @cache  # noqa: B019 (a handful of layouts exist)
    def length(self, highest: int) -> int:
        """Number of counters needed to cover values up to `highest`."""
        buckets, smallest_untrackable = 1, 1 << (self.half + 1 + self.unit)
        while smallest_untrackable <= highest:
            smallest_untrackable <<= 1
            buckets += 1
        return (buckets + 1) << self.half

    def buckets(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(low, width) of the counters at `index`."""
        bucket = (index >> self.half) - 1
        # Bucket 0 has twice the counters: its lower half appears as bucket -1.
        shift = np.maximum(bucket, 0)
        sub = index - (shift << self.half)
        shift += self.unit
        return sub << shift, np.left_shift(1, shift)

    def index(self, value: np.ndarray) -> np.ndarray:
        """Position of the counter that holds `value`, int64 from 0 on."""
        bits = np.frexp(value.astype(np.float64))[1].astype(np.int64)
        bits -= value >> np.maximum(bits - 1, 0) == 0  # beyond 2^53 a float may round up to the next power of two
        bucket = np.maximum(bits - (self.unit + self.half + 1), 0)
        return (bucket << self.half) + (value >> (bucket + self.unit))


def overflows(count: np.ndarray) -> bool:
    """Whether the sum of non-negative int64 counts exceeds 64 bits (NumPy would wrap around in silence)."""
    return len(count) > 0 and int(count.max()) * len(count) > INT64_MAX and sum(count.tolist()) > INT64_MAX


def merge(histograms: Iterable[Counts]) -> Counts:
    """Sum of histograms, in the layout of the first one (as `Histogram.add` does).

    Those without a layout (digits = 0) must have the same buckets, or buckets apart. LabError when there is none, when
    buckets overlap, or when a sum does not fit 64 bits.
    """
    histograms = list(histograms)
    if not histograms:
        raise LabError("no histogram to merge: select at least one interval")
    first = histograms[0]
    if len(histograms) == 1 and first.digits and not overflows(first.count):
        return first  # its buckets are each but once, and ascending
    ratio = min(one.ratio for one in histograms)
    if any(one.ratio != ratio for one in histograms):
        histograms = [finer(one, ratio) for one in histograms]
    highest = max(one.highest for one in histograms)
    low, width, count = (
        np.concatenate([getattr(one, name) for one in histograms]) for name in ("low", "width", "count")
    )
    if overflows(count):
        raise LabError("the counts add up to more than 64 bits hold: merge fewer intervals")
    if any(one.digits == 0 for one in histograms):
        return Counts(*_of_no_layout(low, width, count), 0, 1, highest)
    geometry = Geometry.of(first.digits, first.lowest)
    index, summed = by_place(geometry.index(low), count)
    return Counts(*geometry.buckets(index), summed, first.digits, first.lowest, highest, ratio)


def finer(counts: Counts, ratio: float) -> Counts:
    """The same values as multiples of a smaller ratio; LabError where they do not fit 64 bits."""
    shift = math.frexp(counts.ratio)[1] - math.frexp(ratio)[1]
    if max(counts.highest.bit_length(), maximum(counts).bit_length()) + shift > 62:
        raise LabError("values of two histograms lie too far apart to be added up: merge fewer intervals")
    low, width, highest = counts.low << shift, counts.width << shift, counts.highest << shift
    return Counts(low, width, counts.count, counts.digits, counts.lowest, highest, ratio)


def by_place(index: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each position once, ascending, and the sum of its counts."""
    if len(index) and (span := int(index.max() - (first := index.min())) + 1) <= DENSE * len(index):
        sums = np.zeros(span, np.int64)
        np.add.at(sums, index - first, count)
        held = np.flatnonzero(sums)
        return held + first, sums[held]
    order = np.argsort(index, kind="stable")
    index = index[order]
    firsts = np.flatnonzero(np.diff(index, prepend=-1))
    return index[firsts], np.add.reduceat(count[order], firsts) if len(firsts) else count


def _of_no_layout(low: np.ndarray, width: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each bucket once, ascending, with the sum of its counts; LabError where buckets overlap."""
    if not len(low):
        return low, width, count
    order = np.argsort(low, kind="stable")  # which merges runs: each histogram is one
    low, width = low[order], width[order]
    firsts = np.flatnonzero(np.concatenate(([True], low[1:] != low[:-1])))
    alike = bool((np.repeat(width[firsts], np.diff(firsts, append=len(low))) == width).all())
    low, width, count = low[firsts], width[firsts], np.add.reduceat(count[order], firsts)
    if not alike or (low[:-1] + width[:-1] > low[1:]).any():
        raise LabError("the buckets of two histograms overlap: they are of two tools or settings, and have no sum")
    return low, width, count


class Sum:
    """A sum of histograms that grows one by one, in little memory (`merge`)."""

    TOGETHER = 64  # histograms that wait until they are merged at once

    def __init__(self) -> None:
        self._parts: list[Counts] = []
        self.added = 0

    def add(self, counts: Counts, histograms: int = 1) -> None:
        """Add a histogram, which may be the sum of several; LabError as of `merge`."""
        self._parts.append(counts)
        self.added += histograms
        if len(self._parts) > self.TOGETHER:
            self._parts = [merge(self._parts)]

    @property
    def total(self) -> Counts:
        """The sum; LabError where nothing was added."""
        self._parts = [merge(self._parts)]
        return self._parts[0]


def minimum(counts: Counts) -> int:
    """`getMinValue`: lowest equivalent of the smallest value; 0 when nothing was recorded."""
    return int(counts.low[0]) if len(counts.low) else 0


def maximum(counts: Counts) -> int:
    """`getMaxValue`: highest equivalent of the largest value; 0 when nothing was recorded."""
    return int(counts.low[-1] + (counts.width[-1] - 1)) if len(counts.low) else 0


def mean(counts: Counts) -> float:
    """`getMean`: each bucket stands for its median equivalent value, summed in ascending order; 0 when empty."""
    if not len(counts.low):
        return 0.0
    middle = counts.low + (counts.width >> 1)
    # cumsum adds one by one, as the Java loop does; sum() adds in pairs and may differ in the last bit.
    return float(np.cumsum(middle.astype(np.float64) * counts.count.astype(np.float64))[-1] / counts.total)


def percentile(counts: Counts, percent: float) -> int:
    """`getValueAtPercentile`: highest equivalent value (lowest for percent = 0); 0 when nothing was recorded.

    percent is clipped to 0..100; ValueError when it is not a number. (Above 100 and with more than 2^53 values Java's
    rounding overruns the last bucket and gives 0; here it is the maximum.)
    """
    return percentiles(counts, [percent])[0]


def percentiles(counts: Counts, percents: Iterable[float]) -> list[int]:
    """`percentile` for several percents with one pass over the counts."""
    running = np.cumsum(counts.count)
    values = []
    for percent in percents:
        if math.isnan(percent):
            raise ValueError("percentile: percent is not a number")
        if not len(running):
            values.append(0)
            continue
        # One ulp less, so that rounding up does not run into the next bucket.
        requested = min(max(math.nextafter(percent, -math.inf), 0.0), 100.0)
        rank = max(math.ceil(requested * float(running[-1]) / 100.0), 1)
        at = min(int(np.searchsorted(running, min(rank, INT64_MAX))), len(running) - 1)
        low = int(counts.low[at])
        values.append(low if percent == 0.0 else low + int(counts.width[at]) - 1)
    return values


def supported(samples: int, percent: float) -> bool:
    """Whether at least MIN_BEYOND of so many samples are expected beyond a percentile."""
    return samples * (100 - percent) >= 100 * MIN_BEYOND * (1 - 1e-9)


def greatest_of(counts: Counts, samples: int) -> float:
    """Expected greatest of `samples` of the recorded values, drawn without replacement; nan when fewer were recorded.

    The greatest of all grows with their number. This one compares histograms of different sizes, and of a histogram
    with just so many values it is their maximum. C(F, m) / C(N, m) is the chance that all m drawn values are among the
    F lowest of N.
    """
    if not 1 <= samples <= counts.total:
        return math.nan
    from scipy.special import betaln  # slow to load

    below = np.cumsum(counts.count).astype(np.float64)
    enough = below >= samples
    logs = np.full(len(below), -np.inf)
    # C(F, m) = 1 / ((F + 1) B(F - m + 1, m + 1)): differences of log-gammas would lose their digits.
    logs[enough] = -np.log1p(below[enough]) - betaln(below[enough] - samples + 1, samples + 1)
    chance = np.diff(np.exp(logs - logs[-1]), prepend=0.0)
    return float((counts.low + counts.width - 1) @ chance)
