"""Entries as they are written, checked: YAML comes in, types of the catalogue go out. Of the rooms that measure only
this module and `document` know YAML and pydantic, and nothing that measures imports them while the catalogue is as it
was (`pipeline.catalogue.catalogue_cache`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pipeline.catalogue.document import Document, first_fault
from pipeline.catalogue.entry import Experiment
from pipeline.ground.errors import LabError


def entries(folder: Path) -> dict[str, Experiment]:
    """All entries of a folder, by name, in the order of their numbers; none where it has no YAML.

    Raises LabError naming the file, the line and the key when an entry or one of its claims is malformed.
    """
    every = [entry(path) for path in sorted(folder.glob("*.yaml"))]
    return {one.name: one for one in sorted(every, key=lambda one: one.number)}


@cache
def of(kind: Any) -> TypeAdapter:
    """What checks data against a type of the catalogue, or a union of them."""
    return TypeAdapter(kind)


def experiment(data: Mapping[str, Any]) -> Experiment:
    """An entry of what was written; ValueError, of pydantic, where a value is missing or wrong."""
    return of(Experiment).validate_python(data)


def entry(path: Path) -> Experiment:
    """The entry of a file, with its claims."""
    document = Document(path, path.name)
    claims = path.parent / "claims" / path.name
    rules = Document(claims, f"claims/{claims.name}") if claims.exists() else None
    data = document.data | ({"claims": rules.data} if rules else {})

    def wrong(where: Sequence[str | int], what: str, missing: bool = False) -> LabError:
        of_claims = rules is not None and where[:1] == ("claims",)
        file, where = (rules, where[1:]) if of_claims else (document, where)
        told = file.path(where, missing) or "entry"
        return LabError(
            f"{file.place(where)}: {told}: {what}; correct the {'claim' if of_claims else 'catalogue entry'}"
        )

    try:
        made = experiment(data)
    except ValidationError as error:
        raise wrong(*first_fault(error)) from None
    for where, what in made.problems():
        raise wrong(where, what)
    if made.name != path.stem:
        raise LabError(f"{path.name}: name is {made.name!r}; the file must be called {made.name}.yaml")
    return made
