"""The figures that a notebook shows: each kind drawn from the session's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from pipeline.analyse.bins import bins, width
from pipeline.analyse.lines import curves
from pipeline.analyse.over_time import over_time as percentiles_over_time
from pipeline.analyse.timeline import Course
from pipeline.catalogue.placement import AXIS, NEAR, SPREAD
from pipeline.catalogue.selectors import runtime_label
from pipeline.draw.agreement import agreement
from pipeline.draw.bars import levels
from pipeline.draw.figure import Figure
from pipeline.draw.fit import line_fit
from pipeline.draw.histogram import histogram
from pipeline.draw.marks import Nothing
from pipeline.draw.matrix import matrix
from pipeline.draw.over_time import over_time
from pipeline.draw.percentile import percentile_curve
from pipeline.draw.ratios import drawable, paired_ratios
from pipeline.draw.response import response_curve
from pipeline.draw.scaling import scaling_curve
from pipeline.draw.stacked import stacked
from pipeline.draw.timeline import timeline
from pipeline.hdr.histograms import by_trial
from pipeline.hdr.merge import merge
from pipeline.host.topology import Topology
from pipeline.session import captions
from pipeline.session.titled import Titled, metric_names, or_said
from pipeline.session.two_threads import by_distance
from pipeline.words.numbers import about, counted

HISTOGRAM_BINS = 120
GROUPS = ("package", "node", "cache")  # of CPUs, the widest first


class TitledFigure(Titled):
    """Each kind of figure: a method draws it and shows it with the caption's words about its marks.

    `rows` are the metrics and the estimates of a selection (`Session.chosen`). Where nothing of them can be drawn, a
    sentence is returned that says so, and what the plan left out on that host. Variants have the catalogue's labels,
    order and looks unless `how` says otherwise, which is what else the kind takes (`pipeline.draw`).
    """

    @or_said
    def scaling(
        self, name: str, metric: str, label: str, rows: Iterable[pd.DataFrame], /, *, axis: str = "threads", **how: Any
    ) -> Figure:
        """A metric by an axis, whose label is its name unless `how` has an axis_label; by threads, more of them than
        the measured host has CPUs are shaded, and where they take the CPUs in their order, lines show where the next
        cache or package begins. Points that differ in another axis are not joined (`others` of the kind)."""
        metrics, estimates = rows
        if self.unmeasured(metrics, metric):
            raise Nothing(self.lab.nothing)
        points = metrics[metrics["metric"] == metric]
        cpus = (self.lab.cpus or None) if axis == "threads" else None
        steps = self.lab.steps if cpus and self._spread(points) else []
        others = {one: f"{one.replace('_', ' ')} {{}}" for one in self.lab.entry.axes if one != axis}
        how = {"variants": self.lab.labels(), "axis_label": axis.capitalize(), "cpus": cpus, "steps": steps} | how
        how["others"] = others | how.get("others", {})
        drawn = scaling_curve(metrics, estimates, name=name, metric=metric, label=label, axis=axis, **how)
        return self.show(drawn, _of(estimates, metric), captions.curves(points, axis, **how))

    @or_said
    def levels(
        self, name: str, metric: str | Iterable[str], label: str, rows: Iterable[pd.DataFrame], /, **how: Any
    ) -> Figure:
        """A metric's level: a row per variant, a mark per runtime."""
        metrics, estimates = rows
        if self.unmeasured(metrics, metric):
            raise Nothing(self.lab.nothing)
        how = {"names": self.lab.labels()} | how
        drawn = levels(metrics, estimates, name=name, metric=metric, label=label, **how)
        return self.show(drawn, _of(estimates, metric), captions.TRIALS)

    @or_said
    def by_distance(self, name: str, metric: str, label: str, /, **where: Any) -> Figure | str:
        """A metric of two threads by how far apart their CPUs are: a panel for each distance, near ones first, a row
        per variant, a mark per runtime. A sentence in its place where the run has one distance only."""
        metrics, estimates, headings = by_distance(self.lab, metric=metric, **where)
        if metrics.empty:
            raise Nothing(self.lab.nothing)
        if len(headings) < 2:
            return f"{self.title}: measured at one distance here, {next(iter(headings.values()))}."
        how = {"names": self.lab.labels(), "across": "apart", "headings": headings}
        drawn = levels(metrics, estimates, name=name, metric=metric, label=label, log=True, **how)
        return self.show(drawn, estimates, captions.TRIALS)

    @or_said
    def percentiles(
        self, name: str, series: str, label: str, trials: pd.DataFrame, /, *, phase: str = "*", **how: Any
    ) -> Figure:
        """The percentiles of the measured histograms of the series and phases that match, over these trials together;
        `phase` leaves out a first pass, which is warm-up under a name of its own."""
        if trials.empty:
            raise Nothing(self.lab.nothing)
        how = {"names": self.lab.labels()} | how
        buckets = self.lab.measured_buckets(series, phase)
        return self.show(percentile_curve(buckets, trials, name=name, label=label, **how), marks=captions.TOGETHER)

    @or_said
    def over_time(self, name: str, label: str, trials: pd.DataFrame, panels: Mapping[str, str], /) -> Figure:
        """Percentiles over the time of these trials' sessions. panels: trial -> the heading under which it is drawn."""
        if trials.empty:
            raise Nothing(self.lab.nothing)
        rows = percentiles_over_time(self.lab.tables, trials.assign(variant=trials["trial"].map(panels), runtime=""))
        order = list(dict.fromkeys(panels.values()))
        rows = rows.rename(columns={"variant": "panel"})
        return self.show(over_time(rows, name=name, label=label, order=order), marks=captions.WINDOWS)

    @or_said
    def bins(self, name: str, label: str, trials: pd.DataFrame, panels: Mapping[str, str], /, **how: Any) -> Figure:
        """How the values of these trials are distributed, a line for each runtime. panels: trial -> its heading."""
        placed = trials.assign(panel=trials["trial"].map(panels))
        groups = placed.groupby(["panel", "runtime"], sort=False).ngroup().to_numpy()
        held = by_trial(self.lab.measured_buckets(), pd.Index(placed["trial"]))
        merged = {}
        for group in dict.fromkeys(groups.tolist()):
            several = [counts for at, counts in held.items() if groups[at] == group]
            if several:
                merged[group] = merge(several)
        if not any(counts.total for counts in merged.values()):
            raise Nothing(self.lab.nothing)
        step = width(merged, HISTOGRAM_BINS)
        told = placed.assign(group=groups).drop_duplicates("group").set_index("group")
        rows = [
            bins(counts, step).assign(panel=told.at[group, "panel"], series=told.at[group, "runtime"])
            for group, counts in merged.items()
        ]
        return self.show(
            histogram(pd.concat(rows), name=name, label=label, **how), marks=captions.BINNED.format(_wide(step))
        )

    @or_said
    def histograms(self, name: str, label: str, rows: Iterable[pd.DataFrame], /, **how: Any) -> Figure:
        """The percentiles of several histograms of one configuration, each under the name that `rows` have in place of
        the variant (`Session.overlay_histograms`, `Pauses.tails`)."""
        buckets, trials = rows
        if trials.empty:
            raise Nothing(self.lab.nothing)
        how = {"names": list(dict.fromkeys(trials["variant"]))} | how
        return self.show(percentile_curve(buckets, trials, name=name, label=label, **how), marks=captions.TOGETHER)

    @or_said
    def response(
        self, name: str, metric: str | list[str], label: str, rows: Iterable[pd.DataFrame], /, **how: Any
    ) -> Figure:
        """One metric, or a middle and a tail, by the load or by another metric, whose label and unit are the
        catalogue's unless `how` has others."""
        metrics, estimates = rows
        placed = how.get("x", "load")  # an axis, or another metric
        if self.unmeasured(metrics, metric_names(metric) | ({placed} & {*self.lab.entry.metrics})):
            raise Nothing(self.lab.nothing)
        if placed in self.lab.entry.metrics:
            along = self.lab.entry.metrics[placed]
            how = {"x_label": along.label, "x_unit": along.unit} | how
        how = how | {"names": {"variant": self.lab.labels()} | how.get("names", {})}
        drawn = response_curve(metrics, estimates, name=name, metric=metric, label=label, **how)
        return self.show(drawn, _of(estimates, metric), captions.TRIALS)

    @or_said
    def agreement(self, name: str, label: str, rows: pd.DataFrame, /, **how: Any) -> Figure:
        """Predicted and measured, of rows as `pipeline.analyse.response.per_trial` gives them."""
        if rows.empty:
            raise Nothing(self.lab.nothing)
        how = {"names": self.lab.labels(), "unit": "ns"} | how
        return self.show(agreement(rows, name=name, label=label, **how), marks=captions.CLOUD)

    @or_said
    def stacked(self, name: str, label: str, rows: pd.DataFrame, /, **how: Any) -> Figure:
        """What a quantity is made of: label, part, value; `parts` names the parts in their order."""
        if rows.empty:
            raise Nothing(self.lab.nothing)
        if how.get("panels") == "runtime":
            how = {"headings": {one: runtime_label(one) for one in sorted(set(rows["runtime"]))}} | how
        return self.show(stacked(rows, name=name, label=label, **{"unit": "ns"} | how), marks=captions.BARS)

    @or_said
    def line(
        self, name: str, label: str, metrics: pd.DataFrame, *, x: str, x_label: str, unit: str, x_unit: str = "bytes"
    ) -> Figure:
        """A value in ns by a size in bytes, or by another value in ns, with the fitted line of each variant and
        runtime."""
        if metrics.empty:
            raise Nothing(self.lab.nothing)
        curve, fitted = curves(self.lab.counted(metrics), x, self.lab.seed, x_unit)  # as `Display.fits` tells them
        how = {"x_label": x_label, "x_unit": x_unit, "names": self.lab.labels()}
        drawn = line_fit(metrics, curve, fitted, name=name, x=x, unit=unit, label=label, **how)
        return self.show(drawn, marks=captions.lines(metrics, curve, x_unit, how["names"]))

    @or_said
    def timeline(self, name: str, label: str, went: Course, /, *, unit: str, **how: Any) -> Figure:
        """A configuration's iterations in order, one trial in full, with what the runtime did meanwhile."""
        if went.iterations.empty:
            raise Nothing(self.lab.nothing)
        trial = {"trials": went.trials, "representative": went.shown, "events": went.events, "levels": went.levels}
        drawn = timeline(went.iterations, name=name, unit=unit, label=label, **trial, **how)
        others = f" Faint: the other {counted(len(went.trials) - 1, 'trial')}." if len(went.trials) > 1 else ""
        median = self.lab.entry.metrics[went.metric].label
        return self.show(drawn, marks=captions.COURSE.format(median=f"{median[:1].lower()}{median[1:]}") + others)

    @or_said
    def matrix(
        self, name: str, label: str, estimates: pd.DataFrame, /, *, places: Topology | None = None, **how: Any
    ) -> Figure:
        """The estimates of one metric by two columns. places: where they are CPUs, where these lie (`Session.places`):
        lines show where the next package, node and last-level cache begin."""
        if estimates.empty:
            raise Nothing(self.lab.nothing)
        unit = estimates["unit"].iloc[0]
        if places is not None:
            found = {fact: {cpu: getattr(place, fact) for cpu, place in places.at.items()} for fact in GROUPS}
            how = {"groups": {f"next {fact}": groups for fact, groups in found.items()}} | how
        drawn = matrix(estimates, name=name, value="estimate", unit=unit, label=label, **how)
        return self.show(drawn, estimates, captions.CELLS)

    @or_said
    def ratios(self, name: str, label: str, rows: Iterable[pd.DataFrame], /, **how: Any) -> Figure:
        """Ratios paired by block; `rows` as `Session.ratios` and `Session.ratio_panels` give them. One of which a side
        is 0 has no place on their axis, and the caption names it."""
        ratios, points = rows
        kept = ratios[drawable(ratios["estimate"])] if len(ratios) else ratios
        if kept.empty:
            raise Nothing(self.lab.nothing)
        points = points[drawable(points["value"])]
        drawn = paired_ratios(kept, points=points, name=name, label=label, **how)
        return self.show(drawn, kept, captions.PAIRED + captions.without_place(ratios.drop(kept.index)))

    def _spread(self, points: pd.DataFrame) -> bool:
        """Whether threads took the CPUs in the host's order; those of people's own programs take what they like."""
        usual = self.lab.entry.parameters.get(AXIS, SPREAD)
        placed = points[AXIS].fillna(usual) if AXIS in points else [usual]
        return not self.lab.entry.imported and set(placed) <= {SPREAD, NEAR}


def _wide(step: float) -> str:
    return f"{about(100 * (10**step - 1))} % of its value"


def _of(estimates: pd.DataFrame, metric: str | Iterable[str]) -> pd.DataFrame:
    """Of the estimates of a selection those that are drawn."""
    return estimates[estimates["metric"].isin(metric_names(metric))] if len(estimates) else estimates
