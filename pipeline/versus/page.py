"""What the page of a run of programs shows: the answer, every block over time, distributions, what changed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pipeline.bundle import journal
from pipeline.compare import randomised_blocks, verdicts
from pipeline.compare.comparison import Comparison
from pipeline.draw.block_ratios import BLOCK, CENTRE, HOST, LOOK, block_ratios
from pipeline.draw.figure import Figure
from pipeline.own.entry import NAME
from pipeline.own.page import Page as OwnPage
from pipeline.own.page import Several
from pipeline.session.answer import Answer, Fact
from pipeline.session.table import Table
from pipeline.versus.report import Report, thing

MINUTE_MS = 60_000
PANELS = 4


class Page(OwnPage):
    """As the page of imported files, of programs that were measured here."""

    BRACKETS = "Brackets hold intervals over blocks; those of changes hold for all rows and looks together."
    INTERVALS = "Bars: intervals over blocks that hold for all rows and looks together, 95 % of the time."
    NO_INTERVALS = "No interval: too few blocks."

    def __init__(self, run: str) -> None:
        super().__init__(run)
        self.groups = self.own["groups"]
        self.told = Report(run)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """The first command compared with itself, then every other with it."""
        return [*([self.told.control] if self.told.control else []), *self.told.comparisons]

    def what(self) -> Table:
        """A row for each command: its program's revision or sum, its trials, and how many of them were disturbed."""
        runtimes, trials = self.lab.bundle.info["runtimes"], self.lab.tables.trials
        trials = trials[~trials["trial"].str.contains(journal.PART, regex=False)]
        rows = []
        for name in self.groups:
            mine = trials[trials["runtime"] == name]
            measured = mine[mine["status"] == journal.MEASURED]
            numbers = f"{len(measured)} of {len(mine)}", str(int(measured["noisy"].sum()))
            rows.append([name, runtimes[name]["version"], *numbers])
        return Table(["command", "build", "trials", "disturbed"], rows)

    @cached_property
    def answer(self) -> Answer:
        said = [f"{self.told.itself()}."] if self.told.control else []
        for one in self.told.comparisons:
            said += [f"{what}: {verdict}." for what, verdict, _ in list(self.told.rows(one))[:3]]
        return Answer(" ".join(said), self._facts(), "blocks")

    def _facts(self) -> list[Fact]:
        facts = []
        for one in self.told.comparisons:
            for row in self.told.ordered(one)[:3]:
                parts = one.sides.after.runtime, thing(one, row), one.entries[0].metrics[row["metric"]].label
                facts.append(Fact(", ".join(filter(None, parts)), verdicts.sides(row), self.told.verdict(one, row)))
        return facts[:3]

    def over_blocks(self) -> Figure | str:
        """The ratio of every block of what is asked first, over time, beside the control and the host's noise."""
        parts, order = [], []
        metric = self.lab.entry.headlines[0].metric
        for found in self.comparisons:
            for row in self.told.ordered(found):
                if row["metric"] != metric:
                    continue
                told = thing(found, row)
                panel = f"{row['runtime_after']} / {row['runtime_before']}{f', {told}' if told else ''}"
                order.append(panel)
                parts += [one.assign(panel=panel) for one in self._blocks(found, row)]
        lines = journal.looks(self.lab.bundle.journal(), NAME)
        parts.append(pd.DataFrame({"x": self._when(line["blocks"] for line in lines), "mark": LOOK}))
        trials = self.lab.tables.measured
        share = (trials["foreign_pct"] + trials["steal_pct"]).clip(lower=0)
        parts.append(pd.DataFrame({"x": self._minutes(trials["epoch_ms"]), "value": share, "mark": HOST}))
        data = pd.concat([part for part in parts if len(part)], ignore_index=True)
        label = self.lab.entry.metrics[metric].label
        title = f"{label} of every block{self._of()}"
        order = order[:PANELS]
        data = data[data["panel"].isna() | data["panel"].isin(order)]
        drawn = block_ratios(data, name="blocks", order=order, margin=found.margin)
        return self.display.figure(title, "Each point compares both commands within one block.").show(drawn)

    def _blocks(self, found: Comparison, row: dict[str, Any]) -> list[pd.DataFrame]:
        """The ratio of every block of a row, and what they come to."""
        mine = found.configuration(row)
        pairs = randomised_blocks.paired(mine.before[0], mine.after[0])
        pairs = pairs[(pairs["before"] > 0) & (pairs["after"] > 0)]
        points = {"x": self._when(pairs.index), "value": pairs["after"] / pairs["before"], "noisy": pairs["noisy"]}
        centre = {"x": 0.0, "value": row["ratio"], "low": row["low"], "high": row["high"], "mark": CENTRE}
        made = [pd.DataFrame(points).assign(mark=BLOCK)]
        return [*made, pd.DataFrame([centre])] if row["kind"] == "ratio" else made

    def scores(self) -> Figure | str:
        """Every trial of what is asked first."""
        return self._scores()

    def notes(self) -> Several:
        """How it was measured, and what one has to know."""
        return Several([f"{one}." for one in [self.told.measured(), *self.told.notes()]])

    def _when(self, blocks) -> np.ndarray:
        """When blocks ended, in minutes since measuring began."""
        ended = self.lab.tables.trials.groupby("block")["epoch_ms"].max()
        return self._minutes(ended.reindex(list(blocks)))

    def _minutes(self, epoch_ms: pd.Series) -> np.ndarray:
        began = self.lab.tables.trials.loc[self.lab.tables.trials["epoch_ms"] > 0, "epoch_ms"].min()
        return ((epoch_ms - began) / MINUTE_MS).to_numpy(float)

    def _caption(self) -> str:
        return f"{self.told.measured()}."
