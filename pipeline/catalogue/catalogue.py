"""The catalogue: what is measured, declared in `catalogue/<experiment>.yaml`, one entry per file.

Every other module takes its knowledge of an experiment from here; none of them names one.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pipeline.catalogue import catalogue_cache
from pipeline.catalogue.entry import Experiment
from pipeline.ground import paths
from pipeline.ground.errors import LabError

INSTALLED = "lab import, compare, fit, kit, check and hlog do without"


@cache
def load(folder: Path | None = None) -> dict[str, Experiment]:
    """All entries of the catalogue, by name, in the order of their numbers: as they were checked, which is done where
    an entry, or the code that checks it, is new.

    Raises LabError naming the file, the line and the key when an entry or one of its claims is malformed.
    """
    folder = folder or paths.catalogue()
    if (entries := catalogue_cache.handed_on(folder)) is not None:
        return entries
    stamp = catalogue_cache.stamp(folder)
    if (entries := catalogue_cache.kept(stamp)) is None:
        from pipeline.catalogue import check  # YAML and pydantic, which a command that measures does not wait for

        if entries := check.entries(folder):
            catalogue_cache.keep(entries, stamp)
    if not entries and not paths.checkout():
        raise LabError(f"the catalogue is not here: measuring needs a checkout of the project; {INSTALLED}")
    if not entries:
        raise LabError(f"no catalogue entry (*.yaml) in {folder}; restore the folder or correct LAB_CATALOGUE")
    return entries


def experiment(name: str) -> Experiment:
    """The entry called `name`; LabError lists the known names."""
    entries = load()
    if name not in entries:
        raise LabError(f"unknown experiment {name!r}; the catalogue has: {', '.join(entries)}")
    return entries[name]
