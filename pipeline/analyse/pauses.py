"""How late operations at a fixed pace are, beside what the trial's own log of pauses predicts.

The log tells how long the runtime stood still within the iterations, the median service time how much of the pace an
operation needs; `pipeline.models.pauses` makes of them how late every operation would be if nothing else held it up.
Where measured and predicted part, the log is not the explanation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pipeline.analyse import events, metrics
from pipeline.analyse.frames import framed
from pipeline.analyse.overlay import as_variants
from pipeline.analyse.trials import Trials
from pipeline.catalogue.entry import Experiment
from pipeline.ground.errors import LabError
from pipeline.hdr import percentiles
from pipeline.hdr.counts import Counts, Geometry
from pipeline.ingest.tables import Tables
from pipeline.models import pauses

MEASURED, PREDICTED = "measured", "predicted from the log"


@dataclass(frozen=True)
class Words:
    """Metrics: one of the histogram of all operations' lateness, from due to done (ns); one of the events that are
    pauses, of the same iterations; the typical time that an operation takes (ns)."""

    lateness: str
    pauses: str
    service: str


@dataclass(frozen=True)
class _Trial:
    """The histogram of lateness of a trial, its pauses (ns), the time watched (ns), and a service time (ns)."""

    counts: Counts
    pauses: np.ndarray
    watched: float
    service: float

    @property
    def load(self) -> float:
        return self.service * self.counts.total / self.watched

    def late(self, share) -> np.ndarray:
        """From due to done (ns), predicted for the operation that these shares are later than."""
        return self.service + pauses.lateness(share, self.pauses, self.watched, self.load)

    def predicted(self) -> Counts:
        """The predicted histogram, of as many operations and of the same layout as the measured one."""
        total, like = self.counts.total, self.counts
        waits = int(np.ceil(pauses.later(0, self.pauses, self.watched, self.load)[0] * total))
        values = np.append(self.late((np.arange(waits) + 0.5) / total), self.service)
        geometry = Geometry.of(like.digits, like.lowest)
        at, owner = np.unique(geometry.index(np.rint(values).astype(np.int64)), return_inverse=True)
        count = np.bincount(owner, np.append(np.ones(waits), total - waits)).astype(np.int64)
        at, count = at[count > 0], count[count > 0]
        return Counts(*geometry.buckets(at), count, like.digits, like.lowest, like.highest)


def overlay(entry: Experiment, tables: Tables, chosen: pd.DataFrame, words: Words) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(buckets, trials) as figures take them: of every chosen trial with a whole log the histogram of lateness as it
    was MEASURED and as it is PREDICTED, which take the place of the variant (`pipeline.analyse.overlay`)."""
    found = (
        (about, called, called, counts)
        for about, trial in _trials(entry, tables, chosen, words)
        for called, counts in ((MEASURED, trial.counts), (PREDICTED, trial.predicted()))
    )
    return as_variants(found, tables.measured)


def per_trial(
    entry: Experiment, tables: Tables, chosen: pd.DataFrame, words: Words, keys: Sequence[str]
) -> pd.DataFrame:
    """A row per chosen trial with a whole log: trial, `keys`, block, noisy, the lateness that one operation in 1,000
    exceeds, predicted and measured (ns), and the number of pauses. Trials of fewer than 10,000 operations have none."""
    percent, columns = 100 * (1 - pauses.SHARE), list(dict.fromkeys(["trial", *keys, "block", "noisy"]))
    rows = [
        [*about[columns], *_at(trial, percent), len(trial.pauses)]
        for about, trial in _trials(entry, tables, chosen, words)
        if percentiles.supported(trial.counts.total, percent)
    ]
    return framed(rows, [*columns, "predicted", "measured", "pauses"], tables.measured)


def lengths(entry: Experiment, tables: Tables, chosen: pd.DataFrame, metric: str, keys: Sequence[str]) -> pd.DataFrame:
    """A row per event that a metric of sizes is about, of the chosen trials: trial, `keys`, block, size (ns)."""
    trials = Trials(entry, tables)
    found, _ = events.watched(trials, entry.metrics[metric])
    columns = list(dict.fromkeys(["trial", *keys, "block"]))
    about = trials.table.loc[trials.table["trial"].isin(chosen["trial"]), columns]
    rows = about.join(found.set_index("trial")["size"], how="inner").to_numpy().tolist()
    return framed(rows, [*columns, "size"], tables.measured)


def _at(trial: _Trial, percent: float) -> tuple[float, float]:
    """The lateness at a percentile, predicted and measured (ns)."""
    return float(trial.late(1 - percent / 100)), float(percentiles.percentile(trial.counts, percent))


def _trials(
    entry: Experiment, tables: Tables, chosen: pd.DataFrame, words: Words
) -> Iterator[tuple[pd.Series, _Trial]]:
    """The chosen trials (rows of the trials table) that have lateness, a whole log and a service time that leaves the
    pace some room."""
    trials = Trials(entry, tables)
    if unknown := [name for name in (words.lateness, words.pauses, words.service) if name not in entry.metrics]:
        raise LabError(f"{entry.name}: unknown metric {unknown[0]!r}; the catalogue has: {', '.join(entry.metrics)}")
    counts = trials.merged(entry.metrics[words.lateness])
    found, watched = events.watched(trials, entry.metrics[words.pauses])
    sizes = {trial: rows.to_numpy(float) for trial, rows in found.groupby("trial")["size"]}
    services = metrics.compute(entry, tables, [words.service]).set_index("trial")["value"]
    for number in trials.table.index[trials.table["trial"].isin(chosen["trial"])]:
        about = trials.table.loc[number]
        if number in counts and number in watched.index and about["trial"] in services.index:
            service = float(services[about["trial"]])
            trial = _Trial(counts[number], sizes.get(number, np.empty(0)), float(watched[number]), service)
            if trial.load < 1:
                yield about, trial
