"""What a closed queue predicts of threads that work outside its server, from the services that the server was seen to do.

Rows have the words of the model: `asked`, the work outside that was asked for (ns), and its `law`; `think`, the mean
time outside that the trial measured (ns), and the throughput in ops/s.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.models import closed_queue, finite_source
from pipeline.models.finite_source import Times
from pipeline.models.fit import Estimate, Fit, Kind, combined_factor
from pipeline.models.median_interval import median_interval
from pipeline.words.numbers import counted

SERVER = ["variant", "runtime", "threads", "law"]
METRICS = ["throughput", "think"]
NEEDED = [*SERVER, "asked", "block", *METRICS]
ADDED = ["free", "queued", "predicted", "unhindered", "predicted_residence"]

LIMITS = Kind(
    "The knee and the limit are those of the queue with the services that were seen with the most threads.",
    {"knee": ("knee, threads", "1"), "limit": ("limit", "ops/s"), "most": ("most measured / limit", "1")},
)


def predictions(rows: pd.DataFrame, services: Mapping[str, tuple[Times | None, Times | None]]) -> pd.DataFrame:
    """`rows` (one per trial, its name the index: NEEDED and more) with what the queue predicts.

    services: by trial, those of operations that found the server free and of those that waited for it; None where there
    was none of a kind, which is then taken to be as the other. Adds their means `free` and `queued` (ns), predicted
    (ops/s), unhindered (ops/s, of threads that never met) and predicted_residence (ns). Trials of several threads that
    have all of it are returned.
    """
    rows = rows.reindex(columns=list(dict.fromkeys([*rows.columns, *NEEDED]))).dropna(subset=NEEDED)
    rows = rows[(rows["think"] >= 0) & (rows["threads"] > 1)]
    found = {trial: _predicted(row, *services.get(trial, (None, None))) for trial, row in rows.iterrows()}
    added = pd.DataFrame([found[trial] for trial in rows.index], columns=ADDED, index=rows.index, dtype=float)
    return rows.join(added).dropna(subset=ADDED)


def _predicted(row: pd.Series, free: Times | None, queued: Times | None) -> list[float]:
    """ADDED of a trial."""
    free, queued = free or queued, queued or free
    if free is None or queued is None or not min(free.mean, queued.mean) > 0:
        return [np.nan] * len(ADDED)
    n, z = int(row["threads"]), float(row["think"])
    if row["law"] == "exponential":
        predicted = finite_source.throughput(n, z, free, queued)[0]
    else:  # pieces that are all alike let threads fall into step
        predicted = closed_queue.bound(n, z, queued.mean, 1, free.mean)[0]
    unhindered = n * 1e9 / (z + free.mean)
    return [free.mean, queued.mean, predicted, unhindered, float(closed_queue.residence(n, z, predicted))]


def judged(rows: pd.DataFrame) -> Fit:
    """Whether the queue explains the throughput of one server, of rows as `predictions` gives them
    (`pipeline.models.closed_queue.judge`)."""
    return closed_queue.judge(rows["asked"], rows["throughput"], rows["predicted"], rows["unhindered"])


def limits(rows: pd.DataFrame) -> Fit:
    """Where the knee of a lock's throughput by threads lies, and what it rises to, of rows as `predictions` gives them
    of one lock and one work outside: knee (threads) and limit (ops/s) from the services with the most threads, and the
    most throughput that came, in the median of trials, over that limit. No verdict: `predictions` have it."""
    most = rows[rows["threads"] == rows["threads"].max()]
    by_trial = {
        "knee": (most["think"] + most["free"]) / most["queued"],
        "limit": 1e9 / most["queued"],
    }
    found = {name: Estimate(*median_interval(values.to_numpy())[:3]) for name, values in by_trial.items()}
    came = {int(count): one["throughput"].to_numpy() for count, one in rows.groupby("threads")}
    best = max(came, key=lambda count: float(np.median(came[count])))
    top, limit = Estimate(*median_interval(came[best])[:3]), found["limit"]
    found["most"] = combined_factor(
        top.estimate / limit.estimate,
        (top.low / limit.estimate, top.high / limit.estimate),
        (top.estimate / limit.high, top.estimate / limit.low),
    )
    short = f"most with {counted(best, 'thread')}"
    return Fit("limit", found, "of medians over trials", True, f"{short}.", {"rows": len(rows)}, LIMITS, short)


def knees(rows: pd.DataFrame) -> pd.Series:
    """By trial with the least work outside of its server, where threads queue: the work outside in ns with which they
    begin to. `rows`: as `predictions` gives them."""
    rows = rows[rows["asked"] == rows.groupby(SERVER)["asked"].transform("min")]
    return pd.Series(closed_queue.knee(rows["threads"], rows["queued"], rows["free"]), index=rows.index, dtype=float)
