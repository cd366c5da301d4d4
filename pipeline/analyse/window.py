"""The window that the threads of an iteration have in common, and what they did in it.

The harness opens an iteration when its last worker has arrived and gives all of them one deadline, but a worker that
has to wait for a CPU begins after the opening. So its operations are divided by the time from the opening (the earliest
start) to its own end: the wait is part of what it gets where threads share CPUs. Its own stretch would flatter it, for
it begins with a fresh time slice. With a CPU for every thread all begin within a cache-line transfer, and the two are
equal.

Threads that do not run together do not contend. An iteration counts only where all its series were inside their stretch
for at least SHARE of the time from the opening to the latest end: above one half, most of what is counted is done
together, and eight threads on two CPUs reach 0.67 in the 40 ms that `pipeline.plan` gives them (slices of 4 ms). Where
less than half of a trial's iterations do, the scheduler chose what is left, and the trial yields nothing.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

SHARE = 0.5
ITERATIONS = 0.5


def per_iteration(rows: pd.DataFrame) -> pd.DataFrame:
    """By trial and iteration: operations of all series, their cost in ns per operation (1 / sum of the series' rates),
    and `together`, the share of the time from the opening to the latest end in which all series were at work (0..1).

    `rows` are rows of the iterations table with end_ns; a series is one thread's, stream's or direction's.
    """
    groups = rows.groupby(["trial", "iteration"])
    opening = groups["start_ns"].transform("min")
    rates = rows[["trial", "iteration"]].assign(rate=_rate(rows["operations"], rows["end_ns"] - opening))
    found = groups.agg(operations=("operations", "sum"), last=("start_ns", "max"), first=("end_ns", "min"))
    with np.errstate(divide="ignore"):
        found["cost"] = 1 / rates.groupby(["trial", "iteration"])["rate"].sum()
    length = groups["end_ns"].max() - groups["start_ns"].min()
    # A stretch without length, as of an empty slice of a file, is missed by nobody.
    share = (found["first"] - found["last"]).clip(lower=0) / length.where(length > 0)
    found["together"] = share.fillna(1.0)
    return found.drop(columns=["last", "first"])


def total_cost(rows: pd.DataFrame) -> pd.Series:
    """By trial: ns per operation over all iterations together, 1 / sum over series of all operations / all time.

    All time is that of every iteration of the rows: one in which others were at work and a series was not, as of what
    makes durable after what writes, is time that it waits.
    """
    groups = rows.groupby(["trial", "iteration"])
    opening, latest = groups["start_ns"].transform("min"), groups["end_ns"].transform("max")
    of_series = rows[["trial", "series", "operations"]].assign(ns=rows["end_ns"] - opening, here=latest - opening)
    sums = of_series.groupby(["trial", "series"], observed=True)[["operations", "ns", "here"]].sum()
    every = (groups["end_ns"].max() - groups["start_ns"].min()).groupby(level="trial").sum()
    elsewhere = every.reindex(sums.index.get_level_values("trial")).to_numpy() - sums["here"]
    with np.errstate(divide="ignore"):
        return 1 / _rate(sums["operations"], sums["ns"] + elsewhere).groupby(level="trial").sum()


def together(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of iterations whose series ran together, of the trials in which that is at least half of them; and what
    `per_iteration` says of these."""
    each = per_iteration(rows)
    shared = each["together"] >= SHARE
    kept = shared & (shared.groupby(level="trial").transform("mean") >= ITERATIONS)
    if kept.all():
        return rows, each
    return rows[pd.MultiIndex.from_frame(rows[["trial", "iteration"]]).isin(kept.index[kept])], each[kept]


def _rate(operations: pd.Series, ns: pd.Series) -> pd.Series:
    with np.errstate(divide="ignore", invalid="ignore"):
        return operations.astype(float) / ns.astype(float)
