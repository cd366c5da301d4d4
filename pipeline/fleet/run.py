"""A fleet measures: each host is asked for its part, one thing at a time, until it is done, lost or stopped.

Dask promises that a task runs at least once, and blames tasks for workers that died (dask/distributed 2935, 5234). So
it is never left to decide: a host's next task is sent when the last one has ended, every attempt under a name of its
own, and deaths are counted here. What was measured is what the journal on the host says.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from distributed import Client
from distributed.client import FutureCancelledError
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from pipeline.fleet import config, gather, task
from pipeline.fleet.config import Fleet
from pipeline.fleet.hosts import Answer
from pipeline.fleet.launch import WORDS, resource
from pipeline.fleet.rows import DONE, FETCHING, MEASURING, NOT, Row, Rows
from pipeline.ground.errors import INTERRUPTED, LabError

DIED = (KilledWorker, CommClosedError, FutureCancelledError, asyncio.CancelledError, task.Killed)
DEATHS = 5  # so often a worker may die without a trial between
STOP_S = 60.0  # so long a host may take to end in order
AT_ONCE = 2  # runs that are fetched at once: each is held in memory


class Lost(Exception):
    """This host measures no further; says why."""


class Workers(Protocol):
    """Who brings the workers of the hosts (`launch`, `existing`)."""

    async def gone(self, host: str) -> str:
        """Ends when the host is given up, with the reason."""

    def address(self, host: str) -> str:
        """Where its worker is now; empty while there is none."""


@dataclass
class Run:
    """One measuring of a fleet on a cluster whose workers have the resource of their host."""

    fleet: Fleet
    client: Client
    workers: Workers
    rows: Rows
    stopping: asyncio.Event
    status: dict[str, int] = field(default_factory=dict)  # by host, as the command line would end
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def measured(self, names: Sequence[str]) -> int:
        """Measure these hosts; the exit status of the command."""
        by_run = {self.fleet.run(name): name for name in names}

        def heard(event: tuple[float, dict[str, Any]]) -> None:
            if name := by_run.get(event[1].get("run")):
                row = self.rows.rows[name]
                row.told, row.note = event[1], ""
                row.state = MEASURING
                if event[1]["before"] and event[1]["before"] not in row.resumed:
                    row.resumed.append(event[1]["before"])
                self.rows.changed(name)

        self.client.subscribe_topic(task.TOPIC, heard)
        await asyncio.gather(*(self._host(self.rows.rows[name]) for name in names))
        found = set(self.status.values())
        if self.stopping.is_set():
            return INTERRUPTED
        return gather.DAMAGED if gather.DAMAGED in found else int(any(found))

    async def _host(self, row: Row) -> None:
        run = self.fleet.run(row.host)
        gone = asyncio.create_task(self.workers.gone(row.host))
        try:
            told = await self._answer(row, gone, task.measure, run, self.fleet.profile, self.fleet.measured)
            if told["trials"]:
                row.state = FETCHING
                self.rows.changed(row.host)
                await self._fetch(row, gone, run)
            row.state = DONE if not told["status"] else NOT
            failed = "; ".join(f"{name}: {why}" for name, why in told["failed"].items())
            row.note = told["why"] or failed
            self.status[row.host] = told["status"] or int(bool(failed))
        except Lost as why:
            planned = f" of {row.told['planned']}" if row.told.get("planned") else ""
            row.state = NOT
            row.note = f"host lost at {time.strftime('%H:%M')} after trial {row.trials}{planned} ({why})"
            self.status[row.host] = 1
        except (LabError, OSError) as error:
            row.state, row.note = NOT, str(error)
            self.status[row.host] = getattr(error, "status", 5)
        finally:
            gone.cancel()
            self.rows.changed(row.host)

    async def _answer(self, row: Row, gone: asyncio.Task, function: Callable, *arguments: Any) -> Any:
        """What a function returns on a host; asked again whenever its worker dies, which costs no trial."""
        trials, deaths = row.trials, 0
        while True:
            try:
                return await self._once(row, gone, function, arguments)
            except DIED as error:
                if asyncio.current_task().cancelling():
                    raise
                row.deaths += 1
                deaths = deaths + 1 if row.trials == trials else 1
                trials = row.trials
                if deaths >= DEATHS:
                    raise Lost(
                        f"what measures there died {deaths} times without a trial between: {str(error)[:WORDS]}"
                    ) from None
                row.note = "what measures there died, and goes on"
                self.rows.changed(row.host)

    async def _once(self, row: Row, gone: asyncio.Task, function: Callable, arguments: Sequence[Any]) -> Any:
        future = self.client.submit(
            function,
            *arguments,
            key=f"{function.__name__}-{row.host}-{uuid.uuid4().hex}",
            resources={resource(row.host): 1},
            pure=False,
            retries=0,
        )
        result = asyncio.ensure_future(future.result())
        stopping = asyncio.create_task(self.stopping.wait())
        waited = {result, gone, stopping} if function is task.measure else {result, gone}
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if not result.done() and not gone.done():
                await self._stop(row, arguments[0], result)
            if result.done():
                return result.result()
            raise Lost(gone.result() if gone.done() else "interrupted")
        finally:
            stopping.cancel()
            result.cancel()
            future.release()

    async def _stop(self, row: Row, run: str, result: asyncio.Future) -> None:
        """End a host's measuring in order; it may take STOP_S seconds for that."""
        if address := self.workers.address(row.host):
            row.note = "ending in order"
            self.rows.changed(row.host)
            await self.client.run(task.interrupt, run, workers=[address], on_error="return")
            await asyncio.wait({result}, timeout=STOP_S)

    async def _fetch(self, row: Row, gone: asyncio.Task, run: str) -> None:
        """Bring a host's run here; an archive that does not match is fetched once more."""
        async with self._turn:
            arriving = gather.Arriving(run, await self._answer(row, gone, task.contents, run))
            if arriving.here:
                return
            arriving.begin()
            for name in arriving.sums:
                for _ in range(2):
                    content = await self._answer(row, gone, task.archive, run, name)
                    if await asyncio.to_thread(arriving.take, name, content):
                        break
                else:
                    raise gather.Damaged(f"{name} arrived damaged; the same command fetches it again")
            arriving.keep()


def remember(fleet: Fleet, rows: Rows, answers: Sequence[Answer], how: str) -> None:
    """Keep what is known of the hosts for the report, next to what was known before of those not asked this time."""
    file = config.state_file(fleet.name)
    before = gather.remembered(file).get("hosts", {})
    facts = {one.name: dict(one.facts) for one in answers}
    now = {name: {"run": fleet.run(name), "workers": how, "facts": facts.get(name, {})} for name in rows.rows}
    for name, row in rows.rows.items():
        earlier = before.get(name, {})
        now[name] |= {"state": row.state, "note": row.note, "trials": row.trials}
        now[name]["deaths"] = earlier.get("deaths", 0) + row.deaths
        now[name]["resumed"] = sorted({*earlier.get("resumed", []), *row.resumed})
    gather.remember(file, {"name": fleet.name, "profile": fleet.profile, "hosts": before | now})
