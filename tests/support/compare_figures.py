"""What changed between two runs, as a forest and as a shift of percentiles; nothing random from outside."""

import numpy as np
import pandas as pd

from pipeline.analyse.shift import shift
from pipeline.draw.forest import forest
from pipeline.draw.shift import shift_curve
from pipeline.hdr.counts import Counts, Geometry

CHANGED = [
    ("synchronized, 2 threads", 1.75, 1.28, 2.16, "slower"),
    (
        "ReentrantLock with a label that goes on and on, 8 threads, fair, outside 300, JDK 25",
        0.71,
        0.69,
        0.73,
        "faster",
    ),
    ("one receiver per trial", 1.15, 1.14, 1.24, "higher"),
    ("not settled", 1.1, np.nan, np.nan, "undecided"),
]


def changes(reverse=False):
    random = np.random.default_rng(1)
    rows = [
        {"panel": "Cost per operation", "line": label, "label": label, "value": value, "low": low, "high": high}
        | {"verdict": verdict, "level": 0.875 if verdict == "higher" else 0.95}
        for label, value, low, high, verdict in CHANGED
    ]
    for line, verdict, scatter in (("same within 5 %", "same", 0.01), ("undecided", "undecided", 0.3)):
        for at, value in enumerate(np.exp(random.normal(0, scatter, 30))):
            rows.append({"panel": "Cost per operation", "line": line, "label": f"{line} {at}", "value": value})
            rows[-1] |= {"low": 0.9 * value, "high": 1.1 * value, "level": 0.95, "verdict": verdict}
    for at, value in enumerate(np.exp(random.normal(0.01, 0.01, 12))):
        rows.append({"panel": "Throughput", "line": "cannot have changed", "label": str(at), "value": value})
        rows[-1] |= {"verdict": "control"}
    # The order of lines is the table's; that of the points within one must not matter.
    frame = pd.DataFrame(rows)
    if reverse:
        frame = pd.concat(part[::-1] for _, part in frame.groupby(["panel", "line"], sort=False))
    return forest(frame, name="forest", label="After / before", margin=0.05)


def histogram(random, times):
    geometry = Geometry.of(3, 1)
    values = np.unique(geometry.index((times * random.lognormal(6, 0.5, 4000)).astype(np.int64)), return_counts=True)
    return Counts(*geometry.buckets(values[0]), values[1], 3, 1, 2**40)


def shifted(reverse=False):
    random = np.random.default_rng(2)
    parts = []
    for panel, times in (("synchronized, 2 threads", 1.3), ("no lock", 1.0)):
        sides = [[histogram(random, factor) for _ in range(6)] for factor in (1, times)]
        parts.append(shift(*sides).assign(panel=panel))
    data = pd.concat(part[::-1] if reverse else part for part in parts)
    return shift_curve(data, name="shift", label="After / before", margin=0.05)
