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
from pipeline.foreign.csv_headers import LATENCY, VEGETA, VEGETA_ROW, Writer, names_of, unit_of, writer_of
from pipeline.foreign.files import UNREADABLE, File
from pipeline.foreign.names import listed, shown
from pipeline.foreign.reading import LATEST_S, MOST_BUCKETS, RATE, Format, Found, Options, Thing
from pipeline.foreign.windows import FEWEST, MOST
from pipeline.ground.errors import LabError
from pipeline.hdr.percentiles import Counts, Geometry, Sum

DIGITS, LOWEST, HIGHEST = 3, 1, 1 << 42
BLOCK = 1 << 22  # bytes that are read at once
FAILED = "failed"


def recognises(head: bytes) -> bool:
    """A header that is known, or a first line of several columns of which one is called like a latency."""
    if VEGETA_ROW.match(head):
        return True
    names = names_of(head)
    return len(names) > 1 and (writer_of(names) is not None or any(LATENCY.fullmatch(one) for one in names))


def has_header(head: bytes) -> bool:
    """Whether the first line may be a header: several plain names; which column holds latencies the user has to say."""
    names = names_of(head)
    return len(names) > 1 and all(one and len(one) < 60 and one.isprintable() and "{" not in one for one in names)


def read(file: File, options: Options, found: Found) -> None:
    """A series for each label; without a column of times one window."""
    head = file.head()
    names = [] if VEGETA_ROW.match(head) else names_of(head)
    if not names and not VEGETA_ROW.match(head):
        raise LabError(f"{file.name}: no CSV: its first line holds no names of columns")
    known = VEGETA if not names else writer_of(names)
    writer = _asked(file, options, names, known)
    found.tool, found.loop = writer.tool, writer.loop
    how = f"{writer.tool} tells it" if known else "the column says so"
    found.unit, found.unit_from = units.agreed(file.name, writer.unit, how, options.unit)
    if not found.unit:
        raise LabError(f"{file.name}: column {shown(writer.value)}: its unit is not told; give --unit ns, us, ms or s")
    series: dict[str, _Series] = {}
    begun: float | None = None
    line = 2 if names else 1  # at which a batch begins
    for batch in _batches(file, bool(names), writer):
        table, at = _kept(batch, writer, line)
        values = _numbers(table, writer.value, file, at, found.unit)
        times = _times(table, writer, file, at)
        line += batch.num_rows
        if not len(values):
            continue
        if times is not None:
            begun = float(times.min()) if begun is None else begun
            times = times - begun
        for name, chosen in _by_series(table, writer):
            if options.wants(name):
                mine = series.setdefault(name, _Series())
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
    if writer.note:
        found.note(f"{file.title}: {writer.note}")


def _asked(file: File, options: Options, names: list[str], known: Writer | None) -> Writer:
    """Where the numbers are: as the user says, else as the writer of that header has them."""
    for option, column in (("--value", options.value), ("--time", options.time), ("--series-column", options.column)):
        if column and names and column not in names:
            raise LabError(f"{file.name}: {option} {shown(column)}: no such column; there are: {listed(names, 12)}")
    if options.value:
        return Writer("CSV", (), options.value, unit_of(options.value), options.time, "", options.column)
    if known is not None:
        return known
    alike = [one for one in names if LATENCY.fullmatch(one)]
    if len(alike) != 1 or not unit_of(alike[0]):
        told = f"columns: {listed(names, 12)}"
        raise LabError(f"{file.name}: no column is known to hold latencies ({told}); give --value NAME --unit us")
    return Writer("CSV", (), alike[0], unit_of(alike[0]), options.time, "", options.column)


def _batches(file: File, header: bool, writer: Writer) -> Iterator[pa.RecordBatch]:
    """The rows as text, a few at a time; a fault in the file is a LabError."""
    names = csv.ReadOptions(block_size=BLOCK, autogenerate_column_names=not header)
    try:
        with file.open() as content:
            columns = csv.open_csv(content, read_options=names).schema.names
        if len(set(columns)) != len(columns):
            raise LabError(f"{file.name}: two columns have one name; rename one")
        if lost := next((one for one in writer.columns if one not in columns), ""):
            raise LabError(
                f"{file.name}:1: column {shown(lost)!r} is not where a header has one; correct the header", 4
            )
        as_words = csv.ConvertOptions(column_types=dict.fromkeys(columns, pa.string()))
        with file.open() as content:
            yield from csv.open_csv(content, read_options=names, convert_options=as_words)
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


def _numbers(table: pa.Table, name: str, file: File, lines: np.ndarray, unit: str) -> np.ndarray:
    """The values in ns; LabError names the first row that is no number."""
    column = table[name]
    try:
        values = pc.cast(pc.utf8_trim_whitespace(column), pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        values = np.array([np.nan])
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        at, text = _first_bad(column)
        words = f"latency {shown(text)[:40]!r} is no number from 0 on; correct it or remove the line"
        raise LabError(f"{file.name}:{lines[at]}: {words}", 4)
    found = np.rint(values * units.FACTORS[unit])
    if len(found) and found.max() >= HIGHEST:
        raise LabError(f"{file.name}: holds a time beyond 73 minutes; is the unit right?")
    return found.astype(np.int64)


def _first_bad(column: pa.ChunkedArray) -> tuple[int, str]:
    for at, one in enumerate(column.to_pylist()):
        try:
            if not np.isfinite(float(one)) or float(one) < 0:
                return at, str(one)
        except (TypeError, ValueError):
            return at, str(one)
    return 0, ""


def _times(table: pa.Table, writer: Writer, file: File, lines: np.ndarray) -> np.ndarray | None:
    """Seconds, of the epoch or of the beginning; None without a column of times."""
    if not writer.time:
        return None
    try:
        found = pc.cast(pc.utf8_trim_whitespace(table[writer.time]), pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        found = np.array([np.nan])
    if not np.isfinite(found).all():
        at, text = _first_bad(table[writer.time])
        raise LabError(f"{file.name}:{lines[at]}: time {shown(text)[:40]!r} is no number; leave out --time", 4)
    seconds = found * (units.FACTORS[writer.time_unit] / 1e9 if writer.time_unit else _likely(found))
    if (late := np.abs(seconds) > LATEST_S).any():
        at = int(late.argmax())
        told = shown(str(table[writer.time][at]))[:40]
        raise LabError(f"{file.name}:{lines[at]}: time {told!r} is beyond any; correct it or remove the line", 4)
    return seconds


def _likely(times: np.ndarray) -> float:
    """Seconds of a unit of times since the epoch, which only one unit puts into our century; as they are otherwise."""
    if not len(times):
        return 1.0
    return next((unit for unit in (1e-9, 1e-6, 1e-3) if 1e8 < abs(float(times[0])) * unit < 1e10), 1.0)


def _by_series(table: pa.Table, writer: Writer) -> Iterator[tuple[str, np.ndarray]]:
    """(series, which rows); failed requests are a series of their own."""
    names = np.array(table[writer.series].to_pylist() if writer.series else ["latency"] * table.num_rows, object)
    if writer.success and writer.success in table.column_names:
        good = np.array([str(one).lower() == "true" for one in table[writer.success].to_pylist()])
        names = np.where(good, names, [f"{one} ({FAILED})" for one in names])
    for name in dict.fromkeys(names.tolist()):
        yield shown(str(name)) or "latency", names == name


class _Series:
    """The histograms of a series by time: bins that are twice as wide whenever they are too many."""

    def __init__(self) -> None:
        self.total, self._step, self._bins, self._timed = 0, 1.0, {}, False
        self._geometry = Geometry.of(DIGITS, LOWEST)

    def add(self, values: np.ndarray, times: np.ndarray | None, options: Options) -> None:
        """Add values in ns at times in seconds."""
        if times is not None:
            first = -np.inf if options.start is None else options.start
            last = np.inf if options.end is None else options.end
            within = (times >= first) & (times <= last)
            values, times, self._timed = values[within], times[within], True
        self.total += len(values)
        index = self._geometry.index(values)
        place = np.zeros(len(values), np.int64) if times is None else np.floor(times / self._step).astype(np.int64)
        for at in np.unique(place).tolist():
            found, count = np.unique(index[place == at], return_counts=True)
            low, width = self._geometry.buckets(found)
            counts = Counts(low, width, count.astype(np.int64), DIGITS, LOWEST, HIGHEST)
            self._bins.setdefault(at, Sum()).add(counts)
        while len(self._bins) > MOST:
            self.coarsen()

    @property
    def buckets(self) -> int:
        """How many buckets its windows have together."""
        return sum(len(one.total.low) for one in self._bins.values())

    def coarsen(self) -> bool:
        """Make windows twice as long, unless there are few; whether they were."""
        if len(self._bins) <= FEWEST:
            return False
        self._step *= 2
        wider: dict[int, Sum] = {}
        for at, one in self._bins.items():
            wider.setdefault(at // 2, Sum()).add(one.total)
        self._bins = wider
        return True

    def into(self, found: Found, thing: Thing, file: File) -> None:
        """Hand the windows over, in order."""
        first = min(self._bins, default=0)
        for at in sorted(self._bins):
            start = (at - first) * self._step if self._timed else 0.0
            found.window(thing, start, self._step if self._timed else 0.0, self._bins[at].total, file.name)
        if self._timed and self._bins:
            found.value(thing, RATE, self.total / ((max(self._bins) - first + 1) * self._step))


FORMAT = Format("csv", "CSV of requests (k6, JMeter, oha, hey, vegeta, any)", recognises, read)
