"""The result of a fit, as a table says it: of an undecided one also about how many more trials would decide it."""

from __future__ import annotations

import math

import pandas as pd

from pipeline.analyse.selection import keys
from pipeline.models.fit import Fit
from pipeline.session.computed import Computed
from pipeline.words.numbers import counted

MOST_TIMES = 20  # the trials there are: what takes more lies too near the limit


def result(found: Fit, group: pd.DataFrame, lab: Computed) -> str:
    """The words of a fit to the rows of a group: `undecided; about 12 more trials (3 min) would decide`.

    The minutes are what such trials took in this run, as for claims; none where that is not known.
    """
    told = found.sentence if found.short is None else found.short
    if found.times_trials is None:
        return told
    if found.times_trials > MOST_TIMES:
        return f"{told}: too near the limit to tell with {MOST_TIMES} times the trials"
    there = trials(group)
    more = max(math.ceil(there * found.times_trials) - there, 1)
    minutes = math.ceil(more * _seconds(group, lab) / 60)
    took = f" ({minutes:,} min)" if minutes else ""
    return f"{told}; about {counted(more, 'more trial')}{took} would decide"


def trials(group: pd.DataFrame) -> int:
    """How many trials the rows of a group are of."""
    return group["trial"].nunique() if "trial" in group else len(group)


def _seconds(group: pd.DataFrame, lab: Computed) -> float:
    """What a trial of a group takes, the mean of its configurations; 0 where no journal tells it."""
    of = lab.tables.trials
    names = keys(of[of["trial"].isin(group["trial"])], lab.entry) if "trial" in group else []
    took = [lab.costs[lab.entry.name, name] for name in names if (lab.entry.name, name) in lab.costs]
    return sum(took) / len(took) if took else 0.0
