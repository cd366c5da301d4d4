"""What a change is called: slower or faster, the same within a margin, or undecided."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pipeline.catalogue.metric import Metric
from pipeline.compare.methods import Change
from pipeline.words.comparisons import LEVELS, RATE, TIME, Comparison, Way
from pipeline.words.numbers import UNKNOWN, about, interval, is_time, quantity, scale

SLOWER, FASTER, HIGHER, LOWER = TIME.more, TIME.less, LEVELS.more, LEVELS.less
SAME, UNDECIDED, DIFFERS = "same", "undecided", "differs"
ORDER = (SLOWER, FASTER, HIGHER, LOWER, DIFFERS, SAME, UNDECIDED)
CHANGED = (SLOWER, FASTER, HIGHER, LOWER)
MOVED = (*CHANGED, DIFFERS)  # by the change, or by the run
MARGIN = 0.05  # as the referees


def way(metric: Metric) -> Way:
    """The words for a change, fewer than there are for ratios of a page (`Metric.way`), for verdicts are counted: a
    time that is waited for is slower or faster too."""
    speed = is_time(metric.unit) or metric.unit == "cycles" or metric.unit.endswith("/s")
    if metric.better is None or not speed:
        return LEVELS
    return TIME if metric.better == "lower" else RATE


def judge(change: Change, bound: float, metric: Metric, alone: bool) -> str:
    """The verdict of a change (logarithms, or differences): slower or faster, higher or lower, where the whole interval
    lies on one side of 0 and its middle beyond the margin; the same where the whole interval lies within the margin.

    `alone`: the interval knows nothing of other runs, so that it cannot tell the change from the run.
    """
    middle, low, high = change[:3]
    if math.isnan(low) or math.isnan(high):
        return UNDECIDED
    if (low > 0 and middle > bound) or (high < 0 and middle < -bound):
        words = way(metric)
        return DIFFERS if alone else words.less if high < 0 else words.more
    return SAME if -bound <= low and high <= bound and not alone else UNDECIDED


def numbers(row: Mapping[str, Any]) -> str:
    """`17 % slower [8, 26]`, after compared with before; of what was 0 the difference in its unit."""
    if row["kind"] == "difference":
        text = interval(row["ratio"], row["low"], row["high"], row["unit"], row["level"])
        return text if row["ratio"] < 0 else f"+{text}"
    return Comparison(row["ratio"], row["low"], row["high"], row["level"], row["way"]).words()


def sentence(row: Mapping[str, Any], margin: float, over: str = "") -> str:
    """`17 % slower [8, 26] (5 + 5 trials)`, `undecided: 17 % slower [2, 26] (5 + 5 trials)`. over: of what it is,
    where that is no trials."""
    what = {SAME: f"the same within {100 * margin:g} %", DIFFERS: "differs between these two runs"}
    said = row["kind"] == "ratio" and row["verdict"] in CHANGED  # the ratio has the verdict's word
    verdict = "" if said else f"{what.get(row['verdict'], row['verdict'])}: "
    reason = f"{row['reason']}; " if row["reason"] else ""
    over = over or f"({row['trials_before']} + {row['trials_after']} trials)"
    return f"{verdict}{reason}{numbers(row)} {over}"


def seen(row: Mapping[str, Any]) -> str:
    """The smallest change that the row could have seen: `7.1 %`, `2.4x`; of what was 0 in its unit."""
    return quantity(row["smallest"], row["unit"]) if row["kind"] == "difference" else share(row["smallest"])


def share(change: float) -> str:
    """A change without direction: `7.1 %`, from a half on `2.4x`; a dash where none is known."""
    if math.isnan(change):
        return UNKNOWN
    return f"{about(100 * change)} %" if change < 0.5 else f"{about(1 + change)}x"


def sides(row: Mapping[str, Any]) -> str:
    """`1.2 ms → 1.5 ms`: both estimates, each as it is said alone."""
    return " → ".join(quantity(row[which], row["unit"]) for which in ("before", "after"))


def side(row: Mapping[str, Any], which: str) -> str:
    """The estimate of one side with its interval, in a prefix that both sides have."""
    power = scale([row["before"], row["after"]], row["unit"])
    return interval(row[which], row[f"{which}_low"], row[f"{which}_high"], row["unit"], power=power)
