"""The percentile distribution as text (`.hgrm`), byte by byte what Java's `outputPercentileDistribution` prints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts, Geometry
from pipeline.hdr.encode import comment, start_line
from pipeline.hdr.log import Log
from pipeline.hdr.merge import Sum
from pipeline.hdr.percentiles import maximum, mean
from pipeline.hdr.reader import Reader

TICKS = 5  # rows in each half of the distance that is left to 100 %, HistogramLogProcessor's default
LEAST_RATIO, GREATEST_RATIO = 1e-9, 1e18
EXACT = Context(prec=60, rounding=ROUND_HALF_UP)  # 19 digits of a value, 9 of the ratio, and those behind the point


def text(counts: Counts, ratio: float = 1.0) -> str:
    """The table of percentiles, its rows closer the nearer to 100 %, and mean, standard deviation, maximum and total.

    ratio: values are divided by it, as -outputValueUnitRatio does: 1000 shows nanoseconds in microseconds. LabError
    when it is not a number from 1e-9 to 1e18.
    """
    if not LEAST_RATIO <= ratio <= GREATEST_RATIO:
        raise LabError(f"unit ratio {ratio:g}: values are divided by it; give a number from 1e-9 to 1e18, as 1000")
    digits, ratio = counts.digits, ratio / counts.ratio  # as DoubleHistogram hands it on
    lines = [f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} {'1/(1-Percentile)':>14}", ""]
    for value, percent, running in _rows(counts):
        row = f"{_fixed(value / ratio, digits):>12} {_fixed(percent / 100, 12)} {running:>10}"
        lines.append(row if percent == 100 else f"{row} {_fixed(1 / (1 - percent / 100), 2):>14}")
    average, deviation, greatest = (
        f"{_fixed(one / ratio, digits):>12}" for one in (mean(counts), deviation_of(counts), maximum(counts))
    )
    geometry = Geometry.of(digits, counts.lowest)
    buckets = (geometry.length(counts.highest) >> geometry.half) - 1
    lines.append(f"#[Mean    = {average}, StdDeviation   = {deviation}]")
    lines.append(f"#[Max     = {greatest}, Total count    = {counts.total:>12}]")
    lines.append(f"#[Buckets = {buckets:>12}, SubBuckets     = {2 << geometry.half:>12}]")
    return "\n".join(lines) + "\n"


def of_log(log: Log | Reader, ratio: float = 1.0) -> str:
    """The distribution of all records of a log together, as HistogramLogProcessor prints it; below the line with the
    log's start one that says which tags are merged, where there are several. LabError as of `text`."""
    tags, every = {}, Sum()
    for record in log.records if isinstance(log, Log) else log:
        tags[record.tag or "none"] = None
        every.add(record.counts)
    head = [] if log.start_time is None else [start_line(log.start_time)]
    head += [comment(f"Tags merged: {', '.join(tags)}")] if len(tags) > 1 else []
    return "".join(f"{line}\n" for line in head) + text(every.total, ratio)


def deviation_of(counts: Counts) -> float:
    """`getStdDeviation`, in the recorded unit: each bucket stands for its median equivalent value; 0 when empty."""
    if not len(counts.low):
        return 0.0
    apart = (counts.low + (counts.width >> 1)).astype(np.float64) - mean(counts)
    # cumsum adds one by one, as the Java loop does.
    return math.sqrt(float(np.cumsum(apart * apart * counts.count)[-1]) / counts.total)


def _rows(counts: Counts) -> Iterator[tuple[int, float, int]]:
    """(highest equivalent value, percent that is reached, values up to there) as Java's PercentileIterator goes."""
    level, total = 0.0, counts.total
    highest = (counts.low + (counts.width - 1)).tolist()
    for value, running in zip(highest, np.cumsum(counts.count).tolist(), strict=True):
        while 100.0 * running / total >= level:
            yield value, level, running
            level = _next(level)
            if running == total:
                break
    if highest:
        yield highest[-1], 100.0, total


def _next(level: float) -> float:
    """The percentile after this one; none where doubles have no further one below 100, and Java goes round for ever."""
    if level >= 100.0:
        return math.inf
    halves = int(math.log(100.0 / (100.0 - level)) / math.log(2)) + 1
    following = level + 100.0 / (TICKS * 2**halves)
    return following if following > level else math.inf


def _fixed(number: float, places: int) -> str:
    """As Java's `%.nf`: of the fewest digits that tell the number from its neighbours, half away from zero."""
    return f"{Decimal(repr(float(number))).quantize(Decimal(1).scaleb(-places), context=EXACT):f}"
