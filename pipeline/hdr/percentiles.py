"""Statistics of histogram counts by the rules of the Java HdrHistogram library, version 2.2.2.

The Python library rounds differently (the 94th percentile of 1..10 is 9 there and 10 in Java), so every number
of the Lab comes from here. Values keep the unit they were recorded in.
"""

import math
from collections.abc import Iterable

import numpy as np

from pipeline.hdr.counts import INT64_MAX, Counts

MIN_BEYOND = 10  # samples: the rank of a percentile with fewer beyond it varies by a third and more from trial to trial


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
