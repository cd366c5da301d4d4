"""Results of fio 3 (`--output-format=json+`): a session is the file; jobs of one name are parts of one load."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pipeline.foreign.files import File, parsed
from pipeline.foreign.names import shown
from pipeline.foreign.reading import EDITED, GREATEST, LEAST, Check, Format, Found, Measure, Options, Thing
from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts
from pipeline.hdr.merge import Sum
from pipeline.hdr.percentiles import maximum, minimum
from pipeline.words.numbers import exact

RECOGNISED = b'"fio version"'
VERSION = re.compile(r"fio-(\d+)\.")
DIRECTIONS = ("read", "write", "trim", "sync", "mixed")
SYNC = "sync"  # calls of fsync and its like: they have times, and no rate
TIMES = ("lat_ns", "clat_ns")  # the whole latency, where it has bins
AXES = ("iodepth", "numjobs", "bs", "rw", "rate_iops")
IOPS = Measure("iops", "ops/s", "IOPS", "higher")
BANDWIDTH = Measure("bandwidth", "bytes/s", "Bandwidth", "higher")
TOLD_MEAN = Measure("told_mean", "ns", "Mean latency, as fio tells it", "lower")
WHOLE_MEAN = Measure("told_lat_mean", "ns", "Mean from submission to completion (lat), as fio tells it", "lower")
WORDS = {"lat_ns": "from submission to completion (lat)", "clat_ns": "from the kernel's queue to completion (clat)"}
WORDS_OF_SYNC = "of a call that flushes (lat)"
CLIENTS = "All clients"
EXACT, BITS = 128, 6  # ns below which a bin is one value; and how many bits of a value a bin keeps
BEYOND = 1 << 34  # ns: longer times are all in the last bin
SHORTER = "run fewer jobs at a time"


def recognises(head: bytes) -> bool:
    return RECOGNISED in head


def read(file: File, options: Options, found: Found) -> None:
    """A series for each direction of each job that did something; values in ns."""
    told = parsed(file, SHORTER)
    version = str(told.get("fio version", "")) if isinstance(told, dict) else ""
    known = VERSION.match(version)
    if known is None:
        raise LabError(f"{file.name}: not a result of fio; write it with --output-format=json+")
    if int(known[1]) < 3:
        raise LabError(f"{file.name}: {shown(version)} is older than the format read here (fio 3, ns); measure again")
    if options.unit not in ("", "ns"):
        raise LabError(f"{file.name}: its values are in ns (fio tells it); leave out --unit {shown(options.unit)}")
    found.tool, found.unit, found.unit_from = "fio", "ns", "fio tells it"
    found.facts["version"] = shown(version.removeprefix("fio-"))
    try:
        _jobs(file, options, found, told)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        why = f"{type(error).__name__}: {shown(str(error))}"
        raise LabError(f"{file.name}: not as fio writes it ({why}); copy the file again", 4) from None


def _jobs(file: File, options: Options, found: Found, told: Mapping[str, Any]) -> None:
    found.begun = float(told["timestamp"]) if told.get("timestamp") else None
    jobs = told.get("jobs") or [one for one in told.get("client_stats", ()) if one.get("jobname") != CLIENTS]
    names = {str(job.get("jobname", "")) for job in jobs}
    common = told.get("global options") or {}
    parts: dict[Thing, list[tuple[Mapping[str, Any], float]]] = {}
    for job in jobs:
        job_name = shown(str(job.get("jobname", "")))
        if job.get("error"):
            raise LabError(f"{file.name}: job {job_name} failed with error {job['error']}; leave it out")
        asked = {**common, **(job.get("job options") or {})}
        axes = tuple((name, _value(name, asked[name])) for name in AXES if name in asked)
        seconds = float(job.get("job_runtime", 0)) / 1e3
        other = [key for key, one in job.items() if key not in DIRECTIONS and isinstance(one, dict) and _ios(one) > 0]
        for key in other:
            found.note(f"{file.title}: job {job_name}: its section {shown(key)} is not read")
        some = [direction for direction in DIRECTIONS if _ios(job.get(direction) or {}) > 0]
        if not some:
            found.note(f"{file.title}: job {job_name} did nothing, and is left out")
        for direction in some:
            side = job[direction]
            name = direction if len(names) == 1 else f"{job_name} {direction}"
            if options.wants(name):
                seconds = float(side.get("runtime", 0)) / 1e3 or seconds
                parts.setdefault(Thing(name, axes), []).append((side, seconds))
        found.loop = "open" if asked.get("rate_process") == "poisson" else "closed"
    for thing, sides in parts.items():
        _side(file, found, thing, sides)


def _side(file: File, found: Found, thing: Thing, sides: list[tuple[Mapping[str, Any], float]]) -> None:
    """One direction of all jobs of a name: their histograms added up, and their rates."""
    every, total, weighted, sync = Sum(), 0, 0.0, thing.name.split()[-1] == SYNC
    for side, _ in sides:
        kind = next((kind for kind in TIMES if (side.get(kind) or {}).get("bins")), "")
        there = [kind] if kind else [one for one in reversed(TIMES) if one in side]
        if not there:
            found.note(f"{file.title}: {thing.name}: holds no latencies (disable_lat, disable_clat)")
            continue
        times = side[there[0]]
        if kind:
            counts = _bins(times["bins"])
            _checked(file, found, thing, times, counts)
            found.facts["latency of sync" if sync else "latency"] = WORDS_OF_SYNC if sync else WORDS[kind]
        else:
            counts = _of_percentiles(times, _ios(side))
            _extremes(found, thing, times, counts)
            found.bounds = True
            found.note(f"{file.title}: no bins; run fio with --output-format=json+: its percentiles have no intervals")
        every.add(counts)
        total, weighted = total + counts.total, weighted + float(times["mean"]) * counts.total
    if len(sides) > 1 and found.bounds:
        raise LabError(f"{file.name}: {thing.name}: several jobs without bins; percentiles cannot be merged: use json+")
    seconds = max(one for _, one in sides)
    if every.added and every.total.total:
        found.window(thing, 0.0, seconds, every.total, file.name)
        found.value(thing, TOLD_MEAN, weighted / total)
    if not sync:
        _rates(found, thing, [side for side, _ in sides])


def _rates(found: Found, thing: Thing, sides: list[Mapping[str, Any]]) -> None:
    """What jobs of a name did together, as far as fio tells it; the mean of lat_ns where only clat_ns has bins."""
    if all("iops" in side for side in sides):
        found.value(thing, IOPS, sum(float(side["iops"]) for side in sides))
    if all("bw_bytes" in side for side in sides):
        found.value(thing, BANDWIDTH, sum(float(side["bw_bytes"]) for side in sides))
    means = [(float(one["mean"]), int(one["N"])) for side in sides if _only_a_mean(one := side.get("lat_ns") or {})]
    if len(means) == len(sides):
        found.value(thing, WHOLE_MEAN, sum(mean * n for mean, n in means) / sum(n for _, n in means))


def _only_a_mean(times: Mapping[str, Any]) -> bool:
    return "bins" not in times and "mean" in times and int(times.get("N", 0)) > 0


def _ios(side: Mapping[str, Any]) -> int:
    """How many operations a section is of: as it says, else how many times it has."""
    times = next((side[kind] for kind in TIMES if isinstance(side.get(kind), dict)), {})
    return int(side.get("total_ios", times.get("N", 0)))


def _bins(told: Mapping[str, Any]) -> Counts:
    """fio's bins, whose keys are their middles: single values below 128, then 64 to each power of two."""
    pairs = sorted((int(key), int(count)) for key, count in told.items())
    middle, count = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    if (middle < 0).any() or (count < 0).any() or int(middle[-1]) >= 1 << 62:
        raise ValueError("a bin below 0")
    shift = np.maximum(np.array([int(one).bit_length() for one in middle], np.int64) - 1 - BITS, 0)
    shift[middle < EXACT] = 0
    width = np.left_shift(1, shift)
    low = middle - (width >> 1)
    if (low[1:] < (low + width)[:-1]).any():
        raise ValueError("bins that overlap")
    some = count > 0
    return Counts(low[some], width[some], count[some], 0, 1, int(low[-1] + width[-1]))


def _of_percentiles(times: Mapping[str, Any], total: int) -> Counts:
    """A histogram of as few buckets as fio tells percentiles: each reaches up to one of them."""
    levels = sorted((float(key), int(value)) for key, value in (times.get("percentile") or {}).items())
    levels = [(percent, value) for percent, value in levels if percent > 0 and value > 0]
    ends = [(percent / 100, value) for percent, value in levels] + [(1.0, int(times["max"]))]
    low, high, count, before, last = [], [], [], 0, int(times["min"]) - 1
    if last < -1:
        raise ValueError("a time below 0")
    for share, value in ends:
        reached = min(math.ceil(share * total), total)
        if reached > before and value > last:
            low.append(last + 1)
            high.append(value)
            count.append(reached - before)
            before, last = reached, value
    if not low:
        raise ValueError("no percentiles")
    count[-1] += total - before
    lows, highs, counts = (np.array(one, np.int64) for one in (low, high, count))
    return Counts(lows, highs - lows + 1, counts, 0, 1, int(highs[-1]))


def _checked(file: File, found: Found, thing: Thing, times: Mapping[str, Any], counts: Counts) -> None:
    """fio's own count, extremes and percentiles; LabError (status 4) where the bins say otherwise."""
    if "N" in times:
        found.check(thing, file, "N", int(times["N"]), counts.total, 0, "the sum of its bins")
    for name, at, end in (("min", 0, "first"), ("max", -1, "last")):
        low, high = int(counts.low[at]), int(counts.low[at] + counts.width[at])
        told = int(times[name])
        if not (low <= told < high) and not (name == "max" and told >= BEYOND):
            words = f"{name} {exact(told)} is not in its {end} bin, {exact(low)} to {exact(high)}"
            raise LabError(f"{file.name}: {thing.name}: {words}; {EDITED}", 4)
    _extremes(found, thing, times, counts)
    for percent, told in _told_percentiles(times):
        least, most = _around(counts, percent)
        if not least <= told <= most:
            words = f"p{exact(percent)} {exact(told)} is not that of its bins, {exact(least)} to {exact(most)}"
            raise LabError(f"{file.name}: {thing.name}: {words}; {EDITED}", 4)
    if int(times["max"]) >= BEYOND:
        found.note(f"{file.title}: {thing.name}: times beyond 17 s are all in fio's last bin")


def _extremes(found: Found, thing: Thing, times: Mapping[str, Any], counts: Counts) -> None:
    """Keep the least and greatest time in ns as fio tells them, exactly, with the ends of the bins that they are in."""
    for name, ours in ((LEAST, minimum(counts)), (GREATEST, maximum(counts))):
        told = times["min" if name == LEAST else "max"]
        found.checks.setdefault(thing, []).append(Check(name, repr(float(told)), repr(float(ours)), True))


def _told_percentiles(times: Mapping[str, Any]) -> Iterator[tuple[float, int]]:
    for key, value in (times.get("percentile") or {}).items():
        if float(key) > 0:  # old versions repeat a key 0.00
            yield float(key), int(value)


def _around(counts: Counts, percent: float) -> tuple[int, int]:
    """The values of the ranks next to a percentile, in whatever way it is rounded."""
    running = np.cumsum(counts.count)
    rank = percent / 100 * counts.total
    ends = [min(max(one, 1), counts.total) for one in (math.floor(rank) - 1, math.ceil(rank) + 1)]
    first, last = np.searchsorted(running, ends)
    return int(counts.low[first]), int(counts.low[last] + counts.width[last])


def _value(name: str, told: Any) -> int | str:
    text = str(told)
    return int(text) if name in ("iodepth", "numjobs") and text.isascii() and text.isdecimal() else shown(text)


FORMAT = Format("fio", "results of fio (--output-format=json+)", recognises, read)
