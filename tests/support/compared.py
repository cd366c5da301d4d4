"""Runs to compare that nobody measured: the trials of an experiment from medians, scatter and drift."""

from __future__ import annotations

from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import analyse_tables
import numpy as np
import pandas as pd

from pipeline.catalogue.entry import Experiment

METRICS = {
    "cost": {"kind": "cost", "better": "lower"},
    "rate": {"kind": "rate", "unit": "ops/s", "better": "higher"},
    "failed": {"kind": "measure", "name": "failed", "unit": "1"},
}
COLUMNS = ["trial", "variant", "runtime", "threads", "block", "noisy", "steady", "metric", "value", "how"]
HOST = {
    "cpu": {"model": "Example CPU", "cpus": 2, "architecture": "x86_64", "hypervisor": "none seen", "smt": "on"},
    "kernel": "Linux 6.1.0",
    "memory_bytes": 2**34,
    "io": {"type": "ext4"},
}
RUNTIMES = {
    "c": {"name": "c", "version": "cc 12", "vendor": "C", "build": ""},
    "jdk17": {"name": "jdk17", "version": "17.0.15", "vendor": "A", "build": "17.0.15+6"},
    "jdk25": {"name": "jdk25", "version": "25.0.3", "vendor": "A", "build": "25.0.3+9"},
}
EVERY = tuple((v, r, n) for v, r in (("fast", "jdk17"), ("slow", "jdk17"), ("native", "c")) for n in (1, 2, 4, 8))


def entry() -> Experiment:
    """Of analyse_tables, with a cost, a rate and a count; cost is its headline."""
    return analyse_tables.entry(METRICS, headlines=[{"metric": "cost"}])


def rows(
    seed: int,
    configurations=EVERY,
    *,
    blocks: int = 10,
    scatter: float = 0.02,
    drift: float = 0.0,
    times: dict[Any, float] | None = None,
    metric: str = "cost",
    how: tuple[str, ...] = ("--iterations 50",),
) -> pd.DataFrame:
    """Metric rows: 100 times e^normal(drift, scatter), times what `times` has of its parts."""
    random, found = np.random.default_rng(seed), []
    for one in configurations:
        factor = np.prod([(times or {}).get(key, 1.0) for key in (one, one[0], one[1])])
        values = 100 * factor * np.exp(random.normal(drift, scatter, blocks))
        for block, value in enumerate(values, 1):
            name = f"{'-'.join(map(str, one))}-b{block}"
            found.append((name, *one, block, False, True, metric, value, how))
    return pd.DataFrame(found, columns=COLUMNS)


def info(**changes) -> dict[str, Any]:
    """A run.json; `changes`: dotted name with `__` for the dot -> value."""
    made: dict[str, Any] = {"name": "x", "created": "2026-11-21T10:00:00+00:00", "profile": "quick", "seed": 1}
    made |= {"git": "aaa", "host": deepcopy(HOST), "tools": {}, "runtimes": deepcopy(RUNTIMES)}
    for name, value in changes.items():
        *path, last = name.split("__")
        inner = made
        for part in path:
            inner = inner[part]
        inner[last] = value
    return made


class FakeRun:
    """What `pipeline.compare.measured.Run` is for a comparison."""

    def __init__(self, name: str, frame: pd.DataFrame, told: dict[str, Any] | None = None) -> None:
        self.bundle = SimpleNamespace(name=name, info=told or info())
        self.frame, self.experiments, self.lines = frame, {"example"}, []
        known = frame.drop_duplicates("trial") if "cycle_ns" in frame else frame[:0].assign(cycle_ns=[])
        self.cycles = known["cycle_ns"].to_numpy(float)

    def metrics(self, entry: Experiment, names) -> pd.DataFrame:
        return self.frame[self.frame["metric"].isin(list(names))]

    def absence(self, *configuration) -> str:
        return "not measured"
