"""What a notebook computes with: one experiment of one run, from its trials to estimates and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import pandas as pd

from pipeline import paths
from pipeline.analyse import (
    batches,
    by_trial,
    estimates,
    metrics,
    overlay,
    passes,
    precision,
    rates,
    resampled,
    response,
    timeline,
    turns,
)
from pipeline.analyse import verdicts as claims
from pipeline.analyse.resampled import Words
from pipeline.analyse.selection import Data
from pipeline.analyse.source import Source
from pipeline.analyse.timeline import Course
from pipeline.analyse.trials import globbed
from pipeline.analyse.withheld import withheld
from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.draw import published, style
from pipeline.hdr import histograms
from pipeline.host import fingerprint
from pipeline.host import runtimes as installed
from pipeline.ingest import ingest
from pipeline.ingest.tables import Tables
from pipeline.measure.run import measure
from pipeline.plan import plan
from pipeline.session.ratios import Pairs, paired


class Session:
    """One experiment of one run.

    `variants` and `runtimes` (empty: all), `axes` (axis -> values) and `parameters` (harness parameter -> value)
    narrow or change the profile's sweep. With `measuring` off an incomplete run is reported as it stands.
    """

    def __init__(
        self,
        experiment: str,
        run: str = "quick",
        profile: str = "quick",
        variants: list[str] | None = None,
        runtimes: list[str] | None = None,
        axes: dict[str, list] | None = None,
        parameters: dict | None = None,
        measuring: bool = True,
    ) -> None:
        self.entry = catalogue.experiment(experiment)
        plan.profile_of(self.entry, profile)
        if not measuring or run == paths.REFERENCE:
            self.bundle = Bundle.open(run)
            return
        overrides = plan.Overrides(
            tuple(variants or ()),
            tuple(runtimes or ()),
            {name: tuple(values) for name, values in (axes or {}).items() if values},
            dict(parameters or {}),
        )
        planned = plan.make(self.entry, profile, installed.all_runtimes(), overrides)
        self.bundle = measure(run, [planned], precision.widest)

    @property
    def run(self) -> str:
        return self.bundle.name

    @property
    def cpus(self) -> int:
        """CPUs of the host that was measured."""
        return int(self.bundle.info["host"]["cpu"]["cpus"])

    @property
    def seed(self) -> int:
        """Seeds the bootstraps of models, so that the same bundle gives the same intervals."""
        return int(self.bundle.info["seed"])

    @property
    def provenance(self) -> dict[str, str]:
        """What a figure's footer and JSON say about where it comes from."""
        info = self.bundle.info
        return {
            "run": info["name"],
            "host": fingerprint.sentence(info["host"]),
            "date": info["created"][:10],
            "profile": info["profile"],
            "git": info["git"],
        }

    @cached_property
    def clock(self) -> float:
        """What one clock reading cost, in nanoseconds: the median over the trials, each of which measures it."""
        measures = self.tables.measures
        return float(measures.loc[measures["name"] == "clock_read", "value"].median())

    @cached_property
    def tables(self) -> Tables:
        """The tidy tables, ingested from the raw files."""
        return ingest.ingest(self.bundle, self.entry)

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """One number per trial and metric."""
        return metrics.compute(self.entry, self.tables)

    @cached_property
    def apart(self) -> pd.DataFrame:
        """The trials that yield no rate, for their threads did not run together (`pipeline.analyse.window`)."""
        return rates.apart(self.entry, self.tables)

    @cached_property
    def withheld(self) -> pd.DataFrame:
        """Metrics that some configurations have too few samples for (`pipeline.analyse.withheld`)."""
        return withheld(self.entry, self.tables)

    @cached_property
    def estimates(self) -> pd.DataFrame:
        """Median over trials with its interval and the interval's level, per configuration and metric."""
        return estimates.compute(self.entry, self.metrics)

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """The experiment's published claims, each with its verdict here."""
        return claims.verdicts(self.entry, self.tables, self.metrics, self.cpus)

    @cached_property
    def published(self) -> dict[str, pd.DataFrame]:
        """The posts' numbers by file name, as in data/published."""
        return {file: pd.read_csv(paths.published() / file) for file in self.entry.published}

    def overlay(self, file: str, **how) -> pd.DataFrame:
        """Published values under our variants' names, as figures take them (`pipeline.draw.published.overlay`)."""
        return published.overlay(self.published[file], self.entry.published[file], **how)

    @property
    def jdks(self) -> list[str]:
        """The JDKs of this run, oldest first."""
        return sorted(name for name in set(self.tables.trials["runtime"]) if name.startswith("jdk"))

    def labels(self, variants: list[str] | None = None) -> dict[str, str]:
        """Variant -> label; all or some. The order of all fixes a variant's looks in every figure of the experiment."""
        every = style.variants(self.entry)
        return every if variants is None else {name: label for name, label in every.items() if name in variants}

    def wide(self, *names: str) -> pd.DataFrame:
        """One row per trial that has all these metrics, a column each, beside variant, runtime, axes and block."""
        return by_trial.wide(self.metrics, list(self.entry.axes), names)

    def twins(self, rows: pd.DataFrame, metric: str, twin: Mapping[str, str]) -> pd.Series:
        """For each trial the metric of another variant, its twin, in the same block (`pipeline.analyse.by_trial`)."""
        return by_trial.twins(self.metrics, list(self.entry.axes), rows, metric, twin)

    def course(self, metric: str, methods: tuple[str, ...], /, **where) -> Course:
        """How the trials of a configuration went in time, events of methods that end so beside them
        (`pipeline.analyse.timeline`)."""
        return timeline.course(self.tables, self.metrics, self.chosen_trials(**where), metric, methods)

    def turns(self, cost: str, run_length: str) -> pd.DataFrame:
        """Cost per operation, run length and number of runs of every iteration (pipeline.analyse.turns)."""
        return turns.turns(self.entry, self.tables, cost, run_length)

    def responses(self, **names: str) -> pd.DataFrame:
        """What models of queues take, a row per measured iteration: the words of `pipeline.analyse.response` and the
        metrics that they are here."""
        return response.responses(self.entry, self.tables, names)

    def by_pass(
        self, series: str, metric: str, /, *, size: float, unit: str, **where
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The rate of each pass of the trials of a selection, as metrics and estimates (`pipeline.analyse.passes`)."""
        return passes.rates(self.tables.iterations, self.chosen_trials(**where), series, metric, size=size, unit=unit)

    def resampled(self, name: str, chosen: pd.DataFrame, words: Words, **how) -> pd.DataFrame:
        """Curves of a percentile by load, predicted from measured service times (`pipeline.analyse.resampled`)."""
        return resampled.curves(self.entry, self.tables, chosen, name, words, seed=self.seed, **how)

    def resampled_trials(self, chosen: pd.DataFrame, words: Words, keys: Iterable[str]) -> pd.DataFrame:
        """The same beside what was measured, for each trial at its own rate."""
        return resampled.per_trial(self.entry, self.tables, chosen, words, list(keys), seed=self.seed)

    def batches(self, **where) -> pd.DataFrame:
        """Sums of the consumers' batches of the measured trials of a selection (`pipeline.analyse.batches`)."""
        return batches.sums(self.tables, self.chosen_trials(**where))

    def overlay_histograms(self, series: Mapping[str, str], **where) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Buckets and trials of several histograms of the selected trials, each as a variant (`analyse.overlay`)."""
        return overlay.overlay(self.entry, self.tables, self.chosen_trials(**where), series)

    def swept(self, axis: str) -> list[str]:
        """Variants measured at more than half of the values that an axis has in this run, in the catalogue's order."""
        trials = self.tables.measured
        counts = trials.groupby("variant")[axis].nunique()
        return [name for name in self.entry.variants if counts.get(name, 0) > trials[axis].nunique() / 2]

    def chosen(self, **where) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The metrics and the estimates of a selection, in the order in which figures take them."""
        return estimates.select(self.metrics, where), estimates.select(self.estimates, where)

    def chosen_trials(self, **where) -> pd.DataFrame:
        """The measured trials of a selection."""
        return estimates.select(self.tables.measured, where)

    def measured_buckets(self, series: str = "*", phase: str = "*") -> pd.DataFrame:
        """Histogram buckets of the measured iterations (warm-up left out) of the series and phases that match."""
        rows = self.tables.iterations[self.tables.iterations["phase"] != "warmup"]
        rows = rows[globbed(rows["series"], series) & globbed(rows["phase"], phase)]
        return self.tables.buckets[histograms.within(self.tables.buckets, rows)]

    def ratios(self, metric: str, pairs: Pairs, /, **where) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Ratios of variants by label and runtime, paired by block: the estimates and every block's ratio
        (`pipeline.session.ratios.paired`)."""
        runtimes = [where["runtime"]] if "runtime" in where else sorted(set(self.tables.trials["runtime"]))
        return paired(self.data, runtimes, metric, pairs, where)

    def data(self, runtime: str | None = None) -> Data:
        """What effects are computed from, on one runtime or on those that a selection names."""
        return Data(self.entry, self.tables, self.metrics, runtime, self.cpus)

    def source(self, row: Mapping[str, Any]) -> Source:
        """What a row of `estimates` rests on."""
        axes = {axis: row[axis] for axis in self.entry.axes if axis in row and pd.notna(row[axis])}
        axes = {axis: int(value) if self.entry.axes[axis] == "int" else value for axis, value in axes.items()}
        selection = {"metric": row["metric"], "variant": row["variant"], "runtime": row["runtime"]} | axes
        return Source("level", (selection,), int(row["trials"]), int(row["blocks"]))

    def ratio_panels(
        self, groups: Iterable[tuple[str, str, Pairs, Mapping[str, Any]]]
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """`ratios` of several groups (heading, metric, pairs, where) as one figure's panels: column `panel`.

        A heading may come more than once: its groups share the panel.
        """
        found = [
            [part.assign(panel=heading) for part in self.ratios(metric, pairs, **where)]
            for heading, metric, pairs, where in groups
        ]
        return tuple(pd.concat(side, ignore_index=True) for side in zip(*found, strict=True))

    def level(self, metric: str, **where) -> pd.Series:
        """The estimate of a metric by (variant, runtime), for the configurations that `where` selects."""
        rows = estimates.select(self.estimates, {"metric": metric} | where)
        return rows.set_index(["variant", "runtime"])["estimate"]

    def beside(self, rows: pd.DataFrame, metric: str, **where) -> pd.Series:
        """For each row the estimate that `level` has for its variant and runtime; NaN where it has none."""
        keys = rows.set_index(["variant", "runtime"]).index
        return pd.Series(self.level(metric, **where).reindex(keys).to_numpy(), index=rows.index)

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

    @property
    def left_out(self) -> list[str]:
        """What the plan left out on the host that was measured, in sentences (`pipeline.plan.left_out`)."""
        line = journal.planned(self.bundle.journal(), self.entry.name) or {}
        return line.get("left_out", [])

    def counted(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Of measured trials those that estimates use (`estimates.admissible`), by configuration; other rows all."""
        return estimates.counted(frame, ["variant", "runtime", *self.entry.axes])
