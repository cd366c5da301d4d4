"""A long series of intervals in bounded memory: at most so many windows, each of as many intervals as it takes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pipeline.foreign.units import scaled
from pipeline.hdr.counts import Counts
from pipeline.hdr.merge import Sum

MOST = 1000  # a figure has 700 pixels
FEWEST = 20  # which no lack of room makes fewer


class Window(NamedTuple):
    """start: seconds after the beginning of the session; length: the seconds that its intervals took together."""

    start: float
    length: float
    counts: Counts


class Windows:
    """The windows of one series. When there are too many, each two neighbours become one, so all of them hold the same
    number of intervals but the last; their sums are exact.

    ns: of the unit of what is added. Windows are handed out in whole ns, and kept as they were recorded: histograms of
    a layout are added up twice as fast.
    """

    def __init__(self, most: int = MOST, ns: int = 1) -> None:
        self._most, self._ns = most, ns
        self._done: list[Window] = []
        self._each = 1
        self._open: list[tuple[float, float]] = []
        self._sum = Sum()
        self._buckets = 0

    def __len__(self) -> int:
        return len(self._done) + bool(self._open)

    @property
    def buckets(self) -> int:
        """How many buckets the closed windows have together, each of 24 bytes."""
        return self._buckets

    def __iter__(self) -> Iterator[Window]:
        for one in self._done:
            yield one._replace(counts=scaled(one.counts, self._ns))
        if self._open:
            last = self._closed()
            yield last._replace(counts=scaled(last.counts, self._ns))

    def add(self, start: float, length: float, counts: Counts) -> None:
        """Add an interval; LabError where its buckets are not those of the others."""
        self._open.append((start, length))
        self._sum.add(counts)
        if len(self._open) == self._each:
            self._done.append(self._closed())
            self._buckets += len(self._done[-1].counts.low)
            self._open, self._sum = [], Sum()
        if len(self) > self._most:
            self.coarsen()

    def coarsen(self) -> None:
        """Make one window of each two, unless there are few."""
        if len(self) <= FEWEST:
            return
        if len(self._done) % 2:
            last = self._done.pop()
            self._open = [(last.start, last.length), *self._open]
            waiting, self._sum = self._sum, Sum()
            self._sum.add(last.counts)
            if waiting.added:
                self._sum.add(waiting.total)
        self._each *= 2
        done, self._done = self._done, []
        for at in range(0, len(done), 2):
            self._done.append(joined(done[at : at + 2]))
            done[at] = done[at + 1] = None  # memory holds each but once
        self._buckets = sum(len(one.counts.low) for one in self._done)

    def _closed(self) -> Window:
        return Window(min(start for start, _ in self._open), sum(length for _, length in self._open), self._sum.total)


def joined(windows: Iterable[Window]) -> Window:
    """One window of several: their sum, from where the first begins, as long as all together."""
    every, start, length = Sum(), math.inf, 0.0
    for one in windows:
        every.add(one.counts)
        start, length = min(start, one.start), length + one.length
    return Window(start, length, every.total)


def total(windows: Iterable[Window]) -> Counts:
    """The histogram of all windows together."""
    return joined(windows).counts
