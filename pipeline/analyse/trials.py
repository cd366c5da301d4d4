"""The measured trials as metrics look at them: the rows that one of them is about, and their histograms merged.

The phase `measured` is cut to its steady part (`pipeline.analyse.steady`), other phases are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np
import pandas as pd

from pipeline.analyse import compiled
from pipeline.analyse.steady import steady
from pipeline.analyse.window import per_iteration, together
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.metric import Metric
from pipeline.hdr import histograms
from pipeline.hdr.counts import Counts
from pipeline.ingest.tables import Tables

PHASE = "measured"  # the phase of the iterations after warm-up


class Trials:
    """The tables of the measured trials, trials numbered 0.. in the order of the trials table, with shared steps."""

    def __init__(self, entry: Experiment, tables: Tables):
        self.entry, self.tables = entry, tables
        self.table = tables.measured.reset_index(drop=True)
        self._costs: dict[str, dict[int, pd.Series]] = {}
        self._steady: dict[str, pd.DataFrame] = {}
        self._selected: dict[tuple, tuple[pd.DataFrame, pd.DataFrame]] = {}
        self._merged: dict[tuple, dict[int, Counts]] = {}

    def numbered(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows of the measured trials, `trial` replaced by the trial's number."""
        codes = histograms.positions(frame["trial"], self._names)
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
    def compiled(self) -> pd.DataFrame:
        """trial and iteration of those in which something was compiled (`pipeline.analyse.compiled`)."""
        return compiled.iterations(self.measures)

    @cached_property
    def events(self) -> pd.DataFrame:
        return self.numbered(self.tables.events).sort_values(["trial", "t_ns"], kind="stable")

    def steadiness(self, series: str) -> pd.DataFrame:
        """By trial: `steady`, and `first`, the number of the first iteration of the steady part."""
        if series not in self._steady:
            found = {
                trial: (result.steady, costs.index[result.start])
                for trial, costs in self.costs(series).items()
                for result in (steady(costs.to_numpy()),)
            }
            self._steady[series] = pd.DataFrame.from_dict(found, orient="index", columns=["steady", "first"])
        return self._steady[series]

    def costs(self, series: str) -> dict[int, pd.Series]:
        """By trial: what an operation cost in each of its measured iterations, by their numbers."""
        if series not in self._costs:
            rows = self.iterations
            measured = rows[rows["phase"] == PHASE]
            rows = measured[globbed(measured["series"], series)]
            # Rows of nothing but samples do not tell when they settled: the trial's operations do.
            idle = ~(rows["operations"] > 0).groupby(rows["trial"]).transform("any")
            if idle.any():
                rows = pd.concat([rows[~idle], measured[measured["trial"].isin(rows.loc[idle, "trial"])]])
            costs = per_iteration(rows)["cost"]
            trial, iteration = (costs.index.get_level_values(name).to_numpy() for name in ("trial", "iteration"))
            parts = np.split(np.arange(len(costs)), np.flatnonzero(np.diff(trial)) + 1) if len(costs) else []
            self._costs[series] = {
                trial[part[0]]: pd.Series(costs.to_numpy()[part], index=iteration[part]) for part in parts
            }
        return self._costs[series]

    def selected(self, metric: Metric) -> pd.DataFrame:
        """Rows of the iterations that a metric is about: of those it chooses the ones whose series ran together."""
        return self._together(metric)[0]

    def per_iteration(self, metric: Metric) -> pd.DataFrame:
        """What the series did together in each of these iterations (`pipeline.analyse.window.per_iteration`)."""
        return self._together(metric)[1]

    def _together(self, metric: Metric) -> tuple[pd.DataFrame, pd.DataFrame]:
        key = _key(metric)
        if key not in self._selected:
            self._selected[key] = together(self.chosen(metric))
        return self._selected[key]

    def chosen(self, metric: Metric, series: str | None = None, trim: bool = True) -> pd.DataFrame:
        """Rows of iterations that a metric's series, phase, `later_half` and `last` choose; `series` replaces its."""
        series = metric.series if series is None else series
        rows = self.iterations
        rows = rows[globbed(rows["phase"], metric.phase) & globbed(rows["series"], series)]
        measured = rows["phase"] == PHASE
        if trim and measured.any():
            first = rows["trial"].map(self.steadiness(metric.operations or series)["first"])
            rows = rows[~measured | (rows["iteration"] >= first)]
        if metric.later_half:
            rows = rows[rows["iteration"] >= rows["trial"].map(_halfway(rows))]
        if metric.last is not None:
            from_end = rows.groupby(["trial", "phase", "series"], observed=True).cumcount(ascending=False)
            rows = rows[from_end < metric.last]
        return rows

    def merged(self, metric: Metric) -> dict[int, Counts]:
        """By trial: the sum of the selected histograms."""
        self.merge([metric])
        return self._merged[_key(metric)]

    def merge(self, several: Iterable[Metric]) -> None:
        """Have the histograms that these metrics are about merged, in one pass: of a table of many buckets reading
        takes longer than adding up."""
        new = {key: metric for metric in several if (key := _key(metric)) not in self._merged}
        merged: list[dict[int, Counts]] = [{} for _ in new]
        if new:
            for place, buckets in self.tables.buckets.of_each([self._rows(metric) for metric in new.values()]):
                merged[place] |= histograms.by_trial(buckets, self._names)
        self._merged |= dict(zip(new, merged, strict=True))

    def single(self, metric: Metric) -> dict[tuple[int, int], Counts]:
        """By trial and iteration: the sum of the selected histograms."""
        singles = {}
        for buckets in self._buckets(metric):
            trial = histograms.positions(buckets["trial"], self._names)
            each, owner = np.unique(numbers(buckets.assign(trial=trial)), return_inverse=True)
            for one, counts in histograms.by_owner(buckets, owner).items():
                singles[int(each[one] >> 32), int(each[one] & 0xFFFFFFFF) - 1] = counts
        return singles

    def apart(self, metric: Metric) -> tuple[pd.DataFrame, list[Counts]]:
        """The selected rows of iterations, and the histogram of each; without a bucket it is empty."""
        rows = self.selected(metric)
        series = pd.Index(rows["series"].astype(str).unique())
        places = numbers(rows) * len(series) + histograms.positions(rows["series"], series)
        order, found = np.argsort(places, kind="stable"), [histograms.NONE] * len(rows)
        for buckets in self._buckets(metric):
            trial = histograms.positions(buckets["trial"], self._names)
            here = numbers(buckets.assign(trial=trial)) * len(series) + histograms.positions(buckets["series"], series)
            for row, counts in histograms.by_owner(buckets, order[np.searchsorted(places, here, sorter=order)]).items():
                found[row] = counts
        return rows, found

    @cached_property
    def _names(self) -> pd.Index:
        return pd.Index(self.table["trial"])

    def _buckets(self, metric: Metric) -> Iterator[pd.DataFrame]:
        return self.tables.buckets.of(self._rows(metric))

    def _rows(self, metric: Metric) -> pd.DataFrame:
        """`selected`, with the trials' names."""
        rows = self.selected(metric)
        return rows.assign(trial=self._names.take(rows["trial"]))


def _key(metric: Metric) -> tuple:
    """What of a metric decides which rows it is about."""
    return metric.series, metric.operations, metric.phase, metric.later_half, metric.last


def _halfway(rows: pd.DataFrame) -> pd.Series:
    """By trial: the first iteration of the later half of its phases, which follow one another."""
    first = rows.groupby(["trial", "phase"], observed=True)["iteration"].min()
    return first.groupby(level="trial").agg(lambda phases: np.sort(phases)[len(phases) // 2])


def globbed(column: pd.Series, pattern: str) -> np.ndarray:
    """Which rows match a glob; each distinct value is tried once."""
    return column.isin([value for value in column.unique() if fnmatchcase(str(value), pattern)]).to_numpy()


def numbers(rows: pd.DataFrame) -> np.ndarray:
    """One number per trial and iteration."""
    return rows["trial"].to_numpy(np.int64) << 32 | rows["iteration"].to_numpy(np.int64) + 1
