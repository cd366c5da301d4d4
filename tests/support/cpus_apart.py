"""Hosts whose CPUs are as far apart as a function says, and what their kernels tell."""

from __future__ import annotations

import itertools

import pandas as pd

from pipeline.analyse.distances import Measured, measured
from pipeline.host.topology import Place, Topology

NEAR, FAR = 48.0, 131.0


def of(cost, cpus=range(16), pairs=None) -> Measured:
    """What is measured of a host where a hop from a to b takes cost(a, b) ns."""
    pairs = itertools.permutations(cpus, 2) if pairs is None else pairs
    return measured(pd.DataFrame([(a, b, cost(a, b)) for a, b in pairs], columns=["ping", "pong", "estimate"]))


def star(cpus, first=0) -> list[tuple[int, int]]:
    """One CPU with each other, both ways."""
    return [pair for cpu in cpus if cpu != first for pair in ((first, cpu), (cpu, first))]


def halves(a, b, near=NEAR, far=FAR) -> float:
    return near if (a < 8) == (b < 8) else far


def sockets(a, b, within=9.0) -> float:
    """16 CPUs: CPU n and n + 8 of one core, those with n % 8 < 4 in one package."""
    return within if a % 8 == b % 8 else NEAR if a // 4 % 2 == b // 4 % 2 else FAR


def machine(cpus=16, *, core=lambda cpu: cpu, cache=lambda cpu: 0, package=lambda cpu: 0) -> Topology:
    return Topology(tuple(Place(cpu, core(cpu), cache=cache(cpu), package=package(cpu)) for cpu in range(cpus)), {})


PACKAGES = machine(package=lambda cpu: cpu // 8, cache=lambda cpu: cpu // 8)
THREADS = machine(core=lambda cpu: cpu % 8, package=lambda cpu: cpu // 4 % 2, cache=lambda cpu: cpu // 4 % 2)
