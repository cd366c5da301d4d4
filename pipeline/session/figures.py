"""The figures that a notebook shows: each kind drawn from the session's tables, under its title and origin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pipeline import paths
from pipeline.analyse.lines import curves
from pipeline.draw.bars import levels
from pipeline.draw.figure import Figure
from pipeline.draw.fit import line_fit
from pipeline.draw.percentile import percentile_curve
from pipeline.draw.ratios import paired_ratios
from pipeline.draw.scaling import scaling_curve
from pipeline.session.session import Session
from pipeline.words import LEVEL, percent

NOTHING = "Nothing of this figure was measured in this run."


@dataclass(frozen=True)
class Titled:
    """One figure to be: its title and caption are known, a method draws it, saves its set of files and returns it.

    `rows` are the metrics and the estimates of a selection (`Session.chosen`), and where they are empty a sentence is
    returned. Variants have the catalogue's labels, order and looks unless `how` says otherwise, which is what else the
    kind takes (`pipeline.draw`).
    """

    lab: Session
    title: str
    caption: str

    def show(self, figure: Figure, numbers: pd.DataFrame | None = None) -> Figure:
        """A figure of any kind; `numbers`: the estimates or ratios in it, of which the caption tells a lower level."""
        caption = " ".join(part for part in (self.caption, _shortfall(numbers)) if part)
        shown = figure.titled(self.title, caption, self.lab.provenance)
        shown.save(paths.figures(self.lab.run))
        return shown

    def scaling(
        self, name: str, metric: str, label: str, rows: Iterable[pd.DataFrame], /, *, axis: str = "threads", **how: Any
    ) -> Figure | str:
        """A metric by an axis; by threads, more of them than the measured host has CPUs are shaded."""
        metrics, estimates = rows
        if metrics.empty:
            return NOTHING
        how = {"variants": self.lab.labels(), "cpus": self.lab.cpus if axis == "threads" else None} | how
        drawn = scaling_curve(metrics, estimates, name=name, metric=metric, label=label, axis=axis, **how)
        return self.show(drawn, estimates)

    def levels(
        self, name: str, metric: str | Iterable[str], label: str, rows: Iterable[pd.DataFrame], /, **how: Any
    ) -> Figure | str:
        """A metric's level: a row per variant, a mark per runtime."""
        metrics, estimates = rows
        if metrics.empty:
            return NOTHING
        how = {"names": self.lab.labels()} | how
        return self.show(levels(metrics, estimates, name=name, metric=metric, label=label, **how), estimates)

    def percentiles(
        self, name: str, series: str, label: str, trials: pd.DataFrame, /, *, phase: str = "*", **how: Any
    ) -> Figure | str:
        """The percentiles of the measured histograms of the series and phases that match, over these trials together;
        `phase` leaves out a first pass, which is warm-up under a name of its own."""
        if trials.empty:
            return NOTHING
        how = {"names": self.lab.labels()} | how
        return self.show(
            percentile_curve(self.lab.measured_buckets(series, phase), trials, name=name, label=label, **how)
        )

    def line(self, name: str, label: str, metrics: pd.DataFrame, *, x: str, x_label: str, unit: str) -> Figure | str:
        """A value in ns by a size in bytes, with the fitted line of each variant and runtime."""
        if metrics.empty:
            return NOTHING
        curve, fitted = curves(metrics, x, self.lab.seed)
        names = self.lab.labels()
        return self.show(
            line_fit(metrics, curve, fitted, name=name, x=x, x_label=x_label, unit=unit, label=label, names=names)
        )

    def ratios(self, name: str, label: str, rows: Iterable[pd.DataFrame], /, **how: Any) -> Figure | str:
        """Ratios paired by block; `rows` as `Session.ratios` and `Session.ratio_panels` give them."""
        ratios, points = rows
        if ratios.empty:
            return NOTHING
        return self.show(paired_ratios(ratios, points=points, name=name, label=label, **how), ratios)


def _shortfall(numbers: pd.DataFrame | None) -> str:
    """The sentence of a caption that speaks of 95 % where some intervals have less; empty where all have it."""
    least = LEVEL if numbers is None or "level" not in numbers else numbers["level"].min()
    return f"With fewer than 6 trials an interval has less: here down to {percent(least)}." if least < LEVEL else ""
