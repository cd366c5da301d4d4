"""What passing something on costs that threads contend for: which trials are asked, and which check the answer."""

from __future__ import annotations

import pandas as pd

from pipeline.models.fit import Fit
from pipeline.models.handover import handover
from pipeline.words.numbers import counted

WHOSE = ["variant", "runtime"]


def fewest_threads(trials: pd.DataFrame) -> pd.DataFrame:
    """Of each variant and runtime the trials with the fewest threads."""
    return trials[trials["threads"] == trials.groupby(WHOSE)["threads"].transform("min")]


def passed_on(
    trials: pd.DataFrame, turns: pd.DataFrame, contended: pd.DataFrame, alone: pd.DataFrame, *, moved: str = "lock"
) -> Fit:
    """The cost of a handover from the `trials` of one configuration (`pipeline.models.handover`), checked with the next
    number of threads that the same variant and runtime have in `contended`.

    turns: of all trials, as `handover` takes them; contended: trial, variant, runtime, threads; alone: variant,
    runtime, value, the cost per operation in ns of trials with one thread.
    """
    whose, threads = trials[WHOSE].iloc[0], trials["threads"].iloc[0]
    local, more = (rows[(rows[WHOSE] == whose).all(axis=1)] for rows in (alone, contended))
    more = fewest_threads(more[more["threads"] > threads])
    of, held_out = (turns[turns["trial"].isin(rows["trial"])] for rows in (trials, more))
    at = counted(int(more["threads"].iloc[0]), "thread") if len(more) else ""
    return handover(of, local["value"], held_out, at=at, moved=moved)
