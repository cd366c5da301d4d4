"""Estimates: median over trials with its order-statistic interval, per configuration and metric.

Which trials count: those of one state of the host (`pipeline.analyse.states`), always. Of these the quiet ones when at
least ENOUGH of them are left, otherwise all, and `noisy` says how many noisy ones the interval rests on. Of these the
steady ones likewise, with `unsteady`. With fewer the interval would no longer be one of 95 %: to leave out two of five
trials would trade a doubt for a greater one. Nothing is dropped from tables or figures; fewer than 3 trials give an
estimate but no interval (NaN).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pipeline.analyse import states
from pipeline.analyse.frames import framed
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.placement import AXIS, ELSEWHERE
from pipeline.ground.errors import LabError
from pipeline.models.median_interval import median_interval
from pipeline.words.numbers import ENOUGH


def compute(entry: Experiment, metrics: pd.DataFrame, units: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The estimates table of docs/formats.md from a metrics table.

    `units` names the units of metrics that the catalogue does not have (derived ones).
    """
    units = {name: metric.unit for name, metric in entry.metrics.items()} | dict(units or {})
    keys = ["variant", "runtime", *entry.axes, "metric"]
    value, told = metrics["value"].to_numpy(), doubts(metrics)
    noisy, steady = told.noisy, told.steady
    block, rows = metrics["block"].to_numpy(), []
    for key, group in configurations(metrics, keys):
        used = group[admissible(told.of(group))]
        estimate, low, high, level = median_interval(value[used])
        rows.append(
            key
            | {"unit": units[key["metric"]], "estimate": estimate, "low": low, "high": high, "level": level}
            | {
                "trials": len(used),
                "blocks": len(set(block[used])),
                "noisy": int(noisy[used].sum()),
                "unsteady": int((~steady[used]).sum()),
            }
        )
    columns = [*keys, "unit", "estimate", "low", "high", "level", "trials", "blocks", "noisy", "unsteady"]
    return framed(rows, columns, metrics).astype({axis: metrics[axis].dtype for axis in entry.axes})


def headline_widths(entry: Experiment, metrics: pd.DataFrame) -> pd.DataFrame:
    """Relative half-widths (1 = 100 %) of the intervals of the headline estimates, one row per configuration.

    Columns: variant, runtime, axes, metric, trials, half_width; infinite while trials are too few for an
    interval.
    """
    keys = ["variant", "runtime", *entry.axes, "metric"]
    rows = []
    for headline in entry.headlines:
        chosen = select(metrics, headline.where | {"metric": headline.metric})
        value, told = chosen["value"].to_numpy(), doubts(chosen)
        for key, group in configurations(chosen, keys):
            used = value[group[admissible(told.of(group))]]
            estimate, low, high, _ = median_interval(used)
            known = estimate != 0 and not np.isnan(high - low)
            half = (high - low) / 2 / abs(estimate) if known else float("inf")
            rows.append(key | {"trials": len(used), "half_width": half})
    return framed(rows, [*keys, "trials", "half_width"], metrics)


def select(frame: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """Rows whose columns have the wanted values: a scalar, a list of alternatives, or None for an axis not set.

    A selection that names no placement is of the nearest CPUs: it has no rows of two threads elsewhere (`nearest`).
    Raises LabError for a column that the frame does not have.
    """
    keep = nearest(frame, where)
    for column, wanted in where.items():
        keep &= having(frame, column, wanted)
    return frame[keep]


def nearest(frame: pd.DataFrame, where: Mapping[str, Any]) -> np.ndarray:
    """For every row whether a selection may have it by where it was measured: all rows of one that names a placement,
    or nothing at all; of any other, those not measured on purpose elsewhere than on the nearest CPUs. Two threads of
    one core, or of two packages, are an experiment of their own: a claim, a ratio or a curve must not mix them in."""
    if not where or AXIS in where or AXIS not in frame:
        return np.ones(len(frame), dtype=bool)
    return ~frame[AXIS].isin(ELSEWHERE).to_numpy()


def having(frame: pd.DataFrame, column: str, wanted: Any) -> np.ndarray:
    """For every row whether it has the wanted value, as `select` takes it; its errors too."""
    if column not in frame:
        raise LabError(f"selection names the unknown column {column!r}; there are: {', '.join(frame.columns)}")
    values = frame[column]
    alternatives = list(wanted) if isinstance(wanted, (list, tuple, set)) else [wanted]
    one = values.isin([value for value in alternatives if value is not None]).to_numpy()
    return one | values.isna().to_numpy() if None in alternatives else one


@dataclass(frozen=True)
class Doubts:
    """Of rows of trials: their state (`states.told`), and whether they are noisy and steady."""

    state: np.ndarray
    noisy: np.ndarray
    steady: np.ndarray

    def of(self, rows: np.ndarray) -> Doubts:
        return Doubts(self.state[rows], self.noisy[rows], self.steady[rows])


def doubts(rows: pd.DataFrame) -> Doubts:
    return Doubts(states.told(rows), rows["noisy"].to_numpy(dtype=bool), rows["steady"].to_numpy(dtype=bool))


def used(rows: pd.DataFrame) -> pd.DataFrame:
    """Those of the rows of one configuration that an estimate uses."""
    return rows[admissible(doubts(rows))]


def elsewhere(frame: pd.DataFrame, keys: list[str]) -> np.ndarray:
    """For every row whether an estimate of its combination of `keys` leaves it out for its state."""
    told = states.told(frame)
    gone = np.zeros(len(frame), dtype=bool)
    if (told != states.UNTOLD).any():
        for rows in positions(frame, keys):
            gone[rows] = ~states.chosen([told[rows]])[0]
    return gone


def admissible(told: Doubts) -> np.ndarray:
    """Which trials of one configuration an estimate uses (see the module)."""
    (keep,) = states.chosen([told.state])
    return certain(told.noisy, told.steady, keep)


def certain(noisy: np.ndarray, steady: np.ndarray, keep: np.ndarray | None = None) -> np.ndarray:
    """Of trials of one state (`keep`; all without it) the quiet ones, and of these the steady ones, where there are
    enough."""
    keep = np.ones(len(noisy), dtype=bool) if keep is None else keep.copy()
    for good in (~noisy, steady):
        if (keep & good).sum() >= ENOUGH:
            keep &= good
    return keep


def counted(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The trials that estimates use of each combination of `keys`; all rows where they are no trials."""
    if frame.empty or not {*keys, "noisy", "steady"} <= set(frame):
        return frame
    told = doubts(frame)
    kept = [rows[admissible(told.of(rows))] for rows in positions(frame, keys)]
    return frame.iloc[np.sort(np.concatenate(kept))]


def configurations(frame: pd.DataFrame, keys: list[str]) -> Iterator[tuple[dict[str, Any], np.ndarray]]:
    """(key, positions of its rows) of every combination of `keys`, in the order of first appearance.

    An unset axis is a value too.
    """
    groups = positions(frame, keys)
    if not groups:
        return
    first = frame[keys].iloc[[group[0] for group in groups]]
    yield from zip(first.to_dict("records"), groups, strict=True)


def positions(frame: pd.DataFrame, keys: list[str]) -> list[np.ndarray]:
    """The same without the keys, which take longer to build than the positions."""
    if frame.empty:
        return []
    number = frame.groupby(keys, sort=False, dropna=False, observed=True).ngroup().to_numpy()
    return np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number))[:-1])
