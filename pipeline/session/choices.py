"""What a notebook chooses of a session: variants, values of axes, rows by selections of them, published numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import pandas as pd

from pipeline.analyse import estimates
from pipeline.catalogue.entry import parameter_of
from pipeline.draw import published
from pipeline.draw.marks import ELSEWHERE
from pipeline.ground import paths
from pipeline.session.computed import Computed

NO_JDK = "none"  # names a runtime that no trial has


class Choices(Computed):
    """`where` is column -> value, list of values, or None for an axis that is not set."""

    def chosen(self, **where) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The metrics and the estimates of a selection, in the order in which figures take them. Of what an estimate
        leaves out for its state `noisy` is ELSEWHERE, and it is drawn so."""
        metrics = estimates.select(self.metrics, where)
        gone = estimates.elsewhere(metrics, ["variant", "runtime", *self.entry.axes, "metric"])
        metrics = metrics.assign(noisy=metrics["noisy"].astype(object).mask(gone, ELSEWHERE)) if gone.any() else metrics
        return metrics, estimates.select(self.estimates, where)

    def either(self, *selections: Mapping[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
        """As `chosen`, of several selections one after another."""
        return tuple(pd.concat(rows) for rows in zip(*(self.chosen(**one) for one in selections), strict=True))

    def by_variant(self, frames: Iterable[pd.DataFrame], **columns: Mapping[str, str]) -> list[pd.DataFrame]:
        """The frames with further columns: of each row what the column's mapping has for its variant."""
        return [one.assign(**{name: one["variant"].map(told) for name, told in columns.items()}) for one in frames]

    @cached_property
    def published(self) -> dict[str, pd.DataFrame]:
        """The posts' numbers by file name, as in data/published."""
        return {file: pd.read_csv(paths.published() / file) for file in self.entry.published}

    def overlay(self, file: str, *, metrics: Mapping[str, str] | None = None, **how) -> pd.DataFrame:
        """Published values under our variants' names, as figures take them (`pipeline.draw.published.overlay`).

        metrics: our metric -> the published one, where there are several; ours is in the column `metric`.
        """
        table, names = self.published[file], self.entry.published[file]
        if metrics is None:
            return published.overlay(table, names, **how)
        told = [published.overlay(table, names, metric=one, **how).assign(metric=ours) for ours, one in metrics.items()]
        return pd.concat(told)

    def chosen_trials(self, **where) -> pd.DataFrame:
        """The measured trials of a selection."""
        return estimates.select(self.tables.measured, where)

    def swept(self, axis: str) -> list[str]:
        """Variants measured at more than half of the values that an axis has in this run, in the catalogue's order."""
        trials = self.tables.measured
        counts = trials.groupby("variant")[axis].nunique()
        return [name for name in self.entry.variants if counts.get(name, 0) > trials[axis].nunique() / 2]

    def along(self, axis: str, fixed: Mapping[str, object]) -> dict[str, object]:
        """The selection of what was swept along an axis, all other axes as `fixed` has them; of none where the run has
        but one value of it."""
        several = self.tables.measured[axis].nunique() > 1
        return {"variant": self.swept(axis) if several else []} | {
            other: value for other, value in fixed.items() if other != axis
        }

    def counted(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Of measured trials those that estimates use (`estimates.admissible`), by configuration; other rows all."""
        return estimates.counted(frame, ["variant", "runtime", *self.entry.axes])

    def ordered(self, rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
        """Rows by `keys`, variants in the catalogue's order; as they are where variants are others'."""
        order = list(self.labels())
        if not set(rows.get("variant", ())) <= set(order):
            return rows
        return rows.sort_values(
            keys, key=lambda values: values.map(order.index) if values.name == "variant" else values, kind="stable"
        )

    def usual(self, *axes: str) -> dict[str, Any]:
        """The selection of the values that axes have as parameters of the experiment; all axes where none is named.
        KeyError for an axis without a parameter."""
        return {axis: self.entry.parameters[parameter_of(axis)] for axis in axes or self.entry.axes}

    def variants(self, *patterns: str, but: Iterable[str] = ()) -> list[str]:
        """Variants whose names match one of the patterns (globs; none: all) and none in `but`, in the catalogue's
        order."""

        def named(name: str, globs: Iterable[str]) -> bool:
            return any(fnmatchcase(name, one) for one in globs)

        but = list(but)
        return [name for name in self.labels() if named(name, patterns or ("*",)) and not named(name, but)]

    def values(self, axis: str, /, **where) -> list[Any]:
        """The values that an axis has in the measured trials of a selection, in order."""
        return sorted(set(self.chosen_trials(**where)[axis].dropna()))

    def best_swept(self, axis: str, along: str, /, **where) -> Any:
        """The value of an axis at which most values of another were measured, the greatest of several; 0, which stands
        for *without*, only where there is no other."""
        swept = {one: len(self.values(along, **where, **{axis: one})) for one in self.values(axis, **where) if one}
        return max(swept, key=lambda one: (swept[one], one), default=0)

    @property
    def oldest(self) -> str:
        """The oldest JDK of this run, NO_JDK where there is none."""
        return next(iter(self.jdks), NO_JDK)

    @property
    def newest(self) -> str:
        """The newest JDK of this run, NO_JDK where there is none."""
        return next(reversed(self.jdks), NO_JDK)
