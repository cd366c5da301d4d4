"""Saturated lock, or contended cache line: X = B / (B s + h).

An owner takes the lock B times in a row (the measured mean run length) at the local cost s, then the lock moves at the
handover cost h. The same holds of a cache line that a core keeps for B operations before another takes it. So one
operation takes 1 / X = s + h / B, and with X, B and s measured h = B (1 / X - s).

B and X must be of the same stretch of time. A lock changes its ways within a trial: for some iterations the owners
alternate, for others one of them is alone, because the other sleeps or the host has taken its CPU. B of all operations
is then that of the long runs, X of the typical iteration that of the alternating ones, and their product means nothing.
So h is computed iteration by iteration, and a trial's h is the median over its handovers: each iteration counts as
often as the lock was passed on in it.

h is an identity: any X gives one. Whether the model holds is seen elsewhere: with h from one configuration and B
measured in another that was not used (another number of threads), it predicts X there. s is measured too, with an
error that counts B times.
"""

import numpy as np
import pandas as pd

from pipeline.ground.errors import LabError
from pipeline.models.fit import Estimate, Fit, Kind, combined
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.models.sample_size import to_decide
from pipeline.words.numbers import percent

TOLERANCE = 0.2  # of the throughput predicted at the configuration held out
REGION = (1 - TOLERANCE, 1 + TOLERANCE)


def handover_by_trial(turns: pd.DataFrame, local_ns: pd.Series) -> pd.Series:
    """Median of h = B (1 / X - s) over the handovers of every trial, in ns.

    `turns` has a row per iteration with the columns trial, cost (ns per operation), run_length (operations) and runs
    (how many the owner log holds); `local_ns` is s by trial. A trial without s or without turns yields none.
    LabError when a cost, a run length or s is not positive and finite.
    """
    rows = turns.assign(local=turns["trial"].map(local_ns)).dropna(subset=["local"])
    for name, said in (("cost", "time per operation"), ("run_length", "run length"), ("local", "local cost")):
        if not np.isfinite(rows[name]).all() or (rows[name] <= 0).any():
            raise LabError(f"handover: {said} must be positive and finite in every trial; remove incomplete trials")
    return _over_handovers(rows, rows["run_length"] * (rows["cost"] - rows["local"]))


def handover(
    turns: pd.DataFrame,
    local_ns,
    held_out: pd.DataFrame | None = None,
    *,
    at: str = "another configuration",
    moved: str = "lock",
) -> Fit:
    """The handover cost h in ns, median over trials, and whether the model explains a configuration held out.

    turns: as `handover_by_trial` takes them, of one configuration; local_ns: s of every trial without contention. The
    interval of h is over the trials of both. held_out: turns of the configuration called `at`. `moved` names what is
    passed on. Parameters: h, and x, the measured over the predicted throughput there.
    Identified is h when its interval is no wider than itself and that of x lies inside 1 +- 20 %.
    LabError as `handover_by_trial`, and without any s or turns.
    """
    local = np.asarray(local_ns, dtype=np.float64)
    if not len(local) or not len(turns):
        raise LabError("handover: turns and local costs are needed; measure one thread and several")
    s = Estimate(*median_interval(local)[:3])

    def median(h_of: pd.Series) -> Estimate:
        return Estimate(*median_interval(h_of.to_numpy())[:3])

    def h_at(local_cost: float) -> Estimate:
        return median(handover_by_trial(turns, pd.Series(local_cost, turns["trial"].unique())))

    h = h_at(s.estimate)
    trials = min(turns["trial"].nunique(), len(local))
    kind = Kind(
        f"h is what moving the {moved} to another owner costs. It explains a throughput that it was not taken from "
        f"where the whole interval of measured over predicted lies within {percent(TOLERANCE)} of 1, and does not "
        "where all of it lies outside.",
        {"h": ("h", "ns"), "x": ("measured / predicted throughput", "1")},
    )
    if trials < FEWEST:
        short = f"too few trials ({trials}) for an interval"
        sentence = f"{short[0].upper()}{short[1:]}: the handover cost cannot be identified here."
        return Fit("handover", {"h": Estimate(h.estimate)}, "none", False, sentence, {"rows": trials}, kind, short)
    h = combined(h.estimate, (h.low, h.high), (h_at(s.high).estimate, h_at(s.low).estimate))
    parameters = {"h": h}
    said = h.words("ns")
    identified, more = False, None
    if h.high <= 0:
        sentence = "An operation takes no longer than the local cost alone: no handover cost is visible."
        short = "no handover cost is visible"
    elif h.high - h.low > h.estimate:
        sentence = f"The handover cost cannot be identified here: the interval of {said} is wider than itself."
        short = "h is not identified: its interval is wider than itself"
    elif held_out is None or held_out.empty:
        sentence = f"Moving the {moved} to another owner would cost {said}; nothing else was measured to check it."
        short = "nothing else was measured to check it"
    else:
        x_at = {end: median(_measured_over_predicted(held_out, s.estimate, end)) for end in (h.estimate, h.low, h.high)}
        x, low, high = x_at.values()
        x = combined(x.estimate, (x.low, x.high), (low.estimate, high.estimate))
        parameters["x"] = x
        verdict = x.against(*REGION) if held_out["trial"].nunique() >= FEWEST else "across"
        identified = verdict == "inside"
        more = to_decide([x], *REGION, min(trials, held_out["trial"].nunique()))
        explains = {
            "inside": f"that explains the throughput of {at} within {percent(TOLERANCE)}",
            "outside": f"that does not explain the throughput of {at}",
            "across": f"whether that explains the throughput of {at} within {percent(TOLERANCE)} is undecided",
        }[verdict]
        short = {"inside": "explains {}", "outside": "does not explain {}", "across": "undecided for {}"}[verdict]
        short = short.format(at)
        found = x.words()
        sentence = f"Moving the {moved} to another owner costs {said}; {explains} (measured over predicted: {found})."
    details = {"rows": trials}
    return Fit("handover", parameters, "of medians over trials", identified, sentence, details, kind, short, more)


def _measured_over_predicted(turns: pd.DataFrame, local: float, h: float) -> pd.Series:
    """X over B / (B s + h), by trial."""
    return _over_handovers(turns, (local + h / turns["run_length"]) / turns["cost"])


def _over_handovers(turns: pd.DataFrame, values: pd.Series) -> pd.Series:
    """Median by trial, each iteration counting as often as it has runs."""
    if turns.empty:
        return pd.Series(dtype=float)
    group, trials = pd.factorize(turns["trial"], sort=True)
    order = np.lexsort((values, group))
    group, ordered, runs = group[order], values.to_numpy()[order], turns["runs"].to_numpy()[order]
    total = np.bincount(group, runs)
    passed = np.cumsum(runs) - (np.cumsum(total) - total)[group]  # of the same trial, up to here
    middle = np.flatnonzero(passed >= total[group] / 2)
    _, first = np.unique(group[middle], return_index=True)
    return pd.Series(ordered[middle[first]], index=trials)
