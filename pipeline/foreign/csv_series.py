"""The windows of one series of a CSV file: histograms by time, in bounded memory."""

from __future__ import annotations

import numpy as np

from pipeline.foreign.files import File
from pipeline.foreign.reading import RATE, Found, Options, Thing
from pipeline.foreign.windows import FEWEST, MOST
from pipeline.hdr.counts import Counts, Geometry
from pipeline.hdr.merge import Sum

DIGITS, LOWEST, HIGHEST = 3, 1, 1 << 42


class Series:
    """The histograms of a series by time: bins that are twice as wide whenever they are too many."""

    def __init__(self) -> None:
        self.total, self._step, self._bins, self._timed = 0, 1.0, {}, False
        self._geometry = Geometry.of(DIGITS, LOWEST)

    def add(self, values: np.ndarray, times: np.ndarray | None, options: Options) -> None:
        """Add values in ns at times in seconds."""
        if times is not None:
            first = -np.inf if options.start is None else options.start
            last = np.inf if options.end is None else options.end
            within = (times >= first) & (times <= last)
            values, times, self._timed = values[within], times[within], True
        self.total += len(values)
        index = self._geometry.index(values)
        place = np.zeros(len(values), np.int64) if times is None else np.floor(times / self._step).astype(np.int64)
        for at in np.unique(place).tolist():
            found, count = np.unique(index[place == at], return_counts=True)
            low, width = self._geometry.buckets(found)
            counts = Counts(low, width, count.astype(np.int64), DIGITS, LOWEST, HIGHEST)
            self._bins.setdefault(at, Sum()).add(counts)
        while len(self._bins) > MOST:
            self.coarsen()

    @property
    def buckets(self) -> int:
        """How many buckets its windows have together."""
        return sum(len(one.total.low) for one in self._bins.values())

    def coarsen(self) -> bool:
        """Make windows twice as long, unless there are few; whether they were."""
        if len(self._bins) <= FEWEST:
            return False
        self._step *= 2
        wider: dict[int, Sum] = {}
        for at, one in self._bins.items():
            wider.setdefault(at // 2, Sum()).add(one.total)
        self._bins = wider
        return True

    def into(self, found: Found, thing: Thing, file: File) -> None:
        """Hand the windows over, in order."""
        first = min(self._bins, default=0)
        for at in sorted(self._bins):
            start = (at - first) * self._step if self._timed else 0.0
            found.window(thing, start, self._step if self._timed else 0.0, self._bins[at].total, file.name)
        if self._timed and self._bins:
            found.value(thing, RATE, self.total / ((max(self._bins) - first + 1) * self._step))
