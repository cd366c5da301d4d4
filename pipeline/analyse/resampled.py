"""Percentiles under load, predicted by stepping through a queue with the service times that were measured.

Formulas know means; of a median or a tail they need a law of the service times. So events arrive at random, each takes a
time drawn from the trial's own histograms (of events that waited, and of those that found the server idle), and
Lindley's recursion says how long each was in the system (`pipeline.models.lindley`). Nothing that waited is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from pipeline.analyse import metrics
from pipeline.analyse.trials import Trials
from pipeline.catalogue.entry import Experiment
from pipeline.hdr.percentiles import Counts
from pipeline.ingest.tables import Tables
from pipeline.models import lindley
from pipeline.models.median_interval import median_interval

EVENTS = 10_000  # a median of as many scatters by some percent, that of several blocks by less
FEWEST = 100  # samples that a histogram needs to be drawn from
COLUMNS = ["variant", "runtime", "model", "load", "estimate", "low", "high"]


def curves(
    entry: Experiment,
    tables: Tables,
    chosen: pd.DataFrame,
    name: str,
    *,
    service: str,
    first: str,
    capacity: str,
    at: Sequence[float],
    percentile: float = 50,
    seed: int = 1,
) -> pd.DataFrame:
    """The percentile at the loads `at` (percent of capacity), predicted for each variant and runtime of `chosen` (rows
    of the trials table with the axis `load`): variant, runtime, model (`name`), load, estimate, low, high over blocks.

    service, first: metrics of the histograms of an event that waited and of one that found the server idle, in ns;
    capacity: metric in events/s. A block's service times at a load are those of its trial with the nearest load that
    has enough of them. Where they keep the server busy the curve ends.
    """
    trials = Trials(entry, tables)
    served, found_idle = (trials.merged(entry.metrics[one]) for one in (service, first))
    most = metrics.compute(entry, tables, [capacity]).set_index("trial")["value"]
    rows = trials.table[trials.table["trial"].isin(chosen["trial"]) & (trials.table["load"] > 0)]
    arrivals = lindley.schedule(1.0, EVENTS, seed=seed)
    parts = []
    for (variant, runtime), own in rows.groupby(["variant", "runtime"], observed=True, sort=False):
        blocks = [block[block["trial"].isin(most.index)] for _, block in own.groupby("block")]
        values = np.array([_block(block, served, found_idle, most, at, arrivals, percentile, seed) for block in blocks])
        reached = np.isfinite(values).all(axis=0)
        if not reached.any():
            continue
        estimate, low, high, _ = median_interval(values[:, reached])
        told = {"load": np.asarray(at, dtype=float)[reached], "estimate": estimate, "low": low, "high": high}
        parts.append(pd.DataFrame({"variant": variant, "runtime": runtime, "model": name} | told))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _block(block, served, found_idle, most, at, arrivals, percentile: float, seed: int) -> np.ndarray:
    """The percentile at each load of one block; nan where it is not known or there is no steady state."""
    loads = block["load"].to_numpy(dtype=float)
    capacity = most.reindex(block["trial"]).to_numpy()
    predicted = np.full(len(at), np.nan)
    for place, load in enumerate(at):
        nearest = np.argsort(np.abs(loads - load), kind="stable")
        service = _nearest(block.index[nearest], served)
        first = _nearest(block.index[nearest], found_idle)
        if service is None or first is None:
            continue
        rate = load / 100 * capacity[nearest[0]] / 1e9
        if rate * _mean(service) < 1:
            times = lindley.resampled(arrivals / rate, _drawn(service), _drawn(first), seed=seed)
            predicted[place] = np.percentile(times, percentile)
    return predicted


def _nearest(order: pd.Index, histograms: Mapping[int, Counts]) -> Counts | None:
    """The histogram of the first of these trials that has enough samples."""
    return next((histograms[one] for one in order if one in histograms and histograms[one].total >= FEWEST), None)


def _middles(counts: Counts) -> np.ndarray:
    return counts.low + (counts.width - 1) / 2


def _mean(counts: Counts) -> float:
    return float(np.average(_middles(counts), weights=counts.count))


def _drawn(counts: Counts) -> lindley.Draw:
    return lindley.sampled(_middles(counts), counts.count)
