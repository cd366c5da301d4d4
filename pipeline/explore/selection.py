"""The selection of a state, its trials as curves: a curve is what has one look and one entry in the legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from pipeline.analyse.estimates import configurations, select
from pipeline.analyse.trials import globbed
from pipeline.catalogue.selectors import runtime_label
from pipeline.explore.choices import Choices
from pipeline.explore.state import State
from pipeline.hdr import histograms
from pipeline.hdr.counts import Counts
from pipeline.session.session import Session
from pipeline.words.numbers import place

MOST_CURVES = 12
NOTHING = "Nothing was measured of this choice: choose another variant, runtime or value of an axis."


class Opened:
    """One experiment of one run, open to be looked into."""

    def __init__(self, run: str, experiment: str) -> None:
        self.run, self.experiment = run, experiment
        self.lab = Session(experiment, run, measuring=False)
        self._merged: dict[tuple[str, str], dict[str, Counts]] = {}

    @cached_property
    def choices(self) -> Choices:
        return Choices(self.lab)

    def histograms(self, series: str, phase: str) -> dict[str, Counts]:
        """By trial: the sum of its measured histograms of the series and phases that match."""
        key = (series, phase)
        if key not in self._merged:
            names, rows = pd.Index(self.lab.tables.measured["trial"]), self.lab.tables.trial_buckets
            rows = rows[globbed(rows["series"], series) & globbed(rows["phase"], phase)]
            found = histograms.by_trial(rows, names)
            self._merged[key] = {names[at]: counts for at, counts in found.items()}
        return self._merged[key]

    def trials(self, state: State, by: str = "") -> pd.DataFrame:
        """The measured trials of a state, which holds no value of the axis `by`."""
        axes = {axis: value for axis, value in state.axes.items() if axis != by}
        where = {"variant": list(state.variants), "runtime": list(state.runtimes)} | axes
        rows = select(self.lab.tables.measured, where)
        return rows[~rows["trial"].isin(self._doubtful(state.metric))] if state.settled else rows

    def _doubtful(self, metric: str) -> set[str]:
        """The trials that are noisy, or did not settle in the metric."""
        trials, metrics = self.lab.tables.trials, self.lab.metrics
        unsteady = metrics[(metrics["metric"] == metric) & ~metrics["steady"].astype(bool)]
        return {*trials.loc[trials["noisy"], "trial"], *unsteady["trial"]}


@dataclass(frozen=True, eq=False)
class Curve:
    """number: of its colour, which is the variant's in every figure; dash: of its line, among those of one colour."""

    label: str
    variant: str
    opened: Opened
    key: dict[str, Any]
    trials: pd.DataFrame
    number: int = 0
    dash: int = 0

    @property
    def cycle_ns(self) -> float:
        """Length of a cycle: the median of what the trials calibrated."""
        return float(self.trials["cycle_ns"].median())

    def histograms(self, state: State) -> list[Counts]:
        found = self.opened.histograms(state.series, state.phase)
        return [found[trial] for trial in self.trials["trial"] if trial in found]


def curves(opened: Sequence[Opened], state: State, by: str = "") -> tuple[list[Curve], list[str]]:
    """The curves of a state, at most MOST_CURVES, and sentences about what is left out.

    by: an axis that lies along x and so tells no curve from another; `variant` where the variants do.
    """
    found = []
    for one in opened:
        names = [name for name in ("variant", "runtime", *one.lab.entry.axes) if name != by]
        trials = one.trials(state, by)
        order = list(one.choices.variants)
        groups = [(_plain(key), trials.iloc[rows]) for key, rows in configurations(trials, names)]
        groups.sort(key=lambda group: (order.index(group[0]["variant"]) if by != "variant" else 0, _sortable(group[0])))
        found += [(one, key, rows) for key, rows in groups]
    told = [name for name in ("variant", "runtime") if name != by]
    axes = [axis for axis in opened[0].lab.entry.axes if len({str(key.get(axis)) for _, key, _ in found}) > 1]
    several = len({key.get("runtime") for _, key, _ in found}) > 1
    told = [name for name in told if name != "runtime" or several or by == "variant"]
    made, colours = [], {}
    for one, key, rows in found[:MOST_CURVES]:
        label = ", ".join(_words(one, name, key[name]) for name in [*told, *axes])
        label = f"{one.run}: {label}" if len(opened) > 1 else label
        variant = key.get("variant", "")
        of = list(one.lab.labels()).index(variant) if len(state.variants) > 1 and variant else len(made)
        colours[of] = colours.get(of, -1) + 1
        made.append(Curve(label, variant, one, key, rows, of, colours[of]))
    if len(found) <= MOST_CURVES:
        return made, []
    return made, [f"The first {MOST_CURVES} of {len(found)} curves are shown: choose at most {MOST_CURVES}."]


def _plain(key: dict[str, Any]) -> dict[str, Any]:
    return {name: None if pd.isna(value) else value for name, value in key.items()}


def _sortable(key: dict[str, Any]) -> list[tuple[bool, Any]]:
    return [(value is None, 0 if value is None else value) for value in key.values()]


def _words(opened: Opened, name: str, value: Any) -> str:
    if name == "variant":
        return opened.lab.labels()[value]
    if name == "runtime":
        return runtime_label(value)
    word = name.replace("_", " ")
    return f"no {word}" if value is None else f"{word} {place(value)}"
