"""Metrics: one number per trial and metric of the catalogue, by kind.

rate, cost      of each iteration: the sum of the matching series' rates since its opening (pipeline.analyse.window), or
                its inverse in nanoseconds per operation; over iterations the estimator `floor` (least cost), `quartile`
                (25th percentile of the cost, 75th of the rate), `median` or `total` (all operations / all time)
percentile, mean  of the merged histograms by the Java rule, never of percentiles; no percentile with fewer than ten
                samples of the trial expected beyond it
typical_percentile  the iteration's own percentile, its median over the iterations that have ten samples beyond it;
                none where those are fewer than half: a statistic of iterations, what one of them is typically like
corrected       percentile of the merged histogram corrected for coordinated omission as HdrHistogram does it, by the
                trial's mean time between two operations
greatest        expected greatest of a stated number of the trial's samples, so that trials of more samples compare
measure         median over the iterations, or the value of the whole trial (iteration -1)
measure_ratio   sum of the measures `name` (a glob) / sum of the measures `per` (one or several), or of the operations
product         of the metrics `of`
difference, quotient  of the two metrics `of`: the first less the second, or over it
regimes         upper over lower quartile of the iterations' cost: how far apart the two halves of a trial are
regime_share    share of the iterations on the cheaper side, where the trial is of two regimes (pipeline.analyse.rates)
events          number of matching events, of the whole process or, where `timed`, of those that begin in an iteration;
                with unit bytes the size of the last one; with `within` those of one compilation only, the last of that
                method which is entered at its beginning
event_percentile  of the sizes of the events that begin in an iteration, by the Java rule: 100 is the longest
event_total     sum of these sizes; `per: watched_ns` divides it by the length of all these iterations
before_event    operations completed before the first matching event (resolution: one iteration)

`series` and `phase` are globs. The phase `measured` is cut to its steady part (pipeline.analyse.steady), for every
kind but before_event; other phases are taken as they are. Of what is cut so, rates, costs, percentiles and means take
the iterations whose series ran together. A metric without matching rows yields no row for that trial.
No event is 0 where the log was written, and no number where lines of it were dropped; `name` takes a number of the
events' detail for their size.
Where the series' rows hold samples alone, `operations` names the series whose operations and times stand for them.
A trial counts as unsteady for all metrics where the two that the entry's `steady_by` names differ by more than 10 %,
and for a metric whose `undisturbed` names events of which one fell into the selected iterations,
or into as many before them: a compilation's log line is its beginning, and its code takes over some time later. So
does for a metric of measured iterations one in which something was compiled (pipeline.analyse.compiled).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase

import numpy as np
import pandas as pd

from pipeline.analyse import compiled, distributions, events, measures, rates
from pipeline.analyse.frames import joined
from pipeline.analyse.trials import PHASE, Trials
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.metric import Metric
from pipeline.ground.errors import LabError
from pipeline.ingest.tables import Tables
from pipeline.measure.states import RANKS

ALIKE = 0.1  # of a trial's two measurements of one thing, before and after


def compute(entry: Experiment, tables: Tables, names: Iterable[str] | None = None) -> pd.DataFrame:
    """The metrics table of docs/formats.md, of every measured trial; `names` limits it to some metrics.

    Raises LabError when a metric is unknown or its declaration lacks what its kind needs.
    """
    return of(entry, [Trials(entry, tables)], names)


def of(entry: Experiment, several: Iterable[Trials], names: Iterable[str] | None = None) -> pd.DataFrame:
    """`compute` of trials that others look at too, so that their shared steps are done once; of all parts of them,
    each of which may go before the next one comes."""
    names = list(entry.metrics if names is None else names)
    if unknown := [name for name in names if name not in entry.metrics]:
        raise LabError(f"{entry.name}: unknown metric {unknown[0]!r}; the catalogue has: {', '.join(entry.metrics)}")
    head = ["trial", "variant", "runtime", *entry.axes, "block", *RANKS, "noisy"]
    found: dict[str, list[pd.DataFrame]] = {name: [] for name in names}
    for trials in several:
        drifted, like = _drifted(trials), trials.table
        trials.merge(metric for name in names if KINDS.get((metric := entry.metrics[name]).kind) in MERGED)
        for name in names:
            metric = entry.metrics[name]
            values = _values(trials, name)
            part = trials.table.loc[values.index, head].reset_index(drop=True)
            part["steady"] = ~values.index.isin(drifted)
            for factor in metric.of or [name]:
                part["steady"] &= _steady(trials, entry.metrics[factor], values.index)
            part["metric"] = name
            part["value"] = values.to_numpy(dtype=float)
            found[name].append(part)
    columns = [*head, "steady", "metric", "value"]
    return joined([part for name in names for part in found[name]], columns, like)[columns]


def _values(trials: Trials, name: str) -> pd.Series:
    """A metric's finite values by the number of the trial."""
    metric = trials.entry.metrics[name]
    if metric.of:
        parts = pd.concat([_values(trials, part) for part in metric.of], axis=1, join="inner")
        values = OF_OTHERS[metric.kind](parts)
    else:
        values = KINDS[metric.kind](trials, metric)
    values = _scaled(trials, metric, values)
    return values[np.isfinite(values)]


def _steady(trials: Trials, metric: Metric, wanted: pd.Index) -> np.ndarray:
    """Which of the trials settled in what the metric is about, and were not disturbed there."""
    found = trials.steadiness(metric.operations or metric.series)["steady"].reindex(wanted, fill_value=True)
    if not fnmatchcase(PHASE, metric.phase):
        return ~wanted.isin(events.disturbed(trials, metric))
    compiling = compiled.disturbed(trials.selected(metric), trials.compiled)
    return found.to_numpy(dtype=bool) & ~wanted.isin(compiling) & ~wanted.isin(events.disturbed(trials, metric))


def _drifted(trials: Trials) -> pd.Index:
    """Trials in which the two metrics of the entry's `steady_by` differ by more than ALIKE."""
    if not trials.entry.steady_by:
        return pd.Index([])
    before, after = (_values(trials, name) for name in trials.entry.steady_by)
    drift = (after / before.reindex(after.index) - 1).abs()
    return drift.index[drift > ALIKE]


def _scaled(trials: Trials, metric: Metric, values: pd.Series) -> pd.Series:
    values = values.astype(float) * metric.scale
    if metric.scale_by is None:
        return values
    return values * trials.table[metric.scale_by].reindex(values.index).astype(float)


OF_OTHERS: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "product": lambda parts: parts.prod(axis=1),
    "difference": lambda parts: parts.iloc[:, 0] - parts.iloc[:, 1],
    "quotient": lambda parts: parts.iloc[:, 0] / parts.iloc[:, 1],
}
KINDS: dict[str, Callable[[Trials, Metric], pd.Series]] = {
    "rate": rates.rate,
    "cost": rates.cost,
    "regimes": rates.regimes,
    "regime_share": rates.regime_share,
    "percentile": distributions.percentile,
    "typical_percentile": distributions.typical_percentile,
    "corrected": distributions.corrected,
    "greatest": distributions.greatest,
    "mean": distributions.mean,
    "measure": measures.measure,
    "measure_ratio": measures.measure_ratio,
    "events": events.events,
    "event_percentile": events.event_percentile,
    "event_total": events.event_total,
    "before_event": events.before_event,
}
# Those of a trial's merged histogram.
MERGED = (distributions.percentile, distributions.corrected, distributions.greatest, distributions.mean)
