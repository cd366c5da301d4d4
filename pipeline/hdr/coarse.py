"""Fewer digits: the counts of a histogram with each value kept to so many bits, in the layout that it had."""

from __future__ import annotations

import numpy as np

from pipeline.hdr.counts import Counts, Geometry
from pipeline.hdr.merge import by_place

BITS = 7  # a value is off by 0.8 % at most


def coarse(counts: Counts, bits: int = BITS) -> Counts:
    """Each value stands in the middle of the step that its `bits` leading bits tell, off by half of a step at most:
    1 / 2^bits of it. Values of no more bits stay what they are, and so do the total and the order.

    A log of ns that a clock steps through one by one has many buckets with a count of one or two each, which no archive
    packs; above 2 us of sixteen such one is left.
    """
    if not len(counts.low):
        return counts
    length = np.frexp(counts.low.astype(np.float64))[1].astype(np.int64)  # in bits; a layout's low values are exact
    shift = np.maximum(length - bits, 0)
    low = (counts.low >> shift << shift) + (np.left_shift(1, shift) >> 1)
    geometry = Geometry.of(counts.digits, counts.lowest)
    index, summed = by_place(geometry.index(low), counts.count)
    return Counts(*geometry.buckets(index), summed, counts.digits, counts.lowest, counts.highest)
