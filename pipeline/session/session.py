"""What a notebook computes with: of one experiment of one run what it compares and adds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import pandas as pd
from hdrh.histogram import HdrHistogram

from pipeline.analyse import by_trial, estimates, histogram_selection, overlay, passes, timeline
from pipeline.analyse.blocks import shared
from pipeline.analyse.selection import Data, Missing
from pipeline.analyse.source import Source
from pipeline.analyse.timeline import Course
from pipeline.analyse.trials import PHASE, Trials, globbed
from pipeline.catalogue.metric import Metric
from pipeline.hdr import library
from pipeline.hdr.merge import merge
from pipeline.models.fit import Fit
from pipeline.models.linear import fit_line
from pipeline.session.choices import Choices
from pipeline.session.ratios import Group, Pairs, Side, paired, selected
from pipeline.words.comparisons import LEVELS, Way


class Session(Choices):
    """`where` is column -> value, list of values, or None for an axis that is not set."""

    _data: Data | None = None

    def measured_buckets(self, series: str = "*", phase: str = "*") -> pd.DataFrame:
        """Histogram buckets of the measured iterations of the series and phases that match, merged by trial: rows of
        `trial_buckets`, without warm-up and what was made again because something was compiled."""
        rows = self.tables.trial_buckets
        return rows[globbed(rows["series"], series) & globbed(rows["phase"], phase)]

    def overlay_histograms(self, series: Mapping[str, str], **where) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Buckets and trials of several histograms of the selected trials, each as a variant (`analyse.overlay`)."""
        return overlay.overlay(self.entry, self.tables, self.chosen_trials(**where), series)

    def histogram(self, *, series: str = "", phase: str = PHASE, **where) -> HdrHistogram:
        """The values that the trials of a selection recorded, merged, in nanoseconds, as a histogram of the library
        hdrhistogram: of the iterations that metrics are computed from, measured and steady.

        `where` as of `chosen`: a metric says which of several series is meant. `series` and `phase` (globs) choose
        what no metric is of. Each bucket has the count that it has here; the library's percentiles are its own: for
        the 94th of the values 1 to 10 it says 9, the pages and Java say 10. Of a `corrected` metric it holds what was
        recorded. LabError when nothing is selected, or series that do not mix.
        """
        trials, metrics = self.recorded(series, phase, where)
        return library.histogram(merge(trials.merged(histogram_selection.only(trials, metrics)).values()))

    def recorded(self, series: str, phase: str, where: Mapping[str, Any]) -> tuple[Trials, dict[str, Metric]]:
        """The trials of a selection, and the choices of histograms that it leaves
        (`pipeline.analyse.histogram_selection`)."""
        where = dict(where)
        names = where.pop("metric", [])
        names = [names] if isinstance(names, str) else names
        trials = histogram_selection.narrowed(self.entry, self.tables, self.chosen_trials(**where))
        by_series = histogram_selection.of_series(self.entry, series, phase) if series else {}
        return trials, by_series or histogram_selection.metrics_of(self.entry, names)

    def wide(self, *names: str, **where) -> pd.DataFrame:
        """One row per trial of a selection that has all these metrics, a column each (`pipeline.analyse.by_trial`)."""
        return estimates.select(by_trial.wide(self.metrics, list(self.entry.axes), names), where)

    def twins(self, rows: pd.DataFrame, metric: str, twin: Mapping[str, str]) -> pd.Series:
        """For each trial the metric of another variant, its twin, in the same block (`pipeline.analyse.by_trial`)."""
        return by_trial.twins(self.metrics, list(self.entry.axes), rows, metric, twin)

    def level(self, metric: str, **where) -> pd.Series:
        """The estimate of a metric by (variant, runtime), for the configurations that `where` selects."""
        rows = estimates.select(self.estimates, {"metric": metric} | where)
        return rows.set_index(["variant", "runtime"])["estimate"]

    def beside(self, rows: pd.DataFrame, metric: str, **where) -> pd.Series:
        """For each row the estimate that `level` has for its variant and runtime; NaN where it has none."""
        keys = rows.set_index(["variant", "runtime"]).index
        return pd.Series(self.level(metric, **where).reindex(keys).to_numpy(), index=rows.index)

    @cached_property
    def told(self) -> list[tuple[list[str], list[Source]]]:
        """What the page's answer says (`findings`): each sentence whole, then ever shorter, and what it rests on."""
        return []

    @cached_property
    def derived(self) -> set[str]:
        """The names of the metrics that `derive` added."""
        return set()

    def derive(self, name: str, unit: str, values: pd.Series) -> None:
        """Add a metric computed from others, one value per trial (index: trial), with its estimates; it is known also
        where it has no value."""
        self.derived.add(name)
        rows = by_trial.derived(self.metrics, name, values)
        found = estimates.compute(self.entry, rows, {name: unit})
        known, measured = self.estimates, self.metrics
        self.metrics = pd.concat([measured[measured["metric"] != name], rows], ignore_index=True)
        self.estimates = pd.concat([known[known["metric"] != name], found], ignore_index=True)

    def bottleneck(self, metric: str, alone: Mapping[str, str], /, **where) -> dict[str, str]:
        """What an operation of a stream between two ends takes beyond the work of the slower end, which has at least
        half of both ends' work and at most all of it: derived metrics, in ns as `metric`, and the headings of all.

        alone: for each variant the one in which one thread does the work of both ends.
        """
        rows = self.wide(metric, variant=[*alone], **where)
        work = self.twins(rows, metric, alone)
        told = {"alone": "both ends' work, one thread", "transfer_least": "transfer, at least"}
        told |= {"transfer_most": "transfer, at most"}
        for name, values in zip(told, (work, rows[metric] - work, rows[metric] - work / 2), strict=True):
            self.derive(name, "ns", values)
        return {metric: "time per message"} | told

    def course(self, metric: str, methods: tuple[str, ...], /, **where) -> Course:
        """How the trials of a configuration went in time, events of methods that end so beside them
        (`pipeline.analyse.timeline`)."""
        return timeline.course(self.tables, self.metrics, self.chosen_trials(**where), metric, methods)

    def by_pass(
        self, series: str, metric: str, /, *, size: float, unit: str, **where
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The rate of each pass of the trials of a selection, as metrics and estimates (`pipeline.analyse.passes`)."""
        return passes.rates(self.tables.iterations, self.chosen_trials(**where), series, metric, size=size, unit=unit)

    def data(self, runtime: str | None = None) -> Data:
        """What effects are computed from, on one runtime or on those that a selection names."""
        if self._data is None or self._data.metrics is not self.metrics:
            self._data = Data(self.entry, self.tables, self.metrics, cpus=self.cpus)
        return self._data.on(runtime)

    def way(self, metric: str) -> Way:
        """The words in which ratios of a metric are said (`pipeline.words.comparisons`)."""
        known = self.entry.metrics.get(metric)
        return LEVELS if known is None else known.way

    def why_missing(self, *selections: Mapping[str, Any]) -> str:
        """Why there is no number of these configurations: trials have too few samples for it, or as the first runtime
        that has their variants says it; empty where none of this run has them."""
        for one in selections:
            lacking = estimates.select(self.withheld, {name: one[name] for name in one if name in self.withheld})
            if len(lacking):
                return str(lacking["why"].iloc[0])
        for runtime, trials in self.tables.trials.groupby("runtime", sort=True):
            if set(trials["variant"]) >= {one.get("variant") for one in selections}:
                try:
                    shared(self.data(runtime).alike(selections))
                except Missing as reason:
                    return str(reason)
        return ""

    def ratios(self, metric: str, pairs: Pairs, /, **where) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Ratios of variants by label and runtime, paired by block: the estimates and every block's ratio
        (`pipeline.session.ratios.paired`)."""
        runtimes = [where["runtime"]] if "runtime" in where else sorted(set(self.tables.trials["runtime"]))
        return paired(self.data, runtimes, metric, pairs, where)

    def over(self, variants: Mapping[str, Side], words: str = "{}") -> Pairs:
        """Pairs of each variant and what it is compared with; `words` name them, with its label in their `{}`."""
        labels = self.labels()
        return {words.format(labels[name]): (name, to) for name, to in variants.items()}

    def within(self, variants: Iterable[str], of: Mapping[str, Any], to: Mapping[str, Any]) -> Pairs:
        """Pairs of two selections within each variant, under its label."""
        labels = self.labels()
        return {labels[name]: ({"variant": name, **of}, {"variant": name, **to}) for name in variants}

    def in_one_state(
        self, state: str, groups: Iterable[Group], *, within: float, least: float
    ) -> tuple[list[Group], list[str]]:
        """Groups as of `ratio_panels` with the pairs whose sides, on all runtimes, have the metric `state` within a
        factor of each other, and the labels of those left out. Less than `least` counts as that much; a side without
        the metric is in no state that anybody knows, and its pair stays."""

        def agree(sides: Iterable[Side], where: Mapping[str, Any]) -> bool:
            each = ({"metric": state} | dict(where) | selected(side) for side in sides)
            found = pd.concat([estimates.select(self.estimates, one)["estimate"] for one in each]).clip(lower=least)
            return found.empty or bool(found.max() <= within * found.min())

        kept, left = [], []
        for heading, metric, pairs, where in groups:
            alike = {label: sides for label, sides in pairs.items() if agree(sides, where)}
            kept.append((heading, metric, alike, where))
            left += [label for label in pairs if label not in alike]
        return kept, left

    def ratio_panels(self, groups: Iterable[Group]) -> tuple[pd.DataFrame, pd.DataFrame]:
        """`ratios` of several groups (heading, metric, pairs, where) as one figure's panels: column `panel`.

        A heading may come more than once: its groups share the panel.
        """
        found = [
            [part.assign(panel=heading) for part in self.ratios(metric, pairs, **where)]
            for heading, metric, pairs, where in groups
        ]
        return tuple(pd.concat(side, ignore_index=True) for side in zip(*found, strict=True))

    def line(self, x: str) -> Callable[[pd.DataFrame], Fit]:
        """What `Display.fits` takes: the line a + b x of the column `value` (`pipeline.models.linear`)."""
        return lambda own: fit_line(own[x], own["value"], seed=self.seed)

    def source(self, row: Mapping[str, Any]) -> Source:
        """What a row of `estimates` rests on."""
        axes = {axis: row[axis] for axis in self.entry.axes if axis in row and pd.notna(row[axis])}
        axes = {axis: int(value) if self.entry.axes[axis] == "int" else value for axis, value in axes.items()}
        selection = {"metric": row["metric"], "variant": row["variant"], "runtime": row["runtime"]} | axes
        return Source("level", (selection,), int(row["trials"]), int(row["blocks"]))
