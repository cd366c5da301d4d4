"""What a closed queue predicts of threads that work outside its server, from measurements other than those it is
compared with.

Rows have the words of the model: `asked`, the work outside that was asked for (ns), and its `law`; `think`, the time
outside that the trial measured, `residence`, the time at the server (both ns), and the throughput in ops/s.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.models import closed_queue
from pipeline.models.fit import Fit

SERVER = ["variant", "runtime", "threads", "law"]
METRICS = ["throughput", "think", "residence"]
NEEDED = [*SERVER, "asked", "block", *METRICS]


def predictions(rows: pd.DataFrame) -> pd.DataFrame:
    """`rows` (one per trial, its name the index: NEEDED and more) with what the queue predicts.

    The service S is the residence in the same block's trial with the longest work outside, where threads hardly meet:
    of a lock acquire, critical section and release with the transfer of their lines, without a wait. Those trials are
    not among the rows returned. Z is the time outside that each trial measured. Adds service, predicted (ops/s),
    unhindered (ops/s, of threads that never met) and predicted_residence (ns); empty where a metric is missing.
    """
    rows, longest = _complete(rows)
    alone = rows[longest].groupby([*SERVER, "block"])["residence"].median().rename("service")
    rows = rows[~longest].join(alone, on=[*SERVER, "block"]).dropna(subset=["service"])
    rows = rows[(rows["service"] > 0) & (rows["think"] >= 0)]
    parts = []
    for law, part in rows.groupby("law"):
        n, z, s = (part[name].to_numpy(float) for name in ("threads", "think", "service"))
        predicted = closed_queue.LAWS[law](n, z, s)
        parts.append(
            part.assign(
                predicted=predicted,
                unhindered=n * closed_queue.bound(1, z, s),
                predicted_residence=closed_queue.residence(n, z, predicted),
            )
        )
    if not parts:
        return rows.assign(**dict.fromkeys(("predicted", "unhindered", "predicted_residence"), np.nan))
    return pd.concat(parts)


def judged(rows: pd.DataFrame) -> Fit:
    """Whether the queue explains the throughput of one server, of rows as `predictions` gives them
    (`pipeline.models.closed_queue.judge`)."""
    return closed_queue.judge(rows["asked"], rows["throughput"], rows["predicted"], rows["unhindered"])


def knees(rows: pd.DataFrame) -> pd.Series:
    """By trial with the longest work outside, where the service is measured: the work outside in ns at which threads
    begin to queue for it. `rows`: as `predictions` takes them.
    """
    rows, longest = _complete(rows)
    rows = rows[longest]
    return pd.Series(closed_queue.knee(rows["threads"], rows["residence"]), index=rows.index, dtype=float)


def _complete(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """The trials that have all of NEEDED, and which of them had the longest work outside of their server."""
    rows = rows.reindex(columns=list(dict.fromkeys([*rows.columns, *NEEDED]))).dropna(subset=NEEDED)
    return rows, rows["asked"] == rows.groupby(SERVER)["asked"].transform("max")
