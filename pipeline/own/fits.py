"""Models for the sweeps of an imported run: a row for each trial, blocks are its sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from pipeline.bundle import entries
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.selectors import runtime_label
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.models.fit import Fit
from pipeline.models.j_curve import fit_j_curve
from pipeline.models.littles import littles_law
from pipeline.models.scaling import fit_scaling
from pipeline.own.entry import NAME
from pipeline.session.session import Session
from pipeline.words.numbers import is_time, places

# What each is looked for under, where the user does not say: the first that the run has.
THREADS = ("threads", "numjobs", "clients", "connections")
RATES = ("throughput", "rate", "iops")
TIMES = ("told_mean", "mean", "time")
INSIDE = ("in_system", "connections", "iodepth", "threads")


@dataclass(frozen=True)
class Part:
    """What was fitted to one series and group: its name, its rows by trial with the columns x and y, and the fit; x is
    in percent of the capacity where the model takes a load."""

    name: str
    rows: pd.DataFrame
    fit: Fit


@dataclass(frozen=True)
class Fits:
    """The fits of a run, and of which axis or metric (x) and metric (y). capacity: of x, where it is a load; how: what
    else they were made with, by which they are made again."""

    lab: Session
    x: str
    y: str
    parts: list[Part]
    capacity: float | None = None
    how: Mapping[str, Any] = field(default_factory=dict)


def is_run(word: str) -> bool:
    """Whether a word names an imported run, and no file."""
    try:
        return entries.own(Bundle.open(word))
    except LabError:
        return False


def scaling(run: str, x: str = "", y: str = "", model: str = "auto", errors: str = "relative", seed: int = 1) -> Fits:
    """The scaling laws (`pipeline.models.scaling`) of a rate by threads, of each series and group."""
    lab = _lab(run)
    x, y = _axis(lab, x, THREADS, "--x"), _metric(lab, y, RATES, "--y")
    found = []
    for name, rows in _groups(lab, [x, y], [x]):
        fit = _fitted(name, lambda r=rows: fit_scaling(r[x], r[y], model, seed, errors, _rounds(r, r[x])))
        found.append(Part(name, rows.assign(x=rows[x], y=rows[y]), fit))
    return Fits(lab, x, y, found, how={"model": model, "errors": errors, "seed": seed})


def j_curve(run: str, x: str = "", y: str = "p99", capacity: float | None = None, seed: int = 1) -> Fits:
    """Latency by load (`pipeline.models.j_curve`), of each series and group. x: an axis, or a metric, in the unit of
    capacity; the load is its share of that. LabError without a capacity: the knee is a share of it."""
    lab = _lab(run)
    y = _metric(lab, y, TIMES, "--y")
    if x not in lab.entry.axes and x not in lab.entry.metrics:
        x = next((one for one in ("load", *RATES) if one in lab.entry.axes or one in lab.entry.metrics), x)
    if capacity is None and x != "load":
        raise LabError(f"run {run!r}: the knee is a share of the capacity; give --capacity, the greatest {x} there is")
    unit = lab.entry.metrics[y].unit
    numbers = [axis for axis, kind in lab.entry.axes.items() if kind == "int"]  # of which a sweep of a metric is made
    found = []
    for name, rows in _groups(lab, [x, y], [x] if x in lab.entry.axes else numbers):
        load = rows[x] * (100 / capacity if capacity else 1)
        fit = _fitted(name, lambda r=rows, at=load: fit_j_curve(at, r[y], _rounds(r, at), seed=seed, unit=unit))
        found.append(Part(name, rows.assign(x=load, y=rows[y]), fit))
    return Fits(lab, x, y, found, capacity, {"capacity": capacity, "seed": seed})


def little(run: str, in_system: str = "", rate: str = "", time: str = "") -> Fits:
    """Little's law (`pipeline.models.littles`): how many are inside, by axis, and rate times mean time."""
    lab = _lab(run)
    inside = [_axis(lab, one, INSIDE, "--in-system") for one in (in_system.split("*") if in_system else [""])]
    rate, time = _metric(lab, rate, RATES, "--rate"), _metric(lab, time, TIMES, "--time")
    if not is_time(lab.entry.metrics[time].unit):
        raise LabError(f"--time {time}: is no time; the mean time in the system is meant")
    found = []
    for name, rows in _groups(lab, [*inside, rate, time], inside):
        number = rows[inside].prod(axis=1)
        fit = _fitted(name, lambda r=rows, n=number: littles_law(n, r[rate], r[time] / 1e9))
        found.append(Part(name, rows.assign(x=number, y=rows[rate]), fit))
    return Fits(lab, "*".join(inside), rate, found)


def _lab(run: str) -> Session:
    paths.bundle(run)
    return Session(NAME, run, measuring=False)


def _axis(lab: Session, asked: str, usual: Sequence[str], option: str) -> str:
    known = [name for name, kind in lab.entry.axes.items() if kind == "int"]
    if asked:
        if asked not in known:
            raise LabError(f"{option} {asked}: no axis of whole numbers; there are: {', '.join(known) or NONE}")
        return asked
    several = [one for one in usual if one in known]
    if not several:
        there = ", ".join(known) or NONE
        raise LabError(f"run {lab.run!r} has no axis {' or '.join(usual)}; name one with {option}: {there}")
    return several[0]


NONE = "none: put {threads} into the pattern of the files"


def _metric(lab: Session, asked: str, usual: Sequence[str], option: str) -> str:
    known = list(lab.entry.metrics)
    asked = asked.replace(".", "_")
    found = asked if asked in known else next((one for one in usual if one in known), "") if not asked else ""
    if not found:
        raise LabError(f"{option} {asked}: no metric of the run; there are: {', '.join(known)}")
    return found


def _groups(lab: Session, columns: Sequence[str], axes: Sequence[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """(name, rows) of each series and group: a row for each trial that has all of the columns."""
    metrics = [name for name in columns if name in lab.entry.metrics]
    wide = lab.wide(*metrics)
    wide = wide.dropna(subset=[*axes, *metrics])
    if wide.empty:
        raise LabError(f"run {lab.run!r}: no trial has all of {', '.join(columns)}")
    others = [axis for axis in lab.entry.axes if axis not in axes and wide[axis].nunique() > 1]
    labels = lab.labels()
    for key, rows in wide.groupby(["runtime", "variant", *others], sort=False, observed=True, dropna=False):
        told = places(dict(zip(others, key[2:], strict=True)))
        yield ", ".join(part for part in (runtime_label(str(key[0])), labels[key[1]], told) if part), rows


def _rounds(rows: pd.DataFrame, x: pd.Series) -> pd.Series | None:
    """The sessions as rounds, whose common factor is the host's; None unless each has more than half of the values of
    x: a session at a few of them differs from the others by x itself."""
    values = x.groupby(rows["block"]).nunique()
    return rows["block"] if 2 * values.min() > x.nunique() else None


def _fitted(name: str, fit: Callable[[], Fit]) -> Fit:
    """A fit; LabError with what it was of."""
    try:
        return fit()
    except LabError as error:
        raise LabError(f"{name}: {error}") from None
