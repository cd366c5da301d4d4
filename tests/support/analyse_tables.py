"""Synthetic tables whose answers are known by hand, for the tests of pipeline.analyse."""

from functools import cache

import numpy as np
import pandas as pd

from pipeline.catalogue import check
from pipeline.catalogue.entry import Experiment
from pipeline.ingest.tables import Tables, of

SWEEP = {"min_blocks": 3, "max_blocks": 3, "budget_s": 1, "sweeps": [{"variants": ["fast"]}]}


def entry(metrics: dict, headlines=(), claims=None, answers=None) -> Experiment:
    """An experiment with two Java variants and one of C, and one axis."""
    return check.experiment(
        dict(
            name="example",
            number=1,
            title="Example",
            question="?",
            value="ns",
            posts=[],
            axes={"threads": "int"},
            variants={
                "fast": {"label": "fast", "harness": "java", "runs": "fast", "logs": ["jit", "gc"]},
                "slow": {"label": "slow", "harness": "java", "runs": "slow", "logs": ["compilation"]},
                "native": {"label": "native", "harness": "c", "runs": "native"},
            },
            profiles={"smoke": SWEEP, "quick": SWEEP, "full": SWEEP},
            metrics={name: {"unit": "ns", "label": name} | metric for name, metric in metrics.items()},
            headlines=list(headlines),
            claims=claims or {},
            answers=answers or {},
        )
    )


def trials(rows: list[dict]) -> pd.DataFrame:
    """Rows of the trials table; what a test does not say is a quiet measured trial of fast on jdk17."""
    usual = {
        "experiment": "example",
        "variant": "fast",
        "runtime": "jdk17",
        "threads": 1,
        "block": 1,
        "order": 0,
        "attempt": 0,
        "status": "measured",
        "reason": "",
        "cycle_ns": 0.5,
        "cpus": "0",
        "apart": "one CPU",
        "way": -1,
        "core": -1,
        "noisy": False,
    }
    return pd.DataFrame([usual | {"trial": f"t{number}"} | row for number, row in enumerate(rows)])


EMPTY = {
    "iterations": ["trial", "iteration", "phase", "series", "start_ns", "elapsed_ns", "operations", "samples"],
    "buckets": ["trial", "iteration", "series", "low_ns", "width_ns", "count"],
    "trial_buckets": ["trial", "phase", "series", "low_ns", "width_ns", "count"],
    "readings": ["trial", "iteration", "word_ns", "word_most_ns", "width", "chain_ns"],
    "measures": ["trial", "iteration", "series", "name", "value"],
    "events": ["trial", "t_ns", "kind", "method", "level", "size", "detail", "compilation"],
    "checks": ["trial", "name", "expected", "actual", "passed"],
    "facts": ["trial", "name", "value"],
}


COUNTED = ("iterations", "buckets", "measures", "events")  # whose other columns are numbers
WORDS = {"trial", "phase", "series", "kind", "method", "detail", "compilation", "name"}


def tables(rows: list[dict], **frames: list) -> Tables:
    """Tables from lists of tuples in the order of their columns."""
    made = {name: _frame(name, frames[name]) if name in frames else _empty(name).copy() for name in EMPTY}
    return of({"trials": trials(rows), **made})


def _frame(name: str, rows: list[tuple]) -> pd.DataFrame:
    made = pd.DataFrame(rows, columns=EMPTY[name])
    if name not in COUNTED:
        return made
    return made.astype({one: float if one == "value" else np.int64 for one in EMPTY[name] if one not in WORDS})


@cache
def _empty(name: str) -> pd.DataFrame:
    """Made once for all tests: what most of them have none of costs more to make than what they have."""
    return _frame(name, [])


def costs_to_iterations(trial: str, costs, phase="measured", series="t0", first=0, operations=100) -> list[tuple]:
    """One row per cost (ns per operation), one after the other."""
    rows, clock = [], 1000
    for number, cost in enumerate(costs):
        elapsed = round(cost * operations)
        rows.append((trial, first + number, phase, series, clock, elapsed, operations, 1))
        clock += elapsed
    return rows
