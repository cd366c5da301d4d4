"""Piecewise-constant levels of one series by change points, such as the steps of dispatch.

Least squares on the logarithm (a step is a factor), exact: `pipeline.models.change_points`. Single slow iterations
are no steps: each value is first drawn to within 3 sigma of the running median, whose window is longer than any
spike and no longer than a segment. Neighbouring levels closer than `min_change` are joined.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models.change_points import of_noisy

MIN_SEGMENT = 5
MIN_CHANGE = 0.02
SIGMA_FLOOR = 1e-3  # a clock's resolution makes many values equal; smaller scatter than 0.1 % means nothing


@dataclass(frozen=True)
class Segment:
    """Values [start, end) of the series; level: their median, which is of one trial and so has no interval."""

    start: int
    end: int
    level: float


def segments(values, min_segment: int = MIN_SEGMENT, min_change: float = MIN_CHANGE) -> list[Segment]:
    """Segments of `values` (one positive number per iteration, in order), at least `min_segment` long.

    A series shorter than two segments is one. LabError when it is empty or a value is not positive and finite.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all() or values.min() <= 0:
        raise LabError("change points need positive, finite values, one per iteration; remove empty iterations")
    ends = [len(values)]
    if len(values) >= 2 * min_segment:
        window = 2 * (min_segment // 2) + 1
        ends = _joined(
            values,
            of_noisy(np.log(values), min_segment, window=window, floor=SIGMA_FLOOR, spikes="clipped"),
            min_change,
        )
    starts = [0, *ends[:-1]]
    return [Segment(start, end, float(np.median(values[start:end]))) for start, end in zip(starts, ends, strict=True)]


def _joined(values: np.ndarray, ends: list[int], min_change: float) -> list[int]:
    """Joins the closest pair of neighbouring levels until none is closer than `min_change`."""
    ends = list(ends)
    while len(ends) > 1:
        levels = [np.log(np.median(part)) for part in np.split(values, ends[:-1])]
        change = np.abs(np.diff(levels))
        closest = int(change.argmin())
        if change[closest] >= np.log1p(min_change):
            break
        del ends[closest]
    return ends
