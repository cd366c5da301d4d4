"""Sums of histograms: of a few at once, or of many that come one by one."""

import math
from collections.abc import Iterable

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts, Geometry, overflows
from pipeline.hdr.percentiles import maximum

DENSE = 8  # counters for each bucket up to which buckets are added where they lie, and beyond which they are sorted


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
