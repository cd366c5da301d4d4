"""fio as the referee of our IO: the same blocks of the same size, to and from a file of the same kind.

Both sides pass several times over a file that was written once, in order, one thread on one CPU, in the page cache,
without producing or checking bytes; both are summarised as total time over total blocks. fio maps the file anew in
every pass, as we do, and copies each block from or to one buffer, as we do. Two things had to be made alike:

- The file is written here, in pieces of 4 KiB, and not laid out by fio, which drops it from the page cache; read ahead,
  it comes back in larger pieces, and a mapping of those takes a sixth of the page faults.
- fio leaves unmapping to the end of its process; ours belongs to the last block. So our last slice is left out.

What differs is what fio does besides: it fetches, times and accounts for every IO. Per block that costs a sizeable part
of copying 4 KiB, so fio's `null` engine, which does all of that and no IO, takes part in every round, and the second
comparison of each pair has its time subtracted. That one is between IO and IO; the first says what a reader of fio's
own figures would see.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pipeline import host, measure, trial
from pipeline.bench import interleave, ours
from pipeline.bench.interleave import Missing, Result
from pipeline.errors import LabError
from pipeline.tables import Tables

EXPERIMENT = "sequential_io"
DIRECTIONS = ("write", "read")
EMPTY = "null"
# Our passes after the first, which meets a cold file and is left out on both sides.
PASSES = "pass[2-9]"
LIMITS = (0.9, 1.1)
FILE = "lab-bench-fio"


@dataclass(frozen=True)
class Way:
    """One of our variants and the fio engine that does the same."""

    variant: str
    engine: str
    note: str = ""


WAYS = (
    Way("c_write_read", "psync"),
    Way("c_mapped", "mmap"),
    Way("file_channel", "psync", "a heap buffer is copied to native memory first: one copy of the block more than fio"),
    Way("file_channel_direct", "psync"),
    Way("mapped", "mmap"),
)


@dataclass(frozen=True)
class Sizes:
    """Rounds per comparison, bytes, and passes (1..8) that count."""

    rounds: int = 7
    file_size: int = 64 << 20
    block_size: int = 4096
    passes: int = 5


def command(engine: str, folder: Path, cpu: int, sizes: Sizes) -> list[str]:
    """The command line of one fio process: one pass that does not count, then the jobs `write` and `read`."""
    directory = str(folder.resolve()).replace(":", r"\:")
    return [
        "fio", "--output-format=json", "--thread=1", f"--cpus_allowed={cpu}", f"--ioengine={engine}",
        f"--directory={directory}", f"--filename={FILE}", f"--size={sizes.file_size}", f"--bs={sizes.block_size}",
        # In place, from the cache, bytes as they are, no advice to the kernel, nothing flushed: as our side does it.
        "--overwrite=1", "--fallocate=none", "--invalidate=0", "--fadvise_hint=0", "--scramble_buffers=0",
        "--refill_buffers=0", "--end_fsync=0",
        # Our side reads the clock once per block; without this fio reads it up to four times.
        "--gtod_reduce=1",
        "--name=first", "--rw=write",
        *(word for d in DIRECTIONS for word in (f"--name={d}", "--stonewall", f"--rw={d}", f"--loops={sizes.passes}")),
    ]  # fmt: skip


def prepare(file: Path, size: int) -> None:
    """Write `size` bytes through the page cache, 4 KiB at a time, as our side prepares its own file."""
    piece = bytes(range(256)) * 16
    with file.open("wb", buffering=0) as out:
        for _ in range(size // len(piece)):
            out.write(piece)


def block_times(text: str) -> dict[str, float]:
    """Nanoseconds per block of the jobs `write` and `read` of a fio result (JSON): run time over IOs.

    fio tells the run time in whole milliseconds. LabError (status 4) when a job is missing, failed or did no IO.
    """
    try:
        # fio prints its warnings on standard output too, above the object.
        jobs = {job["jobname"]: job for job in json.loads(text[text.index("{") :])["jobs"]}
        found = {}
        for direction in DIRECTIONS:
            job, told = jobs[direction], jobs[direction][direction]
            if job["error"]:
                raise ValueError(f"job {direction} ended with error {job['error']}")
            found[direction] = told["runtime"] * 1e6 / told["total_ios"]
        return found
    except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise LabError(f"bench: the fio result lacks a job or its IO: {type(error).__name__} {error}", 4) from None


def our_block_times(tables: Tables) -> dict[str, float]:
    """Nanoseconds per block of the passes that count, by direction: total time over total blocks, without the last
    slice of each pass."""
    found = {}
    for direction in DIRECTIONS:
        rows = ours.selected(tables, f"{direction}*", PASSES)
        rows = rows[rows["iteration"] < rows.groupby("phase", observed=True)["iteration"].transform("max")]
        found[direction] = float(rows["elapsed_ns"].sum() / rows["operations"].sum())
    return found


def run(result: Result, work: Path, step: Callable[[str, int, int], None], sizes: Sizes = Sizes(),
        ways: Sequence[Way] = WAYS) -> None:  # fmt: skip
    """Compare every way on every runtime; fills `result`. Missing when there is no fio."""
    if shutil.which("fio") is None:
        raise Missing("there is no fio; install it (Debian: fio)")
    folder = measure.io_folder()
    trial.check_resources(folder, 3 * sizes.file_size)
    side = ours.Ours(work, EXPERIMENT, folder)
    for way in ways:
        try:
            for runtime in side.runtimes(way.variant):
                _compare(result, side, way, runtime, sizes, folder, step)
        except Missing as missing:
            result.left_out.append(f"{way.variant}: {missing}")


def _compare(result, side: ours.Ours, way: Way, runtime: str, sizes: Sizes, folder: Path, step) -> None:
    name = f"{way.variant}, {runtime}"
    parameters = {"threads": 1, "warmup": 0, "iterations": 20, "file-size": sizes.file_size, "fill": "once",
                  "block-size": sizes.block_size, "passes": 1 + sizes.passes, "preparation": "reuse"}  # fmt: skip
    cpu = host.cpus()[0]
    measured = []

    def keep(number: int, which: str, times: dict[str, float], noise: dict | None) -> float:
        measured.append({"name": name, "round": number, "side": which, **times})
        result.raw.append(measured[-1] | {"unit": "ns/block", "noise": noise})
        return times[DIRECTIONS[0]]

    def run_ours(number: int) -> float:
        step(name, number, sizes.rounds)
        line, tables = side.trial(way.variant, runtime, parameters)
        return keep(number, interleave.OURS, our_block_times(tables), line["noise"])

    def run_fio(which: str, engine: str) -> Callable[[int], float]:
        def run_one(number: int) -> float:
            prepare(folder / FILE, sizes.file_size)
            try:
                told = interleave.process(command(engine, folder, cpu, sizes))
            finally:
                (folder / FILE).unlink(missing_ok=True)
            return keep(number, which, block_times(told), None)

        return run_one

    sides = {interleave.OURS: run_ours, interleave.REFEREE: run_fio(interleave.REFEREE, way.engine),
             EMPTY: run_fio(EMPTY, EMPTY)}  # fmt: skip
    interleave.rounds(sides, sizes.rounds, name)
    for direction in DIRECTIONS:
        result.comparisons += comparisons(f"{name}, {direction}", way, pd.DataFrame(measured), direction)


def comparisons(name: str, way: Way, measured: pd.DataFrame, direction: str) -> list[dict]:
    """Ours against fio as it reports itself, and against fio less its null engine.

    `measured` has the columns round, side (ours, referee, null) and, in ns per block, `direction`.
    """
    table = measured[["round", "side", direction]].rename(columns={direction: "value"})
    by_round = table.pivot(index="round", columns="side", values="value")
    empty = by_round[EMPTY]
    share = 100 * float((empty / by_round[interleave.REFEREE]).median())
    note = f"{name}: {share:.0f} % of fio's time is its own work per IO (null engine)"
    note += f"; {way.note}" if way.note else ""
    gross = interleave.compare(f"{name} / fio {way.engine}", table, "ns/block", limits=LIMITS, note=note)
    net = table.assign(value=table["value"] - table["round"].map(empty) * (table["side"] == interleave.REFEREE))
    if (net.loc[net["side"] == interleave.REFEREE, "value"] <= 0).any():
        return [gross]
    return [
        gross,
        interleave.compare(f"{name} / fio {way.engine} less null", net, "ns/block", limits=LIMITS, note=way.note),
    ]
