"""A computation of several things by a few processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

Made = TypeVar("Made")


def each(
    make: Callable[[str], Made], names: Sequence[str], processes: int, weight: Callable[[str], float] = lambda name: 0
) -> list[Made]:
    """What `make` gives for each name, in their order; those of the greatest weight are begun first, for one that takes
    long and is begun last would be made alone.

    One process, or one name, is this process: a worker of somebody's pool may not have workers of its own.
    """
    if min(processes, len(names)) < 2:
        return [make(name) for name in names]
    first = sorted(names, key=weight, reverse=True)
    others = multiprocessing.active_children()
    with ProcessPoolExecutor(processes, multiprocessing.get_context("forkserver")) as pool:
        made = {name: pool.submit(make, name) for name in first}
        try:
            for one in as_completed(made.values()):
                one.result()
        except BaseException:  # nobody waits for what the others are at
            for worker in set(multiprocessing.active_children()).difference(others):
                worker.terminate()
            raise
    return [made[name].result() for name in names]
