"""What a closed queue predicts of threads that work outside its server, from the services that were seen.

Rows of trials have the words of the model: `asked`, the work outside that was asked for (ns), and its `law`. What was
`seen` is of iterations, a row each: the throughput (ops/s), `think`, the mean time outside (ns), and the services of
operations that found the server `free` and of those that waited for it, `queued`, as `Times`, None where there was
none.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.models import closed_queue, finite_source
from pipeline.models.finite_source import Times
from pipeline.models.fit import Estimate, Fit, Kind, combined_factor
from pipeline.models.median_interval import median_interval
from pipeline.words.numbers import counted

SERVER = ["variant", "runtime", "threads", "law"]
NEEDED = [*SERVER, "asked", "block"]
SEEN = ["trial", "throughput", "think", "free", "queued"]
FOUND = ["throughput", "think", "free", "queued", "predicted", "unhindered", "predicted_residence"]
LIMITS = Kind(
    "The knee and the limit are those of the queue with the services that were seen with the most threads.",
    {"knee": ("knee, threads", "1"), "limit": ("limit", "ops/s"), "most": ("most measured / limit", "1")},
)


def predictions(rows: pd.DataFrame, seen: pd.DataFrame) -> pd.DataFrame:
    """`rows` (one per trial, its name the index: NEEDED and more) of several threads with what was seen of them and
    what the queue predicts: FOUND, each the median over the trial's iterations.

    A kind of service that an iteration had none of is taken to be as the other. free, queued: their means (ns);
    predicted (ops/s); unhindered (ops/s, of threads that never met); predicted_residence (ns).
    """
    rows = rows.reindex(columns=list(dict.fromkeys([*rows.columns, *NEEDED]))).dropna(subset=NEEDED)
    rows = rows[rows["threads"] > 1]
    found = []
    for one in seen[seen["trial"].isin(rows.index)].itertuples(index=False):
        told = rows.loc[one.trial]
        found.append((one.trial, *_predicted(int(told["threads"]), told["law"], *one[1:])))
    by_trial = pd.DataFrame(found, columns=["trial", *FOUND]).groupby("trial", observed=True).median()
    return rows.drop(columns=FOUND, errors="ignore").join(by_trial.astype(float), how="inner").dropna(subset=FOUND)


def _predicted(
    n: int, law: str, throughput: float, think: float, free: Times | None, queued: Times | None
) -> list[float]:
    """FOUND of an iteration."""
    free, queued = free or queued, queued or free
    if free is None or queued is None or not (min(free.mean, queued.mean) > 0 and think >= 0):
        return [np.nan] * len(FOUND)
    if law == "exponential":
        predicted = finite_source.throughput(n, think, free, queued)[0]
    else:  # pieces that are all alike let threads fall into step
        predicted = closed_queue.bound(n, think, queued.mean, 1, free.mean)[0]
    residence = float(closed_queue.residence(n, think, predicted))
    return [throughput, think, free.mean, queued.mean, predicted, n * 1e9 / (think + free.mean), residence]


def judged(rows: pd.DataFrame) -> Fit:
    """Whether the queue explains the throughput of one server, of rows as `predictions` gives them
    (`pipeline.models.closed_queue.judge`)."""
    return closed_queue.judge(rows["asked"], rows["throughput"], rows["predicted"], rows["unhindered"])


def limits(rows: pd.DataFrame) -> Fit:
    """Where the knee of a lock's throughput by threads lies, and what it rises to, of rows as `predictions` gives them
    of one lock and one work outside: knee (threads) and limit (ops/s) from the services with the most threads, and the
    most throughput that came, in the median of trials, over that limit. No verdict: `predictions` have it."""
    most = rows[rows["threads"] == rows["threads"].max()]
    by_trial = {"knee": (most["think"] + most["free"]) / most["queued"], "limit": 1e9 / most["queued"]}
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
