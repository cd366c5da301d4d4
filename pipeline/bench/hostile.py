"""Other tools' files that were damaged or made to do harm: one line each, or a right answer, and nothing else.

Each small good file of `catalogue/bench/hostile.yaml` is damaged so many times and read, in a process that has 20 s
and 2 GB of memory for each. Of those that are still read, some whose names would do harm are imported
as a user does it, under a name that does harm too, and what is on screen, in the folder and on the page is looked at.
A file again, as `--only` of a part cannot:

    python -m pipeline.bench.hostile SEED NAME NUMBER [NUMBER after the last]
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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pipeline.bench import harmless
from pipeline.bench.compared import declared
from pipeline.bench.damage import MARK, damaged
from pipeline.bench.interleave import Result
from pipeline.catalogue.document import Strict
from pipeline.foreign import registry
from pipeline.foreign.files import File
from pipeline.foreign.names import LONGEST
from pipeline.foreign.reading import Found, Options
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import cpus
from pipeline.words.numbers import quantity

PART = "hostile"
NUMBER, SEED = 10_000, 1
IMPORTED = 3  # of each good file, whole
SECONDS, MEMORY = 20, 2 << 30  # that reading one file may take
LONGEST_LINE = 700
FILE_NAME = f"\x1b[31m<b onclick={MARK}>$x$"  # under which a damaged file is imported


class Good(Strict):
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
        raw = (paths.ROOT / "tests" / "data" / self.file).read_bytes() if self.file else self.text.encode()
        return gzip.compress(raw, mtime=0) if self.packed else raw

    @property
    def options(self) -> Options:
        return Options(self.unit, value=self.value, time=self.time, column=self.column)

    @property
    def words(self) -> list[str]:
        """The options as on a command line."""
        told = {"--unit": self.unit, "--value": self.value, "--time": self.time, "--series-column": self.column}
        return [word for option, value in told.items() if value for word in (option, value)]

    def damaged(self, seed: int, number: int) -> bytes:
        """The file of a number; of a packed one every other is damaged within."""
        chance = random.Random(f"{seed}/{self.name}/{number}")
        if self.packed and number % 2:
            return gzip.compress(damaged(gzip.decompress(self.raw), chance), 1, mtime=0)
        return damaged(self.raw, chance)


def goods() -> list[Good]:
    """The good files, in the order of the catalogue."""
    return declared(PART, Good)


def run(
    result: Result,
    work: Path,
    step: Callable[[str, int, int], None],
    number: int = NUMBER,
    seed: int = SEED,
    imported: int = IMPORTED,
    chosen: Sequence[str] = (),
) -> None:
    """Read so many damaged files of each good one, or of those chosen by name, and import some; fills `result`.
    LabError (status 4) for a fault."""
    several, faults = [one for one in goods() if not chosen or one.name in chosen], []
    with ThreadPoolExecutor(len(cpus.usable())) as pool:
        for at, told in enumerate(pool.map(lambda one: _apart(one, seed, number), several)):
            step(f"{several[at].name}, {number} files", at + 1, len(several))
            result.raw.append(told | {"seed": seed})
            faults += [f"seed {seed}, {told['name']}, {fault}" for fault in told["faults"]]
        whole = [
            (one, which) for one, told in zip(several, result.raw, strict=True) for which in told["harmful"][:imported]
        ]
        said = pool.map(lambda each: _imported(each[0], each[0].damaged(seed, each[1]), work), whole)
        for at, ((one, which), lines) in enumerate(zip(whole, said, strict=True)):
            step(f"{one.name}, number {which} imported", at + 1, len(whole))
            faults += [f"seed {seed}, {one.name}, {which} imported: {line}" for line in lines]
    read = sum(one["read"] for one in result.raw)
    most = max(one["peak_bytes"] for one in result.raw)
    result.left_out += [
        *faults[:100],
        f"seed {seed}: {number * len(several)} damaged files of {len(several)} good ones: {read} are still read, the "
        f"others end in one line; {len(whole)} were imported; {quantity(most, 'bytes')} at most; {len(faults)} faults.",
    ]
    if faults:
        raise LabError(f"bench: hostile files: {len(faults)} faults, the first: {faults[0][:300]}", 4)


def _apart(one: Good, seed: int, number: int) -> dict[str, Any]:
    """What a process of its own tells of the files of a good one."""
    argv = [sys.executable, "-m", "pipeline.bench.hostile", str(seed), one.name, "0", str(number)]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=paths.ROOT)
    if ran.returncode:
        raise LabError(f"bench: {one.name}: {(ran.stderr.strip().splitlines() or [f'status {ran.returncode}'])[-1]}", 4)
    return json.loads(ran.stdout)


def tried(one: Good, seed: int, first: int, last: int) -> dict[str, Any]:
    """Read the damaged files from `first` to before `last`: how many were `read`, `faults` with their number, those
    that are read and hold a word that does harm, and the errors by their status."""
    faults, harmful, read, status = [], [], 0, Counter()
    form = _format(one)
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")  # a sum that ran over is no right answer
        path = Path(folder) / "file"
        for number in range(first, last):
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
    return {"name": one.name, "read": read, "faults": faults, "harmful": harmful, "errors": dict(status)}


def _format(one: Good) -> str:
    """The format as which a good file is read."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(one.raw)
        return registry.read(File(path, one.name), one.options)[0].name


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


def _imported(one: Good, raw: bytes, work: Path) -> list[str]:
    """What is wrong with screen, folder and page when a damaged file is imported."""
    work.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=work) as folder:
        scratch = Path(folder)
        given = scratch / "given" / FILE_NAME
        given.parent.mkdir()
        given.write_bytes(raw)
        env = os.environ | {"LAB_RUNS": str(scratch / "runs"), "LAB_BUILD": str(scratch / "build")}
        argv = [str(Path(sys.executable).with_name("lab")), "import", f"{FILE_NAME}*", "--as", "damaged", *one.words]
        ran = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=given.parent, env=env)
        return list(harmless.faults(ran.returncode, ran.stdout, ran.stderr, scratch, given))


def main(words: list[str]) -> None:
    """Print as JSON what is told of the files of a good one, in a process that has so much more memory than it begins
    with, and so long for each file."""
    seed, name, first, *last = words
    one = next(one for one in goods() if one.name == name)
    size = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    signal.signal(signal.SIGALRM, _slow)
    told = tried(one, int(seed), int(first), int(last[0]) if last else int(first) + 1)
    print(json.dumps(told | {"peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


class Slow(Exception):
    """Reading a file took too long."""


def _slow(*_: object) -> None:
    raise Slow(f"took more than {SECONDS} s")


if __name__ == "__main__":
    main(sys.argv[1:])
