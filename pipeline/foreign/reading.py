"""What every reader of another tool's file is given, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from pipeline.foreign.files import File
from pipeline.foreign.names import shown
from pipeline.foreign.windows import Windows, joined
from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts
from pipeline.words.numbers import exact

MOST_SERIES = 200
MOST_WINDOWS = 20_000  # of all series of a session together
MOST_BUCKETS = 3 << 17  # of all their windows: 9 MB, and several times as much where they become tables
LATEST_S = 1e10  # seconds, of the epoch the year 2286: no time lies beyond
TOO_LONG_NS = 1 << 42  # 73 minutes: the tables' values end there


@dataclass(frozen=True)
class Options:
    """What the user says of files that do not say it themselves; docs/own_data.md has the words."""

    unit: str = ""
    series: tuple[str, ...] = ()
    start: float | None = None
    end: float | None = None
    value: str = ""
    time: str = ""
    column: str = ""

    def wants(self, series: str) -> bool:
        """Whether a series is one of those asked for."""
        return not self.series or any(fnmatchcase(series, glob) for glob in self.series)

    def told(self) -> dict[str, Any]:
        """Those that were given, as JSON."""
        return {name: value for name, value in asdict(self).items() if value not in ("", (), None)}

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Options:
        """What `told` wrote."""
        return cls(**{name: tuple(value) if name == "series" else value for name, value in told.items()})


@dataclass(frozen=True)
class Thing:
    """What numbers of a file are about: a name out of it (a tag, a benchmark, a job), axes, and which process."""

    name: str
    axes: tuple[tuple[str, int | str], ...] = ()
    trial: int = 0


@dataclass(frozen=True)
class Measure:
    """A number that is no histogram: its name, unit and label, and which is better."""

    name: str
    unit: str
    label: str
    better: str | None = None


RATE = Measure("rate", "1/s", "Rate", "higher")


@dataclass(frozen=True)
class Value:
    """One number; iteration -1: of the whole trial."""

    measure: Measure
    value: float
    iteration: int = -1


LEAST, GREATEST = "least value", "greatest value"  # checks whose `expected`, in ns, is exact: no end of a bucket


@dataclass(frozen=True)
class Check:
    """A number that a file tells of itself, and what we make of the rest of it."""

    name: str
    expected: str
    actual: str
    passed: bool


@dataclass
class Found:
    """What a file holds. begun: seconds since the epoch, where it says so; unit: of its values, and how that is known;
    facts: what may be shown of the tool that wrote it; notes: sentences about what was left out or is approximate;
    corrected: names whose times count from when an operation was meant to begin."""

    tool: str = ""
    begun: float | None = None
    unit: str = ""
    unit_from: str = ""
    windows: dict[Thing, Windows] = field(default_factory=dict)
    values: dict[Thing, list[Value]] = field(default_factory=dict)
    checks: dict[Thing, list[Check]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    corrected: set[str] = field(default_factory=set)
    loop: str = ""  # open or closed, where the tool is known to be one
    bounds: bool = False  # whether its histograms are so coarse that percentiles are upper bounds

    @property
    def things(self) -> list[Thing]:
        """All that numbers are about, in the order of the file."""
        return list(dict.fromkeys([*self.windows, *self.values]))

    def window(self, thing: Thing, start: float, length: float, counts: Counts, where: str, ns: int = 1) -> None:
        """Add a stretch of `length` seconds from `start`, seconds after the beginning; counts: of a unit of `ns`
        nanoseconds, the same each time."""
        if not (abs(start) < LATEST_S and 0 <= length < LATEST_S):
            raise LabError(f"{where}: lasts {length:g} s from {start:g} s on, which is no time; {EDITED}", 4)
        if len(counts.low) and (int(counts.low[-1]) + int(counts.width[-1])) * ns * counts.ratio > TOO_LONG_NS:
            raise LabError(f"{where}: holds a time beyond {TOO_LONG_NS // 60_000_000_000} minutes; is the unit right?")
        if thing not in self.windows:
            if len(self.windows) == MOST_SERIES:
                raise LabError(f"{where}: more than {MOST_SERIES} series; choose some with --series GLOB")
            self.windows[thing] = Windows(ns=ns)
        try:
            self.windows[thing].add(start, length, counts)
        except LabError as error:
            raise LabError(f"{where}: {error}", 4) from None
        several = self.windows.values()
        if sum(map(len, several)) > MOST_WINDOWS or sum(one.buckets for one in several) > MOST_BUCKETS:
            for one in several:
                one.coarsen()

    def value(self, thing: Thing, measure: Measure, value: float, iteration: int = -1) -> None:
        """Add a number."""
        self.values.setdefault(thing, []).append(Value(measure, value, iteration))

    def whole(self, name: str) -> None:
        """Make one window of each series: of many sessions nothing but their sums is needed at once. LabError, with
        the name of what was read, where they have no sum."""
        try:
            for thing, windows in self.windows.items():
                made = Windows()
                made.add(*joined(windows))
                self.windows[thing] = made
        except LabError as error:
            raise LabError(f"{name}: {shown(thing.name)}: {error}", 4) from None

    def check(self, thing: Thing, file: File, name: str, told: float, ours: float, error: float, why: str) -> None:
        """Keep that a file's own number agrees with ours within `error`; LabError (status 4) where it does not."""
        said = Check(name, repr(float(told)), repr(float(ours)), abs(told - ours) <= error)
        if not said.passed:
            raise LabError(
                f"{file.name}: {shown(thing.name)}: {name} {exact(told)} is not {why}, {exact(ours)}; {EDITED}", 4
            )
        self.checks.setdefault(thing, []).append(said)

    def note(self, words: str) -> None:
        """Add a sentence, once."""
        if words not in self.notes:
            self.notes.append(words)


EDITED = "the file was edited or cut"


@dataclass(frozen=True)
class Format:
    """A format that is read: what it is called, whether the first bytes of a file are of it, and its reader.

    name: for --format; about: in words; nearest: words by which a file that is none of ours is said to be like it.
    """

    name: str
    about: str
    recognises: Callable[[bytes], bool]
    read: Callable[[File, Options, Found], None]
