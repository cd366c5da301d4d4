"""Labels of the states of the CPUs, for a reader who never saw a hypervisor."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from pipeline.analyse.estimates import select
from pipeline.analyse.source import Source
from pipeline.analyse.states import chosen, told
from pipeline.measure import states
from pipeline.measure.states import MOVED, UNTOLD, States
from pipeline.words.comparisons import listed

WAYS = {
    states.NEAR: "near each other",
    states.FAR: "far apart",
    f"{states.FAR} 2": "farther apart",
    states.NEARER: "nearer than otherwise",
    states.CORE: "on one core",
}
CORES = {states.ALONE: "cores of their own", states.SHARED: "a core that others worked on"}


def several(rows: pd.DataFrame) -> bool:
    """Whether trials, or what is made of them, were in other states than the one that is meant."""
    ranks = told(rows)
    return bool(((ranks > 0) | (ranks == MOVED)).any())


def apart(way: str) -> str:
    """How CPUs of a group of ways lie, by its name: `far apart`; of the third of a kind and further ones with its
    number."""
    return _words(WAYS, way)


def named(found: States, way: int, core: int) -> str:
    """`CPUs near each other and cores of their own`; empty where neither rank tells anything."""
    known = []
    if name := found.way.name(way):
        known.append(f"{'both CPUs' if name.startswith(states.CORE) else 'CPUs'} {apart(name)}")
    if name := found.core.name(core):
        known.append(_words(CORES, name))
    return listed(known, "and") if known else ""


def _words(words: Mapping[str, str], name: str) -> str:
    kind, _, number = name.rpartition(" ")
    return words[name] if name in words else f"{words.get(f'{kind} 2', words[kind])} ({number})"


def of_sources(found: States, metrics: pd.DataFrame, sources: Iterable[Source]) -> tuple[str, bool]:
    """The state that a number is of which rests on these, or all of several: empty where they are of several, or do
    not tell. And whether it has to be said: trials were left out for it, or it is not the one that is meant. metrics: a
    metrics table."""
    ranks: tuple[set[int], set[int]] = (set(), set())
    said = False
    for source in sources:
        sides = [told(select(metrics, one)) for one in source.selections]
        keep = chosen(sides)
        said |= not all(one.all() for one in keep)
        kept = np.concatenate([side[one] for side, one in zip(sides, keep, strict=True)])
        for of, column in zip(ranks, kept.T, strict=True):
            of.update(int(one) for one in column if one >= 0)
    said |= any(rank > 0 for of in ranks for rank in of)
    state = named(found, *(next(iter(of), UNTOLD) for of in ranks)) if max(map(len, ranks)) < 2 else ""
    return state, said


def said(rows: pd.DataFrame, found: States, metrics: pd.DataFrame) -> pd.DataFrame:
    """Verdicts whose reasons say the state of the CPUs that they are about, where it has to be said."""
    about = [of_sources(found, metrics, map(Source.of, json.loads(told))) for told in rows["sources"]]
    told = [
        f"{why}; {state}" if state and needed else why
        for why, (state, needed) in zip(rows["reason"], about, strict=True)
    ]
    return rows.assign(reason=told)
