"""Where the measured phase of a trial settles, and whether it does.

Change points (least squares on the logarithm of the cost, exact: `pipeline.models.change_points`) cut the measured
iterations into segments. On a shared guest single slow iterations and short bursts are normal, and the estimators
(floor, quartile, median) are blind to them, so they must not condemn a trial:

- an iteration further than 3 sigma from the median of the 7 around it is replaced by that median before the search;
- a segment has at least 5 iterations, and segments whose medians are within 5 % count as one level: 5 % is the width
  the intervals of a run aim for, smaller shifts do not change a conclusion;
- a trial is steady when it reaches its level in the first half of its iterations and spends at least two thirds of
  what follows there. Half, because otherwise most of what was measured was warm-up; two thirds, because quartile and
  median stay on the level as long as excursions remain a minority of that size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pipeline.models.change_points import of_noisy

WINDOW = 7
MIN_SEGMENT = 5
TOLERANCE = np.log(1.05)
# Below this relative noise every flutter would be a change point, and none would matter.
SIGMA_FLOOR = 0.002


@dataclass(frozen=True)
class Steadiness:
    """`start`: index of the first iteration to use; `level`: median cost from there, in the unit of the costs."""

    start: int
    level: float
    steady: bool
    reason: str


def steady(costs: np.ndarray) -> Steadiness:
    """Judge the costs of the measured iterations of one trial (one dimension, in order, any unit, positive).

    An unsteady trial has `start` 0: nothing is trimmed, and `steady` False says not to rely on it. Costs that are not
    finite (an iteration without an operation) count as the largest finite cost.
    """
    costs = np.asarray(costs, dtype=float)
    finite = costs[np.isfinite(costs) & (costs > 0)]
    if not len(finite):
        return Steadiness(0, float("nan"), False, "no iteration completed an operation")
    count = len(costs)
    if count < 2 * MIN_SEGMENT:
        return Steadiness(0, float(np.median(costs)), True, f"{count} iterations are too few to look for a change")
    logs = np.log(np.where(np.isfinite(costs) & (costs > 0), costs, finite.max()))
    bounds = _segments(logs)
    levels = np.array([np.median(logs[low:high]) for low, high in bounds])
    lengths = np.array([high - low for low, high in bounds])
    same = np.abs(levels[:, None] - levels[None, :]) <= TOLERANCE
    shares = same @ lengths
    # Of two equally common levels the later one is where the trial went.
    settled = len(shares) - 1 - int(np.argmax(shares[::-1]))
    at_level = same[settled]
    first = int(np.argmax(at_level))
    start = bounds[first][0]
    rest = count - start
    there = int(lengths[at_level].sum())
    level = float(np.median(costs[start:]))
    if rest * 2 >= count and there * 3 >= rest * 2:
        return Steadiness(start, level, True, f"{there} of the last {rest} iterations are on one level")
    found = f"{len(bounds)} levels; the commonest holds {there} of {count} iterations, from number {start + 1} on"
    return Steadiness(0, float(np.median(costs)), False, found)


def regimes(costs: np.ndarray) -> list[tuple[int, int]]:
    """Half-open index ranges of the costs of one trial between its change points: as few as one, in order."""
    costs = np.asarray(costs, dtype=float)
    known = np.isfinite(costs) & (costs > 0)
    if not known.any() or len(costs) < 2 * MIN_SEGMENT:
        return [(0, len(costs))]
    return _segments(np.log(np.where(known, costs, costs[known].max())))


def _segments(logs: np.ndarray) -> list[tuple[int, int]]:
    """Half-open index ranges between change points."""
    ends = of_noisy(logs, MIN_SEGMENT, window=WINDOW, floor=SIGMA_FLOOR, spikes="replaced")
    return list(zip([0, *ends[:-1]], ends, strict=True))
