"""What a notebook shows: figures, tables, fits, verdicts and how the measuring went."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pipeline.analyse.source import Source
from pipeline.catalogue.selectors import runtime_label
from pipeline.ground.errors import LabError
from pipeline.models.fit import Estimate, Fit, Kind
from pipeline.models.littles import littles_law
from pipeline.session import fit_results
from pipeline.session.completion import how_it_ended
from pipeline.session.figures import TitledFigure
from pipeline.session.results import VERDICTS_SHOWN
from pipeline.session.session import Session
from pipeline.session.table import NONE, Table
from pipeline.words.numbers import estimated, place, quantity, scale

# Below a table of levels: of two quick runs of a quiet host, an hour apart, 7 in 100 of all levels had intervals apart.
RUN_ALONE = "Intervals are of this run alone; an hour later some levels of the same host lie outside them."
CONFIGURATION = ("variant", "runtime")  # what a line of a table is about, unless it says otherwise
RESULT = "result"  # heading of what a fit comes to


class Display:
    """Shows what a session computed."""

    def __init__(self, lab: Session) -> None:
        self.lab = lab

    def figure(self, title: str, caption: str) -> TitledFigure:
        """The figure of that title and caption, to be drawn by one of its methods."""
        return TitledFigure(self.lab, title, caption)

    def how_it_ended(self) -> str:
        """In sentences: what ended the measuring, how complete it is, trials, noise, what changed, was left out."""
        return how_it_ended(self.lab)

    def table(
        self,
        rows: pd.DataFrame,
        index: Sequence[str],
        *,
        columns: str = "metric",
        names: Mapping[Any, str] | Iterable[Any] | None = None,
    ) -> Table | str:
        """Estimates as a table: a line per value of `index`, a column per value of `columns`; without any, a sentence.

        names: order and headings of the columns, or only their order (metrics then have their own label). Cells of one
        metric have one prefix; each says its interval and what it rests on. Metrics that no row has are no columns, and
        are named below.
        """
        names = self._headings(rows[columns].unique() if names is None else names)
        rows = rows[rows[columns].isin(list(names))]
        if rows.empty:
            return self.lab.nothing
        keys = self.lab.ordered(rows[[*index]].drop_duplicates(), list(index))
        found = {_place([row[key] for key in (*index, columns)]): row for row in rows.to_dict("records")}
        lacking = {
            _place([row.get(key) for key in (*index, "metric")]): row for row in self.lab.withheld.to_dict("records")
        }
        known = {column for *_, column in (*found, *lacking)}
        absent = [heading for column, heading in names.items() if columns == "metric" and known and column not in known]
        names = {column: heading for column, heading in names.items() if heading not in absent}
        powers = {
            about: scale(group["estimate"], about[1])
            for about, group in rows.groupby(["metric", "unit"], sort=False, observed=True)
        }
        cells, titles = [], []
        for key in map(_place, keys.itertuples(index=False, name=None)):
            here = [found.get((*key, column)) for column in names]
            lacks = [lacking.get((*key, column), {}) for column in names]
            shown = [
                (why.get("instead") or NONE) if one is None else _cell(one, powers[one["metric"], one["unit"]])
                for one, why in zip(here, lacks, strict=True)
            ]
            cells.append([*self._said(index, key), *shown])
            reasons = [f"not shown: {why['why']}" if why else "" for why in lacks]
            said = [reason if one is None else self._title(one) for one, reason in zip(here, reasons, strict=True)]
            titles.append([*("" for _ in index), *said])
        numeric = [*(False for _ in index), *(True for _ in names)]
        alone = [RUN_ALONE] if np.isfinite(rows["low"].to_numpy(float)).any() else []
        note = " ".join([*([f"Not measured in this run: {'; '.join(absent)}."] if absent else []), *alone])
        return Table([*index, *names.values()], cells, titles, self._commands(rows), numeric, note)

    def metrics(
        self, names: Mapping[str, str] | Iterable[str], keys: Sequence[str] = CONFIGURATION, /, **where
    ) -> Table | str:
        """`table` of several metrics of a selection, a line per value of `keys`."""
        return self.table(self.lab.chosen(**where)[1], keys, names=names)

    def words(self, frame: pd.DataFrame, *, rests_on: pd.DataFrame | None = None, note: str = "") -> Table:
        """Any frame as a table, numbers said as everywhere; rests_on: the estimates that are in it."""
        if frame.index.names != [None]:
            frame = frame.reset_index()
        heads = [", ".join(map(str, one)).strip(", ") if isinstance(one, tuple) else str(one) for one in frame.columns]
        numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
        columns = (frame.iloc[:, at] for at in range(len(heads)))
        powers = [scale(column, "1") if is_number else None for column, is_number in zip(columns, numeric, strict=True)]
        cells = [
            [
                quantity(value, "1", power) if is_number else self._said([head], [value])[0]
                for value, is_number, head, power in zip(row, numeric, heads, powers, strict=True)
            ]
            for row in frame.itertuples(index=False, name=None)
        ]
        told = [] if rests_on is None else self._commands(rests_on)
        nothing = self.lab.nothing if rests_on is not None and rests_on.empty else "No row."
        return Table(heads, cells, numeric=numeric, commands=told, note=note, nothing=nothing)

    def fits(
        self, frame: pd.DataFrame, keys: list[str], fit: Callable[[pd.DataFrame], Fit], *, of: Sequence[str] = ()
    ) -> Table:
        """A fit per group of `frame`: the keys, its parameters as `estimate [low, high]`, and what it comes to; above
        them how such fits are read.

        Of measured trials those count that estimates use. Rows are in the catalogue's order. What a model refuses to
        fit (too few values) says so in its row. of: the metrics that the frame was made of, where it does not say.
        """
        rows, sources, rules = [], [], []
        frame = frame.reset_index(drop=frame.index.name != "trial")
        frame = self.lab.ordered(self.lab.counted(frame), keys)
        of = sorted(frame["metric"].unique()) if "metric" in frame else list(of)
        for key, group in frame.groupby(keys, sort=False, observed=True, dropna=False):
            about = {name: value for name, value in zip(keys, _place(key), strict=True) if value is not None}
            sources.append(self._fitted(of, about, group))
            row = dict(zip(keys, self._said(keys, key), strict=True))
            try:
                found = fit(group)
            except LabError as error:
                rows.append(row | {RESULT: f"{error}."})
                continue
            kind = found.kind or Kind("")
            known = {name: one for name, one in found.parameters.items() if not math.isnan(one.estimate)}
            headed = [(*kind.headings.get(name, (name, "1")), one) for name, one in known.items()]
            parameters = {heading: (one, unit) for heading, unit, one in headed}
            rows.append(row | parameters | {RESULT: fit_results.result(found, group, self.lab)})
            rules.append(kind.rule)
        columns = [*dict.fromkeys(column for row in rows for column in row if column != RESULT), RESULT]
        powers = {column: _common(rows, column) for column in columns}
        cells = [[_parameter(row.get(column, ""), powers[column]) for column in columns] for row in rows]
        titles = [
            ["" if column in (*keys, RESULT) or not source else source.words() for column in columns]
            for source in sources
        ]
        told = [self._command(source) for source in sources if source]
        above = " ".join(dict.fromkeys(rule for rule in rules if rule))
        return Table(columns, cells, titles, told, keys=len(keys), above=above, nothing=self.lab.nothing)

    def little(
        self, frame: pd.DataFrame, keys: list[str], in_system: str, rate: str, time: str, *, of: Sequence[str] = ()
    ) -> Table:
        """Little's law per group of `frame`, a row per trial: number in the system, rate (per second) and mean time in
        it (ns) are columns. of: as in `fits`; the three columns that are metrics, where it does not say."""
        of = of or [name for name in (in_system, rate, time) if name in self.lab.entry.metrics]
        return self.fits(frame, keys, lambda g: littles_law(g[in_system], g[rate], g[time] / 1e9), of=of)

    def unsupported(self) -> Table | str:
        """Variants that a runtime or the host refused, with its reason; a sentence when there are none."""
        trials = self.lab.tables.trials
        columns = ["variant", "runtime", "reason"]
        refused = trials.loc[trials["status"] == "unsupported", columns].drop_duplicates()
        if refused.empty:
            return "Nothing that was planned has been refused."
        rows = [self._said(columns, row) for row in refused.itertuples(index=False, name=None)]
        return Table(columns, [[*whose, _reasons(why)] for *whose, why in rows], keys=2)

    def claims(self) -> Table:
        """The verdicts as a table to read; each reason says what its numbers rest on."""
        columns = ["claim", "text", "scope", "verdict", "reason"]
        rows = self.lab.verdicts.to_dict("records")
        titles = ["; ".join(Source.of(one).words() for one in json.loads(row["sources"])) for row in rows]
        return Table(
            columns,
            [[runtime_label(str(row[column])) for column in columns] for row in rows],
            [["", "", "", "", title] for title in titles],
            [f"lab claims --run {self.lab.run} --experiments {self.lab.entry.name}"],
            css=VERDICTS_SHOWN,
        )

    def _headings(self, names: Mapping[Any, str] | Iterable[Any]) -> dict[Any, str]:
        if isinstance(names, Mapping):
            return dict(names)
        metrics = self.lab.entry.metrics
        return {one: metrics[one].label if one in metrics else str(one) for one in names}

    def _said(self, names: Sequence[str], values: Sequence[Any]) -> list[str]:
        """Keys of a table's row as a reader knows them; an axis that a configuration does not have is NONE."""
        labels = self.lab.labels()
        known = {"variant": lambda value: labels.get(value, str(value)), "runtime": runtime_label}
        pairs = zip(names, _place(values), strict=True)
        return [NONE if value is None else known.get(name, place)(value) for name, value in pairs]

    def _title(self, row: Mapping[str, Any]) -> str:
        return f"{estimated(row)}; {self.lab.source(row).words()}"

    def _fitted(self, of: Sequence[str], about: Mapping[str, Any], group: pd.DataFrame) -> Source | None:
        if not of or "block" not in group:
            return None
        about = {name: value for name, value in about.items() if name in ("variant", "runtime", *self.lab.entry.axes)}
        selections = tuple({"metric": metric} | about for metric in of)
        return Source("fit", selections, fit_results.trials(group), group["block"].nunique())

    def _commands(self, rows: pd.DataFrame) -> list[str]:
        """One command that prints all estimates of a table."""
        if rows.empty:
            return []
        sources = [self.lab.source(row) for row in rows.to_dict("records")]
        every = tuple(selection for source in sources for selection in source.selections)
        return [self._command(Source("levels", every, 0, 0))]

    def _command(self, source: Source) -> str:
        return source.command(self.lab.run, self.lab.entry.name)


def _place(values: Iterable[Any]) -> tuple[Any, ...]:
    """Values of axes by which rows are found: nan, of an axis that a configuration lacks, is not equal to itself."""
    return tuple(None if isinstance(value, float) and math.isnan(value) else value for value in values)


def _cell(row: Mapping[str, Any], power: int | None) -> str:
    return quantity(row["estimate"], row["unit"], power)


def _common(rows: Sequence[Mapping[str, Any]], column: str) -> int | None:
    """The power of ten in which a column of fits says its parameters."""
    found = [row[column] for row in rows if isinstance(row.get(column), tuple)]
    return scale([one.estimate for one, _ in found], found[0][1]) if len({unit for _, unit in found}) == 1 else None


def _parameter(cell: str | tuple[Estimate, str], power: int | None) -> str:
    """A cell of a table of fits: words, or a parameter with its unit."""
    if isinstance(cell, str):
        return cell
    one, unit = cell
    return one.words(unit, power=power)


def _reasons(told: str) -> str:
    """Why a trial was refused, each reason once: of a trial of several parts each part says its own."""
    return "; ".join(dict.fromkeys(one.rpartition(" is not supported: ")[2] for one in told.split("; ")))
