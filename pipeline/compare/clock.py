"""Times of the core at one clock, so that two runs are not compared by how fast their host's clock was.

A trial's calibrated cycle (`cycle_ns` of the journal) says what a dependent addition took right before or after it. A
time that one CPU alone works for is divided by it, a rate multiplied, and both are given at the clock that lies in the
middle of the runs compared. What waits for other CPUs, for a wake-up or for a device does not follow the core's clock,
and stays as it was measured.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from pipeline.catalogue.classes import UNCONTENDED, Class
from pipeline.words.numbers import is_time

CYCLE = "cycle_ns"


def middle(cycles: Iterable[np.ndarray]) -> float:
    """The cycle at which the times of several runs are told: the geometric mean of each run's median (ns), in whatever
    order they come; nan where a run has none."""
    medians = [np.median(known) if len(known := one[one > 0]) else np.nan for one in cycles]
    return float(np.exp(np.mean(np.log(np.sort(medians))))) if medians else np.nan


def ruled(of: Class, unit: str) -> bool:
    """Whether the core's clock rules a number: a time, or a rate of operations, of work that one CPU does alone."""
    return of == UNCONTENDED and (is_time(unit) or unit.endswith("/s"))


def known(sides: Iterable[Iterable[pd.DataFrame]]) -> bool:
    """Whether every trial of all sides has a calibrated cycle: trials of old runs may lack it."""
    rows = [rows for side in sides for rows in side if len(rows)]
    return bool(rows) and all(CYCLE in one and (one[CYCLE] > 0).all() for one in rows)


def at(rows: pd.DataFrame, cycle: float, unit: str) -> pd.DataFrame:
    """The rows with `value` as it would be with this cycle (ns)."""
    if rows.empty:
        return rows
    factor = cycle / rows[CYCLE]
    return rows.assign(value=rows["value"] * factor if is_time(unit) else rows["value"] / factor)
