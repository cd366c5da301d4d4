"""The non-empty buckets of histograms, and where the Java HdrHistogram library, version 2.2.2, puts them."""

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

INT64_MAX = 2**63 - 1


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
