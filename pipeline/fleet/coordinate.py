"""The coordinator: a scheduler of its own on the loopback with workers over ssh, or any Dask cluster that exists."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import resource
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from pathlib import Path

import dask
from distributed import Client, Scheduler
from distributed.diagnostics.plugin import SchedulerPlugin
from rich.console import Console

from pipeline.fleet import existing, hosts
from pipeline.fleet.config import Fleet, Host, state_file
from pipeline.fleet.hosts import Answer
from pipeline.fleet.launch import LOOPBACK, Tunnel
from pipeline.fleet.left import PATIENCE_S
from pipeline.fleet.rows import NOT, Rows
from pipeline.fleet.run import Run, Workers, remember
from pipeline.ground.errors import LabError

# Nothing is tried again, moved or rebalanced by itself, no clock decides who is alive (ssh does), nothing is served.
SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.worker-ttl": None,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.profile.enabled": False,
}


class OverSsh(SchedulerPlugin):
    """The workers of hosts that are reached over ssh."""

    def __init__(self, members: Sequence[Host], scheduler: Scheduler, rows: Rows) -> None:
        self.addresses: dict[str, str] = {}
        self.scheduler = scheduler

        def say(host: str, words: str) -> None:
            rows.rows[host].note = words
            rows.changed(host)

        port = int(scheduler.address.rpartition(":")[2])
        self.tunnels = {host.name: Tunnel(host, port, partial(say, host.name)) for host in members}
        self.keeping: dict[str, asyncio.Task] = {}

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        name = str(scheduler.workers[worker].name)
        if name in self.tunnels:
            self.addresses[name] = worker
            self.tunnels[name].joined.set()

    def remove_worker(self, scheduler: Scheduler, worker: str, **_: object) -> None:
        self.addresses = {name: address for name, address in self.addresses.items() if address != worker}

    def address(self, host: str) -> str:
        return self.addresses.get(host, "")

    async def gone(self, host: str) -> str:
        return await asyncio.shield(self.keeping[host])

    @contextlib.asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """The workers are there while the block runs; it ends when every `ssh` has, and so what it started."""
        self.keeping = {name: asyncio.create_task(tunnel.keep()) for name, tunnel in self.tunnels.items()}
        try:
            yield
        finally:
            # Asked to end, a worker takes its `ssh` with it; an `ssh` that is ended leaves it to notice that by itself.
            for name, address in self.addresses.items():
                self.tunnels[name].over = True
                self.scheduler.close_worker(address)
            if asked := [self.keeping[name] for name in self.addresses]:
                await asyncio.wait(asked, timeout=PATIENCE_S)
            for one in self.keeping.values():
                one.cancel()
            await asyncio.gather(*self.keeping.values(), return_exceptions=True)


def run(fleet: Fleet, file: str, scheduler: str, console: Console, as_json: bool) -> int:
    """Measure a fleet; the exit status. `scheduler`: address or scheduler file of a cluster, empty for our own."""
    logging.disable(logging.CRITICAL)  # a worker that dies is told in its row
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a host takes four, and most shells allow a thousand
    with _alone(fleet), dask.config.set(SETTINGS):
        if scheduler:
            return asyncio.run(_on_cluster(fleet, scheduler, console, as_json))
        there, away = hosts.ready(fleet, file)
        rows = Rows([host.name for host in fleet.hosts], console, as_json)
        _warn(there, console)
        status = asyncio.run(_over_ssh(fleet, there, away, rows))
        remember(fleet, rows, there, "ssh")
        return status


async def _over_ssh(fleet: Fleet, there: Sequence[Answer], away: Sequence[Answer], rows: Rows) -> int:
    members = [host for host in fleet.hosts if host.name in {one.name for one in there}]
    with rows.shown():
        for one in away:
            rows.rows[one.name].state, rows.rows[one.name].note = NOT, one.why
            rows.changed(one.name)
        async with Scheduler(host=LOOPBACK, port=0, dashboard=False, dashboard_address=f"{LOOPBACK}:0") as scheduler:
            workers = OverSsh(members, scheduler, rows)
            scheduler.add_plugin(workers)
            async with Client(scheduler.address, asynchronous=True, set_as_default=False) as client, workers.kept():
                names = [host.name for host in members]
                return max(await measured(fleet, client, workers, rows, names), int(bool(away)))


async def _on_cluster(fleet: Fleet, scheduler: str, console: Console, as_json: bool) -> int:
    named = {"scheduler_file": scheduler} if Path(scheduler).exists() else {"address": scheduler}
    try:
        client = await Client(**named, asynchronous=True, set_as_default=False, timeout=15)
    except (OSError, ValueError, TypeError) as error:
        raise LabError(f"--scheduler {scheduler}: no scheduler answers ({str(error)[:200]}); correct it", 5) from None
    async with client, existing.Cluster(client) as workers:
        answers = await workers.found()
        rows = Rows([one.name for one in answers], console, as_json)
        _warn(answers, console)
        with rows.shown():
            status = await measured(fleet, client, workers, rows, list(rows.rows))
        remember(fleet, rows, answers, "dask")
        return status


async def measured(fleet: Fleet, client: Client, workers: Workers, rows: Rows, names: Sequence[str]) -> int:
    """Measure these hosts on a cluster; Ctrl-C ends that in order, a second one at once."""
    stopping, loop, ours = asyncio.Event(), asyncio.get_running_loop(), asyncio.current_task()

    def stop() -> None:
        ours.cancel() if stopping.is_set() else stopping.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        return await Run(fleet, client, workers, rows, stopping).measured(names)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _warn(answers: Sequence[Answer], console: Console) -> None:
    for one in answers:
        for words in hosts.warnings(one.facts):
            console.print(f"{one.name}: {words}", style="yellow", highlight=False, soft_wrap=True)


@contextlib.contextmanager
def _alone(fleet: Fleet) -> Iterator[None]:
    """One coordinator for a fleet at a time."""
    file = state_file(fleet.name).with_suffix(".lock")
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise LabError(f"fleet {fleet.name!r} is being measured here (process {lock.read()})", 5) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield
