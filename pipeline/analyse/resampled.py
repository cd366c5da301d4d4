"""Percentiles under load, predicted by stepping through a queue with the service times that were measured.

Formulas know means; of a median or a tail they need a law of the service times. So events arrive at random, each takes
a time drawn from the trial's own histograms (of events that waited, and of those that found the server idle), and
Lindley's recursion says how long each was in the system (`pipeline.models.lindley`). A trial is predicted from services
that were measured at *another* load of its block: those of its own are differences of the very latencies they would
predict. Only where there is no other load, as of a control whose service is known, are they its own. Then each
iteration is predicted from what it measured itself: a host has several speeds, and at 80 % services a twentieth longer
make a queue a quarter longer, so that of all services together no iteration's latency comes.

A consumer that takes all it finds has no service of an event that holds at another load: what a batch costs is shared
by more events the higher the load. Where a trial tells what its batches cost (`pipeline.analyse.batches`) it is stepped
through batch by batch with that, which may be its own: how long a batch took says nothing of who waited for it.

Where the harness tells how long an event is on its way to the server (`flight`), services are without it, and it is
added to every event, since the server works meanwhile. Without it, as of old trials, the way is in the service of what
found the server idle, as if it kept the server from the next one; so it does where waking it up is that way.

A service is timed from one reading of the clock to the next, so that one reading is in it. Of it as much is taken off
as other events are without: of one pair timed in 16 events 14 in 16, and nothing where every event is timed, for there
the reading is part of what the server does. What is left must be CLOCKS readings long, or the clock is what was
measured, and nothing is predicted.

Rate and measured percentile are a typical iteration's, the medians over a trial's: in one that the host stops for a
millisecond half of the events wait for that, and no service is as long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pipeline.analyse import batches, response, states
from pipeline.analyse.by_iteration import apart, in_common
from pipeline.analyse.frames import framed, joined
from pipeline.analyse.metrics import compute
from pipeline.analyse.response import COLUMNS
from pipeline.analyse.trials import Trials
from pipeline.catalogue.entry import Experiment
from pipeline.hdr.counts import Counts
from pipeline.ingest.tables import Tables
from pipeline.models import lindley
from pipeline.models.median_interval import FEWEST as BLOCKS
from pipeline.models.median_interval import median_interval

EVENTS = 10_000  # of a line: its points share them, and so are smooth
MANY = 50_000  # of a trial: near saturation a median of fewer scatters by more than a control may be off
FEWEST = 50  # samples that a histogram needs to be drawn from
CLOCKS = 2


@dataclass(frozen=True)
class Words:
    """Metrics: histograms of the service of events that waited, and of those that found the server idle (ns); capacity
    and rate of arrivals (events/s); the percentile that is predicted (ns); a reading of the clock (ns); the share of
    events whose service was timed, with a reading for itself and one for the event before; an event's way to the server
    (ns). Empty where none is measured."""

    service: str
    first: str
    capacity: str
    rate: str
    measured: str
    clock: str
    timed: str = ""
    flight: str = ""


class Services:
    """What the trials of an experiment know of their services: `table`, a row per measured trial with `steady` (in what
    is predicted, and at its rate), and by the number of its row the histograms and values of `words`.

    metrics: of these trials, the numbers among `words`.
    """

    def __init__(self, entry: Experiment, tables: Tables, metrics: pd.DataFrame, words: Words, seed: int = 1) -> None:
        trials = Trials(entry, tables)
        self.entry, self.tables, self.words = entry, tables, words
        self.service, self.first = (trials.merged(entry.metrics[one]) for one in (words.service, words.first))
        self.capacity, self.rate, self.measured, self.clock, self.timed, self.flight = (
            trials.table["trial"].map(metrics[metrics["metric"] == one].set_index("trial")["value"]).to_numpy(float)
            for one in (words.capacity, words.rate, words.measured, words.clock, words.timed, words.flight)
        )
        self.batch = batches.costs(tables).reindex(trials.table["trial"].astype(str)).to_numpy(float)
        of_both = metrics[metrics["metric"].isin([words.rate, words.measured])]
        steady = of_both.groupby("trial")["steady"].all()
        self.table = trials.table.assign(steady=trials.table["trial"].map(steady).eq(True))
        self.arrivals, self.seed = lindley.schedule(1.0, EVENTS, seed=seed), seed

    def predicted(self, order: Sequence[int], rate: float, percentile: float, of: int | None = None) -> float:
        """The percentile at a rate (events/s) with the services of the first of these trials that has enough; nan where
        none has, they are shorter than the clock can tell, or keep the server busy. `of`: the trial that is predicted,
        with MANY arrivals of its own, so that what they scatter by is in the interval over trials."""
        seed = self.seed if of is None else self.seed + 1 + of
        arrivals = self.arrivals if of is None else lindley.schedule(1.0, MANY, seed=seed)
        by = order[0] if of is None else of
        if rate > 0 and np.isfinite(self.batch[by]).all():
            return float(np.percentile(self._in_batches(arrivals / (rate / 1e9), rate, by), percentile))
        own, other = self._nearest(order, self.service), self._nearest(order, self.first)
        if own is None or not rate > 0:
            return np.nan
        served = self._drawn(own, self.service)
        mean = float(np.average(served[0], weights=served[1]))
        if mean < CLOCKS * self.clock[order[0]] or rate / 1e9 * mean >= 1:
            return np.nan
        flight, first = float(self.flight[own]), None
        if np.isnan(flight) and other is not None:  # else hardly any event found the server idle
            first = lindley.sampled(*self._drawn(other, self.first))
        way = float(np.nan_to_num(flight))
        times = lindley.resampled(arrivals / (rate / 1e9), lindley.sampled(*served), first, seed=seed, flight=way)
        return float(np.percentile(times, percentile))

    def _in_batches(self, arrivals: np.ndarray, rate: float, one: int) -> np.ndarray:
        """Time in the system of events of a consumer that takes all it finds, by the costs of a trial's batches; nan
        where they keep it busy. A batch is timed as a service is."""
        per_batch, per_event = self.batch[one]
        if not 0 < per_event < 1e9 / rate:
            return np.full(1, np.nan)
        per_batch = max(per_batch - np.nan_to_num(self.clock[one]), 0.0)
        return lindley.batched(arrivals, per_batch, per_event)[0] + np.nan_to_num(self.flight[one])

    def elsewhere(self, order: Sequence[int]) -> list[int]:
        """For every trial (of one block and configuration but for the load) the others, nearest loads first; itself
        where no other has another load."""
        loads = self.table["load"].reindex(order).to_numpy(float)
        near = np.argsort(np.abs(loads - loads[0]), kind="stable")
        return [order[at] for at in near if loads[at] != loads[0]] or [order[0]]

    def tell(self, order: Sequence[int], one: int) -> bool:
        """Whether these trials know what an event costs that finds the server idle, or a load at least as high hardly
        has such events: of a sleeper's services at a high load those at a low one cannot be told."""
        lower = (self.table["load"].reindex(order) <= self.table["load"][one]).any()
        return (
            np.isfinite(self.batch[one]).all()
            or lower
            or self._nearest(order, self.first) is not None
            or np.isfinite(self.flight[list(order)]).any()
        )

    def _nearest(self, order: Sequence[int], histograms: Mapping[int, Counts]) -> int | None:
        """The first trial that has enough samples."""
        return next((one for one in order if one in histograms and histograms[one].total >= FEWEST), None)

    def _drawn(self, one: int, histograms: Mapping[int, Counts]) -> tuple[np.ndarray, np.ndarray]:
        """A trial's values without what of the clock's reading other events do not have, and counts."""
        counts = histograms[one]
        middles = counts.low + (counts.width - 1) / 2
        without = 1 - min(2 * float(np.nan_to_num(self.timed[one])), 1.0)
        return np.maximum(middles - without * np.nan_to_num(self.clock[one]), 1.0), counts.count


def curves(
    services: Services, chosen: pd.DataFrame, name: str, *, at: Sequence[float], percentile: float = 50
) -> pd.DataFrame:
    """The percentile at the loads `at` (percent of capacity), predicted for each variant and runtime of `chosen` (rows
    of the trials table with the axis `load`): variant, runtime, model (`name`), load, estimate, low, high over blocks.

    A block's service times at a load are those of its trial with the nearest load that has enough of them. A load that
    fewer than half of the blocks, or than an interval needs, can be predicted at is left out.
    """
    rows = services.table[services.table["trial"].isin(chosen["trial"]) & (services.table["load"] > 0)]
    parts = []
    for (variant, runtime), own in rows.groupby(["variant", "runtime"], observed=True, sort=False):
        values = np.array([_block(block, services, at, percentile) for _, block in own.groupby("block")])
        known = np.isfinite(values).sum(axis=0)
        for place in np.flatnonzero(known >= max(BLOCKS, len(values) / 2)):
            estimate, low, high, _ = median_interval(values[np.isfinite(values[:, place]), place])
            parts.append((variant, runtime, name, float(at[place]), estimate, low, high))
    return framed(parts, COLUMNS)


def per_trial(services: Services, chosen: pd.DataFrame, keys: Sequence[str], *, percentile: float = 50) -> pd.DataFrame:
    """A row per trial of `chosen` with a prediction: trial, `keys`, block, noisy, steady, predicted and measured (ns)
    and `value`, predicted / measured, at the rate that was measured in it, with services of another load of its block
    and configuration (`keys`, of which one is the load), or with what its batches cost. Of a trial without either each
    iteration is predicted with its own services, and all three are medians over these."""
    rows = services.table[services.table["trial"].isin(chosen["trial"])]
    predicted, alone = {}, []
    for _, own in rows.groupby([*(key for key in keys if key != "load"), "block"], dropna=False, observed=True):
        for one in own.index:
            order = services.elsewhere([one, *own.index.drop(one)])
            if order == [one] and not np.isfinite(services.batch[one]).all():
                alone.append(one)
            elif services.tell(order, one):
                predicted[one] = services.predicted(order, services.rate[one], percentile, one)
    head = [*dict.fromkeys(["trial", *keys, "block", "noisy", "steady", *states.columns(rows)])]
    found = rows[head].assign(predicted=pd.Series(predicted, dtype=float), measured=services.measured[rows.index])
    found = found.dropna(subset=["predicted", "measured"])
    found = found.assign(value=found["predicted"] / found["measured"])
    by_iteration = _iteration_by_iteration(services, rows.loc[alone], keys, percentile)[list(found)]
    return joined([part for part in (found, by_iteration) if len(part)], list(found)).reset_index(drop=True)


def _iteration_by_iteration(
    services: Services, alone: pd.DataFrame, keys: Sequence[str], percentile: float
) -> pd.DataFrame:
    """`response.per_trial` of these trials, each iteration predicted with its own services."""
    words, entry = services.words, services.entry
    measured = services.tables.measured
    tables = services.tables.but(trials=measured[measured["trial"].isin(alone["trial"])])
    kept = in_common(entry, Trials(entry, tables), [words.rate, words.measured])
    rows = kept.merge(alone, on="trial")
    if rows.empty:
        return response.per_trial(rows.assign(predicted=np.nan, measured=np.nan), "predicted", "measured", keys)
    each = apart(tables, kept)
    names = [name for name in vars(words).values() if name in entry.metrics]
    own = Services(entry, each, compute(entry, each, names), words, services.seed)
    predicted = [own.predicted([one], own.rate[one], percentile, one) for one in own.table.index]
    found = own.table[["trial"]].assign(predicted=predicted, measured=own.measured).rename(columns={"trial": "owner"})
    return response.per_trial(rows.merge(found, on="owner"), "predicted", "measured", keys)


def _block(block: pd.DataFrame, services: Services, at: Sequence[float], percentile: float) -> list[float]:
    loads, found = block["load"].to_numpy(dtype=float), []
    for load in at:
        order = block.index[np.argsort(np.abs(loads - load), kind="stable")]
        found.append(services.predicted(order, load / 100 * services.capacity[order[0]], percentile))
    return found
