"""How long owners kept what threads contend for, iteration by iteration."""

from __future__ import annotations

import pandas as pd

from pipeline.analyse.measures import measured_in
from pipeline.analyse.trials import Trials
from pipeline.catalogue.entry import Experiment
from pipeline.ingest.tables import Tables


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
    found = trials.per_iteration(entry.metrics[cost])[["cost"]]
    found = found.join((operations / runs).rename("run_length"), how="inner").join(runs.rename("runs"))
    found = found[found["runs"] > 0].reset_index()
    return found.assign(trial=trials.table["trial"].to_numpy()[found["trial"]])
