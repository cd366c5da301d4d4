"""What a comparison is asked about: columns and values as they are written on a command line or in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.catalogue.entry import Experiment
from pipeline.compare.measured import Configuration
from pipeline.ground.errors import LabError
from pipeline.words.numbers import place

Wanted = Mapping[str, set[str]]  # column -> values, as text


def checked(entries: Iterable[Experiment], metrics: Iterable[str], columns: Iterable[str]) -> None:
    """LabError for a metric or a column (variant, runtime, an axis) that no experiment has."""
    entries = list(entries)
    for what, names, known in (
        ("metric", metrics, {name for entry in entries for name in entry.metrics}),
        ("column", columns, {"variant", "runtime", *(axis for entry in entries for axis in entry.axes)}),
    ):
        if unknown := [name for name in names if name not in known]:
            told = ", ".join(sorted(known))
            raise LabError(f"no experiment compared has the {what} {unknown[0]!r}; there are: {told}")


def wanted(where: Mapping[str, Any], every: Iterable[Configuration]) -> Wanted:
    """The values that `where` selects, of those that the configurations have; LabError for another.

    A text that is no value is a list of values with commas; a value may hold a comma itself (placement 0,1).
    """
    every, found = list(every), {}
    for name, asked in where.items():
        known = {value for mine in every for value in _values(mine).get(name, ())}
        texts = [str(one) for one in (asked if isinstance(asked, (list, tuple, set)) else [asked])]
        parts = [part for text in texts for part in ([text] if text in known else text.split(","))]
        if unknown := [part for part in parts if part not in known]:
            told = ", ".join(sorted(known)) or "none"
            raise LabError(f"{name}={unknown[0]} was not measured on either side; there are: {told}")
        found[name] = set(parts)
    return found


def selects(wanted: Wanted, mine: Configuration) -> bool:
    own = _values(mine)
    return all(values.intersection(own.get(name, ())) for name, values in wanted.items())


def matches(row: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether a row of the table has these values; a runtime may be that of either side."""
    for name, value in where.items():
        if name == "runtime":
            if value not in (row["runtime"], row["runtime_before"], row["runtime_after"]):
                return False
        elif (row[name] if name in ("experiment", "metric", "variant") else row["axes"].get(name)) != value:
            return False
    return True


def several(rows: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Experiment -> its axes of which the rows have several values."""
    seen: dict[str, dict[str, set]] = {}
    for row in rows:
        axes = seen.setdefault(row["experiment"], {})
        for axis, value in row["axes"].items():
            axes.setdefault(axis, set()).add(value)
    return {name: {axis for axis, values in axes.items() if len(values) > 1} for name, axes in seen.items()}


def _values(mine: Configuration) -> dict[str, tuple[str, ...]]:
    axes = {name: (place(value),) for name, value in mine.axes.items()}
    return {"variant": (mine.variant,), "runtime": mine.runtimes, **axes}
