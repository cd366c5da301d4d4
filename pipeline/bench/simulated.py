"""Hosts of a fleet that measure nothing, as many as a study asks for: Dask's workers, of which many share a process.

    python -m pipeline.bench.simulated hosts ADDRESS FIRST COUNT       workers of hosts FIRST, FIRST + 1, ...
    python -m pipeline.bench.simulated coordinator COUNT SECONDS       the coordinator of COUNT hosts

A host "measures" for SECONDS and says every TELL_S how far it is. The coordinator prints its address and, at the end,
what it took, each as one line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from typing import Any

import dask
from distributed import Client, Scheduler, Worker, get_worker
from distributed.diagnostics.plugin import SchedulerPlugin
from rich.console import Console

from pipeline.fleet import coordinate, hello, launch, run, task
from pipeline.fleet.config import Fleet
from pipeline.fleet.rows import Rows

TELL_S = 2.0


def _measure(run: str, profile: str, experiments: list[str]) -> dict[str, Any]:
    """In the place of `task.measure`: its one experiment is a number of seconds."""
    worker, until, trials = get_worker(), time.monotonic() + float(experiments[0]), 0
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(TELL_S, left))
        trials += 1
        told = {"trials": trials, "planned": 80, "noisy": 0, "experiment": "none", "block": 1, "sitting": False}
        worker.log_event(task.TOPIC, {"run": run, **told, "left_s": round(left), "before": 0, "waits": ""})
    return {"status": 0, "why": "", "failed": {}, "packed": {}, "before": 0, "trials": 0}


async def hosts(address: str, first: int, count: int) -> None:
    """Workers with the settings of a host's, until the coordinator ends."""
    task.measure = _measure
    task.measure.__module__, task.measure.__qualname__ = task.__name__, "measure"
    with dask.config.set(hello.QUIET):
        names = [f"h{number}" for number in range(first, first + count)]
        workers = [
            Worker(
                address,
                name=name,
                nthreads=1,
                memory_limit=0,
                resources={launch.resource(name): 1},
                host=launch.LOOPBACK,
                dashboard_address=f"{launch.LOOPBACK}:0",
            )
            for name in names
        ]
        await asyncio.gather(*workers)
        await asyncio.gather(*(worker.finished() for worker in workers))


class _Joined(SchedulerPlugin):
    """Counts workers; nobody is ever gone."""

    def __init__(self, count: int) -> None:
        self.left, self.all = count, asyncio.Event()

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        self.left -= 1
        if not self.left:
            self.all.set()

    async def gone(self, host: str) -> str:
        return await asyncio.get_running_loop().create_future()

    def address(self, host: str) -> str:
        return ""


async def coordinator(count: int, seconds: float) -> None:
    """As `lab fleet run` has it, but for the `ssh` processes."""
    names = [f"h{number}" for number in range(count)]
    fleet = Fleet.model_construct(name="simulated", profile="smoke", experiments=[], hosts=[])
    rows = Rows(names, Console(quiet=True), as_json=False)
    with dask.config.set(coordinate.SETTINGS):
        async with Scheduler(
            host=launch.LOOPBACK, port=0, dashboard=False, dashboard_address=f"{launch.LOOPBACK}:0"
        ) as scheduler:
            workers = _Joined(count)
            scheduler.add_plugin(workers)
            print(json.dumps({"address": scheduler.address}), flush=True)
            async with Client(scheduler.address, asynchronous=True, set_as_default=False) as client:
                await workers.all.wait()
                began, before = time.monotonic(), _used_s()
                measuring = run.Run(_Timed(fleet, seconds), client, workers, rows, asyncio.Event())
                status = await measuring.measured(names)
                wall_s, cpu_s = time.monotonic() - began, _used_s() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    told = {"status": status, "wall_s": wall_s, "cpu_s": cpu_s, "peak_bytes": peak}
    print(json.dumps(told | {"heard": sum(row.trials for row in rows.rows.values())}), flush=True)


class _Timed:
    """A fleet whose one experiment is a number of seconds."""

    def __init__(self, fleet: Fleet, seconds: float) -> None:
        self.name, self.profile, self.measured, self.run = fleet.name, fleet.profile, [str(seconds)], fleet.run


def _used_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "hosts":
        asyncio.run(hosts(words[0], int(words[1]), int(words[2])))
    else:
        asyncio.run(coordinator(int(words[0]), float(words[1])))
