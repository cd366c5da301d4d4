"""Metrics of every single iteration, for models that predict an iteration from what was measured in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pipeline.analyse.frames import framed
from pipeline.analyse.metrics import compute
from pipeline.analyse.trials import PHASE, Trials, numbers
from pipeline.catalogue.entry import Experiment
from pipeline.hdr import histograms
from pipeline.ingest.buckets import Buckets, joined
from pipeline.ingest.tables import Tables
from pipeline.measure.states import RANKS


def by_iteration(entry: Experiment, tables: Tables, metrics: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """A row per measured iteration: trial, iteration, variant, runtime, the axes, block, noisy, steady (of the trial in
    all these metrics, as `metrics` has it), its state and a column per metric, in the catalogue's unit.

    Each metric is what its kind makes of that iteration alone; a measure of the whole trial is the same in all of them.
    Of the steady part, and only iterations in which the series that any of the metrics is about ran together. A metric
    that an iteration does not have is NaN: a percentile with fewer than ten samples beyond it, for instance.
    """
    columns = ["trial", "iteration", "variant", "runtime", *entry.axes, "block", "noisy", "steady", *RANKS]
    kept = in_common(entry, Trials(entry, tables), names)
    found = compute(entry, apart(tables, kept), names) if len(kept) else kept
    if found.empty:
        return framed((), [*columns, *names], tables.measured)
    wide = found.pivot(index="trial", columns="metric", values="value").reindex(columns=list(names))
    steady = metrics[metrics["metric"].isin(names)].groupby("trial")["steady"].all()
    rows = kept.set_index("owner").join(wide, how="inner")
    about = tables.measured.set_index("trial")[["variant", "runtime", *entry.axes, "block", "noisy", *RANKS]]
    return rows.join(about, on="trial").join(steady, on="trial")[[*columns, *names]].reset_index(drop=True)


def in_common(entry: Experiment, trials: Trials, names: Sequence[str]) -> pd.DataFrame:
    """The iterations that every metric of the measured phase selects: trial, iteration, and the two as `owner`."""
    factors = dict.fromkeys(factor for name in names for factor in (entry.metrics[name].of or [name]))
    kept = None
    for metric in (entry.metrics[factor] for factor in factors):
        if metric.kind not in ("measure", "measure_ratio"):  # these are of iterations, not of the rows of a series
            rows = trials.selected(metric)
            each = set(numbers(rows[rows["phase"] == PHASE]))
            kept = each if kept is None else kept & each
    rows = trials.iterations
    rows = rows[rows["phase"] == PHASE].drop_duplicates(["trial", "iteration"])
    rows = rows if kept is None else rows[np.isin(numbers(rows), list(kept))]
    trial = trials.table["trial"].to_numpy()[rows["trial"]]
    owner = [f"{one}/{iteration}" for one, iteration in zip(trial, rows["iteration"], strict=True)]
    return pd.DataFrame({"trial": trial, "iteration": rows["iteration"].to_numpy(), "owner": owner})


def apart(tables: Tables, kept: pd.DataFrame) -> Tables:
    """The tables as if the iterations of each owner were a trial of its own; kept: trial, iteration, owner."""
    owners, trials = pd.Index(kept["owner"].unique(), dtype=object), pd.Index(kept["trial"].unique())
    owner = owners.get_indexer(kept["owner"])
    wanted = _numbered(histograms.positions(kept["trial"], trials), kept["iteration"])
    order = np.argsort(wanted)

    def renamed(frame: pd.DataFrame) -> pd.DataFrame:
        here = _numbered(histograms.positions(frame["trial"], trials), frame["iteration"])
        at = order[np.searchsorted(wanted, here, sorter=order).clip(max=len(order) - 1)]
        owned = wanted[at] == here
        return frame[owned].assign(trial=pd.Categorical.from_codes(owner[at[owned]], owners))

    owned = kept[["trial", "owner"]].drop_duplicates()
    whole = tables.measures[tables.measures["iteration"] == -1].merge(owned, on="trial")
    measures = pd.concat([renamed(tables.measures), whole.assign(trial=whole["owner"]).drop(columns="owner")])
    about = owned.merge(tables.measured, on="trial")
    return tables.but(
        trials=about.assign(trial=about["owner"]).drop(columns="owner"),
        iterations=renamed(tables.iterations),
        buckets=Buckets(joined([renamed(part) for part in tables.buckets.parts(trials)])),
        measures=measures.astype({"trial": "category"}),
    )


def _numbered(trial: np.ndarray, iteration: pd.Series) -> np.ndarray:
    """One number per trial (by its place, -1 for none) and iteration."""
    return np.asarray(trial, dtype=np.int64) << 32 | iteration.to_numpy(np.int64) + 1
