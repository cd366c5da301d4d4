"""How long owners kept what threads contend for, iteration by iteration, and what passing it on costs."""

from __future__ import annotations

import pandas as pd

from pipeline.analyse.measures import measured_in
from pipeline.analyse.trials import Trials
from pipeline.analyse.window import per_iteration
from pipeline.catalogue.entry import Experiment
from pipeline.ingest.tables import Tables
from pipeline.models.fit import Fit
from pipeline.models.handover import handover
from pipeline.words import counted

WHOSE = ["variant", "runtime"]


def turns(entry: Experiment, tables: Tables, cost: str, run_length: str) -> pd.DataFrame:
    """A row per iteration of every measured trial: trial, iteration, cost (ns per operation), run_length (operations)
    and runs.

    `cost` names a metric of kind cost or rate, whose series and steady part are taken; `run_length` one of kind
    measure_ratio, operations of a window over the runs of one owner in it. An iteration that never reached its window
    has no row.
    """
    trials, ratio = Trials(entry, tables), entry.metrics[run_length]
    operations, runs = (
        measured_in(trials, ratio, name).set_index(["trial", "iteration"])["value"] for name in (ratio.name, ratio.per)
    )
    found = per_iteration(trials.selected(entry.metrics[cost]))[["cost"]]
    found = found.join((operations / runs).rename("run_length"), how="inner").join(runs.rename("runs"))
    found = found[found["runs"] > 0].reset_index()
    return found.assign(trial=trials.table["trial"].to_numpy()[found["trial"]])


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
