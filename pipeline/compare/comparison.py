"""A comparison: both sides opened, every configuration that they share, and what differs between the sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import pandas as pd

from pipeline.analyse.trials import Trials
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.selectors import runtime_label
from pipeline.compare import (
    clock,
    compatibility,
    controls,
    facts,
    imported,
    measured,
    missing,
    randomised_blocks,
    rows,
    selection,
    sides,
    verdicts,
)
from pipeline.compare.facts import Fact
from pipeline.compare.measured import Configuration, Run
from pipeline.compare.sides import Side
from pipeline.ground.errors import LabError
from pipeline.words.numbers import places


class Comparison:
    """Two sides, each `RUN[:RUNTIME][,RUN[:RUNTIME]]...`, the first being the denominator.

    experiment: a name or several; empty: all that both sides have. metrics: instead of those of the headlines.
    where: column (variant, runtime or an axis) -> value or values, all as text. margin: percent that count as the same.
    any_parameters: compare also what was measured with other parameters.
    LabError when there is no such run, the hosts are two, or nothing is shared.
    """

    def __init__(
        self,
        before: str,
        after: str,
        experiment: str | Sequence[str] = (),
        *,
        metrics: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        margin: float = 100 * verdicts.MARGIN,
        any_parameters: bool = False,
    ) -> None:
        if not 0 <= margin <= 100:
            raise LabError(f"a margin of {margin:g} % is none; give 0 to 100")
        self.sides = sides.parse(before, after)
        self.margin, self.any_parameters = margin / 100, any_parameters
        self.runs = [[Run(name) for name in side.runs] for side in self.sides.both]
        self.facts: list[Fact] = facts.compare(self.sides, *([run.bundle.info for run in side] for side in self.runs))
        names = [experiment] if isinstance(experiment, str) and experiment else list(experiment)
        self.entries, self._apart = compatibility.entries(self.sides, self.runs, names)
        self.metrics, self.where = list(metrics), dict(where or {})
        selection.checked(self.entries, self.metrics, self.where)
        compatibility.checked(self.sides, self.runs)
        self._way: sides.Way | None = None
        if self.imported:
            self._way, self.runs = imported.by_session(self.sides, self.runs)
        self.randomised = randomised_blocks.of(self.runs, self.way)  # of a run of programs

    @property
    def way(self) -> sides.Way:
        """What the sides consist of; of imported runs by their sessions."""
        return self._way or self.sides.way

    @property
    def imported(self) -> bool:
        """Whether what is compared comes from somebody's own files."""
        return all(entry.imported for entry in self.entries)

    @cached_property
    def cycle(self) -> float:
        """The cycle (ns) at which times of the core are told; nan where a run has not recorded any."""
        return clock.middle(run.cycles for side in self.runs for run in side)

    @property
    def changed(self) -> list[Fact]:
        """What differs between the sides and may matter."""
        return [fact for fact in self.facts if fact.differs]

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per configuration and metric that both sides have, what surely changed most first.

        Columns: `rows.COLUMNS`; ratio, low and high are after / before, or after less before where `kind` is
        `difference` (a value is 0). Configurations that cannot have changed are in `controls`.
        """
        known = self._controls if self.way == "single" else []
        found = []
        for mine in self._targets:
            if self._both(mine):
                alike = rows.alike(mine, known, self.unchanged) if self.way == "single" else None
                found.append(rows.row(mine, self.way, alike, self.margin, self.randomised, self.astray))
        return rows.table(found)

    @cached_property
    def missing(self) -> pd.DataFrame:
        """What only one side has, or has with other parameters: the columns `missing.COLUMNS`, `side` is `before`,
        `after`, or `both` where the parameters are others."""
        found = [missing.row(mine, self.runs) for mine in self._targets if not self._both(mine)]
        return missing.table([*(missing.experiment(name, held) for name, held in self._apart.items()), *found])

    @cached_property
    def controls(self) -> pd.DataFrame:
        """Configurations that cannot have changed: experiment, metric, variant, runtime, axes, class, ratio."""
        return controls.table(self._controls if self.way == "single" else ())

    @property
    def unchanged(self) -> bool:
        """Whether nothing that the Lab can see differs."""
        return self._reach == []

    @cached_property
    def astray(self) -> str:
        """Of a run of programs: why nothing is decided, for the same program differs from itself; else empty."""
        itself = self.randomised and self.randomised.itself(self.sides, self.runs)
        if not itself:
            return ""
        found = Comparison(*itself, metrics=self.metrics, margin=100 * self.margin)
        moved = found.table[found.table["verdict"].isin(verdicts.CHANGED)]
        return randomised_blocks.apart(found.place(moved.iloc[0]), moved.iloc[0].to_dict()) if len(moved) else ""

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have each verdict, in the order in which they are told."""
        seen = self.table["verdict"].value_counts()
        return {name: int(seen.get(name, 0)) for name in verdicts.ORDER if name in seen}

    def row(self, **where: Any) -> dict[str, Any] | None:
        """The row of one configuration (experiment, metric, variant, runtime, axes); None where there is none or more.

        `runtime` is that of either side.
        """
        rows_ = [one for one in self.table.to_dict("records") if selection.matches(one, where)]
        return rows_[0] if len(rows_) == 1 else None

    def verdict(self, **where: Any) -> str:
        """The verdict on one configuration as a sentence, for the title of a figure that shows both sides."""
        found = self.row(**where)
        return verdicts.sentence(found, self.margin) if found else "not one configuration that both sides measured"

    def configuration(self, row: Mapping[str, Any]) -> Configuration:
        """What a row of the table was made of."""
        return self._by_key[_key(row["experiment"], row["metric"], row["variant"], row["runtime"], row["axes"])]

    def trials(self, run: Run, entry: Experiment) -> Trials:
        """The trials of an experiment in a run, with their histograms; kept, for several figures ask for them."""
        key = (run.bundle.name, entry.name)
        if key not in self._trials:
            self._trials[key] = Trials(entry, run.tables(entry))
        return self._trials[key]

    def place(self, row: Mapping[str, Any]) -> str:
        """A row in words: the variant, those axes that have several values here, and the runtime where there are
        several."""
        several = self._several[row["experiment"]]
        axes = {name: value for name, value in row["axes"].items() if name in several}
        runtime = runtime_label(row["runtime"]) if not self.sides.runtimes else ""
        return ", ".join(part for part in (row["label"], places(axes), runtime) if part)

    @property
    def cpus(self) -> int:
        return int(self.runs[0][0].bundle.info["host"]["cpu"]["cpus"])

    def require(self) -> None:
        """LabError when the sides share nothing that can be compared, with what each of them has."""
        if self.table.empty:
            raise LabError(missing.nothing_shared(self.missing, self.sides, bool(self.where)))

    @cached_property
    def _by_key(self) -> dict[tuple, Configuration]:
        return {
            _key(mine.entry.name, mine.metric, mine.variant, " → ".join(dict.fromkeys(mine.runtimes)), mine.axes): mine
            for mine in self._targets
        }

    @cached_property
    def _trials(self) -> dict[tuple[str, str], Trials]:
        return {}

    @cached_property
    def _several(self) -> dict[str, set[str]]:
        """Experiment -> its axes that have several values."""
        return selection.several([*self.table.to_dict("records"), *self.missing.to_dict("records")])

    @cached_property
    def _reach(self) -> list[str] | None:
        return controls.reach(
            self.facts, {name for side in self.runs for run in side for name in run.bundle.info["runtimes"]}
        )

    @cached_property
    def _every(self) -> list[Configuration]:
        """All configurations of the sides as they were named."""
        return self._match(self.sides.both)

    @cached_property
    def _wanted(self) -> selection.Wanted:
        return selection.wanted(self.where, self._every)

    @cached_property
    def _targets(self) -> list[Configuration]:
        """What is asked about: all, or with one run per side and a runtime that changed the configurations on it."""
        found = [mine for mine in self._every if selection.selects(self._wanted, mine)]
        if self.imported:
            return [mine for mine in found if self.way != "single" or not imported.is_control(self.runs, mine)]
        if self.sides.runtimes or self.way != "single" or not self._reach:
            return found
        return [mine for mine in found if mine.runtimes[0] in self._reach]

    @cached_property
    def _controls(self) -> list[rows.Control]:
        if self._reach is None and not self.imported:
            return []
        by_name = tuple(Side(side.runs) for side in self.sides.both)
        if self.imported:
            return imported.controls(self.runs, self._every)
        known = self._match(by_name) if self.sides.runtimes else self._every
        found = [mine for mine in known if mine.runtimes[0] not in self._reach and self._both(mine)]
        return [one for mine in found if (one := rows.control(mine))]

    def _match(self, both: tuple[Side, Side]) -> list[Configuration]:
        return [
            mine
            for entry in self.entries
            for mine in measured.matched(entry, self._metrics(entry), *self.runs, both, self.cycle)
        ]

    def _both(self, mine: Configuration) -> bool:
        there = all(any(len(rows_) for rows_ in side) for side in (mine.before, mine.after))
        return there and (self.any_parameters or not mine.otherwise)

    def _metrics(self, entry: Experiment) -> list[str]:
        wanted = self.metrics or [headline.metric for headline in entry.headlines]
        return [name for name in dict.fromkeys(wanted) if name in entry.metrics]


def _key(experiment: str, metric: str, variant: str, runtime: str, axes: Mapping[str, Any]) -> tuple:
    return experiment, metric, variant, runtime, tuple(sorted(axes.items()))
