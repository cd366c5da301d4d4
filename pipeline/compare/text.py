"""A comparison in words: the answer first, then what changed, the rows that did, and how many did not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.bundle import journal
from pipeline.catalogue.selectors import runtime_label
from pipeline.compare import uncertainty, verdicts
from pipeline.compare.comparison import Comparison
from pipeline.compare.sides import Side
from pipeline.host import fingerprint
from pipeline.render.lines import aligned, escaped, pipes
from pipeline.words import comparisons
from pipeline.words.numbers import counted

SHOWN = 25  # rows of a verdict that are listed unless all are asked for
HEAD = ("experiment", "configuration", "metric", "before", "after", "after compared with before", "trials", "would see")
FACTS = ("group", "fact", "before", "after")
ADVICE = "measure each side once more and give both: lab compare {before},{before}-2 {after},{after}-2"


def answer(found: Comparison) -> str:
    """What the comparison says, in a sentence or two."""
    counts, total = found.counts, len(found.table)
    if not total:
        return "Nothing that both sides measured can be compared."
    settled = [f"{counts[name]:,} {name}" for name in verdicts.CHANGED if counts.get(name)]
    settled[:1] = [f"{settled[0]} than before"] if settled else []
    rest = [f"{counts.get(verdicts.SAME, 0):,} the same within {100 * found.margin:g} %"]
    rest.append(f"{counts.get(verdicts.UNDECIDED, 0):,} undecided")
    if (found.table["method"] == "alone").all():
        del rest[0]  # of two single runs without controls nothing can be called the same
    advice = ""
    if differing := counts.get(verdicts.DIFFERS, 0):
        sides = (found.sides.before.runs[0], found.sides.after.runs[0])
        advice = f" To tell the change from the run, {ADVICE.format(before=sides[0], after=sides[1])}"
        settled.append(f"{differing:,} differ between these two runs, by the change or by the run")
    changed = ", ".join(settled) if settled else "none changed for sure"
    return f"Of {counted(total, 'comparison')}: {changed}; {', '.join(rest)}.{advice}"


def changed(found: Comparison) -> str:
    """What differs between the sides."""
    return " · ".join(fact.words() for fact in found.changed) or "nothing that the Lab can see"


def sides(found: Comparison) -> Iterator[tuple[str, Side, str]]:
    """(name, side, host, profile, dates and trials of what is compared) of before and after."""
    names = {entry.name for entry in found.entries}
    for name, runs, side in zip(("before", "after"), found.runs, found.sides.both, strict=True):
        first = runs[0].bundle.info
        dates = dict.fromkeys(run.bundle.info["created"][:10] for run in runs)
        if found.imported:
            host = fingerprint.sentence(first["host"])
            told = [host, counted(len(runs), "session"), ", ".join(first["own"]["tools"]), *dates]
            yield name, side, "; ".join(filter(None, told))
            continue
        every = [line for run in runs for line in journal.trials(run.lines) if line["experiment"] in names]
        trials = sum(side.runtime in (None, line["runtime"]) for line in every)
        host = "the same host" if name == "after" else fingerprint.sentence(first["host"])
        yield name, side, f"{host}; {first['profile']}, {', '.join(dates)}, {counted(trials, 'trial')}"


def fact_rows(found: Comparison) -> list[tuple[str, str, str, str]]:
    """Every fact of both sides, in the columns of FACTS."""
    return [(fact.group, fact.name, fact.before, fact.after) for fact in found.facts]


def about(found: Comparison) -> list[tuple[str, str]]:
    """(name, words) of what is known of the whole comparison."""
    told = [
        ("changed", changed(found)),
        ("controls" if found.way == "single" else "method", uncertainty.controls(found)),
    ]
    told += [("clock", uncertainty.clock(found))]
    return [(name, words) for name, words in told if words] + [("note", one) for one in notes(found)]


def notes(found: Comparison) -> list[str]:
    """Sentences about runs that changed or were disturbed while they were measured."""
    every = {run.bundle.name: run.lines for side in found.runs for run in side}
    return [f"{name}: {line}" for name, lines in every.items() for line in (*journal.told(lines), *journal.busy(lines))]


def groups(found: Comparison, every: bool) -> Iterator[tuple[str, pd.DataFrame, int]]:
    """(heading, rows to list, how many are not listed) of each verdict that has rows to list."""
    for verdict, count in found.counts.items():
        rows = found.table[found.table["verdict"] == verdict]
        listed = rows if every else rows[:SHOWN] if verdict in verdicts.MOVED else rows[:0]
        if len(listed):
            yield f"{heading(verdict, found.margin)} ({count:,})", listed, count - len(listed)


def heading(verdict: str, margin: float) -> str:
    named = {verdicts.SAME: f"same within {100 * margin:g} %", verdicts.DIFFERS: "differs between these two runs"}
    return named.get(verdict, verdict)


def cells(found: Comparison, row: Mapping[str, Any]) -> tuple[str, ...]:
    """The row in the columns of HEAD."""
    reason = f" ({row['reason']})" if row["reason"] else ""
    trials = f"{row['trials_before']}+{row['trials_after']}"
    sides = (verdicts.side(row, "before"), verdicts.side(row, "after"))
    told = (verdicts.numbers(row) + reason, trials, verdicts.seen(row))
    return row["experiment"], found.place(row), row["metric"], *sides, *told


def summary(found: Comparison) -> str:
    """`slower (2) · faster (0) · same within 5 % (391) · undecided (36) · only before (2) · only after (0)`"""
    counts = dict.fromkeys((verdicts.SLOWER, verdicts.FASTER), 0) | found.counts
    counts.setdefault(verdicts.SAME, 0)
    told = [f"{heading(name, found.margin)} ({counts[name]:,})" for name in verdicts.ORDER if name in counts]
    sides = found.missing["side"].value_counts()
    told += [f"only {side} ({int(sides.get(side, 0)):,})" for side in ("before", "after")]
    if sides.get("both", 0):
        told.append(f"other parameters ({int(sides['both']):,})")
    return " · ".join(told)


def absent(found: Comparison) -> Iterator[str]:
    """A line per experiment, side and reason of what only one side has."""
    names: dict[tuple[str, str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    own = not found.sides.runtimes
    for row in found.missing.to_dict("records"):
        where = ", ".join([row["label"], *([runtime_label(row["runtime"])] if own and row["runtime"] else [])])
        names[row["experiment"], row["side"], row["reason"]][where] += 1
    for (experiment, side, reason), variants in names.items():
        listed = "; ".join(f"{name} ({count})" if count > 1 else name for name, count in variants.items())
        where = "other parameters" if side == "both" else f"only {side}"
        yield f"{experiment}  {where}  {listed}  [{reason}]"


def means(found: Comparison) -> Iterator[str]:
    """The geometric mean of each experiment, metric and runtime; one over several would answer nobody's question."""
    rows = found.table[found.table["kind"] == "ratio"]
    for (experiment, metric, runtime), part in rows.groupby(["experiment", "metric", "runtime"], sort=False):
        mean = float(np.exp(np.log(part["ratio"]).mean()))
        told = f"{_head(mean, part['way'].iloc[0])} in the geometric mean of {len(part)}"
        yield f"{experiment}  {metric}  {runtime}  {told}"


def _head(ratio: float, way: comparisons.Way) -> str:
    """A ratio that has no interval."""
    return comparisons.Comparison(float(ratio), comparisons.NAN, comparisons.NAN, way=way).head()


def plain(found: Comparison, every: bool = False, facts: bool = False) -> str:
    """The comparison as text; `every`: all rows, and geometric means; `facts`: also those that are equal."""
    head = [("answer", answer(found))]
    head += [(name, f"{side.words()}: {host}") for name, side, host in sides(found)]
    hint = " (everything else equal; --facts lists all)" if found.changed else " (--facts lists all)"
    head += [(name, words + hint * (name == "changed")) for name, words in about(found)]
    lines = [f"{name:9}{words}" for name, words in head]
    if facts:
        lines += ["", *aligned(fact_rows(found))]
    for title, rows, left in groups(found, every):
        lines += ["", title, *aligned([HEAD, *(cells(found, row) for row in rows.to_dict("records"))])]
        lines += [f"... and {left:,} more: --all"] if left else []
    lines += [
        "",
        summary(found),
        uncertainty.chance(found),
        "",
        *aligned([uncertainty.HEAD, *uncertainty.classes(found)]),
    ]
    if len(found.missing):
        lines += ["", "not compared", *absent(found)]
    if every:
        lines += ["", "geometric means", *means(found)]
    return "\n".join(lines) + "\n"


def markdown(found: Comparison, every: bool = False, facts: bool = False) -> str:
    """The same as Markdown, to be pasted into an issue or a pull request."""
    title = f"{found.sides.after.words()} compared with {found.sides.before.words()}"
    lines = [f"**{escaped(title)}.** {escaped(answer(found))}", ""]
    lines += [f"- {name}: {escaped(f'{side.words()}: {host}')}" for name, side, host in sides(found)]
    lines += [f"- {name}: {escaped(words)}" for name, words in about(found)]
    if facts:
        lines += ["", *pipes(FACTS, fact_rows(found))]
    for heading_, rows, left in groups(found, every):
        lines += ["", f"**{heading_}**", "", *pipes(HEAD, (cells(found, row) for row in rows.to_dict("records")))]
        lines += ["", f"... and {left:,} more"] if left else []
    lines += [
        "",
        f"{summary(found)}. {uncertainty.chance(found)}",
        "",
        *pipes(uncertainty.HEAD, uncertainty.classes(found)),
    ]
    if len(found.missing):
        lines += ["", "Not compared:", "", *(f"- {escaped(one)}" for one in absent(found))]
    return "\n".join(lines) + "\n"
