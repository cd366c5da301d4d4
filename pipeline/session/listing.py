"""What the command line lists of a session: estimates, ratios and verdicts, chosen by `NAME=VALUE`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from pipeline.analyse.estimates import select
from pipeline.analyse.source import Source
from pipeline.errors import LabError
from pipeline.session.session import Session
from pipeline.words import interval


def estimates(lab: Session, where: Sequence[str] | None) -> pd.DataFrame:
    """The estimates that `where` selects; LabError names an unknown column or a value that there is not."""
    return select(lab.estimates, _selection(lab, where))


def ratios(
    lab: Session, where: Sequence[str] | None, of: Sequence[str] | None, to: Sequence[str] | None
) -> pd.DataFrame:
    """A ratio by runtime, paired by block, in the columns of estimates; `ratio` says of what over what."""
    common, above, below = (_selection(lab, words) for words in (where, of, to))
    metric, runtime = common.pop("metric", None), common.pop("runtime", None)
    if not isinstance(metric, str):
        raise LabError("a ratio needs one metric: --where metric=NAME")
    found = lab.ratios(metric, {"": (above, below)}, **common)[0]
    if found.empty:
        raise LabError("nothing was measured on both sides of the ratio; correct --of, --to or --where")
    rows = []
    for row in found.to_dict("records"):
        source: Source = row["rests_on"]
        about = {"metric": metric, "ratio": source.words(), "runtime": source.selections[0]["runtime"]}
        if runtime in (None, about["runtime"]):
            numbers = {name: row[name] for name in ("estimate", "low", "high")}
            rows.append(about | numbers | {"unit": "ratio", "trials": source.trials, "blocks": source.blocks})
    return pd.DataFrame(rows)


def verdicts(lab: Session, claims: str) -> pd.DataFrame:
    """The verdicts, all or those named; LabError for a claim that the experiment does not test, if it is the only one.

    Claims of other experiments are passed over.
    """
    wanted = {name.strip() for name in claims.split(",") if name.strip()}
    rows = lab.verdicts
    return rows[rows["claim"].isin(wanted)] if wanted else rows


def lines(lab: Session, rows: pd.DataFrame) -> Iterator[str]:
    """A line per estimate or ratio."""
    for row in rows.to_dict("records"):
        numbers = interval(row["estimate"], row["low"], row["high"], row["unit"])
        behind = f"{row['trials']} trials in {row['blocks']} blocks"
        if "ratio" in row:
            yield f"{lab.entry.name}  {row['ratio']}  {numbers}"
            continue
        axes = " ".join(f"{axis}={row[axis]}" for axis in lab.entry.axes if row[axis] == row[axis])
        about = "  ".join(part for part in (row["variant"], row["runtime"], axes, row["metric"]) if part)
        yield f"{lab.entry.name}  {about}  {numbers}  {behind}"


def told(rows: pd.DataFrame) -> Iterator[str]:
    """A line per verdict, and indented below it what it rests on."""
    for row in rows.to_dict("records"):
        scope = f" on {row['scope']}" if row["scope"] else ""
        yield f"{row['claim']}{scope} {row['verdict']}: {row['text']} ({row['reason']})"
        for one in json.loads(row["sources"]):
            yield f"  {Source(**one).words()}"


def _selection(lab: Session, where: Sequence[str] | None) -> dict[str, Any]:
    """`NAME=VALUE[,VALUE]` words as a selection; a value that holds a comma is tried whole first (placement=0,1)."""
    known = ["metric", "variant", "runtime", *lab.entry.axes]
    chosen: dict[str, Any] = {}
    for word in where or ():
        name, equals, text = word.partition("=")
        if not equals or name not in known:
            raise LabError(f"{word!r} is not NAME=VALUE with NAME one of: {', '.join(known)}")
        there = {_text(value): value for value in lab.estimates[name].dropna().unique()}
        parts = [text] if text in there else text.split(",")
        if missing := [part for part in parts if part not in there]:
            raise LabError(f"{name}={missing[0]} was not measured; there are: {', '.join(there) or 'none'}")
        values = [there[part] for part in parts]
        chosen[name] = values[0] if len(values) == 1 else values
    return chosen


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
