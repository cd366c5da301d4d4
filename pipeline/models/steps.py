"""Piecewise-constant levels of one series by change points: steps of dispatch, and where the steady state begins.

Least squares on the logarithm (a step is a factor), exact: `pipeline.models.change_points`.
Penalty per change: 4 sigma^2 log n. The modified BIC (Zhang and Siegmund 2007) asks for 3, for level and position;
one more keeps series of noise that is not normal whole (a test counts them). sigma is from the median absolute
difference of neighbours, which steps hardly touch.
Single slow iterations are no steps: each value is first drawn to within 3 sigma of the running median, whose window is
longer than any spike and no longer than a segment. Neighbouring levels closer than `min_change` are joined.
"""

from dataclasses import asdict, dataclass

import numpy as np

from pipeline.errors import LabError
from pipeline.models.bootstrap import bootstrap_median
from pipeline.models.change_points import change_points, running_median
from pipeline.models.fit import finite

MIN_SEGMENT = 5
MIN_CHANGE = 0.02
SIGMA_FLOOR = 1e-3  # a clock's resolution makes many values equal; smaller scatter than 0.1 % means nothing
STEADY_SHARE = 0.25


@dataclass(frozen=True)
class Segment:
    """Values [start, end) of the series; level: their median; low, high: its bootstrap interval within the segment.

    The interval describes one trial. Trials are the unit of replication: compare levels over trials, not by it.
    """

    start: int
    end: int
    level: float
    low: float
    high: float

    def to_dict(self) -> dict:
        return {key: finite(value) if isinstance(value, float) else value for key, value in asdict(self).items()}


def segments(values, seed: int = 1, min_segment: int = MIN_SEGMENT, min_change: float = MIN_CHANGE) -> list[Segment]:
    """Segments of `values` (one positive number per iteration, in order), at least `min_segment` long.

    A series shorter than two segments is one. LabError when it is empty or a value is not positive and finite.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all() or values.min() <= 0:
        raise LabError("change points need positive, finite values, one per iteration; remove empty iterations")
    ends = [len(values)]
    if len(values) >= 2 * min_segment:
        ends = _joined(values, _change_points(np.log(values), min_segment), min_change)
    starts = [0, *ends[:-1]]
    return [
        Segment(start, end, *bootstrap_median(values[start:end], seed)) for start, end in zip(starts, ends, strict=True)
    ]


def steady_start(found: list[Segment], tolerance: float = 2 * MIN_CHANGE) -> int | None:
    """Where the steady state begins: the first value from which every level is within `tolerance` of the last one.

    None when that leaves less than a quarter of the series (Barrett et al., OOPSLA 2017, ask for the last quarter): the
    series was still changing, and its values must not be averaged.
    """
    last = found[-1]
    start = last.start
    for segment in reversed(found):
        if abs(np.log(segment.level / last.level)) > np.log1p(tolerance):
            break
        start = segment.start
    return start if last.end - start >= STEADY_SHARE * last.end else None


def _change_points(logs: np.ndarray, min_segment: int) -> list[int]:
    sigma = max(float(np.median(np.abs(np.diff(logs)))) / (0.6745 * np.sqrt(2)), SIGMA_FLOOR)
    middle = running_median(logs, 2 * (min_segment // 2) + 1)
    calm = np.clip(logs, middle - 3 * sigma, middle + 3 * sigma)
    return change_points(calm, 4 * sigma**2 * np.log(len(logs)), min_segment)


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
