"""What is not compared, for only one side has it, or the sides have it with other parameters; nothing is dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from pipeline.compare.measured import Configuration, Run
from pipeline.compare.rows import labelled
from pipeline.compare.sides import Sides
from pipeline.words.numbers import places

COLUMNS = ["experiment", "metric", "variant", "label", "runtime", "axes", "side", "reason"]
SIDES = ("before", "after")


def table(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=COLUMNS)


def row(mine: Configuration, runs: Sequence[Sequence[Run]]) -> dict[str, Any]:
    """The row of a configuration; `side` is `both` where only the parameters keep the sides apart."""
    present = [any(len(rows) for rows in side) for side in (mine.before, mine.after)]
    side, reason = "both", mine.otherwise
    if not all(present):
        side, other = SIDES[present.index(True)], present.index(False)
        why = (run.absence(mine.entry.name, mine.variant, mine.runtimes[other], mine.axes) for run in runs[other])
        reason = f"{SIDES[other]}: {'; '.join(dict.fromkeys(why))}"
    label, runtime = labelled(mine)
    values = (mine.entry.name, mine.metric, mine.variant, label, runtime, dict(mine.axes), side, reason)
    return dict(zip(COLUMNS, values, strict=True))


def experiment(name: str, held: Sequence[bool]) -> dict[str, Any]:
    """The row of a whole experiment; `held`: by side."""
    side, other = SIDES[list(held).index(True)], SIDES[list(held).index(False)]
    values = (name, "", "", "the whole experiment", "", {}, side, f"{other}: not measured")
    return dict(zip(COLUMNS, values, strict=True))


def nothing_shared(found: pd.DataFrame, both: Sides, chosen: bool) -> str:
    """That the sides share nothing, with one of the configurations that each has; chosen: of those asked about."""
    selected = " that --where selects" if chosen else ""
    told = "; ".join(example(found, side) for side in SIDES)
    return f"{both.before.words()} and {both.after.words()} share no configuration{selected}; {told}"


def example(found: pd.DataFrame, side: str) -> str:
    """One of the configurations that a side has, in words."""
    rows = found[found["side"].isin([side, "both"])]
    if rows.empty:
        return f"{side} has none"
    first = rows.iloc[0]
    named = ", ".join(part for part in (first["variant"], places(first["axes"]), first["runtime"]) if part)
    why = f" ({first['reason']})" if first["side"] == "both" else ""
    more = f" and {len(rows) - 1} others" if len(rows) > 1 else ""
    return f"{side} has {first['experiment']} {named}{why}{more}"
