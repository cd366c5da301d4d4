"""What the command line lists of a session: estimates, ratios and verdicts, chosen by `NAME=VALUE`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from pipeline.analyse.claim_test import INCONCLUSIVE
from pipeline.analyse.estimates import select
from pipeline.analyse.source import Source
from pipeline.analyse.undecided import Undecided
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.selectors import assignments
from pipeline.ground.errors import LabError
from pipeline.session.completion import APART
from pipeline.session.session import Session
from pipeline.words.numbers import counted, estimated, place


def estimates(lab: Session, where: Sequence[str] | None) -> pd.DataFrame:
    """The estimates that `where` selects; LabError names an unknown column or a value that there is not."""
    return select(lab.estimates, selection(lab, where))


def ratios(
    lab: Session, where: Sequence[str] | None, of: Sequence[str] | None, to: Sequence[str] | None
) -> pd.DataFrame:
    """A ratio by runtime, paired by block, in the columns of estimates; `ratio` says of what over what."""
    common, above, below = (selection(lab, words) for words in (where, of, to))
    runtime = common.pop("runtime", None)
    sides = common | above, common | below
    if not all("metric" in side for side in sides):
        raise LabError("a ratio needs a metric: --where metric=NAME, or one in --of and one in --to")
    if several := [name for side in sides for name, value in side.items() if isinstance(value, list)]:
        raise LabError(f"a ratio is of one configuration over another; give {several[0]} one value")
    metric = " / ".join(dict.fromkeys(side["metric"] for side in sides))
    found = lab.ratios(sides[0]["metric"], {"": sides})[0]
    wanted = [runtime] if isinstance(runtime, str) else runtime
    rows = {}  # by what they are of: sides that name their runtimes are the same on every other
    for row in found.to_dict("records"):
        source: Source = row["rests_on"]
        about = {"metric": metric, "ratio": source.words(), "runtime": source.selections[0]["runtime"]}
        if wanted is None or about["runtime"] in wanted:
            numbers = {name: row[name] for name in ("estimate", "low", "high", "level")}
            rows[about["ratio"]] = about | numbers | {"unit": "ratio", "trials": source.trials, "blocks": source.blocks}
    if not rows:
        raise LabError(f"nothing was measured on both sides of the ratio{_apart(lab)}; correct --of, --to or --where")
    return pd.DataFrame(rows.values())


def _apart(lab: Session) -> str:
    """That trials have no rate, which may be why a ratio has none; empty where all have one."""
    without = counted(len(lab.apart), "trial")
    return f" ({without} without a rate: {APART}; a quieter host helps)" if len(lab.apart) else ""


def verdicts(lab: Session, claims: str) -> pd.DataFrame:
    """The verdicts, all or those named; claims of other experiments are passed over."""
    wanted = named(claims)
    rows = lab.verdicts
    return rows[rows["claim"].isin(wanted)] if wanted else rows


def undecided(rows: pd.DataFrame) -> Iterator[str]:
    """A line per undecided verdict: why, in how many minutes the chance is even, and that chance in ten rounds."""
    for row in rows[rows["verdict"] == INCONCLUSIVE].to_dict("records"):
        found = Undecided.of_columns(row)
        chance = f"; decided in 10 more rounds with {round(100 * found.chances[9])} %" if found.chances else ""
        scope = f" on {row['scope']}" if row["scope"] else ""
        yield f"{row['claim']}{scope}  {found.why}: {row['advice'] or row['reason']}{chance}"


def testing(entries: Sequence[Experiment], claims: str) -> list[Experiment]:
    """Those of the entries that test a claim of those named, all when none is; LabError for one that none tests."""
    wanted = named(claims)
    tested = [name for entry in entries for name in entry.claims]
    if unknown := [name for name in wanted if name not in tested]:
        raise LabError(f"no experiment asked for tests the claim {unknown[0]!r}; tested: {', '.join(sorted(tested))}")
    return [entry for entry in entries if not wanted or any(name in entry.claims for name in wanted)]


def named(claims: str) -> list[str]:
    """The ids of a comma-separated list."""
    return [name.strip() for name in claims.split(",") if name.strip()]


def lines(lab: Session, rows: pd.DataFrame) -> Iterator[str]:
    """A line per estimate or ratio."""
    for row in rows.to_dict("records"):
        numbers = estimated(row)
        behind = f"{row['trials']} trials in {row['blocks']} blocks"
        if "ratio" in row:
            yield f"{lab.entry.name}  {row['ratio']}  {numbers}"
            continue
        axes = " ".join(f"{axis}={place(row[axis])}" for axis in lab.entry.axes if pd.notna(row[axis]))
        about = "  ".join(part for part in (row["variant"], row["runtime"], axes, row["metric"]) if part)
        yield f"{lab.entry.name}  {about}  {numbers}  {behind}"


def told(rows: pd.DataFrame) -> Iterator[str]:
    """A line per verdict, and indented below it what to do where it is undecided, and what it rests on."""
    for row in rows.to_dict("records"):
        scope = f" on {row['scope']}" if row["scope"] else ""
        yield f"{row['claim']}{scope} {row['verdict']}: {row['text']} ({row['reason']})"
        if row["advice"]:
            yield f"  {row['advice']}"
        for one in json.loads(row["sources"]):
            yield f"  {Source.of(one).words()}"


def selection(lab: Session, where: Sequence[str] | None) -> dict[str, Any]:
    """`NAME=VALUE[,VALUE]` words as a selection; a value that holds a comma is tried whole first (placement=0,1).

    A name that comes again adds its values.
    """
    chosen: dict[str, list[Any]] = {}
    for name, text in assignments(where or (), ["metric", "variant", "runtime", *lab.entry.axes]):
        there = {place(value): value for value in lab.estimates[name].dropna().unique().tolist()}
        if lab.entry.axes.get(name) == "int":  # of an axis that not every variant has, the column is of floats
            there = {text: int(value) for text, value in there.items()}
        parts = [text] if text in there else text.split(",")
        if missing := [part for part in parts if part not in there]:
            raise LabError(f"{name}={missing[0]} was not measured; there are: {', '.join(there) or 'none'}")
        chosen[name] = list(dict.fromkeys([*chosen.get(name, ()), *(there[part] for part in parts)]))
    return {name: values[0] if len(values) == 1 else values for name, values in chosen.items()}
