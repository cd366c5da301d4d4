"""A figure under its title and origin, or the sentence that stands where there is nothing to draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import pandas as pd

from pipeline.draw.figure import Figure
from pipeline.draw.marks import Nothing
from pipeline.ground import paths
from pipeline.plan.placement import SHARED
from pipeline.session import captions, figure_summary
from pipeline.session.session import Session


def or_said(draw: Callable[..., Figure]) -> Callable[..., Figure | str]:
    """A method that draws a figure, and where there is nothing to draw says so in its place."""

    @wraps(draw)
    def drawn(titled: Titled, *given: Any, **how: Any) -> Figure | str:
        try:
            return draw(titled, *given, **how)
        except Nothing:
            why = [one for one in titled.lab.left_out if one != SHARED]
            nothing = titled.lab.nothing
            return " ".join([f"{titled.title}: {nothing[:1].lower()}{nothing[1:]}", *why])

    return drawn


@dataclass(frozen=True)
class Titled:
    """One figure to be: its title and caption are known; `show` saves its set of files and returns it.

    The caption says what is particular to the figure; what its marks are whoever draws it adds.

    `origin` says how it is drawn again where no page has it: a part of its provenance.
    """

    lab: Session
    title: str
    caption: str
    folder: Path | None = None  # where the files go, in place of the run's figures
    origin: Mapping[str, Any] = field(default_factory=dict)

    def show(self, figure: Figure, numbers: pd.DataFrame | None = None, marks: str = "") -> Figure:
        """A figure of any kind; `numbers`: the estimates or ratios in it, of which the caption tells a lower level;
        `marks`: the caption's sentence about them."""
        marks = marks.replace(captions.NOISY, captions.NOISY_OR_ELSEWHERE) if self.lab.moved else marks
        caption = " ".join(part for part in (self.caption, marks, captions.shortfall(numbers)) if part)
        found = figure_summary.resting_on(self.lab.told, numbers)
        brief = figure_summary.brief(self.title, figure.alt, found)
        about = figure_summary.about(self.lab, figure, numbers, found)
        origin = self.lab.provenance | self.origin
        shown = figure.titled(self.title, caption, origin, brief=brief, about=about)
        shown.save(self.folder or paths.figures(self.lab.run))
        return shown

    def unmeasured(self, metrics: pd.DataFrame, wanted: str | Iterable[str]) -> bool:
        """Whether no trial has one of these metrics, though there is such a metric."""
        wanted = metric_names(wanted)
        known = wanted <= {*self.lab.entry.metrics, *self.lab.derived}
        return metrics.empty or (known and not wanted <= {*metrics["metric"]})


def metric_names(metric: str | Iterable[str]) -> set[str]:
    """The names of one metric or of several."""
    return {metric} if isinstance(metric, str) else {*metric}
