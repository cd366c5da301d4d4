"""The catalogue: what is measured, declared in `catalogue/<experiment>.yaml`, one entry per file.

Every other module takes its knowledge of an experiment from here; none of them names one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from pipeline.catalogue.document import Document, first_fault
from pipeline.catalogue.entry import Experiment
from pipeline.ground import paths
from pipeline.ground.errors import LabError

INSTALLED = "lab import, compare, fit, kit, check and hlog do without"


@cache
def load(folder: Path | None = None) -> dict[str, Experiment]:
    """All entries of the catalogue, by name, in the order of their numbers.

    Raises LabError naming the file, the line and the key when an entry or one of its claims is malformed.
    """
    folder = folder or paths.catalogue()
    entries = [_entry(path) for path in sorted(folder.glob("*.yaml"))]
    if not entries and not paths.checkout():
        raise LabError(f"the catalogue is not here: measuring needs a checkout of the project; {INSTALLED}")
    if not entries:
        raise LabError(f"no catalogue entry (*.yaml) in {folder}; restore the folder or correct LAB_CATALOGUE")
    return {entry.name: entry for entry in sorted(entries, key=lambda e: e.number)}


def experiment(name: str) -> Experiment:
    """The entry called `name`; LabError lists the known names."""
    entries = load()
    if name not in entries:
        raise LabError(f"unknown experiment {name!r}; the catalogue has: {', '.join(entries)}")
    return entries[name]


def _entry(path: Path) -> Experiment:
    """One entry with its claims."""
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
        entry = Experiment.model_validate(data)
    except ValidationError as error:
        raise wrong(*first_fault(error)) from None
    for where, what in entry.problems():
        raise wrong(where, what)
    if entry.name != path.stem:
        raise LabError(f"{path.name}: name is {entry.name!r}; the file must be called {entry.name}.yaml")
    return entry
