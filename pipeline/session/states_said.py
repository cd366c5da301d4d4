"""What a page says of the states that the CPUs of its trials were in; nothing where the run was in one."""

from __future__ import annotations

from collections import Counter

from pipeline.analyse.states import told
from pipeline.measure import states
from pipeline.measure.states import MOVED, UNTOLD
from pipeline.models.median_interval import ENOUGH
from pipeline.session.computed import Computed
from pipeline.words.said import listed

WAYS = {states.NEAR: "CPUs near each other", states.FAR: "CPUs far apart", states.CORE: "both CPUs on one core"}
CORES = {states.ALONE: "cores of their own", states.SHARED: "a core that others worked on"}


def several(lab: Computed) -> bool:
    """Whether trials of the experiment were in other states than the one that is meant."""
    ranks = told(lab.tables.measured)
    return bool(((ranks > 0) | (ranks == MOVED)).any())


def counted(lab: Computed) -> str:
    """How many trials were in which state, and of which the numbers are."""
    if not several(lab):
        return ""
    found = states.of(lab.bundle.journal())
    ranks = Counter(tuple(row) for row in told(lab.tables.measured).tolist())
    parts = [f"{count:,} {_name(found, *rank)}" for rank, count in sorted(ranks.items(), key=_last_what_is_not_told)]
    told_of = f"Of the trials here {listed(parts, 'and')}."
    rule = f"A number is of one state: the first of these with {ENOUGH} trials, else that of most."
    return f"The CPUs of this host were moved while it was measured. {told_of} {rule}"


def _last_what_is_not_told(counted: tuple[tuple[int, int], int]) -> tuple:
    (way, core), _ = counted
    return (way == MOVED, way < 0 and core < 0, way < 0, way, core)


def _name(found: states.States, way: int, core: int) -> str:
    if MOVED in (way, core):
        return "had CPUs that moved too often"
    known = [
        words.get(groups.name(rank), groups.name(rank))
        for words, groups, rank in ((WAYS, found.way, way), (CORES, found.core, core))
        if rank != UNTOLD
    ]
    return f"had {listed(known, 'and')}" if known else "do not tell"
