"""Percentile files: HdrHistogram's tables (`.hgrm`), the text of wrk2, reports of Aeron, vegeta's hdrplot.

A row says how many values are at most as long as its own, so between two rows lie values of which no more is known: a
percentile is the value of the first row that reaches it, an upper bound. Ranks come from the counts, for the percentile
of a row is the level that was asked for, and is printed as 1 long before the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from pipeline.foreign import units
from pipeline.foreign.files import File, as_text
from pipeline.foreign.reading import EDITED, RATE, Format, Found, Measure, Options, Thing
from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts
from pipeline.words.numbers import exact, number

HEAD = re.compile(r'\s*"?Value"?(?:\((?P<unit>\w+)\))?[\s,"]+Percentile[\s,"]+TotalCount[\s,"]+1/\(1-Percentile\)"?\s*')
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
ROW = re.compile(rf"\s*({NUMBER})[\s,]+({NUMBER})[\s,]+(\d+)(?:[\s,]+({NUMBER}|inf|Infinity))?\s*")
MEAN = re.compile(rf"#\[Mean\s*=\s*({NUMBER}),\s*StdDeviation\s*=\s*({NUMBER})\]")
TOTAL = re.compile(rf"#\[Max\s*=\s*({NUMBER}),\s*Total count\s*=\s*(\d+)\]")
SPECTRUM, UNCORRECTED = "Detailed Percentile spectrum", "Uncorrected Latency"
PER_SECOND = re.compile(rf"Requests/sec:\s*({NUMBER})")
INTENDED, SENT, ALL = "intended", "sent", "latency"
TOLD_MEAN = Measure("told_mean", "ns", "Mean, as the file tells it", "lower")
INEXACT = 0.002  # of the mean: HdrHistogram takes the middle of each bucket
MOST = 1 << 22  # bytes: the finest table has a few thousand rows


@dataclass
class _Table:
    """A table: values in its unit and running counts, and its footer."""

    line: int
    unit: str
    corrected: bool = True
    values: list[float] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    mean: float | None = None
    total: int | None = None


def recognises(head: bytes) -> bool:
    return any(HEAD.fullmatch(line) for line in as_text(head).read().splitlines())


def read(file: File, options: Options, found: Found) -> None:
    """A series for each table; of wrk2 `intended`, and `sent` where it was run with -U."""
    if options.start is not None or options.end is not None:
        raise LabError(f"{file.name}: holds percentiles and no times; --from and --to need the .hlog file")
    text = as_text(file.whole("is it a table of percentiles?")).read()
    wrk2 = SPECTRUM in text
    tables = list(_tables(text, file))
    if len(tables) > (2 if wrk2 else 1):
        raise LabError(f"{file.name}:{tables[1].line}: a second table of percentiles; split the file there")
    if not tables:
        raise LabError(f"{file.name}: holds no table of percentiles; copy the file again")
    told, how = ("ms", "wrk2 prints ms") if wrk2 else (tables[0].unit, "the file says so" if tables[0].unit else "")
    found.unit, found.unit_from = units.agreed(file.name, told, how, options.unit)
    if not found.unit:
        told = f"the unit of its values is not told; give --unit ns, us, ms or s (their mean is {_mean(tables)})"
        raise LabError(f"{file.name}: {told}")
    found.tool, found.bounds = "wrk2" if wrk2 else "percentile file", True
    ns = units.FACTORS[found.unit]
    for table in tables:
        name = (INTENDED if table.corrected else SENT) if wrk2 else ALL
        if not options.wants(name):
            continue
        thing = Thing(name)
        found.window(thing, 0.0, 0.0, _counts(table, ns, file), file.name)
        _checked(table, file, found, thing, ns)
        if wrk2 and table.corrected:
            found.corrected.add(name)
        if rate := PER_SECOND.search(text):
            found.value(thing, RATE, float(rate[1]))
    name = file.title
    if wrk2:
        found.note(f"{name}: wrk2 leaves out its first 10 s, and its times are good to about 1 ms")
    if tables[0].unit:
        found.note(f"{name}: the counts of vegeta's table are made of percentiles; use vegeta encode --to csv")


def _mean(tables: list[_Table]) -> str:
    return next((number(one.mean) for one in tables if one.mean is not None), "not told")


def _tables(text: str, file: File) -> Iterator[_Table]:
    table, corrected = None, True
    for at, line in enumerate(text.splitlines(), 1):
        if UNCORRECTED in line:
            corrected = False
        if head := HEAD.fullmatch(line):
            if table:
                yield table
            table = _Table(at, units.plain(head["unit"]) if head["unit"] else "", corrected)
        elif table is not None and (row := ROW.fullmatch(line)):
            _row(table, row, f"{file.name}:{at}")
        elif table is not None and (told := MEAN.search(line)):
            table.mean = float(told[1])
        elif table is not None and (told := TOTAL.search(line)):
            table.total = int(told[2])
            yield table
            table = None
    if table:
        yield table


def _row(table: _Table, row: re.Match, where: str) -> None:
    value, percentile, total = float(row[1]), float(row[2]), int(row[3])
    before = (table.values[-1], table.totals[-1]) if table.values else (0.0, 0)
    if value < before[0] or total < before[1] or not 0 <= percentile <= 1 or total >= 1 << 62:
        raise LabError(f"{where}: a row of percentiles goes down; {EDITED}", 4)
    table.values.append(value)
    table.totals.append(total)


def _counts(table: _Table, ns: int, file: File) -> Counts:
    """The table as a histogram of ns: between the values of two rows lie so many values."""
    if not table.totals or not table.totals[-1]:
        raise LabError(f"{file.name}:{table.line}: the table holds no value; measure again")
    if table.values[-1] * ns >= 1 << 62:
        raise LabError(f"{file.name}:{table.line}: its values are beyond any time; is the unit right?")
    value = np.array([round(one * ns) for one in table.values], np.int64)
    last = np.flatnonzero(np.diff(value, append=value[-1] + 1))  # of rows with one value the last
    high, total = value[last], np.array(table.totals, np.int64)[last]
    count = np.diff(total, prepend=0)
    low = np.r_[high[0], high[:-1] + 1]
    some = count > 0
    return Counts(low[some], (high - low + 1)[some], count[some], 0, 1, int(high[-1]))


def _checked(table: _Table, file: File, found: Found, thing: Thing, ns: int) -> None:
    """The footer's count and mean are those of the rows; LabError (status 4) where they are not."""
    counts = _counts(table, ns, file)
    if table.total is not None:
        found.check(thing, file, "the total count", table.total, counts.total, 0, "the last row's")
    if table.mean is None:
        return
    least = float(np.dot(counts.low, counts.count)) / counts.total
    most = float(np.dot(counts.low + counts.width - 1, counts.count)) / counts.total
    mean, error = table.mean * ns, INEXACT * most + 0.001 * ns
    if not least - error <= mean <= most + error:
        bounds = f"{exact(round(least / ns, 3))} to {exact(round(most / ns, 3))}"
        raise LabError(f"{file.name}: its mean {exact(table.mean)} is not within its rows, {bounds}; {EDITED}", 4)
    found.value(thing, TOLD_MEAN, mean)


FORMAT = Format("hgrm", "table of percentiles (.hgrm, wrk2, Aeron)", recognises, read)
