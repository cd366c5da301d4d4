"""Which trials a selection of a claim or a notebook stands for."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from pipeline.analyse import estimates, refused
from pipeline.analyse.comparable import comparable
from pipeline.bundle.journal import MEASURED
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.selectors import absolute
from pipeline.ingest.tables import Tables
from pipeline.plan.plan import key_of
from pipeline.words.numbers import counted, place

HARNESS = re.compile(r"^lab(-\w+)?: ")  # who says a reason


class Missing(Exception):
    """There is nothing to compute an effect from; the message says why."""


def keys(rows: pd.DataFrame, entry: Experiment) -> list[str]:
    """The configurations that rows of metrics or estimates are of, each once, as the plan calls them."""
    several = rows[["variant", "runtime", *entry.axes]].drop_duplicates().to_dict("records")
    return [
        key_of(row["variant"], row["runtime"], {axis: _planned(row[axis]) for axis in entry.axes}) for row in several
    ]


def _planned(value: Any) -> Any:
    """An axis' value as the plan has it: of an axis that not every variant has, a table's column is of floats."""
    if isinstance(value, float):
        return None if math.isnan(value) else int(value) if value == int(value) else value
    return value.item() if hasattr(value, "item") else value


@dataclass(frozen=True)
class Data:
    """What effects are computed from. `runtime` restricts every selection that names none; `cpus`: of the host.

    `looks`: the last block of each look of the run (`pipeline.analyse.sequential_test.ends`); empty: one look at all
    there is.
    """

    entry: Experiment
    tables: Tables
    metrics: pd.DataFrame
    runtime: str | None = None
    cpus: int | None = None
    looks: tuple[int, ...] = ()
    # What was found out of these metrics, for every runtime: thousands of selections are made of one table.
    _known: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def on(self, runtime: str | None) -> Data:
        """The same of another runtime."""
        return replace(self, runtime=runtime)

    def of(self, metrics: pd.DataFrame) -> Data:
        """The same with other metrics."""
        return replace(self, metrics=metrics, _known={})

    def until(self, block: int | None) -> Data:
        """What there was of metrics up to a block; all of it without one."""
        if block is None:
            return self
        if block not in self._known:
            self._known[block] = self.of(self.metrics[self.metrics["block"] <= block])
        return self._known[block].on(self.runtime)

    @property
    def keys(self) -> list[str]:
        return ["variant", "runtime", *self.entry.axes, "metric"]

    def rows(self, selection: Mapping[str, Any]) -> pd.DataFrame:
        """The metric rows of a selection; Missing with the reason when there is none."""
        return self._rows(selection, self._chosen(selection))

    def one(self, selection: Mapping[str, Any]) -> pd.DataFrame:
        """The metric rows of the one configuration of a selection."""
        several = self._chosen(selection)
        if len(several) > 1:
            differing = [key for key in self.keys if several[key].nunique(dropna=False) > 1]
            raise Missing(f"{self.describe(selection)} is {len(several)} configurations that differ in {differing[0]}")
        return self._rows(selection, several)

    @property
    def _configurations(self) -> tuple[pd.DataFrame, list[np.ndarray]]:
        """A row for each configuration that has a number, and the places of these among the metric rows: selections
        are made among some hundred configurations."""
        if "configurations" not in self._known:
            places = estimates.positions(self.metrics, self.keys)
            first = self.metrics[self.keys].iloc[[place[0] for place in places]].reset_index(drop=True)
            self._known["configurations"] = first, places
        return self._known["configurations"]

    def _chosen(self, selection: Mapping[str, Any]) -> pd.DataFrame:
        configured = self._configurations[0]
        keep = estimates.nearest(configured, selection)
        for column, wanted in self.scoped(selection).items():
            asked = column, repr(wanted)
            if asked not in self._known:
                self._known[asked] = estimates.having(configured, column, wanted)
            keep &= self._known[asked]
        return configured[keep]

    def _rows(self, selection: Mapping[str, Any], several: pd.DataFrame) -> pd.DataFrame:
        if several.empty:
            raise Missing(self._absence(self.scoped(selection)))
        places = [self._configurations[1][number] for number in several.index]
        return self.metrics.take(np.sort(np.concatenate(places)))

    def alike(self, selections: Sequence[Mapping[str, Any]]) -> list[pd.DataFrame]:
        """The metric rows of several configurations that are to be compared, each as `one` gives them.

        Missing when they differ in an axis that none of the selections names: files of different sizes, say, would
        be ranked as if the size were not there; and when no two of their trials may be compared.
        """
        found = [self.one(selection) for selection in selections]
        for axis in self.entry.axes:
            places = [rows[axis].iloc[0] for rows in found]
            if not any(axis in one for one in selections) and pd.Series(places).nunique(dropna=False) > 1:
                described = " and ".join(dict.fromkeys(self.describe(one) for one in selections))
                values = ", ".join(dict.fromkeys(place(value) for value in places))
                raise Missing(f"{described} differ in {axis} ({values}), so they are not compared")
        kept, why = comparable(self.entry, self.metrics, found)
        for one, rows in zip(selections, kept, strict=True):
            if rows.empty:
                raise Missing(f"{self.describe(one)} is not compared, because {why}")
        return kept

    def trials(self, selection: Mapping[str, Any]) -> pd.DataFrame:
        """The measured trials of a selection; Missing with the reason when there is none."""
        selection = self.scoped(selection)
        trials = estimates.select(self.tables.measured, selection)
        if trials.empty:
            raise Missing(self._absence(selection))
        return trials

    def refused(self, selection: Mapping[str, Any]) -> bool:
        """Whether the runtime or the host refused all of a selection."""
        where = {key: value for key, value in self.scoped(selection).items() if key != "metric"}
        trials = estimates.select(self.tables.trials, where)
        return bool(len(trials)) and bool((trials["status"] == "unsupported").all())

    def describe(self, selection: Mapping[str, Any]) -> str:
        """A selection as a reader knows it: `ReentrantLock with 2 threads`, with a runtime other than that asked of. Of
        its axes only threads: the others have names that only an entry knows."""
        variant = self.entry.variants.get(selection.get("variant"))
        many = selection.get("threads")
        threads = f" with {counted(many, 'thread')}" if isinstance(many, int | np.integer) else ""
        other = selection.get("runtime") not in (None, self.runtime)
        runtime = f" on {selection['runtime']}" if other else ""
        return f"{variant.label if variant else 'every variant'}{threads}{runtime}"

    def scoped(self, selection: Mapping[str, Any]) -> dict[str, Any]:
        """The selection on the runtime asked of, values relative to the CPUs of the host made absolute."""
        scope = {} if self.runtime is None else {"runtime": self.runtime}
        axes = {axis: absolute(selection[axis], self.cpus) for axis in self.entry.axes if axis in selection}
        return scope | dict(selection) | axes

    def _absence(self, selection: Mapping[str, Any]) -> str:
        """Why a selection has no rows; axes are named only where another configuration of the variant has some."""
        where = {key: value for key, value in selection.items() if key != "metric"}
        whole = {key: value for key, value in where.items() if key in ("variant", "runtime")}
        for asked in (whole, where) if "variant" in where else (where,):
            trials = estimates.select(self.tables.trials, asked)
            if trials.empty:
                so = " so" if set(asked) & {*self.entry.axes} - {"threads"} else ""
                return f"{self.describe(asked)} was not measured{so} in this run"
            failed = trials[trials["status"] != MEASURED]
            if len(failed) == len(trials) and (asked is where or failed["reason"].nunique() == 1):
                status, reason = failed["status"].iloc[0].replace("_", " "), failed["reason"].iloc[0]
                if status == "unsupported" and reason:
                    return f"{self.describe(asked)} cannot be measured here: {HARNESS.sub('', reason)}"
                return f"{self.describe(asked)}: {status}: {reason or 'no reason given'}"
        metric = self.entry.metrics.get(selection["metric"])
        what = metric.label if metric else selection["metric"]
        gone = estimates.select(refused.told(self.metrics, self.entry), where)  # a rule may ask another variant
        reasons = dict.fromkeys(gone.loc[gone["metric"] == selection["metric"], "why"])
        because = f", because {' and '.join(reasons)}" if reasons else ""
        return f"{self.describe(selection)} was measured, but has no number for: {what}{because}"
