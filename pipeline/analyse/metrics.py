"""Metrics: one number per trial and metric of the catalogue, by kind.

rate, cost      of each iteration: the sum of the matching series' rates since its opening (pipeline.analyse.window), or
                its inverse in nanoseconds per operation; over iterations the estimator `floor` (least cost), `quartile`
                (25th percentile of the cost, 75th of the rate), `median` or `total` (all operations / all time)
percentile, mean  of the merged histograms by the Java rule, never of percentiles; no percentile with fewer than ten
                samples of the trial expected beyond it
greatest        expected greatest of a stated number of the trial's samples, so that trials of more samples compare
measure         median over the iterations, or the value of the whole trial (iteration -1)
measure_ratio   sum of the measures `name` (a glob) / sum of the measures `per`, or of the operations
events          number of matching events; with unit bytes the size of the last one; with `within` those of one
                compilation only, the last of that method which is entered at its beginning
before_event    operations completed before the first matching event (resolution: one iteration)

`series` and `phase` are globs. The phase `measured` is cut to its steady part (pipeline.analyse.steady), for every
kind but before_event; other phases are taken as they are. Of what is cut so, rates, costs, percentiles and means take
the iterations whose series ran together. A metric without matching rows yields no row for that trial.
A trial counts as unsteady for a metric whose `undisturbed` names events of which one fell into the selected iterations,
or into as many before them: a compilation's log line is its beginning, and its code takes over some time later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np
import pandas as pd

from pipeline.analyse.steady import steady
from pipeline.analyse.window import per_iteration, together, total_cost
from pipeline.catalogue.entry import Experiment, Metric
from pipeline.errors import LabError
from pipeline.hdr import histograms, percentiles
from pipeline.ingest.tables import Tables

PHASE = "measured"  # the phase of the iterations after warm-up
# The cost's percentile that each estimator takes over iterations.
QUANTILES = {"floor": 0.0, "quartile": 0.25, "median": 0.5}
# Which log of the runtime yields which events: no event of a kind means 0 only where its log was written.
LOGS = {
    "jit": {"compile", "compile_osr", "made_not_entrant"},
    "compilation": {"inline", "virtual_call", "nmethod"},
    "code": {"lock_xadd", "lock_cmpxchg"},
}


def compute(entry: Experiment, tables: Tables, names: Iterable[str] | None = None) -> pd.DataFrame:
    """The metrics table of docs/formats.md, of every measured trial; `names` limits it to some metrics.

    Raises LabError when a metric is unknown or its declaration lacks what its kind needs.
    """
    names = list(entry.metrics if names is None else names)
    if unknown := [name for name in names if name not in entry.metrics]:
        raise LabError(f"{entry.name}: unknown metric {unknown[0]!r}; the catalogue has: {', '.join(entry.metrics)}")
    source = Source(entry, tables)
    head = ["trial", "variant", "runtime", *entry.axes, "block", "noisy"]
    parts = []
    for name in names:
        metric = entry.metrics[name]
        values = _scaled(source, name, metric, KINDS[metric.kind](source, metric))
        values = values[np.isfinite(values)]
        part = source.trials.loc[values.index, head].reset_index(drop=True)
        settled = source.steadiness(metric.series)["steady"].reindex(values.index, fill_value=True).to_numpy()
        part["steady"] = settled if fnmatchcase(PHASE, metric.phase) else True
        part["steady"] &= ~values.index.isin(_disturbed(source, metric))
        part["metric"] = name
        part["value"] = values.to_numpy(dtype=float)
        parts.append(part)
    columns = [*head, "steady", "metric", "value"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


class Source:
    """The tables of the measured trials, trials numbered 0.. in the order of the trials table, with shared steps."""

    def __init__(self, entry: Experiment, tables: Tables):
        self.entry, self.tables = entry, tables
        self.trials = tables.measured.reset_index(drop=True)
        self._steady: dict[str, pd.DataFrame] = {}
        self._merged: dict[tuple, dict[int, percentiles.Counts]] = {}

    def numbered(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows of the measured trials, `trial` replaced by the trial's number."""
        codes = histograms.positions(frame["trial"], pd.Index(self.trials["trial"]))
        return frame.assign(trial=codes)[codes >= 0]

    @cached_property
    def iterations(self) -> pd.DataFrame:
        frame = self.numbered(self.tables.iterations)
        return frame.assign(end_ns=frame["start_ns"] + frame["elapsed_ns"]).sort_values(
            ["trial", "iteration"], kind="stable"
        )

    @cached_property
    def measures(self) -> pd.DataFrame:
        return self.numbered(self.tables.measures)

    @cached_property
    def events(self) -> pd.DataFrame:
        return self.numbered(self.tables.events).sort_values(["trial", "t_ns"], kind="stable")

    def steadiness(self, series: str) -> pd.DataFrame:
        """By trial: `steady`, and `first`, the number of the first iteration of the steady part."""
        if series not in self._steady:
            rows = self.iterations
            rows = rows[(rows["phase"] == PHASE) & globbed(rows["series"], series)]
            costs = per_iteration(rows)["cost"]
            trial, iteration = (costs.index.get_level_values(name).to_numpy() for name in ("trial", "iteration"))
            found = {}
            for part in np.split(np.arange(len(costs)), np.flatnonzero(np.diff(trial)) + 1) if len(costs) else []:
                result = steady(costs.to_numpy()[part])
                found[trial[part[0]]] = (result.steady, iteration[part[result.start]])
            self._steady[series] = pd.DataFrame.from_dict(found, orient="index", columns=["steady", "first"])
        return self._steady[series]

    def selected(self, metric: Metric) -> pd.DataFrame:
        """Rows of the iterations that a metric is about: of those it chooses the ones whose series ran together."""
        return together(self.chosen(metric))

    def chosen(self, metric: Metric, series: str | None = None, trim: bool = True) -> pd.DataFrame:
        """Rows of iterations that a metric's series, phase and `last` choose; `series` replaces the metric's."""
        series = metric.series if series is None else series
        rows = self.iterations
        rows = rows[globbed(rows["phase"], metric.phase) & globbed(rows["series"], series)]
        measured = rows["phase"] == PHASE
        if trim and measured.any():
            first = rows["trial"].map(self.steadiness(series)["first"])
            rows = rows[~measured | (rows["iteration"] >= first)]
        if metric.last is not None:
            from_end = rows.groupby(["trial", "phase", "series"], observed=True).cumcount(ascending=False)
            rows = rows[from_end < metric.last]
        return rows

    def merged(self, metric: Metric) -> dict[int, percentiles.Counts]:
        """By trial: the sum of the selected histograms."""
        key = (metric.series, metric.phase, metric.last)
        if key not in self._merged:
            names, rows = pd.Index(self.trials["trial"]), self.selected(metric)
            wanted = histograms.within(self.tables.buckets, rows.assign(trial=names.take(rows["trial"])))
            self._merged[key] = histograms.by_trial(self.tables.buckets[wanted], names)
        return self._merged[key]

    def logged(self, kinds: re.Pattern) -> pd.Index:
        """Numbers of the trials whose variant writes the log that holds events of these kinds."""
        needed = {log for log, of_log in LOGS.items() if any(kinds.fullmatch(kind) for kind in of_log)}
        variants = [name for name, variant in self.entry.variants.items() if needed & set(variant.logs)]
        return self.trials.index[self.trials["variant"].isin(variants)]


def globbed(column: pd.Series, pattern: str) -> np.ndarray:
    """Which rows match a glob; each distinct value is tried once."""
    return column.isin([value for value in column.unique() if fnmatchcase(str(value), pattern)]).to_numpy()


def numbers(rows: pd.DataFrame) -> np.ndarray:
    """One number per trial and iteration."""
    return rows["trial"].to_numpy(np.int64) << 32 | rows["iteration"].to_numpy(np.int64) + 1


def apart(entry: Experiment, tables: Tables) -> pd.DataFrame:
    """The measured trials that yield no rate or cost because their threads did not run together in enough iterations
    (`pipeline.analyse.window`), as rows of the trials table."""
    source, found = Source(entry, tables), set()
    for metric in entry.metrics.values():
        if metric.kind in ("rate", "cost"):
            found |= set(source.chosen(metric)["trial"]) - set(source.selected(metric)["trial"])
    return source.trials.loc[sorted(found)]


def _cost(source: Source, metric: Metric) -> pd.Series:
    rows = source.selected(metric)
    if metric.estimator == "total":
        value = total_cost(rows)
    else:
        value = per_iteration(rows)["cost"].groupby(level="trial").quantile(QUANTILES[metric.estimator])
    if metric.in_cycles:
        value = value / source.trials["cycle_ns"].reindex(value.index)
    return value


def _rate(source: Source, metric: Metric) -> pd.Series:
    return 1e9 / _cost(source, metric)


def _percentile(source: Source, metric: Metric) -> pd.Series:
    needed(metric, "percentile")
    found = source.merged(metric)
    return _series(
        {
            trial: percentiles.percentile(counts, metric.percentile)
            for trial, counts in found.items()
            if percentiles.supported(counts.total, metric.percentile)
        }
    )


def _greatest(source: Source, metric: Metric) -> pd.Series:
    needed(metric, "samples")
    found = source.merged(metric)
    return _series({trial: percentiles.greatest_of(counts, metric.samples) for trial, counts in found.items()})


def _mean(source: Source, metric: Metric) -> pd.Series:
    return _series({trial: percentiles.mean(counts) for trial, counts in source.merged(metric).items()})


def measured_in(source: Source, metric: Metric, name: str) -> pd.DataFrame:
    """Rows of a measure in the selected iterations; a trial that has it there loses its whole-trial rows."""
    rows = source.measures
    rows = rows[globbed(rows["name"], name) & globbed(rows["series"], metric.series)]
    inside = rows[np.isin(numbers(rows), numbers(source.chosen(metric, "*")))]
    whole = rows[(rows["iteration"] == -1) & ~rows["trial"].isin(inside["trial"])]
    return pd.concat([inside, whole])


def _measure(source: Source, metric: Metric) -> pd.Series:
    needed(metric, "name")
    return measured_in(source, metric, metric.name).groupby("trial")["value"].median()


def _measure_ratio(source: Source, metric: Metric) -> pd.Series:
    needed(metric, "name", "per")
    above = measured_in(source, metric, metric.name)
    if metric.per == "operations":
        rows = source.chosen(metric, "*", trim=False)
        # Of the iterations that the measure covers, so that both sums are about the same stretch.
        covered = np.isin(numbers(rows), numbers(above))
        whole = rows["trial"].isin(above.loc[above["iteration"] == -1, "trial"])
        below = rows[covered | whole].groupby("trial")["operations"].sum()
    else:
        below = measured_in(source, metric, metric.per).groupby("trial")["value"].sum()
    sums = above.groupby("trial")["value"].sum()
    return sums / below.reindex(sums.index)


def _matching(source: Source, metric: Metric, where: Mapping[str, str]) -> tuple[pd.DataFrame, pd.Index]:
    """Matching events in the order of time, and the trials that could have had one."""
    if "kind" not in where:
        raise LabError(f"metric {metric.label!r}: the selection of events needs their kind")
    rows = source.events
    for column, expression in where.items():
        if column not in rows:
            raise LabError(f"metric {metric.label!r}: events have no column {column!r}")
        pattern = re.compile(expression)
        accepted = [value for value in rows[column].unique() if pattern.fullmatch(str(value))]
        rows = rows[rows[column].isin(accepted)]
    return rows, source.logged(re.compile(where["kind"]))


def _events(source: Source, metric: Metric) -> pd.Series:
    rows, logged = _matching(source, metric, metric.where)
    if metric.within is not None:
        last = _last_compilation(source, metric)
        rows = rows[rows["compilation"] == rows["trial"].map(last)]
        logged = last.index
    if metric.unit == "bytes":
        return rows.groupby("trial")["size"].last()
    return rows.groupby("trial").size().reindex(logged, fill_value=0)


def _last_compilation(source: Source, metric: Metric) -> pd.Series:
    """By trial: the last compilation of the methods that `within` names, of those that are entered at the beginning."""
    made, _ = _matching(source, metric, {"kind": "nmethod", "method": metric.within, "compilation": r"\d+"})
    return made.groupby("trial")["compilation"].last()


def _disturbed(source: Source, metric: Metric) -> pd.Index:
    """Trials with an event that `undisturbed` names in the selected iterations or in as many before them."""
    if not metric.undisturbed:
        return pd.Index([])
    events, _ = _matching(source, metric, metric.undisturbed)
    wider = metric if metric.last is None else metric.model_copy(update={"last": 2 * metric.last})
    times = source.selected(wider).groupby("trial").agg(start=("start_ns", "min"), end=("end_ns", "max"))
    events = events.join(times, on="trial", how="inner")
    return pd.Index(events.loc[events["t_ns"].between(events["start"], events["end"]), "trial"].unique())


def _before_event(source: Source, metric: Metric) -> pd.Series:
    rows, _ = _matching(source, metric, metric.where)
    first = rows.groupby("trial")["t_ns"].first()
    done = source.chosen(metric, trim=False)
    done = done[done["end_ns"] <= done["trial"].map(first)]
    counted = done.groupby("trial")["operations"].sum()
    return counted.reindex(first.index[first.index.isin(source.iterations["trial"])], fill_value=0)


def needed(metric: Metric, *fields: str) -> None:
    """LabError when a metric lacks a field that its kind needs."""
    for field in fields:
        if getattr(metric, field) is None:
            raise LabError(f"metric {metric.label!r} of kind {metric.kind} needs {field}; correct the catalogue entry")


def _series(values: dict[int, float]) -> pd.Series:
    return pd.Series(values, dtype=float)


def _scaled(source: Source, name: str, metric: Metric, values: pd.Series) -> pd.Series:
    values = values.astype(float) * metric.scale
    if metric.scale_by is None:
        return values
    if metric.scale_by not in source.entry.axes:
        raise LabError(f"{source.entry.name}: metric {name}: scale_by {metric.scale_by!r} is not an axis")
    return values * source.trials[metric.scale_by].reindex(values.index).astype(float)


KINDS: dict[str, Callable[[Source, Metric], pd.Series]] = {
    "rate": _rate,
    "cost": _cost,
    "percentile": _percentile,
    "greatest": _greatest,
    "mean": _mean,
    "measure": _measure,
    "measure_ratio": _measure_ratio,
    "events": _events,
    "before_event": _before_event,
}
