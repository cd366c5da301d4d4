"""The histograms of a trial's iterations merged, one for each phase and series."""

from __future__ import annotations

from typing import Any

import numpy as np

from pipeline.hdr import histograms

# Phases of iterations that were not to be measured, were made again, or are of another state than their trial.
LEFT_OUT = ("warmup", "compiled", "moved")
BUCKETS = ("low_ns", "width_ns", "count")


def merged(phases: list[str], series: list[str], repeats: np.ndarray, buckets: dict[str, np.ndarray]) -> dict[str, Any]:
    """The rows of `trial_buckets` of one trial, as `Columns.add` takes them.

    phases, series: of each histogram; repeats: how many of `buckets` (low_ns, width_ns, count) are its own. LEFT_OUT
    are left out. In the order in which a phase and series come first, then by value.
    """
    places: dict[tuple[str, str], int] = {}
    both = zip(phases, series, strict=True)
    owner = np.array([-1 if one[0] in LEFT_OUT else places.setdefault(one, len(places)) for one in both], np.int64)
    owner, *columns = histograms.summed(np.repeat(owner, repeats), *(buckets[name] for name in BUCKETS))
    lengths = np.bincount(owner, minlength=len(places))
    named = [name for name, length in zip(places, lengths, strict=True) if length]
    return {
        "length": len(owner),
        "repeats": lengths[lengths > 0],
        "phase": [phase for phase, _ in named],
        "series": [one for _, one in named],
        **dict(zip(BUCKETS, columns, strict=True)),
    }
