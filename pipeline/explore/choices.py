"""What there is to choose from in one experiment of one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import pandas as pd

from pipeline.analyse.estimates import select
from pipeline.analyse.trials import globbed
from pipeline.draw import style
from pipeline.explore.state import HEIGHTS, UNITS, VIEWS, State
from pipeline.ground.errors import LabError
from pipeline.session.session import Session

FIRST = 5  # variants that are shown before any is chosen


class Choices:
    """metrics, variants, runtimes: name -> label. axes: axis -> its values, None where a variant has it not set.
    series, phases: globs and names of the histograms."""

    def __init__(self, lab: Session) -> None:
        self.lab = lab
        trials, declared = lab.tables.measured, lab.entry.metrics
        measured = set(lab.metrics["metric"])
        self.metrics = {name: one.label for name, one in declared.items() if name in measured}
        self.variants = lab.labels(sorted(trials["variant"].unique()))
        self.runtimes = style.labels(None, trials["runtime"])
        self.axes = {axis: self._values(trials[axis], kind) for axis, kind in lab.entry.axes.items()}
        rows = lab.tables.iterations
        rows = self._samples = rows[(rows["phase"] != "warmup") & (rows["samples"] > 0)]
        globs = [one.series for one in declared.values() if one.percentile is not None and not one.where]
        globs += [
            one.series for name, one in declared.items() if name in measured and one.kind in ("cost", "rate", "mean")
        ]
        self.series = list(dict.fromkeys([*globs, *sorted(rows["series"].astype(str).unique()), "*"]))
        self.phases = list(dict.fromkeys([*sorted(rows["phase"].astype(str).unique(), key=_measured_first), "*"]))

    @cached_property
    def default(self) -> State:
        """The first headline's metric whose trials have samples, of the first variants that have it, at the place
        where most were measured."""
        headlines = [one for one in self.lab.entry.headlines if one.metric in self.metrics]
        found = [self._of(one.metric, one.where) for one in headlines] or [self._of(one, {}) for one in self.metrics]
        return next((state for state, sampled in found if sampled), found[0][0] if found else State())

    def _of(self, metric: str, where: Mapping[str, Any]) -> tuple[State, bool]:
        """A state that shows a metric of what `where` selects, and whether there are samples of it."""
        kinds, rows = self.lab.entry.axes, self.lab.metrics
        rows = rows[rows["metric"] == metric]
        named = select(rows, self.lab.data().scoped(where))
        rows, axes = named if len(named) else rows, {}
        for axis in self.axes:
            counts = {value: len(select(rows, {axis: value})) for value in self._values(rows[axis], kinds[axis])}
            axes[axis] = max(counts, key=counts.get)
            rows = select(rows, {axis: axes[axis]})
        present = set(rows["variant"])
        variants = tuple([name for name in self.variants if name in present][:FIRST])
        values = {axis: self._along(metric, variants, axes, axis) for axis, kind in kinds.items() if kind == "int"}
        by = max(values, key=values.get, default="")
        by = by if values.get(by, 0) > 1 else ""
        series, phase, sampled = self._sampled(rows[rows["variant"].isin(variants)]["trial"])
        state = State(metric=metric, variants=variants, runtimes=tuple(self.runtimes), axes=axes, by=by)
        return replace(state, series=series, phase=phase), sampled

    def _along(self, metric: str, variants: tuple[str, ...], axes: Mapping[str, Any], axis: str) -> int:
        """How many values an axis has where these variants are measured at these values of the others."""
        others = {name: value for name, value in axes.items() if name != axis}
        rows = select(self.lab.metrics, {"metric": metric, "variant": list(variants)} | others)
        return rows[axis].dropna().nunique()

    def _sampled(self, trials: pd.Series) -> tuple[str, str, bool]:
        """The first series and phase that these trials have samples of; all where they have none."""
        rows = self._samples[self._samples["trial"].isin(trials)]
        series = next((one for one in self.series if globbed(rows["series"], one).any()), "*")
        phases = set(rows["phase"][globbed(rows["series"], series)])
        return series, next((one for one in self.phases if one in phases), "*"), len(rows) > 0

    def fitting(self, state: State) -> State:
        """A state of another experiment or run with what there is not replaced by the default."""
        default = self.default
        axes = {axis: value for axis, value in state.axes.items() if value in self.axes.get(axis, ())}
        kept = replace(
            state,
            variants=tuple(one for one in state.variants if one in self.variants) or default.variants,
            runtimes=tuple(one for one in state.runtimes if one in self.runtimes) or default.runtimes,
            axes=axes if set(state.axes) <= set(self.axes) else default.axes,
            trial=state.trial if state.trial in set(self.lab.tables.trials["trial"]) else "",
        )
        kept = kept if kept.metric in self.metrics else replace(kept, metric=default.metric, by=default.by)
        kept = kept if kept.by in ("", *self.axes) else replace(kept, by=default.by)
        kept = kept if kept.series in self.series else replace(kept, series=default.series)
        return kept if kept.phase in self.phases else replace(kept, phase=default.phase)

    def checked(self, state: State) -> State:
        """The state as it is; LabError names what in it there is not."""
        words: Mapping[str, tuple[Any, Any]] = {
            "view": ([state.view], VIEWS),
            "metric": ([state.metric], self.metrics or [""]),
            "variant": (state.variants, self.variants),
            "runtime": (state.runtimes, self.runtimes),
            "axis": ([*state.axes, *([state.by] if state.by else [])], self.axes),
            "unit": ([state.unit], UNITS),
            "height": ([state.height], HEIGHTS),
            "trial": ([state.trial] if state.trial else [], set(self.lab.tables.trials["trial"])),
        }
        for name, (given, there) in words.items():
            if missing := [one for one in given if one not in there]:
                told = f"; there are: {', '.join(map(str, there))}" if len(there) < 50 else ""
                raise LabError(f"state: there is no {name} {missing[0]!r}{told}")
        for axis, value in state.axes.items():
            if value not in self.axes[axis]:
                raise LabError(f"state: {axis} was not measured at {value!r}; there are: {self.axes[axis]}")
        return state

    @staticmethod
    def _values(column: pd.Series, kind: str) -> list[Any]:
        found = sorted(column.dropna().unique().tolist())
        plain = [int(value) for value in found] if kind == "int" else found
        return [*plain, *([None] if column.isna().any() else [])]


def _measured_first(phase: str) -> tuple[bool, str]:
    return phase != "measured", phase
