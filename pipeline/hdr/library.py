"""Our counts as a histogram of the Python library hdrhistogram, for whoever knows it and goes on with it."""

from __future__ import annotations

from hdrh.histogram import HdrHistogram

from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts


def histogram(counts: Counts) -> HdrHistogram:
    """The library's histogram with the same count in each bucket, and so the same total, minimum and maximum.

    Its percentiles are the library's: for the 94th of the values 1 to 10 it says 9, where Java and
    `pipeline.hdr.percentiles` say 10. LabError for a layout that it does not have: no digit, or more than 5.
    """
    try:
        made = HdrHistogram(counts.lowest, counts.highest, counts.digits)
    except ValueError as error:
        raise LabError(f"the library hdrhistogram has no such histogram of {counts.digits} digits: {error}") from None
    for low, count in zip(counts.low.tolist(), counts.count.tolist(), strict=True):
        if not made.record_value(low, count):  # it would be left out in silence
            raise LabError(f"value {low} lies outside the range up to {counts.highest}: its log is damaged")
    return made
