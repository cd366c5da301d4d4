"""Coordinated omission, corrected as HdrHistogram does: what a generator that waited for a slow operation left out."""

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts, Geometry
from pipeline.hdr.merge import merge


def corrected(counts: Counts, interval: int) -> Counts:
    """As Java's `copyCorrectedForCoordinatedOmission(interval)`: every value v beyond the expected interval d between
    two values stands for those that were not recorded meanwhile, v - d, v - 2d, ... down to d, each as often as v.

    Right for a generator that waits and meant to start at even intervals; times that count from when an operation was
    meant to start have it in them already, and would be counted twice. As in Java a bucket's v is its highest value.
    LabError when the interval is not positive.
    """
    if interval < 1:
        raise LabError(f"expected interval {interval}: a correction needs a time of 1 ns or more between two values")
    values = counts.low + (counts.width - 1)
    beyond = values >= 2 * interval
    if not beyond.any():
        return counts
    geometry = Geometry.of(counts.digits, counts.lowest)
    first, last = geometry.index(np.array([interval, int(values.max()) - interval]))
    index = np.arange(first, last + 2)
    low, width = geometry.buckets(index)
    # Values of the series v - kd that are x or more: floor((v - x) / d). A bucket has those from its low to the next's.
    reached = np.zeros(len(index), dtype=np.int64)
    edges = np.maximum(low, interval)
    for value, count in zip(values[beyond].tolist(), counts.count[beyond].tolist(), strict=True):
        until = int(np.searchsorted(edges, value, side="right"))
        reached[:until] += (value - edges[:until]) // interval * count
    added = reached[:-1] - reached[1:]
    some = added > 0
    layout = counts.digits, counts.lowest, counts.highest
    return merge([counts, Counts(low[:-1][some], width[:-1][some], added[some], *layout)])
