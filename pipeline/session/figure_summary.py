"""The summary of a figure, for its alternative text and for who hands it on: a brief, its findings, a short table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from pipeline.analyse.source import Selection, Source
from pipeline.catalogue.selectors import runtime_label
from pipeline.draw.figure import BRIEF, Figure
from pipeline.session.session import Session
from pipeline.session.table import NONE
from pipeline.words.numbers import counted, interval, place, scale

Texts = list[str]  # a sentence whole, then ever shorter
MOST_ROWS = 12


def resting_on(told: Iterable[tuple[Texts, list[Source]]], numbers: pd.DataFrame | None) -> list[Texts]:
    """The sentences every number of which is made of numbers that are drawn.

    numbers: the estimates (metric, variant, runtime, axes) or the ratios (`rests_on`) in a figure; None: neither.
    """
    if numbers is None or numbers.empty:
        return []
    if "rests_on" in numbers:
        drawn = [one.configurations() for one in numbers["rests_on"]]
        return [texts for texts, sources in told if sources and all(one.configurations() in drawn for one in sources)]
    rows = numbers.to_dict("records")
    return [
        texts
        for texts, sources in told
        if sources and all(_drawn(selection, rows) for source in sources for selection in source.selections)
    ]


def brief(title: str, alt: str, found: Sequence[Texts]) -> str:
    """At most BRIEF characters: the title, what is shown (the first sentence of `alt`), then of the first sentence in
    `found` as much as there is room for; of the numbers in `alt` where there is none."""
    shown, _, numbers = alt.partition(". ")
    head = " ".join(part if part[-1] in ".?!" else f"{part}." for part in (title.strip(), shown.strip()) if part)
    shorter = numbers.rstrip(".").split("; ")
    cut = [f"{'; '.join(shorter[:count])}; …" for count in range(len(shorter) - 1, 0, -1)]
    tails = [*(text for texts in found for text in texts), *([numbers, *cut] if numbers else [])]
    whole = [f"{head} {tail}" for tail in tails if len(head) + len(tail) < BRIEF]
    return next(iter(whole), head if len(head) <= BRIEF else "")


def about(lab: Session, figure: Figure, numbers: pd.DataFrame | None, found: Sequence[Texts]) -> dict[str, Any]:
    """What NAME.json says beside the words of a figure.

    found: the sentences of the answer; rests_on: how many trials; table: `columns`, at most MOST_ROWS `rows` of words,
    and how many `more` numbers there are.
    """
    rests_on = _rests_on(figure.data, numbers, len(lab.tables.measured))
    return {"found": [texts[0] for texts in found], "rests_on": rests_on, "table": _table(lab, figure.alt, numbers)}


def _drawn(selection: Selection, rows: Sequence[dict]) -> bool:
    return any(all(_has(row.get(name), value) for name, value in selection.items()) for row in rows)


def _has(found: Any, wanted: Any) -> bool:
    return bool(pd.isna(found)) if wanted is None else found == wanted


def _rests_on(data: pd.DataFrame, numbers: pd.DataFrame | None, measured: int) -> str:
    """`120 trials` where the figure tells which, otherwise `an experiment of 520 trials`."""
    if "trial" in data and (drawn := data["trial"].nunique()):
        return counted(drawn, "trial")
    if numbers is not None and "trials" in numbers and "rests_on" not in numbers:
        return counted(int(numbers["trials"].sum()), "trial")
    return f"an experiment of {counted(measured, 'trial')}"


def _table(lab: Session, alt: str, numbers: pd.DataFrame | None) -> dict[str, Any]:
    if numbers is None or numbers.empty:
        parts = [part.partition(": ") for part in alt.partition(". ")[2].rstrip(".").split("; ")]
        columns, rows = ["", "Values"], [[name, said] for name, colon, said in parts if colon]
    elif "rests_on" in numbers:
        columns, rows = ["", "Ratio"], [[_labelled(row), _said(row)] for row in numbers.to_dict("records")]
    elif len(numbers) > MOST_ROWS and (axis := _longest(lab, numbers)):
        return _at_ends(lab, numbers, axis)
    else:
        keys = _keys(lab, numbers)
        found = lab.ordered(numbers, keys).to_dict("records")
        columns = [*map(_head, keys), "Estimate", "Trials"]
        powers = _powers(numbers)
        rows = [[*_named(lab, keys, row), _said(row, powers[row["metric"]]), str(row["trials"])] for row in found]
    return {"columns": columns, "rows": rows[:MOST_ROWS], "more": max(0, len(rows) - MOST_ROWS)}


def _at_ends(lab: Session, numbers: pd.DataFrame, axis: str) -> dict[str, Any]:
    """Of too many estimates those at the least and the greatest value of an axis, side by side."""
    ends = [numbers[axis].min(), numbers[axis].max()]
    keys = [key for key in _keys(lab, numbers) if key != axis]
    found: dict[tuple[str, ...], dict[Any, str]] = {}
    powers = _powers(numbers)
    for row in lab.ordered(numbers[numbers[axis].isin(ends)], keys).to_dict("records"):
        found.setdefault(tuple(_named(lab, keys, row)), {})[row[axis]] = _said(row, powers[row["metric"]])
    shown = dict(list(found.items())[:MOST_ROWS])
    rows = [[*key, *(cells.get(end, NONE) for end in ends)] for key, cells in shown.items()]
    columns = [*map(_head, keys), *(f"{_head(axis)} {place(end)}" for end in ends)]
    return {"columns": columns, "rows": rows, "more": len(numbers) - sum(map(len, shown.values()))}


def _longest(lab: Session, numbers: pd.DataFrame) -> str:
    """The axis of numbers with the most values, empty where none differs."""
    axes = [axis for axis in lab.entry.axes if _differs(numbers, axis) and is_numeric_dtype(numbers[axis])]
    return max(axes, key=lambda axis: numbers[axis].nunique(), default="")


def _keys(lab: Session, numbers: pd.DataFrame) -> list[str]:
    """What tells the estimates from each other."""
    return ["variant", *(name for name in ["metric", "runtime", *lab.entry.axes] if _differs(numbers, name))]


def _head(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _named(lab: Session, keys: Sequence[str], row: dict[str, Any]) -> list[str]:
    """Keys of an estimate as a reader knows them."""
    labels, metrics = lab.labels(), lab.entry.metrics
    known = {
        "variant": lambda name: labels.get(name, str(name)),
        "runtime": runtime_label,
        "metric": lambda name: metrics[name].label if name in metrics else str(name),
    }
    return [NONE if pd.isna(row[key]) else known.get(key, place)(row[key]) for key in keys]


def _differs(numbers: pd.DataFrame, column: str) -> bool:
    return column in numbers and numbers[column].nunique(dropna=False) > 1


def _labelled(row: dict[str, Any]) -> str:
    return ", ".join(part for part in (row.get("panel"), row["label"]) if part)


def _said(row: dict[str, Any], power: int | None = None) -> str:
    unit, level = row.get("unit", "ratio"), row.get("level", 0.95)
    return interval(row["estimate"], row["low"], row["high"], unit, level, power)


def _powers(numbers: pd.DataFrame) -> dict[str, int | None]:
    """Metric -> the power of ten in which a table says all of its estimates."""
    units = numbers.groupby("metric", observed=True)
    return {metric: scale(group["estimate"], group["unit"].iloc[0]) for metric, group in units}
