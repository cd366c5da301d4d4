"""Saturated lock, or contended cache line: X = B / (B s + h).

An owner takes the lock B times in a row (the measured mean run length) at the local cost s, then the lock moves at the
handover cost h. The same holds of a cache line that a core keeps for B operations before another takes it. So one
operation takes 1 / X = s + h / B, and with X, B and s measured h = B (1 / X - s).

B and X must be of the same stretch of time. A lock changes its ways within a trial: for some iterations the owners
alternate, for others one of them is alone, because the other sleeps or the host has taken its CPU. B of all operations
is then that of the long runs, X of the typical iteration that of the alternating ones, and their product means nothing.
So h is computed iteration by iteration, and a trial's h is the median over its handovers: each iteration counts as
often as the lock was passed on in it.
"""

import numpy as np
import pandas as pd

from pipeline.errors import LabError
from pipeline.models.bootstrap import MIN_TRIALS, bootstrap_median
from pipeline.models.fit import Estimate, Fit
from pipeline.words import number


def handover_costs(cost_ns, run_length, local_ns) -> np.ndarray:
    """h in ns from the time per operation 1 / X (ns), B (operations) and s (ns, may be one number), one per row.

    LabError when a value is not positive and finite.
    """
    cost_ns, run_length, local_ns = (
        _positive(values, name)
        for values, name in ((cost_ns, "time per operation"), (run_length, "run length"), (local_ns, "local cost"))
    )
    return np.atleast_1d(run_length * (cost_ns - local_ns))


def handover_by_trial(turns: pd.DataFrame, local_ns: pd.Series) -> pd.Series:
    """Median of h over the handovers of every trial, in ns.

    `turns` has a row per iteration with the columns trial, cost (ns per operation), run_length (operations) and runs
    (how many the owner log holds); `local_ns` is s by trial. A trial without s or without turns yields none.
    """
    rows = turns.assign(local=turns["trial"].map(local_ns)).dropna(subset=["local"])
    if rows.empty:
        return pd.Series(dtype=float)
    rows = rows.assign(h=handover_costs(rows["cost"], rows["run_length"], rows["local"])).sort_values("h")
    passed = rows.groupby("trial", observed=True)["runs"]
    middle = passed.cumsum() >= passed.transform("sum") / 2
    return rows[middle].groupby("trial", observed=True)["h"].first()


def handover(costs, seed: int = 1, moved: str = "lock") -> Fit:
    """The handover cost h in ns from one value per trial: median and bootstrap interval.

    `moved` names in the sentence what is passed on. Below 3 trials there is no interval and h is not identified.
    """
    h = Estimate(*bootstrap_median(costs, seed))
    trials = len(costs)
    if trials < MIN_TRIALS:
        sentence = f"Too few trials ({trials}) for an interval: the handover cost cannot be identified here."
    elif h.high <= 0:
        sentence = "An operation takes no longer than the local cost alone: no handover cost is visible."
    else:
        sentence = (
            f"Moving the {moved} to another owner costs {number(h.estimate)} ns [{number(h.low)}, {number(h.high)}]."
        )
    interval = "bootstrap over trials" if trials >= MIN_TRIALS else "none"
    identified = trials >= MIN_TRIALS and h.high > 0
    return Fit("handover", {"h": h}, interval, identified, sentence, {"rows": trials})


def _positive(values, name: str) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if not values.size or not np.isfinite(values).all() or (values <= 0).any():
        raise LabError(f"handover: {name} must be positive and finite in every trial; remove incomplete trials")
    return values
