"""What a closed queue predicts of locks with work outside, from measurements other than those it is compared with."""

from __future__ import annotations

import pandas as pd

from pipeline.models import closed_queue
from pipeline.models.median_interval import median_interval

LOCK = ["variant", "runtime", "threads", "outside_law"]
NEEDED = [*LOCK, "outside", "block", "throughput", "outside_time", "lock_time"]


def predictions(rows: pd.DataFrame) -> pd.DataFrame:
    """`rows` (one per trial: NEEDED and more; throughput in ops/s, times in ns) with what the queue predicts.

    The service S is the time at the lock in the same block's trial with the longest work outside, where threads hardly
    meet: acquire, critical section and release with the transfer of their lines, without a wait. Those trials are not
    among the rows returned. Z is the time outside that each trial measured. Adds service, predicted (ops/s), unhindered
    (ops/s, of threads that never met), predicted_residence (ns) and knee (ns); empty where a metric is missing.
    """
    rows = (
        rows.reset_index().reindex(columns=list(dict.fromkeys(["trial", *rows.columns, *NEEDED]))).dropna(subset=NEEDED)
    )
    longest = rows["outside"] == rows.groupby(LOCK)["outside"].transform("max")
    alone = rows[longest].groupby([*LOCK, "block"])["lock_time"].median().rename("service")
    rows = rows[~longest].join(alone, on=[*LOCK, "block"]).dropna(subset=["service"])
    rows = rows[(rows["service"] > 0) & (rows["outside_time"] >= 0)]
    if rows.empty:
        return rows.assign(predicted=[], unhindered=[], predicted_residence=[], knee=[])
    parts = []
    for law, part in rows.groupby("outside_law"):
        n, z, s = (part[name].to_numpy(float) for name in ("threads", "outside_time", "service"))
        predicted = closed_queue.LAWS[law](n, z, s)
        parts.append(
            part.assign(
                predicted=predicted,
                unhindered=n * closed_queue.bound(1, z, s),
                predicted_residence=closed_queue.residence(n, z, predicted),
                knee=closed_queue.knee(n, s),
            )
        )
    return pd.concat(parts)


def by_configuration(rows: pd.DataFrame, column: str, keys: list[str]) -> pd.DataFrame:
    """Median of a column over the rows of each combination of `keys`: keys, estimate, low, high."""
    found = [(*key, *median_interval(group[column])[:3]) for key, group in rows.groupby(keys, sort=True, observed=True)]
    return pd.DataFrame(found, columns=[*keys, "estimate", "low", "high"])
