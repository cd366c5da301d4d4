"""What a number is made of. Numbers of one class drift alike from run to run, those of another do not.

uncontended  work of one CPU alone: a time that its clock rules, so that cycles say it better than nanoseconds
contended    cache lines that travel between CPUs at work
woken        a thread that sleeps, and is woken: the scheduler's, and on a guest the hypervisor's
io           files, and the device below

An entry says of each class which of its numbers are in it; the first that holds a number has it, and what none holds is
contended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

Class = Literal["uncontended", "contended", "woken", "io"]
UNCONTENDED, CONTENDED = "uncontended", "contended"
Classes = Mapping[Class, list[dict[str, Any]]]  # class -> selections: metric, variant or axis -> a value or several
SELECTORS = ("metric", "variant")


def of(classes: Classes, number: Mapping[str, Any]) -> Class:
    """The class of a number: `number` holds its metric, its variant and the axes that it has."""
    return next((name for name, held in classes.items() if any(_holds(one, number) for one in held)), CONTENDED)


def problems(classes: Classes, known: Mapping[str, Collection[str]], axes: Collection[str]) -> Iterator[tuple]:
    """What names something that the entry does not have, with its place; `known`: the names by selector."""
    for name, held in classes.items():
        for number, selection in enumerate(held):
            for key, wanted in selection.items():
                at = ("classes", name, number, key)
                if key not in (*SELECTORS, *axes):
                    yield at, f"{key!r} is neither metric, variant nor an axis ({', '.join(axes) or 'none'})"
                elif unknown := [one for one in _values(wanted) if key in known and one not in known[key]]:
                    yield at, f"unknown {key} {unknown[0]!r}"


def _holds(selection: Mapping[str, Any], number: Mapping[str, Any]) -> bool:
    return all(number.get(key) in _values(wanted) for key, wanted in selection.items())


def _values(wanted: Any) -> list[Any]:
    return wanted if isinstance(wanted, list) else [wanted]
