"""The CPUs of this process: which they are, where they lie, and the order in which threads take them."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from pipeline.host import order, quota, sysfs
from pipeline.host.topology import Topology
from pipeline.words.numbers import counted, number


def allowed() -> list[int]:
    """The CPUs that the kernel lets this process run on."""
    return sorted(os.sched_getaffinity(0))


def usable() -> list[int]:
    """The CPUs that this process can keep busy together: those allowed, or the first of them in the order in which
    threads take CPUs, as many as its quota of CPU time is enough for."""
    every = allowed()
    several = quota.threads(len(every))
    return every if several == len(every) else sorted(_near_first(sysfs.ROOT, tuple(every))[:several])


def limited() -> list[str]:
    """A sentence where the quota leaves fewer CPUs than the kernel allows, or no whole one."""
    every, several, granted = len(allowed()), len(usable()), quota.cpus()
    if granted is not None and granted < 1:
        still = f"a busy thread stands still {number(100 * (1 - granted))} % of the time, and its trial counts as noisy"
        return [f"This container may use the time of {quota.words(granted)}: {still}. Raise its quota."]
    if granted is None or several == every:
        return []
    runs = f"{counted(several, 'thread')} {'runs' if several == 1 else 'run'}"
    return [f"This container may use the time of {number(granted)} of its {every} CPUs: at most {runs} at a time."]


def places() -> Topology:
    """Where the usable CPUs lie."""
    return sysfs.here(usable())


def near_first() -> tuple[int, ...]:
    """The usable CPUs in the order in which threads take them (`pipeline.host.order`)."""
    return _near_first(sysfs.ROOT, tuple(usable()))


@lru_cache(maxsize=256)  # a plan asks for each of its thousands of trials
def _near_first(root: Path, cpus: tuple[int, ...]) -> tuple[int, ...]:
    return order.near_first(sysfs.read(root, cpus))


def siblings(cpu: int) -> list[int]:
    """The hardware threads of a CPU's core, itself included, as the kernel reports them; none where it does not.

    Also those that this process may not use: others may.
    """
    every = sysfs.read(sysfs.ROOT)
    core = every.at[cpu].core if cpu in every.at else None
    return [] if core is None else every.groups("core")[core]
