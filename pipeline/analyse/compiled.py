"""What trials tell of the compiler: iterations in which a method was compiled.

A JVM that compiles in the caller (`pipeline.plan.parts`) compiles in an iteration what that one calls, and the harness
makes such an iteration again: its rows are of the phase `compiled`, of which no metric is. Past the harness's limit
they stay `measured`, with the measure `compilations` of the process that compiled. Trials that lack `compiler_idle`
have iterations that are fixed, whose compilations are their subject, or were measured before any of this was recorded.
"""

from __future__ import annotations

import pandas as pd

from pipeline.words.numbers import counted

PHASE = "compiled"
COUNT, IDLE = "compilations", "compiler_idle"


def iterations(measures: pd.DataFrame) -> pd.DataFrame:
    """trial and iteration of each with a compilation, of the trials that make such iterations again."""
    adapting = measures.loc[_named(measures, IDLE), "trial"].unique()
    found = measures.loc[_named(measures, COUNT) & measures["trial"].isin(adapting), ["trial", "iteration"]]
    return found.drop_duplicates()


def disturbed(rows: pd.DataFrame, found: pd.DataFrame) -> pd.Index:
    """Trials with one of the iterations `found` among those of `rows`."""
    if found.empty:
        return pd.Index([])
    return pd.Index(found.merge(rows[["trial", "iteration"]].drop_duplicates())["trial"].unique())


def sentences(iterations: pd.DataFrame, measures: pd.DataFrame) -> list[str]:
    """How many iterations were made again, and in how many trials the compiler never came to rest, where any."""
    again = iterations.loc[iterations["phase"] == PHASE, ["trial", "iteration"]].drop_duplicates()
    idle = measures[_named(measures, IDLE)]
    busy = idle.loc[idle["value"] == 0, "trial"].nunique()
    told = []
    if len(again):
        told.append(
            f"In {counted(len(again), 'iteration')} of {counted(again['trial'].nunique(), 'trial')} something was "
            "compiled: left out, and made again."
        )
    if busy:
        told.append(f"In {counted(busy, 'trial')} the compiler was still at work when the longest warm-up ended.")
    return told


def _named(measures: pd.DataFrame, name: str) -> pd.Series:
    """Rows of a measure of any part."""
    return measures["name"].isin([one for one in measures["name"].unique() if one.endswith(name)])
