"""A fleet whose scheduler and workers are Dask's own, all in this process, and whose hosts' answers a test writes."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import Client, Scheduler, Worker
from rich.console import Console

from pipeline.bundle.bundle import Bundle
from pipeline.fleet import coordinate, run, task
from pipeline.fleet.config import Fleet
from pipeline.fleet.launch import LOOPBACK, resource
from pipeline.fleet.rows import Rows


def instead(monkeypatch: pytest.MonkeyPatch, name: str, function: Callable) -> None:
    """What workers are asked for by this name from now on."""
    function.__module__, function.__qualname__, function.__name__ = task.__name__, name, name
    monkeypatch.setattr(task, name, function)


def done(trials: int = 12, **told: Any) -> dict[str, Any]:
    """The answer of a host that measured."""
    return {"status": 0, "why": "", "failed": {}, "packed": {}, "before": 0, "trials": trials} | told


def served(bundle: Path) -> tuple[Callable, Callable]:
    """`contents` and `archive` of a host whose only run is this bundle."""

    def contents(run: str) -> dict[str, Any]:
        files = {file.name.removesuffix(".tar.xz"): file.read_bytes() for file in bundle.glob("*.tar.xz")}
        sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        told = {name: (bundle / name).read_bytes() for name in ("run.json", "journal.jsonl")}
        return told | {"archives": sums}

    return contents, lambda run, experiment: Bundle.packed(experiment, bundle).read_bytes()


class Members:
    """The workers of hosts; a test ends and starts them."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler, self.there, self.lost = scheduler, {}, {}

    async def start(self, name: str) -> None:
        self.lost.setdefault(name, asyncio.get_running_loop().create_future())
        self.there[name] = await Worker(
            self.scheduler.address, name=name, nthreads=1, resources={resource(name): 1}, host=LOOPBACK, dashboard=False
        )

    async def end(self, name: str) -> None:
        """As after a kill: without a farewell."""
        worker = self.there.pop(name)
        worker.batched_stream.comm.abort()
        await worker.close(executor_wait=False)

    async def gone(self, host: str) -> str:
        return await asyncio.shield(self.lost[host])

    def address(self, host: str) -> str:
        return self.there[host].address if host in self.there else ""


@contextlib.asynccontextmanager
async def cluster(**settings: Any) -> AsyncIterator[tuple[Members, Client]]:
    """A scheduler as the coordinator has it, without workers yet."""
    with dask.config.set(coordinate.SETTINGS | settings):
        async with Scheduler(host=LOOPBACK, port=0, dashboard=False, dashboard_address=f"{LOOPBACK}:0") as scheduler:
            members = Members(scheduler)
            async with Client(scheduler.address, asynchronous=True, set_as_default=False) as client:
                try:
                    yield members, client
                finally:
                    for worker in members.there.values():
                        await worker.close(executor_wait=False)


def fleet(*names: str) -> tuple[Fleet, Rows]:
    hosts = [{"name": name, "ssh": name} for name in names]
    made = Fleet.model_validate({"name": "f", "profile": "smoke", "hosts": hosts})
    return made, Rows(list(names), Console(quiet=True), as_json=False)


async def measured(members: Members, client: Client, stopping: asyncio.Event | None = None) -> tuple[int, Rows]:
    """Measure the hosts that are there; the exit status and the rows."""
    made, rows = fleet(*members.there)
    stopping = stopping or asyncio.Event()
    status = await run.Run(made, client, members, rows, stopping).measured(list(rows.rows))
    return status, rows
