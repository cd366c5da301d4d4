"""The report on an imported run, in a few lines: its groups, what they differ by, whether limits were kept, and what to
know of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from pipeline.bundle import journal
from pipeline.compare import export, verdicts
from pipeline.compare.comparison import Comparison
from pipeline.ingest.imported import beyond
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.own import maxima, notes
from pipeline.own.entry import metric_of
from pipeline.session.session import Session
from pipeline.words.numbers import about, counted, estimated, number, place, places, quantity

COLUMNS = ["group", "sessions", "tool", "series", "unit", "values", "each", "greatest"]
NAMED = 4  # series that are named
SCORES = 6  # metrics of a benchmark that are told: its score and what profilers tell of it
ROWS = 12  # of a comparison that are printed
ASKED = ("p50", "p99", "p99_9")


def comparisons(lab: Session) -> list[Comparison]:
    """Each further group of a run compared with the first; none where the files were given without groups."""
    if not lab.bundle.info["own"]["compared"]:
        return []
    first, *others = dict.fromkeys(line["runtime"] for line in journal.trials(lab.bundle.journal()))
    return [Comparison(f"{lab.run}:{first}", f"{lab.run}:{group}") for group in others]


def groups(lab: Session) -> Iterator[list[str]]:
    """A row for each group, in the order of COLUMNS."""
    told = lab.bundle.info["own"]
    trials = lab.tables.trials
    samples = lab.tables.iterations.groupby("trial", observed=True)["samples"].sum()
    units = ", ".join(dict.fromkeys(one.split(":")[0] for one in told["units"])) or "as the tool tells it"
    most = maxima.greatest(lab)
    for name in dict.fromkeys(trials["runtime"]):
        mine = trials[trials["runtime"] == name]
        series = list(dict.fromkeys(mine["variant"]))
        named = ", ".join(series[:NAMED]) + (f" and {len(series) - NAMED} more" if len(series) > NAMED else "")
        longest = float(mine["wall_s"].max())
        values = int(samples.reindex(mine["trial"]).fillna(0).sum())
        each = _time(longest) if longest > 0 else ""
        sessions = str(mine["block"].nunique())
        tool = lab.bundle.info["runtimes"][name]["version"]
        top = maxima.in_words(most, name)
        yield [name, sessions, tool, named, units, number(values) if values else "", each, top]


def printed(lab: Session, found: list[Comparison]) -> Iterator[str]:
    """The lines that `lab import` prints."""
    for name, sessions, tool, series, unit, values, each, most in groups(lab):
        parts = [counted(int(sessions), "session"), f"({', '.join(part for part in (tool, series, unit) if part)})"]
        parts += [f"{values} values" if values else "", f"{each} each" if each else ""]
        told = " ".join(parts[:2]) + "".join(f", {part}" for part in parts[2:] if part)
        yield f"{name:<8} {told}"
        if most:
            yield f"{'':<8} greatest: {most}"
    if not found:
        yield from (levels(lab), *scores(lab))
    for one in found:
        yield sentence(one)
        yield from rows(one)
    for limit, series, group, verdict in limits(lab):
        yield f"limit {limit}: {series}, {group}: {verdict}"
    yield from (f"note: {one}" for one in notes.notes(lab))


def as_json(lab: Session, found: list[Comparison]) -> dict[str, Any]:
    """What `printed` says, as data."""
    return {
        "groups": [dict(zip(COLUMNS, row, strict=True)) for row in groups(lab)],
        "comparisons": [export.document(one) for one in found],
        "greatest": maxima.greatest(lab),
        "levels": json.loads(lab.estimates.to_json(orient="records")),
        "limits": [dict(zip(("limit", "series", "group", "verdict"), one, strict=True)) for one in limits(lab)],
        "notes": notes.notes(lab),
    }


def rows(found: Comparison) -> Iterator[str]:
    """A line for each series and percentile that is asked about first, or score."""
    metrics = found.entries[0].metrics
    first = [name for name in ASKED if name in metrics] or list(metrics)[:SCORES]
    chosen = found.table[found.table["metric"].isin(first)]
    order = {name: at for at, name in enumerate(found.entries[0].variants)}
    chosen = chosen.assign(at=chosen["variant"].map(order), number=chosen["metric"].map(first.index))
    chosen = chosen.sort_values(["at", "number"], kind="stable")
    for row in chosen.iloc[:ROWS].to_dict("records"):
        sides = f"{verdicts.side(row, 'before')} -> {verdicts.side(row, 'after')}"
        yield f"{found.place(row)}  {row['metric'].replace('_', '.')}  {sides}: {told(found, row)}"
    if len(chosen) > ROWS:
        yield f"... and {len(chosen) - ROWS} more: lab compare {_command(found)}"


def told(found: Comparison, row: dict) -> str:
    """`12 % slower [4, 21] over 5 and 5 sessions`"""
    return verdicts.sentence(row, found.margin, _over(found, row))


def sentence(found: Comparison) -> str:
    """What two groups differ by, as a sentence."""
    before, after = found.sides.names
    counts = found.counts
    few = min(len(side) for side in found.runs)
    if found.way == "single" and few < 2 and not any(counts.get(name) for name in verdicts.CHANGED):
        say = "one session on each side" if max(len(side) for side in found.runs) < 2 else "one session on a side"
        advice = "a verdict needs 2 or more on each, measured in turn: A1 B1 A2 B2"
        return f"{before}, {after}: {say}; {advice}."
    changed = [f"{counts[name]} {name}" for name in verdicts.CHANGED if counts.get(name)]
    rest = f"{counts.get(verdicts.SAME, 0)} the same within {place(100 * found.margin)} %"
    open_ = f"{counts.get(verdicts.UNDECIDED, 0)} undecided"
    what = ", ".join(changed) if changed else "nothing changed for sure"
    return f"{after} compared with {before}: {what}; {rest}, {open_}."


def levels(lab: Session) -> str:
    """The first metric of each group and series, where nothing is compared."""
    headline = next(iter(_headlines(lab)), None)
    return "There are too few values for a percentile." if headline is None else _level(lab, headline)


def scores(lab: Session) -> list[str]:
    """`levels` of the further metrics of benchmarks, as of profilers; none where there are latencies."""
    told = [] if "mean" in lab.entry.metrics or "p50" in lab.entry.metrics else _headlines(lab)[1:SCORES]
    return [_level(lab, one) for one in told]


def _headlines(lab: Session) -> list[str]:
    there = set(lab.estimates["metric"])
    return [one.metric for one in lab.entry.headlines if one.metric in there]


def _level(lab: Session, headline: str) -> str:
    metric, labels = lab.entry.metrics[headline], lab.labels()
    chosen = lab.estimates[lab.estimates["metric"] == headline]
    parts = []
    for row in chosen.iloc[:NAMED].to_dict("records"):
        axes = places({axis: row[axis] for axis in lab.entry.axes if not pd.isna(row[axis])})
        where = ", ".join(part for part in (row["runtime"], labels[row["variant"]], axes) if part)
        parts.append(f"{where} {estimated(row)}")
    more = f"; and {len(chosen) - NAMED} more" if len(chosen) > NAMED else ""
    return f"{metric.label}: {'; '.join(parts)}{more}."


def limits(lab: Session) -> Iterator[tuple[str, str, str, str]]:
    """(limit, series, group, verdict) of each: kept where the whole interval over sessions lies below, broken where it
    lies above, else undecided; of one session what that one did. With the share of values that took longer."""
    labels = lab.labels()
    for percent, most in lab.bundle.info["own"]["limits"]:
        said = f"{place(percent)} %: {quantity(most, 'ns')}"
        values = lab.metrics[lab.metrics["metric"] == metric_of(percent)]
        shares = lab.metrics[lab.metrics["metric"] == beyond(most)]
        keys = ["variant", "runtime"]
        for (variant, group), rows_ in shares.groupby(keys, sort=False, observed=True):
            mine = values[(values["variant"] == variant) & (values["runtime"] == group)]
            verdict = _kept(mine["value"].to_numpy(float), most, len(rows_))
            yield said, labels[variant], group, f"{verdict}; {_one_in(float(rows_['value'].mean()))}"


def _kept(values: np.ndarray, most: float, sessions: int) -> str:
    if not len(values):
        return "not known: too few values beyond that percentile"
    kept = int((values <= most).sum())
    if sessions == 1:
        return "kept in this session" if kept else "broken in this session"
    low, high = (values.min(), values.max()) if len(values) < FEWEST else median_interval(values)[1:3]
    if len(values) == sessions and high <= most:
        return f"kept in {kept} of {sessions}"
    if len(values) == sessions and low > most:
        return f"broken in {sessions - kept} of {sessions}"
    return f"undecided: kept in {kept} of {sessions}"


def _one_in(share: float) -> str:
    return f"1 value in {about(1 / share)} took longer" if share > 0 else "no value took longer"


def _over(found: Comparison, row: dict) -> str:
    if found.way == "paired":
        return f"over {counted(row['trials_before'], 'pair')} of sessions"
    mine = found.configuration(row)
    before, after = (sum(len(rows_) > 0 for rows_ in side) for side in (mine.before, mine.after))
    return f"over {before} and {counted(after, 'session')}"


def _command(found: Comparison) -> str:
    before, after = found.sides.runtimes or ("", "")
    run = found.sides.before.runs[0]
    return f"{run}:{before} {run}:{after}"


def _time(seconds: float) -> str:
    minutes = seconds / 60
    if minutes < 2:
        return quantity(seconds, "s")
    return f"{about(minutes)} minutes" if minutes < 120 else f"{about(minutes / 60)} hours"
