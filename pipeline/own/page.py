"""What the page of an imported run shows: its groups, its figures, and what two groups differ by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from html import escape

import numpy as np
import pandas as pd

from pipeline.bundle import journal
from pipeline.compare import text, verdicts
from pipeline.compare.comparison import Comparison
from pipeline.draw.figure import Figure
from pipeline.draw.forest import forest
from pipeline.own import notes, report
from pipeline.own.entry import BEYOND, NAME
from pipeline.session.answer import Answer, Fact
from pipeline.session.display import Display
from pipeline.session.findings import Findings
from pipeline.session.save import keep
from pipeline.session.session import Session
from pipeline.session.table import Table
from pipeline.words.numbers import counted, places

MOST, CURVES = 6, 12  # panels of a figure, and curves in one
LINES, WHOLE = 24, 8  # of the figure of changes; so few are shown with all of their intervals
LATENCY = "Latency"
FEWEST = 3  # windows that make a line
SWEPT = 3  # values of an axis that make a curve


class Several(list):
    """Figures, tables and sentences, shown one below the other."""

    def _repr_html_(self) -> str:
        return "".join(one._repr_html_() if hasattr(one, "_repr_html_") else f"<p>{escape(one)}</p>" for one in self)


class Page:
    """The page of a run; every method is a cell of its notebook, and says in a sentence where there is nothing."""

    BRACKETS = "Brackets hold 95 % intervals over sessions (a lower level stands in them)."
    INTERVALS, NO_INTERVALS = "Bars: 95 % intervals over sessions.", "No interval: one session a side."

    def __init__(self, run: str) -> None:
        self.lab = Session(NAME, run, measuring=False)
        self.display = Display(self.lab)
        self.own = self.lab.bundle.info["own"]
        self.lines = journal.trials(self.lab.bundle.journal())
        self.groups = list(dict.fromkeys(line["runtime"] for line in self.lines))

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Each further group compared with the first."""
        return report.comparisons(self.lab)

    def what(self) -> Table:
        """A row for each group: how many sessions, of what, how long, how many values, and the greatest of them."""
        return Table(report.COLUMNS, list(report.groups(self.lab)))

    def in_short(self) -> Findings:
        """The answer, with its numbers."""
        found = Findings(self.lab)
        found.answer, found.brackets = self.answer, self.BRACKETS
        return found

    @cached_property
    def answer(self) -> Answer:
        told = [report.sentence(one) for one in self.comparisons] or [report.levels(self.lab), *report.scores(self.lab)]
        facts = [fact for one in self.comparisons for fact in _facts(one)][:3]
        return Answer(" ".join(told), facts, "percentiles" if self.sampled else "scores")

    @property
    def sampled(self) -> bool:
        """Whether there are histograms."""
        return "p50" in self.lab.entry.metrics or "mean" in self.lab.entry.metrics

    def placed(self) -> tuple[pd.DataFrame, dict[str, str]]:
        """The trials that figures show, at most MOST configurations, and the heading of each trial's panel: its variant
        and the axes that have several values; of an axis with many the first, the middle and the last."""
        trials = self.lab.tables.measured
        labels = self.lab.labels()
        several = [axis for axis in self.lab.entry.axes if trials[axis].nunique() > 1]
        headings = {}
        for row in trials.to_dict("records"):
            told = places({axis: row[axis] for axis in several if not pd.isna(row[axis])})
            headings[row["trial"]] = ", ".join(part for part in (labels[row["variant"]], told) if part)
        kept = _spread(list(dict.fromkeys(headings.values())))
        trials = trials[trials["trial"].map(headings).isin(kept)]
        return trials, {trial: headings[trial] for trial in trials["trial"]}

    def percentiles(self) -> Figure | str:
        """Percentiles by nines, a panel for each series, a curve for each group; scores where no tool told more."""
        if not self.sampled:
            return self._scores()
        trials, panels = self.placed()
        trials = trials.assign(variant=trials["trial"].map(panels))
        names = list(dict.fromkeys(trials["variant"]))
        trials, curves = self._each(trials) if self.own["bounds"] else (trials, self.groups)
        how = {"names": names, "limits": [tuple(one) for one in self.own["limits"]], "runtimes": curves}
        how |= {"panels": "variant"} if len(self.groups) > 1 or len(names) > 5 else {}
        title = f"{LATENCY} by percentile{self._of()}"
        return self.display.figure(title, self._caption()).percentiles("percentiles", "*", LATENCY, trials, **how)

    def _scores(self) -> Figure | str:
        """The first metric of each thing, a mark for each group."""
        metric = self.lab.entry.headlines[0].metric
        label = self.lab.entry.metrics[metric].label
        drawn = self.display.figure(f"{label}{self._of()}", self._caption())
        return drawn.levels("scores", metric, label, self.lab.chosen(), order=self.groups)

    def _each(self, trials: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
        """A curve for each session, at most CURVES: tables of percentiles cannot be added up."""
        names = [f"{row.runtime} {row.block + 1}" for row in trials.itertuples()]
        curves = list(dict.fromkeys(names))[:CURVES]
        trials = trials.assign(runtime=names)
        return trials[trials["runtime"].isin(curves)], curves

    def over_time(self) -> Figure | str:
        """Percentiles over the time of the sessions, a panel for each series and group."""
        windows = self.lab.tables.iterations.groupby("trial", observed=True).size()
        if self.own["bounds"] or windows.empty or windows.max() < FEWEST:
            return "The tool told nothing of how it went over time."
        trials, panels = self.placed()
        names = list(dict.fromkeys(panels.values()))
        place = trials["trial"].map(lambda one: names.index(panels[one]))
        order = trials.assign(place=place, group=trials["runtime"].map(self.groups.index))
        headings = {
            row.trial: f"{panels[row.trial]}, {row.runtime}" if len(names) > 1 else row.runtime
            for row in order.sort_values(["place", "group"], kind="stable").itertuples()
        }
        title = f"{LATENCY} over time{self._of()}"
        return self.display.figure(title, self._caption()).over_time("over_time", LATENCY, trials, headings)

    def histogram(self) -> Figure | str:
        """How the values are distributed."""
        if self.own["bounds"]:
            return "A table of percentiles says too little of how values are distributed between them."
        trials, panels = self.placed()
        names = list(self.groups)
        return self.display.figure(f"Distribution of latencies{self._of()}", self._caption()).bins(
            "histogram", LATENCY, trials, panels, names=names
        )

    def swept(self) -> Several:
        """The first two metrics by each axis of numbers that has enough values."""
        shown = []
        trials = self.lab.tables.measured
        for axis, kind in self.lab.entry.axes.items():
            if kind != "int" or trials[axis].nunique() < SWEPT:
                continue
            for headline in self.lab.entry.headlines[:2]:
                metric = self.lab.entry.metrics[headline.metric]
                heading = f"{metric.label} by {axis.replace('_', ' ')}{self._of()}"
                how = {"axis": axis, "axis_label": axis.replace("_", " ").capitalize()}
                drawn = self.display.figure(heading, self._caption()).scaling(
                    f"{_plain(headline.metric)}_by_{axis}", headline.metric, metric.label, self.lab.chosen(), **how
                )
                shown.append(drawn)
        return Several(shown or [f"No axis of numbers has {SWEPT} values or more."])

    def change(self) -> Several:
        """What each group differs by from the first: ratios with their intervals."""
        shown = []
        for at, one in enumerate(self.comparisons):
            name = "change" if at == 0 else f"change_{at + 1}"
            shown.append(self._change(one, name))
        return Several(shown or ["One group has nothing to be compared with: name two, as before=FILES after=FILES."])

    def rows(self) -> Several:
        """Every comparison as a table."""
        head = text.HEAD[1:]
        tables = ([list(text.cells(one, row)[1:]) for row in one.table.to_dict("records")] for one in self.comparisons)
        return Several(Table(head, rows) for rows in tables)

    def limits(self) -> Table | str:
        """Whether the limits were kept."""
        rows = [list(row) for row in report.limits(self.lab)]
        return Table(["limit", "series", "group", "verdict"], rows) if rows else "No limit was given (--limit)."

    def notes(self) -> Several:
        """What one has to know of the files to read the figures."""
        return Several(notes.notes(self.lab))

    def keep(self) -> None:
        """Keep the answer for the head of the page."""
        keep(self.lab, self.in_short())

    def _change(self, found: Comparison, name: str) -> Figure | str:
        rows = found.table
        rows = rows[(rows["kind"] == "ratio") & np.isfinite(rows["ratio"]) & (rows["ratio"] > 0)]
        if rows.empty:
            return "No number of both groups has a ratio."
        entry = self.lab.entry
        rows = rows[~rows["metric"].str.startswith(BEYOND)]
        places_ = [found.place(row) for row in rows.to_dict("records")]
        lines = [entry.metrics[name].label for name in rows["metric"]]
        rows = rows.assign(value=rows["ratio"], panel=places_, line=lines, label=lines)
        order = {name: at for at, name in enumerate(entry.metrics)}
        panels = {name: at for at, name in enumerate(dict.fromkeys(places_))}
        rows = rows.assign(at=rows["panel"].map(panels), number=rows["metric"].map(order))
        rows = rows.sort_values(["at", "number"], kind="stable")
        shown = rows.iloc[:LINES]
        more = f" The other {len(rows) - LINES} are in the table." if len(rows) > LINES else ""
        before, after = found.sides.names
        label = f"{after} / {before}"
        drawn = forest(shown, name=name, label=label, margin=found.margin, whole=len(shown) <= WHOLE)
        title = f"What changed from {before} to {after}{self._of()}"
        unit = self.INTERVALS if shown["low"].notna().any() else self.NO_INTERVALS
        return self.display.figure(title, f"{text.answer(found)} {unit}{more}").show(drawn)

    def _of(self) -> str:
        return f": {self.own['title']}" if self.own["title"] else ""

    def _caption(self) -> str:
        tools = ", ".join(self.own["tools"])
        sessions = len({(line["runtime"], line["block"]) for line in self.lines})
        return f"Recorded by {tools}; {counted(sessions, 'session')}."


def _facts(found: Comparison) -> list[Fact]:
    """The first rows of a comparison as facts."""
    rows = found.table.to_dict("records")
    first = [row for row in rows if row["verdict"] in verdicts.MOVED] or rows
    entry = found.entries[0]
    return [
        Fact(f"{found.place(row)}, {entry.metrics[row['metric']].label}", verdicts.sides(row), verdicts.numbers(row))
        for row in first
    ]


def _plain(metric: str) -> str:
    """A metric's name as part of a figure's: JMH calls one `gc.alloc.rate.norm`."""
    return re.sub(r"\W+", "_", metric).strip("_")


def _spread(headings: Sequence[str]) -> set[str]:
    """At most MOST of several, the first and the last among them."""
    if len(headings) <= MOST:
        return set(headings)
    return {headings[round(at)] for at in np.linspace(0, len(headings) - 1, MOST)}
