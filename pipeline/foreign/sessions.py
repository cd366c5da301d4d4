"""One session of somebody's tool: what its file holds, or the sum of the files of a load that several clients made."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.foreign import registry
from pipeline.foreign.files import File
from pipeline.foreign.names import listed
from pipeline.foreign.reading import GREATEST, LEAST, RATE, Found, Options, Thing
from pipeline.foreign.windows import Window, Windows, total
from pipeline.ground.errors import LabError
from pipeline.hdr.merge import Sum
from pipeline.hdr.percentiles import percentiles
from pipeline.words.numbers import quantity

TOGETHER = 0.5  # of the longest of the parts that all have in common


def read(files: Sequence[File], options: Options, name: str = "") -> tuple[str, Found]:
    """(format, what the session holds). Several files are parts of one load: their histograms are added up where all of
    them recorded; LabError where they cannot have run together, or percentiles are all that they hold."""
    told = [registry.read(file, options, name) for file in files]
    if len(told) == 1:
        return told[0][0].name, told[0][1]
    formats = {one.name for one, _ in told}
    names = listed([file.title for file in files])
    if len(formats) > 1 or len({found.tool for _, found in told}) > 1:
        raise LabError(f"{names}: are of several tools, which cannot be parts of one load")
    parts = [found for _, found in told]
    if parts[0].bounds:
        raise LabError(f"{names}: percentile files cannot be merged; {_bounds(parts)}")
    if any(one.values.keys() - one.windows.keys() for one in parts):
        raise LabError(f"{names}: hold no histograms, and so cannot be parts of one load")
    return formats.pop(), _sum(parts, names)


def _bounds(parts: Sequence[Found]) -> str:
    """What is known of the p99 of all: it lies between the least and the greatest of the parts' own, for below the
    least each part has less than its share."""
    each = [percentiles(total(windows), [99.0])[0] for one in parts for windows in one.windows.values()]
    least, most = quantity(min(each), "ns"), quantity(max(each), "ns")
    return f"all that is known of their common p99 is {least} to {most}; keep the .hlog files"


def _sum(parts: Sequence[Found], names: str) -> Found:
    """The sum of parts, in the stretch in which all of them recorded; of all of their time where they do not say when
    they began."""
    made = parts[0]
    made.notes = list(dict.fromkeys(note for one in parts for note in one.notes))
    timed = all(one.begun is not None for one in parts)
    begun = max(one.begun for one in parts) if timed else 0.0
    offsets = [one.begun - begun if timed else 0.0 for one in parts]
    if not timed:
        made.note(f"{names}: do not say when they began; whole files were added up")
    series = dict.fromkeys(thing for one in parts for thing in one.windows)
    summed, values = {}, {}
    for thing in series:
        lists = [
            [window._replace(start=window.start + offset) for window in one.windows.get(thing, ())]
            for one, offset in zip(parts, offsets, strict=True)
        ]
        lists = [one for one in lists if one]
        if timed:
            lists = _common(lists, thing, names)
        summed[thing] = _added(lists)
        length = min(sum(window.length for window in one) for one in lists)
        if length > 0:
            values[thing] = sum(window.counts.total for one in lists for window in one) / length
    ends = (LEAST, GREATEST)  # are of one file's values, of which some may be left out
    made.checks = {thing: [one for one in each if one.name not in ends] for thing, each in made.checks.items()}
    made.windows, made.values, made.begun = summed, {}, begun if timed else None
    for thing, rate in values.items():
        made.value(thing, RATE, rate)
    return made


def _common(lists: list[list[Window]], thing: Thing, names: str) -> list[list[Window]]:
    """The windows of the parts within the stretch that is common to all."""
    first = max(one[0].start for one in lists)
    last = min(max(window.start + window.length for window in one) for one in lists)
    longest = max(max(window.start + window.length for window in one) - one[0].start for one in lists)
    if last - first < TOGETHER * longest:
        said = "less than half of the time in common"
        raise LabError(f"{names}: have {said} ({thing.name}): these are repeats, not parts; leave out {{part}}")
    kept = [[w for w in one if w.start >= first - w.length / 2 and w.start + w.length / 2 <= last] for one in lists]
    return [one for one in kept if one]


def _added(lists: list[list[Window]]) -> Windows:
    """Windows of several parts, each added to that of the first part in which its middle lies."""
    grid = lists[0]
    sums = [Sum() for _ in grid]
    for windows in lists:
        at = 0
        for one in sorted(windows, key=lambda window: window.start):
            middle = one.start + one.length / 2
            while at + 1 < len(grid) and grid[at + 1].start <= middle:
                at += 1
            sums[at].add(one.counts)
    made = Windows(max(len(grid), 1))
    for window, one in zip(grid, sums, strict=True):
        if one.added:
            made.add(window.start, window.length, one.total)
    return made
