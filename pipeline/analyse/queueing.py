"""What a closed queue predicts of locks with work outside, from measurements other than those it is compared with."""

from __future__ import annotations

import pandas as pd

from pipeline.models import closed_queue
from pipeline.models.fit import Fit

LOCK = ["variant", "runtime", "threads", "outside_law"]
METRICS = ["throughput", "outside_time", "lock_time"]
NEEDED = [*LOCK, "outside", "block", *METRICS]


def predictions(rows: pd.DataFrame) -> pd.DataFrame:
    """`rows` (one per trial, its name the index: NEEDED and more; throughput in ops/s, times in ns) with what the
    queue predicts.

    The service S is the time at the lock in the same block's trial with the longest work outside, where threads hardly
    meet: acquire, critical section and release with the transfer of their lines, without a wait. Those trials are not
    among the rows returned. Z is the time outside that each trial measured. Adds service, predicted (ops/s), unhindered
    (ops/s, of threads that never met) and predicted_residence (ns); empty where a metric is missing.
    """
    rows, longest = _complete(rows)
    alone = rows[longest].groupby([*LOCK, "block"])["lock_time"].median().rename("service")
    rows = rows[~longest].join(alone, on=[*LOCK, "block"]).dropna(subset=["service"])
    rows = rows[(rows["service"] > 0) & (rows["outside_time"] >= 0)]
    if rows.empty:
        return rows.assign(predicted=[], unhindered=[], predicted_residence=[])
    parts = []
    for law, part in rows.groupby("outside_law"):
        n, z, s = (part[name].to_numpy(float) for name in ("threads", "outside_time", "service"))
        predicted = closed_queue.LAWS[law](n, z, s)
        parts.append(
            part.assign(
                predicted=predicted,
                unhindered=n * closed_queue.bound(1, z, s),
                predicted_residence=closed_queue.residence(n, z, predicted),
            )
        )
    return pd.concat(parts)


def judged(rows: pd.DataFrame) -> Fit:
    """Whether the queue explains the throughput of one lock, of rows as `predictions` gives them
    (`pipeline.models.closed_queue.judge`)."""
    return closed_queue.judge(rows["outside"], rows["throughput"], rows["predicted"], rows["unhindered"])


def knees(rows: pd.DataFrame) -> pd.Series:
    """By trial with the longest work outside, where the service is measured: the work outside in ns at which threads
    begin to queue for it. `rows`: as `predictions` takes them.
    """
    rows, longest = _complete(rows)
    rows = rows[longest]
    return pd.Series(closed_queue.knee(rows["threads"], rows["lock_time"]), index=rows.index, dtype=float)


def _complete(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """The trials that have all of NEEDED, and which of them had the longest work outside of their lock."""
    rows = rows.reindex(columns=list(dict.fromkeys([*rows.columns, *NEEDED]))).dropna(subset=NEEDED)
    return rows, rows["outside"] == rows.groupby(LOCK)["outside"].transform("max")
