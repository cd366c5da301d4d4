"""Progress of measuring an experiment: what every number and figure of a run says that is not complete."""

from __future__ import annotations

from pipeline.bundle import entries, journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.entry import Experiment
from pipeline.measure.progress import Counted


def counted(bundle: Bundle, entry: Experiment) -> Counted:
    """What the run's journal has of the experiment."""
    found = Counted(entry.profiles[bundle.info["profile"]])
    for line in journal.of(bundle.journal(), entry.name):
        found.take(line)
    return found


def blocks(found: Counted) -> str:
    """`1 of at least 6 blocks`; `part of the first of at least 6 blocks`, where anything is measured."""
    whole = int(found.blocks) or ("part of the first" if found.done else 0)
    return f"{whole} of at least {found.sizes.min_blocks} blocks"


def unjudged(bundle: Bundle, entry: Experiment) -> str:
    """Why no claim is judged by the run; empty where they are: once it is complete, unless it is of one block only."""
    sizes = entry.profiles.get(bundle.info["profile"])
    if sizes is not None and sizes.max_blocks == 1 and not journal.sittings(bundle.journal()):
        return "not judged by a first look, which measures everything once; make report does"
    return "judged when the run is complete" if so_far(bundle, entry) else ""


def so_far(bundle: Bundle, entry: Experiment) -> str:
    """`so far, 1 of at least 6 blocks`; empty once measuring has ended, and of what is no run of the Lab's."""
    if entries.own(bundle) or journal.finished(bundle.journal(), entry.name):
        return ""
    return f"so far, {blocks(counted(bundle, entry))}"
