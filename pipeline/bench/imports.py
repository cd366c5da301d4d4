"""How long importing a large file takes, and in how much memory: a log of 1 GB, and CSV files of which one is twice as
long as the other; and the memory of importing many shared files at once.

What is timed is all CPU time of a `lab import` that draws no page, so what it says is one core's; its peak memory is
the most that was resident. The least import takes some 5 s and 250 MB of these. Shared files are small ones of as many
machines, imported by a Dask cluster of this one; each process has a peak of its own.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.bench import given, interleave, resident
from pipeline.bench.interleave import OURS, REFEREE, Result
from pipeline.collection import share
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.hdr import encode
from pipeline.hdr.percentiles import Counts, Geometry
from pipeline.words.numbers import quantity

GOAL_S, GOAL_BYTES = 120.0, 300e6  # of a log of 1 GB and 500,000 lines
LINEAR = (0.8, 1.2)  # CPU time and peak memory of a row, from the smaller CSV to the larger
DIFFERENT = 50  # histograms of which the log is made
HEAD = "#[Histogram log format version 1.3]\n#[StartTime: 1700000000.000 (seconds since epoch)]\n"
HEAD += '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
MIB = 1 << 20


@dataclass(frozen=True)
class Sizes:
    """Rounds; lines of the log, of so many bytes each; rows of the smaller CSV and of the larger; shared files."""

    rounds: int = 1
    lines: int = 500_000
    line_bytes: int = 2000
    few: int = 10_000_000
    many: int = 20_000_000
    shared: tuple[int, ...] = (20, 200)


def run(result: Result, work: Path, step: Callable[[str, int, int], None], sizes: Sizes = Sizes()) -> None:
    """Import files of all sizes, in turns; fills `result`."""
    work.mkdir(parents=True, exist_ok=True)
    files = {"log": work / "log.hlog", OURS: work / "many.csv", REFEREE: work / "few.csv"}
    log(files["log"], sizes.lines, sizes.line_bytes)
    for name, rows in {OURS: sizes.many, REFEREE: sizes.few}.items():
        csv(files[name], rows)
    costs = []
    for number in range(sizes.rounds):
        for name, file in files.items():
            step(f"{file.name}, {quantity(file.stat().st_size, 'bytes')}", number, sizes.rounds)
            told = imported(file, work)
            result.raw.append({"name": file.stem, "round": number, "bytes": file.stat().st_size, **told})
            costs.append({"name": name, "round": number, **told})
    table = pd.DataFrame(costs)
    size = f"log of {quantity(files['log'].stat().st_size, 'bytes')}, {sizes.lines:,} lines"
    goal = {"limits": (0, 1), "note": "referee: the goal, 1 GB in two minutes of one core and 300 MB"}
    result.comparisons += [
        interleave.compare(f"{size}: CPU time", _against(table, "cpu_s", GOAL_S), "s", **goal),
        interleave.compare(f"{size}: peak memory", _against(table, "peak_bytes", GOAL_BYTES), "bytes", **goal),
        *_rows(table, sizes),
    ]
    for count in sizes.shared:
        step(f"{count} shared files", 0, 1)
        told = shared(work / "shared", count)
        result.raw.append({"name": "shared", "files": count, **told})
        each = ", ".join(f"{name} {quantity(told[f'{name}_bytes'], 'bytes')}" for name in ("command", "worker"))
        result.left_out.append(f"Import of {count} small shared files, at most: {each}.")


def _against(table: pd.DataFrame, column: str, goal: float) -> pd.DataFrame:
    """The costs of the log beside a goal."""
    mine = table[table["name"] == "log"].rename(columns={column: "value"})[["round", "value"]]
    return pd.concat([mine.assign(side=OURS), mine.assign(side=REFEREE, value=goal)])


def _rows(table: pd.DataFrame, sizes: Sizes) -> Iterator[dict]:
    """Of the CSV files: whether time grows with the rows and memory does not."""
    sides = table[table["name"] != "log"].rename(columns={"name": "side"})
    few, many = f"{sizes.few:,}", f"{sizes.many:,}"
    rows = sides["side"].map({OURS: sizes.many, REFEREE: sizes.few})
    each = sides.assign(value=1e9 * sides["cpu_s"] / rows)
    yield interleave.compare(f"CSV, {many} rows over {few}: CPU time of a row", each, "ns", limits=LINEAR)
    peaks = sides.assign(value=sides["peak_bytes"])
    yield interleave.compare(f"CSV, {many} rows over {few}: peak memory", peaks, "bytes", limits=(0, LINEAR[1]))


def imported(file: Path, work: Path) -> dict[str, float]:
    """What a process of its own costs that imports a file: `cpu_s`, `wall_s`, `peak_bytes`. LabError where it fails."""
    env = os.environ | {"LAB_RUNS": str(work / "runs"), "LAB_BUILD": str(work / "build")}
    argv = [sys.executable, "-m", "pipeline.bench.imports"]
    argv += [str(Path(sys.executable).with_name("lab")), "import", str(file), "--as", "large", "--unit", "us"]
    argv += ["--no-page", *(["--value", "latency", "--time", "when"] if file.suffix == ".csv" else [])]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=paths.ROOT, env=env)
    shutil.rmtree(work / "runs", ignore_errors=True)
    shutil.rmtree(work / "build", ignore_errors=True)
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or [f"status {ran.returncode}"])[-1]
        raise LabError(f"bench: import of {file.name} failed: {last[:300]}", 4)
    cpu, wall, peak = map(float, ran.stderr.splitlines()[-1].split())
    return {"cpu_s": cpu, "wall_s": wall, "peak_bytes": peak}


def shared(work: Path, count: int) -> dict[str, int]:
    """Import so many small shared files, each of another machine, by two workers: the most memory of the command, and
    of any process below it, as `command_bytes` and `worker_bytes`. LabError where not all are imported."""
    work.mkdir()
    good = given.small()
    for number in range(count):
        info = json.loads(good.members[share.RUN])
        info["host"]["memory_bytes"] = (number + 1) << 30
        one = replace(good, members={**good.members, share.RUN: json.dumps(info).encode()})
        (work / f"{number}.tgz").write_bytes(one.file)
    env = os.environ | {"LAB_RUNS": str(work / "runs"), "LAB_BUILD": str(work / "build")}
    argv = [str(Path(sys.executable).with_name("lab")), "import", *map(str, work.glob("*.tgz")), "--workers", "2"]
    peaks: dict[int, int] = {}
    with (work / "told").open("w") as out:
        ran = subprocess.Popen(argv, stdout=out, stderr=out, cwd=paths.ROOT, env=env)
        while ran.poll() is None:
            note_peaks(ran.pid, peaks)
            time.sleep(0.1)
    told = (work / "told").read_text(encoding="utf-8")
    here = len(list((work / "runs").glob("*/run.json")))
    shutil.rmtree(work)
    if ran.returncode or here != count:
        raise LabError(f"bench: {here} of {count} shared files were imported: {told.strip()[-300:]}", 4)
    return {"command_bytes": peaks.pop(ran.pid), "worker_bytes": max(peaks.values())}


def note_peaks(process: int, peaks: dict[int, int]) -> None:
    """Note the most bytes that were resident, of a process and of all below it that are there. One that has ended and
    is not waited for yet tells of none: what was noted of it stays."""
    try:
        peaks[process] = max(resident.peak(process), peaks.get(process, 0))
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                note_peaks(int(child), peaks)
    except OSError:  # it has ended
        pass


def log(file: Path, lines: int, line_bytes: int) -> None:
    """A histogram log with a line a second, each of about so many bytes: latencies in us with a long tail."""
    payloads = [_payload(np.random.default_rng(seed), line_bytes) for seed in range(DIFFERENT)]
    with file.open("w", encoding="ascii") as out:
        out.write(HEAD)
        for number in range(lines):
            out.write(f"{number}.000,1.000,{payloads[number % DIFFERENT]}\n")


def _payload(chance: np.random.Generator, size: int) -> str:
    """The greatest value, and a payload of about `size` characters."""
    geometry, values = Geometry.of(3, 1), 64
    while True:
        recorded = chance.lognormal(8, 1.5, values).astype(np.int64) + 1
        index, count = np.unique(geometry.index(recorded), return_counts=True)
        low, width = geometry.buckets(index)
        text = encode.payload(Counts(low, width, count, 3, 1, 3_600_000_000))
        if len(text) >= size or values > MIB:
            return f"{recorded.max()}.0,{text}"
        values = values * 5 // 4


def csv(file: Path, rows: int, block: int = 1_000_000) -> None:
    """A CSV with a row for each request, 1,000 a second."""
    chance = np.random.default_rng(1)
    with file.open("w", encoding="ascii") as out:
        out.write("when,latency\n")
        for first in range(0, rows, block):
            many = min(block, rows - first)
            when = np.arange(first, first + many) / 1000
            told = pd.DataFrame({"when": when, "latency": chance.lognormal(8, 1, many).round(1)})
            told.to_csv(out, header=False, index=False)


def main(argv: list[str]) -> int:
    """Run a command; the last line on standard error is its CPU time, its time (s) and its peak memory (bytes)."""
    begun = time.monotonic()
    status = subprocess.run(argv, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = used.ru_utime + used.ru_stime, time.monotonic() - begun, used.ru_maxrss * 1024
    print(*(round(one, 3) for one in told), file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
