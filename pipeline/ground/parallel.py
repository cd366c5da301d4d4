"""Several things computed in parallel, by a few processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

from pipeline.ground import garbage

Name = TypeVar("Name", bound=Hashable)
Made = TypeVar("Made")


def each(
    make: Callable[[Name], Made],
    names: Sequence[Name],
    processes: int,
    weight: Callable[[Name], float] = lambda name: 0,
    done: Callable[[Name], None] = lambda name: None,
) -> list[Made]:
    """What `make` gives for each name, in their order; those of the greatest weight are begun first, for one that takes
    long and is begun last would be made alone. `done` is called as each is made.

    One process, or one name, is this process: a worker of somebody's pool may not have workers of its own.
    """
    if min(processes, len(names)) < 2:
        several = []
        for name in names:
            several.append(make(name))
            done(name)
        return several
    first = sorted(names, key=weight, reverse=True)
    others = multiprocessing.active_children()
    with ProcessPoolExecutor(processes, multiprocessing.get_context("forkserver"), garbage.seldom) as pool:
        made = {name: pool.submit(make, name) for name in first}
        whose = {future: name for name, future in made.items()}
        try:
            for one in as_completed(whose):
                one.result()
                done(whose[one])
        except BaseException:  # nobody waits for what the others are at
            for worker in set(multiprocessing.active_children()).difference(others):
                worker.terminate()
            raise
    return [made[name].result() for name in names]
