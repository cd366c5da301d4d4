"""Maxima: the greatest value that each group and series holds, with the number of values that it is the greatest of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from pipeline.foreign.reading import GREATEST
from pipeline.session.session import Session
from pipeline.words.numbers import counted, quantity

NAMED = 4  # series that are told in a line


def greatest(lab: Session) -> list[dict[str, Any]]:
    """A row for each group and series that has histograms: `group`, `series`, `greatest` in ns, `values`, and whether
    that is a bound (`bound`), as of a table of percentiles.

    Of values that a histogram holds it is the greatest that its last bucket stands for, as the HdrHistogram library
    tells it; where the tool tells its own of every trial, as fio does, it is that. All sessions and values of axes are
    taken together; a greatest of more values is larger.
    """
    rows = lab.tables.trial_buckets
    if rows.empty:
        return []
    trials = lab.tables.trials.assign(trial=lab.tables.trials["trial"].astype(str)).set_index("trial")
    names = rows["trial"].astype(str)
    top = rows["low_ns"] + (rows["width_ns"] - 1)
    exact = _exact(lab)
    top, known = names.map(exact).where(names.isin(exact.index), top), names.isin(exact.index)
    about = {"group": names.map(trials["runtime"].astype(str)), "of": names.map(trials["variant"])}
    told = rows.assign(top=top, known=known, **about)
    each = told[told["count"] > 0].groupby(["group", "of"], sort=False, observed=True)
    labels, bound = lab.labels(), bool(lab.bundle.info["own"]["bounds"])
    aggregated = {"greatest": ("top", "max"), "number": ("count", "sum"), "known": ("known", "all")}
    found = each.agg(**aggregated).reset_index()
    keys = ("group", "series", "greatest", "values", "bound")
    return [
        dict(
            zip(
                keys,
                (row.group, labels[row.of], int(row.greatest), int(row.number), bound and not row.known),
                strict=True,
            )
        )
        for row in found.itertuples(name="Row")
    ]


def _exact(lab: Session) -> pd.Series:
    """The greatest value in ns of each trial (index: its name) whose tool tells it."""
    checks = lab.tables.checks
    mine = checks[checks["name"] == GREATEST]
    return mine["expected"].astype(float).groupby(mine["trial"].astype(str)).max()


def in_words(rows: Sequence[dict[str, Any]], group: str) -> str:
    """`read 1.2 ms of 200,000 values; write ...` of a group; empty where it has no histogram."""
    mine = [row for row in rows if row["group"] == group]
    more = [f"and {len(mine) - NAMED} more"] if len(mine) > NAMED else []
    return "; ".join([*_each(mine[:NAMED]), *more])


def _each(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        at_most = "at most " if row["bound"] else ""
        yield f"{row['series']} {at_most}{quantity(row['greatest'], 'ns')} of {counted(row['values'], 'value')}"
