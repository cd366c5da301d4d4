"""What a fleet costs: a worker beside a measurement, three hosts next to one, and a coordinator of a thousand.

`lab bench --only fleet:beside` (`fleet:three`, `fleet:many`) runs one of them. With and without a worker: trials take
turns; the worker, and a task of its that waits as for a run, is stopped by a signal for those without. Hosts that only
wait show what the coordinator itself adds and needs.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from pipeline.bench import interleave, ours
from pipeline.bench.compared import declared
from pipeline.bench.interleave import Missing, Result
from pipeline.bench.ours import Kernel
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.words.numbers import number, quantity

CASES = ("beside", "three", "many")
WITH, WITHOUT = "with a worker", "without"
ONE_PERCENT = (0.99, 1.01)
SIZES = {"warmup": 15, "iterations": 50, "iteration-ms": 2}
TRIES = 5  # for a value: threads that did not run together have none
PROCESSES = 4  # for a thousand hosts


@dataclass(frozen=True)
class Sizes:
    """Rounds with and without (up to `most` until they decide), seconds of the three hosts, hosts and seconds of the
    large fleet."""

    rounds: int = 40
    most: int = 120
    three_s: float = 20.0
    hosts: int = 1000
    seconds: float = 60.0


def run(
    result: Result,
    work: Path,
    step: Callable[[str, int, int], None],
    cases: Sequence[str] = CASES,
    sizes: Sizes = Sizes(),
    kernels: Sequence[Kernel] | None = None,
) -> None:
    """These cases, the first with these kernels (without any: those declared); Missing without Dask."""
    if find_spec("distributed") is None:
        raise Missing("it needs Dask; install it with: make .venv/.ready-fleet")
    if "beside" in cases:
        for kernel in declared(result.part, Kernel) if kernels is None else kernels:
            with result.leaving_out(kernel.name):
                _beside(result, work, step, kernel, sizes)
    if "three" in cases:
        step("three hosts next to one", 0, 1)
        one, three = (simulated(count, sizes.three_s)["wall_s"] for count in (1, 3))
        result.extra["three_hosts"] = {"one_s": one, "three_s": three}
        result.left_out.append(f"three hosts take {number(three / one)} times as long as one")
    if "many" in cases:
        step(f"{sizes.hosts} hosts", 0, 1)
        many = simulated(sizes.hosts, sizes.seconds, PROCESSES)
        result.extra["many_hosts"] = many | {"hosts": sizes.hosts}
        cores, peak = many["cpu_s"] / many["wall_s"], quantity(many["peak_bytes"], "bytes")
        told = f"the coordinator of {sizes.hosts:,} hosts takes {number(cores)} CPUs and {peak} of memory"
        result.left_out.append(told)


def _beside(result: Result, work: Path, step: Callable, kernel: Kernel, sizes: Sizes) -> None:
    trial = ours.repeated(work, kernel, SIZES, math.nan)
    with _waiting_worker() as pid:

        def side(number: int, with_it: bool) -> float:
            step(f"round {number + 1}, {kernel.name}", number, interleave.planned(number, sizes.rounds, sizes.most))
            os.kill(pid, signal.SIGCONT if with_it else signal.SIGSTOP)
            value = _value(trial)
            result.raw.append({"kernel": kernel.name, "round": number, "worker": with_it, "value": value})
            return value

        sides = {WITH: lambda number: side(number, True), WITHOUT: lambda number: side(number, False)}

        def decided(table) -> bool:
            told = interleave.compare("", table, "", WITH, WITHOUT, ONE_PERCENT)
            return told["verdict"] != "undecided"

        try:
            table = interleave.rounds(sides, sizes.rounds, kernel.name, sizes.most, decided)
        finally:
            os.kill(pid, signal.SIGCONT)
    note = "ours: a worker waits during the trial; referee: it is stopped"
    told = interleave.compare(kernel.name, table, "ns", WITH, WITHOUT, ONE_PERCENT, note)
    result.comparisons.append(told)


def _value(trial: Callable[[], tuple[dict, float]]) -> float:
    """What a trial yields, repeated where it yields nothing; Missing when it never does."""
    for _ in range(TRIES):
        if not math.isnan(value := trial()[1]):
            return value
    raise Missing(f"its threads ran together in none of {TRIES} trials; try on a quieter host")


@contextlib.contextmanager
def _waiting_worker() -> Iterator[int]:
    """The process of one host's worker with a task that waits, and a coordinator that listens to it."""
    with _coordinator(1, 100_000.0) as (coordinator, address), _hosts(address, 1, 1) as (worker,):
        time.sleep(3.0)  # it joins, and its task begins
        if coordinator.poll() is not None or worker.poll() is not None:
            raise LabError("bench: the worker did not start", 4)
        yield worker.pid


def simulated(count: int, seconds: float, processes: int = 1) -> dict[str, float]:
    """What the coordinator of so many hosts took that each wait for `seconds`: status, wall_s, cpu_s, peak_bytes."""
    with _coordinator(count, seconds) as (coordinator, address), _hosts(address, count, processes):
        told = coordinator.stdout.readlines()
        if coordinator.wait() or not told or json.loads(told[-1])["status"]:
            raise LabError(f"bench: a coordinator of {count} hosts failed", 4)
        return json.loads(told[-1])


@contextlib.contextmanager
def _coordinator(count: int, seconds: float) -> Iterator[tuple[subprocess.Popen, str]]:
    with _started(["coordinator", str(count), str(seconds)]) as coordinator:
        yield coordinator, json.loads(coordinator.stdout.readline())["address"]


@contextlib.contextmanager
def _hosts(address: str, count: int, processes: int) -> Iterator[Sequence[subprocess.Popen]]:
    each = count // processes
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(_started(["hosts", address, str(number * each), str(each)]))
            for number in range(processes)
        ]


@contextlib.contextmanager
def _started(words: Sequence[str]) -> Iterator[subprocess.Popen]:
    quiet = {"DASK_LOGGING__DISTRIBUTED": "critical"}
    running = subprocess.Popen(
        [sys.executable, "-m", "pipeline.bench.simulated", *words],
        cwd=paths.ROOT,
        env=os.environ | quiet,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield running
    finally:
        running.kill()
        running.wait()
        running.stdout.close()
