"""What to know of an imported run before its numbers are believed: units, the load, the order of sessions, omission."""

from __future__ import annotations

import pandas as pd

from pipeline.session.session import Session
from pipeline.words.numbers import counted


def notes(lab: Session) -> list[str]:
    """Sentences: how the unit is known, what was approximate, how the load was made, in which order sessions were."""
    told = lab.bundle.info["own"]
    found = [f"Values are in {unit} ({how})." for unit, _, how in (one.partition(": ") for one in told["units"])]
    found += [f"{note}." for note in told["notes"]]
    if told["corrected"]:
        names = ", ".join(told["corrected"])
        rest = lab.tables.iterations["series"].isin(told["corrected"]).all()
        others = "" if rest else "; the others from when it did"
        found.append(f"{names}: times count from when an operation was meant to begin{others}.")
    loops = {"closed": CLOSED, "open": OPEN}
    if "p50" in lab.entry.metrics and not told["corrected"]:
        found.append(loops.get(told["loop"], UNTOLD))
    return found + _order(lab) + _omission(lab)


OPEN = "The load is open: requests begin when they are meant to, however slow the system is."
CLOSED = "The load is closed: a client that waits asks less often while the system is slow, so its tail looks better."
UNTOLD = "Whether the load is open or closed is not known (--open, --closed): of a closed one the tail looks better."


def _order(lab: Session) -> list[str]:
    """Whether all sessions of one group came before the other's: a drift in between counts as change."""
    trials = lab.tables.trials.drop_duplicates(["runtime", "block"])
    if (trials["epoch_ms"] <= 0).any() or trials["runtime"].nunique() != 2 or len(trials) < 4:
        return []
    order = trials.sort_values("epoch_ms", kind="stable")["runtime"].tolist()
    turns = sum(a != b for a, b in zip(order, order[1:], strict=False))
    if turns == 1:
        return ["All sessions of one group came before the other's: a drift of the host in between counts as change."]
    if turns == len(order) - 1 and not lab.bundle.info["own"]["paired"]:
        return ["The sessions of both groups took turns: --paired would use that."]
    return []


OMITTED = (
    "In {} a long value stands where others are missing: the client waited for it, and the requests that it did not "
    "send meanwhile are not in the percentiles (coordinated omission)."
)
STALL, SEEN = 0.2, 3  # a greatest value of a fifth of its window, seen in so many


def _omission(lab: Session) -> list[str]:
    """The sign of coordinated omission: windows with one very long value that hold fewer values by about its share."""
    found = []
    rows = lab.tables.iterations
    if rows.empty or lab.bundle.info["own"]["corrected"]:
        return []
    greatest = pd.concat(_greatest(part) for part in lab.tables.buckets.parts(rows["trial"].unique()))
    merged = rows.assign(trial=rows["trial"].astype(str)).join(greatest.rename("greatest"), on=["trial", "iteration"])
    merged = merged[merged["elapsed_ns"] > 0]
    if merged.empty:  # files that tell no times
        return []
    rate = merged["samples"] / merged["elapsed_ns"]
    usual = rate.groupby(merged["trial"], observed=True).transform("median")
    share = merged["greatest"] / merged["elapsed_ns"]
    lost = 1 - rate / usual
    stalled = (share > STALL) & (share < 1.5) & (lost > share / 2) & (lost < share * 1.5 + 0.1)
    each = stalled.groupby(merged["trial"], observed=True).sum()
    if int(each.max()) >= SEEN:
        found.append(OMITTED.format(counted(int(stalled.sum()), "window")))
    return found


def _greatest(buckets: pd.DataFrame) -> pd.Series:
    """By trial and iteration: the greatest value, in ns."""
    top = buckets["low_ns"] + (buckets["width_ns"] - 1)
    greatest = top.groupby([buckets["trial"], buckets["iteration"]], observed=True).max()
    return greatest.set_axis(greatest.index.set_levels(greatest.index.levels[0].astype(str), level=0))
