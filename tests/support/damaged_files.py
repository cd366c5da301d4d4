"""Other tools' files that were damaged or made to do harm: one line each, or a right answer, and nothing else.

Each small good file of tests/data/damaged_files.yaml is damaged as often as a test asks for, always in the same ways.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from damage import MARK, damaged
from laboratory import DATA

from pipeline.foreign import registry
from pipeline.foreign.files import File
from pipeline.foreign.names import LONGEST
from pipeline.foreign.reading import Found, Options
from pipeline.ground.errors import LabError

SECONDS, MEMORY = 20, 2 << 30  # that reading one file may take
LONGEST_LINE = 700


@dataclass(frozen=True)
class Good:
    """A small good file: `file` below tests/data or its `text`, whether it is `packed` by gzip, and what a user says of
    it: the unit of its values, and of CSV the columns of latencies, times and names."""

    name: str
    file: str = ""
    text: str = ""
    packed: bool = False
    unit: str = ""
    value: str = ""
    time: str = ""
    column: str = ""

    @property
    def raw(self) -> bytes:
        raw = (DATA / self.file).read_bytes() if self.file else self.text.encode()
        return gzip.compress(raw, mtime=0) if self.packed else raw

    @property
    def options(self) -> Options:
        return Options(self.unit, value=self.value, time=self.time, column=self.column)

    @property
    def words(self) -> list[str]:
        """The options as on a command line."""
        told = {"--unit": self.unit, "--value": self.value, "--time": self.time, "--series-column": self.column}
        return [word for option, value in told.items() if value for word in (option, value)]

    @property
    def format(self) -> str:
        """The format as which it is read."""
        with TemporaryDirectory() as folder:
            (path := Path(folder) / "file").write_bytes(self.raw)
            return registry.read(File(path, self.name), self.options)[0].name

    def damaged(self, seed: int, number: int) -> bytes:
        """The file of a number; of a packed one every other is damaged within."""
        chance = random.Random(f"{seed}/{self.name}/{number}")
        if self.packed and number % 2:
            return gzip.compress(damaged(gzip.decompress(self.raw), chance), 1, mtime=0)
        return damaged(self.raw, chance)


_TOLD = yaml.safe_load((DATA / "damaged_files.yaml").read_text(encoding="utf-8"))
GOODS = {one["name"]: Good(**one) for one in _TOLD}


def tried(one: Good, seed: int, count: int) -> dict[str, Any]:
    """Read so many damaged files: how many were `read`, `faults` with their number, those that are read and hold a word
    that does harm, and the errors by their status."""
    faults, harmful, read, status = [], [], 0, Counter()
    form = one.format
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")  # a sum that ran over is no right answer
        path = Path(folder) / "file"
        for number in range(count):
            raw = one.damaged(seed, number)
            path.write_bytes(raw)
            told = fault(path, one.options, form if number % 4 else "")  # some as nobody has named their format
            if isinstance(told, LabError):
                status[str(told.status)] += 1
            elif told:
                faults.append(f"{number}: {told}")
            else:
                read += 1
                if MARK.encode() in raw:
                    harmful.append(number)
    return {"read": read, "faults": faults, "harmful": harmful, "errors": dict(status)}


def fault(path: Path, options: Options, form: str) -> str | LabError:
    """What is wrong with how a file is read, or the error in one line that it is right to give; empty: nothing."""
    signal.alarm(SECONDS)
    try:
        found = registry.read(File(path, "damaged"), options, form)[1]
        told = next(wrong(found), "")
        found.whole("damaged")
        return told or next(wrong(found), "")
    except LabError as error:
        line = str(error)
        good = line.startswith("damaged") and line.isprintable() and len(line) < LONGEST_LINE
        return error if good else f"says {line!r:.300}"
    except Exception as error:  # whatever it is, it is what is looked for
        return f"{type(error).__name__}: {str(error)[:200]!r}"
    finally:
        signal.alarm(0)


def wrong(found: Found) -> Iterator[str]:
    """What no right answer holds."""
    names = [found.tool, found.unit, found.unit_from, *found.facts.values(), *found.notes, *found.corrected]
    for thing in found.things:
        names += [thing.name, *(str(value) for axis in thing.axes for value in axis)]
        for one in found.windows.get(thing, ()):
            counts = one.counts
            if not (len(counts.low) and (counts.count > 0).all() and (counts.width > 0).all()):
                yield "holds a window without values"
            elif int(counts.low[0]) < 0 or (counts.low[1:] < counts.low[:-1] + counts.width[:-1]).any():
                yield "holds buckets that overlap"
            if not (math.isfinite(one.start) and math.isfinite(one.length) and one.length >= 0):
                yield f"holds a window of {one.length} s at {one.start} s"
        for value in found.values.get(thing, ()):
            if not math.isfinite(value.value) or value.value < 0:
                yield f"{value.measure.name} is {value.value}"
        if not all(check.passed for check in found.checks.get(thing, ())):
            yield "contradicts itself"
    if found.begun is not None and not math.isfinite(found.begun):
        yield f"began at {found.begun}"
    for name in names:
        if not name.isprintable() or len(name) > 2 * LONGEST:
            yield f"shows {name[:80]!r}"


def apart(one: Good, seed: int, count: int) -> dict[str, Any]:
    """What `tried` tells in a process that has MEMORY more than it begins with, and SECONDS for each file."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    argv = [sys.executable, __file__, one.name, str(seed), str(count)]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


class Slow(Exception):
    """Reading a file took too long."""


def _slow(*_: object) -> None:
    raise Slow(f"took more than {SECONDS} s")


if __name__ == "__main__":
    name, *numbers = sys.argv[1:]
    size = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    signal.signal(signal.SIGALRM, _slow)
    print(json.dumps(tried(GOODS[name], *map(int, numbers))))
