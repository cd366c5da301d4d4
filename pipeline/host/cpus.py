"""The CPUs of this process: which they are, where they lie, and the order in which threads take them."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from pipeline.host import order, sysfs
from pipeline.host.topology import Topology


def usable() -> list[int]:
    """The CPUs this process may run on."""
    return sorted(os.sched_getaffinity(0))


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
