"""CSV with a row for each request: k6, JMeter, oha, hey, vegeta, and any other by the name of its column.

Rows are streamed, and counted in a histogram of three digits, so memory does not grow with the file; windows of time
become wider until there are few enough.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from pipeline.foreign import units
from pipeline.foreign.csv_headers import LATENCY, VEGETA, Writer, unit_of
from pipeline.foreign.csv_series import HIGHEST, Series
from pipeline.foreign.csv_shape import Shape, is_number, number, shape_of
from pipeline.foreign.csv_times import Times, numbers
from pipeline.foreign.files import UNREADABLE, File
from pipeline.foreign.names import listed, shown
from pipeline.foreign.reading import MOST_BUCKETS, Format, Found, Options, Thing
from pipeline.ground.errors import LabError

BLOCK = 1 << 22  # bytes that are read at once
FAILED = "failed"
MOST_NAMED = 30  # columns that are named
CHOOSE = " (--value, --time, --series-column)"  # what chooses a column, at the end of a note


def recognises(head: bytes) -> bool:
    """A writer that is known, one column of numbers, or several columns of which one is called like a latency."""
    shape = shape_of(head)
    if shape is None:
        return False
    return shape.writer is not None or len(shape.names) == 1 or any(map(LATENCY.fullmatch, shape.names))


def has_columns(head: bytes) -> bool:
    """Whether it may be a table of which only the user knows which column holds latencies."""
    shape = shape_of(head)
    if shape is None or len(shape.names) < 2:
        return False
    return any(is_number(one, shape.decimal) for row in shape.rows for one in row)


def read(file: File, options: Options, found: Found) -> None:
    """A series for each label; without a column of times one window."""
    shape = shape_of(file.head())
    if shape is None:
        raise LabError(f"{file.name}: no CSV: its first line holds no names of columns")
    writer = _asked(file, options, shape)
    found.tool, found.loop = writer.tool, writer.loop
    how = f"{writer.tool} tells it" if writer is shape.writer else "the column says so"
    found.unit, found.unit_from = units.agreed(file.name, writer.unit, how, options.unit)
    if not found.unit:
        told = "the unit of its values" if not shape.head else f"column {shown(writer.value)}: its unit"
        raise LabError(f"{file.name}: {told} is not told; give --unit ns, us, ms or s")
    if shape.said:
        found.note(f"{file.title}: {shape.said}")
    series: dict[str, Series] = {}
    times_of = Times(file, writer.time, writer.time_unit, shape.decimal, found)
    begun: float | None = None
    line = 2 if shape.head else 1  # at which a batch begins
    for batch in _batches(file, shape, writer):
        table, at = _kept(batch, writer, line)
        values = _numbers(table, writer.value, file, at, found.unit, shape.decimal)
        times = times_of.seconds(table[writer.time], at) if writer.time else None
        line += batch.num_rows
        if not len(values):
            continue
        if times is not None:
            begun = float(times.min()) if begun is None else begun
            times = times - begun
        for name, chosen in _by_series(table, writer):
            if options.wants(name):
                mine = series.setdefault(name, Series())
                mine.add(values[chosen], None if times is None else times[chosen], options)
        if len(series) > 200:
            raise LabError(f"{file.name}: more than 200 series; choose some with --series GLOB")
        while sum(one.buckets for one in series.values()) > MOST_BUCKETS:
            if not any([one.coarsen() for one in series.values()]):
                break
    if not any(one.total for one in series.values()):
        raise LabError(f"{file.name}: holds no row of {shown(writer.value)}; is it whole?")
    if begun is not None and begun > 1e8:  # seconds since the epoch, not since the beginning
        found.begun = begun
    for name, one in series.items():
        one.into(found, Thing(name), file)
    _unused(file, found, shape, writer)


def _unused(file: File, found: Found, shape: Shape, writer: Writer) -> None:
    """Say what is approximate, and which rows and columns were not read."""
    if writer.note:
        found.note(f"{file.title}: {writer.note}")
    if writer.only[0]:
        found.note(f"{file.title}: rows of which {writer.only[0]} is not {writer.only[1]} are not read")
    if rest := [one for one in shape.names if one not in (*writer.columns, writer.success)]:
        advice = CHOOSE if shape.writer is None else ""
        found.note(f"{file.title}: columns that are not read: {listed(rest, MOST_NAMED)}{advice}")


def _asked(file: File, options: Options, shape: Shape) -> Writer:
    """Where the numbers are: as the user says, else as the writer of such a table has them."""
    names = shape.names
    for option, column in (("--value", options.value), ("--time", options.time), ("--series-column", options.column)):
        if column and column not in names and shape.writer is not VEGETA:
            raise LabError(f"{file.name}: {option} {shown(column)}: no such column; there are: {listed(names, 12)}")
    if options.value:
        return Writer("CSV", (), options.value, unit_of(options.value), options.time, "", options.column)
    if shape.writer is not None:
        return shape.writer
    alike = [one for one in names if LATENCY.fullmatch(one)]
    one = names[0] if len(names) == 1 else alike[0] if len(alike) == 1 else ""
    if one and (unit_of(one) or options.unit or len(names) == 1):
        return Writer("CSV", (), one, unit_of(one), options.time, "", options.column)
    told = f"columns: {listed(names, 12)}" + ("" if shape.head else ", for it has no head")
    only = shape.numbers[0] if len(shape.numbers) == 1 else "NAME"
    advice = f"give --value {shown(one or only)} --unit us"
    raise LabError(f"{file.name}: no column is known to hold latencies ({told}); {advice}")


def _batches(file: File, shape: Shape, writer: Writer) -> Iterator[pa.RecordBatch]:
    """The rows as text, a few at a time; a fault in the file is a LabError."""
    named = None if shape.head else list(shape.names)
    how = {
        "read_options": csv.ReadOptions(block_size=BLOCK, column_names=named),
        "parse_options": csv.ParseOptions(delimiter=shape.between),
    }
    try:
        with file.open() as content:
            columns = csv.open_csv(content, **how).schema.names
        if len(set(columns)) != len(columns):
            raise LabError(f"{file.name}: two columns have one name; rename one")
        if lost := next((one for one in writer.columns if one not in columns), ""):
            raise LabError(
                f"{file.name}:1: column {shown(lost)!r} is not where a header has one; correct the header", 4
            )
        as_words = csv.ConvertOptions(column_types=dict.fromkeys(columns, pa.string()))
        with file.open() as content:
            yield from csv.open_csv(content, convert_options=as_words, **how)
    except (pa.ArrowException, *UNREADABLE) as error:
        first = shown(str(error).splitlines()[0] if str(error) else type(error).__name__)
        raise LabError(f"{file.name}: no whole CSV ({first}); correct it or copy it again", 4) from None


def _kept(batch: pa.RecordBatch, writer: Writer, line: int) -> tuple[pa.Table, np.ndarray]:
    """The rows that count, and their lines in the file, of which the first is `line`."""
    table, lines = pa.Table.from_batches([batch]), np.arange(line, line + batch.num_rows)
    column, value = writer.only
    if not column:
        return table, lines
    chosen = pc.equal(table[column], value)
    return table.filter(chosen), lines[chosen.fill_null(False).to_numpy()]


def _numbers(table: pa.Table, name: str, file: File, lines: np.ndarray, unit: str, decimal: str) -> np.ndarray:
    """The values in ns; LabError names the first row that is no number."""
    column = table[name]
    values = numbers(column, decimal)
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        told = column.to_pylist()
        found = [number(one, decimal) for one in told]
        at = next((at for at, one in enumerate(found) if one is None or one < 0), 0)
        words = f"latency {shown(str(told[at]))[:40]!r} is no number from 0 on; correct it or remove the line"
        raise LabError(f"{file.name}:{lines[at]}: {words}", 4)
    found = np.rint(values * units.FACTORS[unit])
    if len(found) and found.max() >= HIGHEST:
        raise LabError(f"{file.name}: holds a time beyond 73 minutes; is the unit right?")
    return found.astype(np.int64)


def _by_series(table: pa.Table, writer: Writer) -> Iterator[tuple[str, np.ndarray]]:
    """(series, which rows); failed requests are a series of their own."""
    names = np.array(table[writer.series].to_pylist() if writer.series else ["latency"] * table.num_rows, object)
    if writer.success and writer.success in table.column_names:
        good = np.array([str(one).lower() == "true" for one in table[writer.success].to_pylist()])
        names = np.where(good, names, [f"{one} ({FAILED})" for one in names])
    for name in dict.fromkeys(names.tolist()):
        yield shown(str(name)) or "latency", names == name


FORMAT = Format("csv", "CSV of requests (k6, JMeter, oha, hey, vegeta, any)", recognises, read)
