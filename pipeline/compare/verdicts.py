"""What a change is called: slower or faster, the same within a margin, or undecided."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pipeline.catalogue.metric import Metric
from pipeline.words import interval, is_time, quantity, ratio, shortfall

SLOWER, FASTER, HIGHER, LOWER = "slower", "faster", "higher", "lower"
SAME, UNDECIDED, DIFFERS = "same", "undecided", "differs"
ORDER = (SLOWER, FASTER, HIGHER, LOWER, DIFFERS, SAME, UNDECIDED)
CHANGED = (SLOWER, FASTER, HIGHER, LOWER)
MARGIN = 0.05  # as the referees


def names(metric: Metric) -> tuple[str, str]:
    """What more and what less of a metric is called."""
    speed = is_time(metric.unit) or metric.unit == "cycles" or metric.unit.endswith("/s")
    if metric.better is None or not speed:
        return HIGHER, LOWER
    return (SLOWER, FASTER) if metric.better == "lower" else (FASTER, SLOWER)


def judge(low: float, high: float, bound: float, metric: Metric, alone: bool) -> str:
    """The verdict of an interval (logarithms, or differences) against a margin around 0.

    `alone`: the interval knows nothing of other runs, so that it cannot tell the change from the run.
    """
    if math.isnan(low) or math.isnan(high):
        return UNDECIDED
    if low > bound or high < -bound:
        return DIFFERS if alone else names(metric)[int(high < 0)]
    return SAME if -bound <= low and high <= bound and not alone else UNDECIDED


def numbers(row: Mapping[str, Any]) -> str:
    """`1.17 [1.08, 1.26]`, after over before; of what was 0 the difference in its unit."""
    if row["kind"] == "difference":
        text = interval(row["ratio"], row["low"], row["high"], row["unit"], row["level"])
        return text if row["ratio"] < 0 else f"+{text}"
    if math.isnan(row["low"]):
        return ratio(row["ratio"])
    return f"{ratio(row['ratio'])} [{ratio(row['low'])}, {ratio(row['high'])}{shortfall(row['level'])}]"


def sentence(row: Mapping[str, Any], margin: float) -> str:
    """`slower: after is 1.17 [1.08, 1.26] times before (5 + 5 trials)`."""
    times = "" if row["kind"] == "difference" else " times"
    what = {SAME: f"the same within {100 * margin:g} %", DIFFERS: "differs between these two runs"}
    verdict = what.get(row["verdict"], row["verdict"])
    reason = f": {row['reason']}" if row["reason"] else ""
    trials = f"{row['trials_before']} + {row['trials_after']} trials"
    link = "after less before is" if row["kind"] == "difference" else "after is"
    told = f"{verdict}{reason}; {link} {numbers(row)}{times}{' before' if times else ''}"
    return f"{told} ({trials})"


def side(row: Mapping[str, Any], which: str) -> str:
    """The estimate of one side with its interval."""
    low, high = row[f"{which}_low"], row[f"{which}_high"]
    return interval(row[which], low, high, row["unit"]) if not math.isnan(low) else quantity(row[which], row["unit"])
