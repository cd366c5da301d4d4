"""The report on a run of programs: what the first says of itself, then a line for every row, and what would help."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.compare import export, verdicts
from pipeline.compare.comparison import Comparison
from pipeline.measure import noise, states
from pipeline.measure.progress import clock
from pipeline.own.entry import NAME
from pipeline.render.lines import pipes
from pipeline.versus import alpha_spending, versus
from pipeline.words.numbers import about, counted, place

ROWS = 24  # that are printed
LONG = 600  # minutes: nobody is told to wait for more


class Report:
    """What is said of a run: its comparisons with the first command, the control, and how it was measured."""

    def __init__(self, run: str) -> None:
        self.bundle = Bundle.open(run)
        self.own = self.bundle.info["own"]
        self.lines = self.bundle.journal()
        self.trials = journal.trials(self.lines, NAME)
        self.first = self.own["groups"][0]
        self.comparisons = versus.compared(run, self.own)
        margin = self.own["versus"]["margin"]
        pair = f"{run}:{self.first}", f"{run}:{self.own['control']}"
        self.control = Comparison(*pair, margin=margin) if self.own["control"] else None

    @property
    def run(self) -> str:
        return self.bundle.name

    @property
    def spent_s(self) -> float:
        return sum(line.get("took_s", 0.0) for line in self.trials)

    @property
    def blocks(self) -> int:
        return max((line["block"] for line in self.trials), default=0)

    def printed(self) -> Iterator[str]:
        """The lines that the command prints."""
        if self.control is not None:
            yield self.itself()
        for one in self.comparisons:
            yield from (": ".join(part for part in row[:2]) + f"  {row[2]}" for row in self.rows(one))
        yield self.measured()
        yield from self.notes()

    def itself(self) -> str:
        """`old compared with itself: the same within 5 %, 0.4 % [-1, 1]; this host tells 2 % apart now`"""
        begin = f"{self.first} compared with itself"
        if astray := next((one.astray for one in self.comparisons if one.astray), ""):
            return f"{begin}: {astray}; nothing is decided"
        rows = [row for row in self.ordered(self.control) if row["kind"] == "ratio" and np.isfinite(row["low"])]
        if not rows:
            return f"{begin}: no interval yet, for there are too few blocks"
        row = rows[0]
        apart = about(100 * (row["high"] / row["low"] - 1))
        return f"{begin}: {change(row)}" + (f"; this host tells {apart} % apart now" if apart != "0" else "")

    @staticmethod
    def ordered(found: Comparison) -> list[dict[str, Any]]:
        """The rows of a comparison, those asked for first before the others."""
        order = {one.metric: at for at, one in enumerate(found.entries[0].headlines)}
        axes = found.entries[0].axes
        every = found.table.to_dict("records")
        return sorted(every, key=lambda row: (order[row["metric"]], row["variant"], _at(row["axes"], axes)))

    def rows(self, found: Comparison) -> Iterator[tuple[str, str, str]]:
        """(what, verdict in words, both sides) of every row."""
        after = found.sides.after.runtime
        metrics = found.entries[0].metrics
        several = len(self.comparisons) > 1
        for row in self.ordered(found)[:ROWS]:
            label = metrics[row["metric"]].label
            what = ", ".join(part for part in (after if several else "", thing(found, row), label) if part)
            yield what, self.verdict(found, row), f"{verdicts.side(row, 'before')} → {verdicts.side(row, 'after')}"
        if len(found.table) > ROWS:
            yield (
                "...",
                f"{len(found.table) - ROWS} more rows",
                f"lab compare {self.run}:{self.first} {self.run}:{after}",
            )

    def verdict(self, found: Comparison, row: dict[str, Any]) -> str:
        """`new is 7 % slower than old [5, 9]`, or why that is not known and what would help."""
        after = found.sides.after.runtime
        if row["verdict"] in verdicts.CHANGED:
            return f"{after} is {verdicts.numbers(row)}"
        if row["verdict"] == verdicts.SAME:
            return f"the same within {place(100 * found.margin)} %: {change(row)}"
        if row["reason"]:
            return f"undecided: {row['reason']}"
        return f"undecided: {change(row)}{self.more(row, found.margin)}"

    def more(self, row: dict[str, Any], margin: float) -> str:
        """`; about 6 more minutes (--more 6)`"""
        done = journal.looks(self.lines, NAME)
        if row["kind"] != "ratio" or not np.isfinite(row["low"]) or not done:
            return ""
        now, then = (
            one / done[-1]["among"]
            for one in (done[-1]["error"], alpha_spending.error_of(-1, alpha_spending.ends(done)))
        )
        middle, half = math.log(row["ratio"]), math.log(row["high"] / row["low"]) / 2
        times = alpha_spending.further(middle, half, math.log1p(margin), now, then)
        if times is None:
            return "; it lies close to the margin, which more minutes hardly decide"
        minutes = max(self.spent_s / 60 * times, 1)
        if minutes > LONG:
            return f"; on this host as it is now it would take more than {LONG // 60} hours"
        return f"; about {about(minutes)} more minutes (--more {math.ceil(minutes)})"

    def measured(self) -> str:
        """`24 blocks in 4:41, 72 of 72 trials counted, 2 of them disturbed`"""
        good = [line for line in self.trials if line["status"] == journal.MEASURED]
        disturbed = sum(bool(why) for why in noise.judged(good).values())
        executions = self.own["versus"]["executions"].values()
        each = f" of {about(max(executions))} executions" if max(executions) > 1 else ""
        kept = f"{len(good)} of {counted(len(self.trials), 'trial')}{each} counted"
        return f"{counted(self.blocks, 'block')} in {clock(self.spent_s)}, {kept}, {disturbed} of them disturbed"

    def notes(self) -> Iterator[str]:
        """What one has to know: equal programs, short ones, orphans, one build, what is not read, failed trials."""
        versions = {name: one["version"] for name, one in self.bundle.info["runtimes"].items()}
        commands = self.own["versus"]["commands"]
        for one in self.comparisons:
            after = one.sides.after.runtime
            if versions[self.first] == versions[after] and commands[self.first] == commands[after]:
                yield f"{self.first}, {after}: the same bytes, so that this is an A/A study"
        if self.own["versus"]["folders"] and self.own["versus"]["builds"] < 3:
            yield "Of these builds: another link order may differ by a few percent (--rebuilds 3)"
        if not self.own["versus"]["randomised"]:
            yield "Addresses are not randomised on this host: a layout may decide for all executions alike"
        yield from self.own["notes"]
        yield from self._moved()
        failed = [line for line in self.trials if line["status"] != journal.MEASURED]
        if failed:
            reason = failed[0]["reason"].removeprefix("lab-command: ")
            yield f"{counted(len(failed), 'trial')} failed; the first, of {failed[0]['runtime']}: {reason}"
        yield from self._short()
        lost = {name: sum(line["runtime"] == name for line in failed) for name in self.own["groups"]}
        if failed and max(lost.values()) > 1.33 * max(min(lost.values()), 1):
            yield f"{max(lost, key=lost.get)} lost more blocks than the others: what it is judged by is a choice"

    def _moved(self) -> Iterator[str]:
        """In which state the CPUs of those trials were that count, where there was more than one."""
        read = [line["readings"] for line in self.trials if line.get("readings")]
        found = states.of(self.lines)
        if found.several:
            away = sum(max(ranks) > 0 for ranks in found.of_medians(read))
            yield (
                f"The CPUs were moved meanwhile: {away} of {counted(len(read), 'trial')} ran with CPUs far apart or on "
                "a core that others worked on; only trials of one state are compared"
            )
        undecided = any(one.table["verdict"].eq(verdicts.UNDECIDED).any() for one in self.comparisons)
        if undecided and not self.own["versus"]["cpus"]:
            yield "Programs that are pinned (--cpus 0) are compared in one state of their CPUs, where these are moved"

    def _short(self) -> Iterator[str]:
        from pipeline.compare.measured import Run

        entry = self.comparisons[0].entries[0]
        measures = Run(self.run).tables(entry).measures
        short = measures.loc[measures["name"] == "empty_ns", "trial"]
        told = measures[measures["trial"].isin(short)].groupby("name", observed=True)["value"].median()
        if len(short):
            whole, empty = told["time_ns"], told["empty_ns"]
            yield (
                f"Of {about(whole / 1e6)} ms an execution, {about(empty / 1e6)} ms start and end a process"
                + ("; measure inside the program and write a log to {out}" if empty > whole / 2 else "")
            )
        behind = measures.loc[measures["name"] == "left_behind", "value"].sum()
        if behind:
            yield f"{about(behind)} processes were left behind by executions, and ended"


def as_json(told: Report) -> str:
    """Everything as data: each comparison as `lab compare --format json` writes it."""
    return json.dumps(
        {
            "run": told.run,
            "control": export.document(told.control) if told.control else None,
            "comparisons": [export.document(one) for one in told.comparisons],
            "blocks": told.blocks,
            "spent_s": round(told.spent_s, 1),
            "notes": list(told.notes()),
        },
        indent=1,
    )


def markdown(told: Report) -> str:
    """A summary for a pull request, the control first; at most 60 lines."""
    lines = [f"### {', '.join(one.sides.title for one in told.comparisons)}", ""]
    if told.control is not None:
        lines += [f"{told.itself()}.", ""]
    lines += pipes(("what", "verdict", "before → after"), [row for one in told.comparisons for row in told.rows(one)])
    del lines[50:]
    lines += ["", "<details><summary>How it was measured</summary>", "", f"{told.measured()}.", ""]
    lines += [f"- {note}" for note in told.notes()][:6]
    return "\n".join([*lines, "", "</details>", ""])


def change(row: dict[str, Any]) -> str:
    """`+1.2 % [-4, 9]`: after compared with before, whether it excludes 1 or not; differences as they are said."""
    if row["kind"] != "ratio":
        return verdicts.numbers(row)
    middle, low, high = (100 * (row[name] - 1) for name in ("ratio", "low", "high"))
    return f"{_signed(middle)} %" + (f" [{_signed(low)}, {_signed(high)}]" if math.isfinite(low) else "")


def _at(place_: Mapping[str, Any], axes: Iterable[str]) -> list[tuple[bool, Any]]:
    """A place of the axes, to sort by; what has no value of an axis comes last."""
    return [(axis not in place_, place_.get(axis, 0)) for axis in axes]


def _signed(percent: float) -> str:
    told = about(abs(percent))
    return told if told == "0" else f"{'-' if percent < 0 else '+'}{told}"


def thing(found: Comparison, row: Mapping[str, Any]) -> str:
    """Which thing and where; nothing for the program as a whole."""
    place_ = found.place(row)
    return "" if place_ == "program" else place_.removeprefix("program, ")
