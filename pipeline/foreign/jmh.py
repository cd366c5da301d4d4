"""Results of JMH (`-rf json`): a trial is a fork, a session the file; iterations are inside a fork, and no repeats."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import stdtrit

from pipeline.foreign import jmh_secondary, units
from pipeline.foreign.files import File, parsed
from pipeline.foreign.names import TAKEN, shown
from pipeline.foreign.reading import EDITED, Format, Found, Measure, Options, Thing
from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts, overflows
from pipeline.words.numbers import counted, place

RECOGNISED = re.compile(rb'"(benchmark|mode|primaryMetric)"\s*:')
BEGINS = {b"[": {b"benchmark", b"mode"}, b"{": {b"benchmark", b"mode", b"primaryMetric"}}  # a list, or one result
MODES = {
    "thrpt": Measure("throughput", "ops/s", "Throughput", "higher"),
    "avgt": Measure("time", "ns", "Time per operation", "lower"),
    "ss": Measure("shot", "ns", "Time of a single shot", "lower"),
}
MEASURED = tuple(one.name for one in MODES.values())
SAMPLE = "sample"
MEAN, ERROR = "jmh_score", "jmh_error"
LEVEL = 0.9995  # JMH's error is Student's t of 99.9 %, two-sided
ALIKE = 1e-6
BITS = 10  # of a value that JMH's sampling keeps
BUFFER = 20  # samples for each ms of an iteration, after which it halves all counts
SHORTER = "run fewer benchmarks at a time, or shorter iterations"


def recognises(head: bytes) -> bool:
    needed = BEGINS.get(head.lstrip()[:1])
    return needed is not None and {one[1] for one in RECOGNISED.finditer(head)} >= needed


def read(file: File, options: Options, found: Found) -> None:
    """A thing for each benchmark, its parameters and threads as axes, and each fork a trial."""
    entries = parsed(file, SHORTER)
    entries = [entries] if isinstance(entries, dict) else entries
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise LabError(f"{file.name}: not a list of results of JMH; write it with -rf json")
    found.tool = "JMH"
    modes: dict[str, set[str]] = {}
    for one in entries:
        modes.setdefault(str(one.get("benchmark")), set()).add(str(one.get("mode")))
    for one in entries:
        try:
            _result(file, options, found, one, len(modes[str(one.get("benchmark"))]) > 1)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
            name = shown(str(one.get("benchmark", "a result")))
            raise LabError(
                f"{file.name}: {name}: not as JMH writes it ({type(error).__name__}: {shown(str(error))})", 4
            ) from None
    if options.unit:
        raise LabError(f"{file.name}: JMH tells the unit of each score; leave out --unit")


def _result(file: File, options: Options, found: Found, told: Mapping[str, Any], several: bool) -> None:
    mode, primary = str(told["mode"]), told["primaryMetric"]
    name = ".".join(shown(str(told["benchmark"])).split(".")[-2:]) + (f" ({mode})" if several else "")
    if not options.wants(name):
        return
    version = shown(str(told.get("jmhVersion", "")))
    found.facts |= {
        "version": version,
        "jdk": shown(str(told.get("jdkVersion", ""))),
        "vm": shown(str(told.get("vmName", ""))),
    }
    params = told.get("params") or {}
    axes = tuple((_axis(key), _value(value)) for key, value in params.items()) + (
        ("threads", int(told.get("threads", 1))),
    )
    if mode == SAMPLE and "rawDataHistogram" in primary:
        _sampled(file, found, told, name, axes, primary)
        for label, each in jmh_secondary.methods(told):
            _sampled(file, found, told, f"{name}:{label}", axes, each)
        jmh_secondary.read(file, found, told, name, axes, MODES)
        return
    if mode not in (*MODES, SAMPLE):
        raise LabError(f"{file.name}: {name}: mode {shown(mode)} is not read; there are: {', '.join((*MODES, SAMPLE))}")
    forks = [[float(value) for value in fork] for fork in primary["rawData"] if fork]
    if not forks:
        raise LabError(f"{file.name}: {name}: has no raw data; do not run with -Djmh.json.rawData=false")
    factor = jmh_secondary.factor(file, name, str(primary["scoreUnit"]), mode == "thrpt")
    first = Thing(name, axes)
    if mode == SAMPLE:  # of writers other than JMH 1.13 and later: its score is of samples that are not there
        found.note(f"{name}: no distribution, for there is no rawDataHistogram: a fork is the median of its iterations")
    else:
        every = np.unique([value for fork in forks for value in fork], return_counts=True)
        _checked(file, found, first, primary, *every)
    for fork, values in enumerate(forks):
        if not all(math.isfinite(value) and value > 0 for value in values):
            raise LabError(f"{file.name}: {name}: holds a score that is no positive number; run it again", 4)
        found.value(Thing(name, axes, fork), MODES.get(mode, MODES["avgt"]), float(np.median(values)) * factor)
    jmh_secondary.read(file, found, told, name, axes, MODES)
    if len(forks) == 1 and len(forks[0]) > 1:
        many = counted(len(forks[0]), "iteration")
        found.note(f"{name}: holds 1 fork; its {many} are no repeats, so it has no interval of forks; run with -f 5")


def _checked(
    file: File, found: Found, thing: Thing, primary: Mapping[str, Any], value: np.ndarray, count: np.ndarray
) -> None:
    """JMH's own score, error and percentiles, recomputed from all values, ascending in its unit, and how often each is
    there. It takes all of them for independent; percentiles of a mode that is no sampling are those of iterations."""
    total, score = int(count.sum()), float(primary["score"])
    mean = float(np.dot(value, count)) / total
    found.check(thing, file, "score", score, mean, ALIKE * abs(score), "the mean of its raw data")
    error = float(primary.get("scoreError", math.nan))  # "NaN" is a number to float
    if total > 2 and math.isfinite(error):
        variance = float(np.dot((value - mean) ** 2, count)) / (total - 1)
        ours = float(stdtrit(total - 1, LEVEL)) * math.sqrt(variance / total)
        wide = 1e-4 * abs(error) + ALIKE * abs(score)
        found.check(thing, file, "scoreError", error, ours, wide, "that of its raw data")
    for name, told in (primary.get("scorePercentiles") or {}).items():
        percent, told = float(name), float(told)
        if math.isfinite(told) and 0 <= percent <= 100:
            ours = _percentile(value, count, percent)
            wide = ALIKE * max(abs(told), abs(ours))
            found.check(thing, file, f"p{place(percent)}", told, ours, wide, "that of its raw data")


def _percentile(value: np.ndarray, count: np.ndarray, percent: float) -> float:
    """A percentile as JMH makes it: the place is a share of one more than there are, and between two values it is on
    the straight line."""
    running = np.cumsum(count)
    place = percent / 100 * (int(running[-1]) + 1)
    if place < 1 or place >= running[-1]:
        return float(value[0] if place < 1 else value[-1])
    before, after = (
        float(value[np.searchsorted(running, rank)]) for rank in (math.floor(place), math.floor(place) + 1)
    )
    return before + (after - before) * (place - math.floor(place))


def _sampled(
    file: File, found: Found, told: Mapping[str, Any], name: str, axes: tuple, primary: Mapping[str, Any]
) -> None:
    """Sample mode: a histogram for each iteration of each fork. primary: the result's metric, or a method's of it."""
    ns = jmh_secondary.factor(file, name, str(primary["scoreUnit"]), False)
    seconds = _seconds(str(told.get("measurementTime", "")))
    thinned, every = False, []
    for fork, iterations in enumerate(primary["rawDataHistogram"]):
        for at, pairs in enumerate(iterations):
            score = np.array([float(one[0]) for one in pairs])
            value = np.array([round(float(one) * ns) for one in score], np.int64)
            count = np.array([int(one[1]) for one in pairs], np.int64)
            if not count.any():
                continue
            if (value < 0).any() or (count < 0).any():
                raise LabError(f"{file.name}: {name}: holds a time or a count below 0; {EDITED}", 4)
            if overflows(count):
                raise LabError(f"{file.name}: {name}: holds more samples than can be counted; {EDITED}", 4)
            low, summed = _together(value, count)
            bits = np.array([int(one).bit_length() for one in low], np.int64)
            width = np.left_shift(1, np.maximum(bits - BITS, 0))
            width = np.minimum(width, np.diff(low, append=low[-1] + width[-1]))
            some = summed > 0
            counts = Counts(low[some], width[some], summed[some], 0, 1, int(low[-1]))
            found.window(Thing(name, axes, fork), at * seconds, seconds, counts, f"{file.name}: {name}")
            every.append((score, count))
            each = counts.total / max(int(told.get("threads", 1)), 1)
            thinned = thinned or (seconds > 0 and each > BUFFER * 1000 * seconds / 2)
    if not every:
        raise LabError(f"{file.name}: {name}: holds no sample; run it again")
    found.unit, found.unit_from, found.loop = "ns", "JMH tells it", "closed"
    value, count = _together(*(np.concatenate(each) for each in zip(*every, strict=True)))
    _checked(file, found, Thing(name, axes), primary, value, count)
    if thinned:
        found.note(
            f"{name}: percentiles above 99 may be biased upwards by JMH's sampling, which thins what is frequent"
        )


def _together(value: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each value once, ascending, and how often it is there."""
    values, position = np.unique(value, return_inverse=True)
    summed = np.zeros(len(values), np.int64)
    np.add.at(summed, position, count)
    return values, summed


def _seconds(told: str) -> float:
    """`10 s`, `500 ms` in seconds; 0 for a single shot."""
    number, _, word = told.partition(" ")
    try:
        return float(number) * (jmh_secondary.NAMES.get(word) or units.factor(word)) / 1e9
    except (ValueError, LabError):
        return 0.0


def _axis(name: str) -> str:
    """A parameter's name as a column."""
    plain = re.sub(r"\W+", "_", name).strip("_").lower()[:40] or "parameter"
    return f"{plain}_" if plain in (*TAKEN, *MEASURED, "threads") else plain


def _value(text: Any) -> int | str:
    told = str(text)
    return int(told) if re.fullmatch(r"-?\d{1,15}", told, re.ASCII) else shown(told)


FORMAT = Format("jmh", "results of JMH (-rf json)", recognises, read)
