"""What a result of JMH holds besides its score: metrics of profilers, and the methods of a group. None is dropped."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pipeline.foreign import units
from pipeline.foreign.files import File
from pipeline.foreign.names import shown
from pipeline.foreign.reading import EDITED, Found, Measure, Thing
from pipeline.ground.errors import LabError

UNIT = re.compile(r"(?:ops/(?P<rate>\w+|[µμ]s)|(?P<time>\w+|[µμ]s)/op)")
NAMES = {"min": 60e9, "h": 3600e9, "hr": 3600e9, "day": 86400e9}  # what JMH calls longer units, in ns
OURS = ("mean", "greatest", "rate")  # metrics of a run that a method may be called like
PERCENTILE = re.compile(r"p\d+(_\d+)?")
SAMPLED = re.compile(r"\bp[01]\.\d+$")  # percentiles of sampling, which are made of its histogram
MARK = "\u00b7"  # with which JMH before 1.36 begins the names of profilers' metrics
LESS = {"B/op", "counts", "ms"}  # of which less is better: bytes for each operation, collections, time in them
ALIKE = 1e-6


def methods(told: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(name, metric) of the methods of a group that were sampled: they hold histograms as the group does."""
    for label, each in (told.get("secondaryMetrics") or {}).items():
        if "rawDataHistogram" in each:
            yield shown(str(label)), each


def read(
    file: File, found: Found, told: Mapping[str, Any], name: str, axes: tuple, modes: Mapping[str, Measure]
) -> None:
    """Add a number for each fork of each secondary metric, in ops/s, ns or the unit that JMH tells.

    A fork is the median of its iterations, or their sum or greatest where JMH's own score is that. What holds no
    number from 0 on, or is called like another, is named in a note. LabError (status 4) for a score that its raw data
    cannot have.
    """
    of_mode, names = modes.get(str(told["mode"])), set()
    for label, each in (told.get("secondaryMetrics") or {}).items():
        plain = shown(str(label)).removeprefix(MARK)
        if "rawDataHistogram" in each or (of_mode is None and SAMPLED.search(plain)):
            continue
        forks = [[float(value) for value in fork] for fork in each.get("rawData") or [] if fork]
        if len(forks) == 1 and len(forks[0]) == int(told.get("forks", 1)) > 1:  # a number for each fork, in one list
            forks = [[value] for value in forks[0]]
        every = [value for fork in forks for value in fork]
        if not every or not all(math.isfinite(value) and value >= 0 for value in every):
            found.note(f"{name}: {plain}: holds no number for each fork from 0 on, and is left out")
            continue
        if plain in names:
            found.note(f"{name}: {plain}: two metrics are called so, of which the second is left out")
            continue
        names.add(plain)
        unit = str(each["scoreUnit"])
        measure, scale = _measure(file, name, plain, unit, of_mode)
        value_of = _way(file, found, Thing(name, axes), plain, float(each["score"]), every)
        measure = _unlike_others(found, measure)
        for fork, values in enumerate(forks):
            found.value(Thing(name, axes, fork), measure, float(value_of(values)) * scale)


def factor(file: File, name: str, unit: str, rate: bool) -> float:
    """What turns a score into ns, or operations per second; LabError for a unit that is none of that mode."""
    found = UNIT.fullmatch(unit)
    word = found and (found["rate"] if rate else found["time"])
    if not word:
        raise LabError(f"{file.name}: {name}: score in {shown(unit)}, which is no unit of that mode")
    ns = NAMES.get(word) or units.factor(word, f"{file.name}: {name}: unit")
    return 1e9 / ns if rate else float(ns)


def _measure(file: File, name: str, plain: str, unit: str, of_mode: Measure | None) -> tuple[Measure, float]:
    """(measure, what turns JMH's number into its unit): a method of a group is in the unit of the score."""
    told = UNIT.fullmatch(unit)
    word = told and (told["rate"] or told["time"])
    if word and (word in NAMES or word in units.FACTORS or word in units.ALSO):
        rate = bool(told["rate"])
        same = of_mode is not None and of_mode.unit == ("ops/s" if rate else "ns")
        better = of_mode.better if same else ("higher" if rate else "lower")
        return Measure(plain, "ops/s" if rate else "ns", plain, better), factor(file, name, unit, rate)
    return Measure(plain, shown(unit), plain, "lower" if unit in LESS else None), 1.0


def _way(file: File, found: Found, thing: Thing, plain: str, score: float, every: list[float]) -> Any:
    """How iterations become the number of a fork: as JMH made its score of them."""
    sums = {"mean": (math.fsum(every) / len(every), np.median), "sum": (math.fsum(every), np.sum)}
    sums["greatest"] = (max(every), np.max)
    if not math.isfinite(score):
        return np.median
    for way, (ours, of) in sums.items():
        if abs(ours - score) <= ALIKE * max(abs(score), abs(ours)):
            found.check(thing, file, f"{plain} score", score, ours, ALIKE * abs(score), f"the {way} of its raw data")
            return of
    if not min(every) <= score <= math.fsum(every):
        raise LabError(f"{file.name}: {thing.name}: {plain} {score!r} is not of its raw data; {EDITED}", 4)
    found.note(f"{thing.name}: {plain}: JMH's own score is no mean, sum or greatest of its raw data")
    return np.median


def _unlike_others(found: Found, measure: Measure) -> Measure:
    """A measure under a name that nothing else in the file has with another unit."""
    taken = {value.measure for values in found.values.values() for value in values}
    other = any(one.name == measure.name and one != measure for one in taken)
    if other or measure.name in OURS or PERCENTILE.fullmatch(measure.name):
        return Measure(f"{measure.name} ({measure.unit})", measure.unit, measure.label, measure.better)
    return measure
