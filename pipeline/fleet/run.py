"""A fleet measures: each host is started on its part over `ssh`, spoken with until it has ended, and its run fetched.

What was measured is what the journal on the host says: a connection or a process that ends costs the trial in progress,
and the next one goes on. Nothing is measured twice, for a host has one lock, and one parcel its runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.fleet import connection, gather
from pipeline.fleet.config import Fleet, Host
from pipeline.fleet.connection import CURRENT, Connection
from pipeline.fleet.rows import DONE, FETCHING, MEASURING, NOT, Row, Rows
from pipeline.ground.errors import INTERRUPTED, LabError
from pipeline.measure.adaptive_sampling import Wanted
from pipeline.parcel import coordinator
from pipeline.session import sampling_targets

RETRIES, LONGEST_S, PATIENCE_S = 5, 60.0, 120.0
STOP_S = 60.0  # so long a host may take to end in order
AT_ONCE = 2  # runs that are fetched and looked at at once
LOOKS = "looking for what is undecided"


class Lost(Exception):
    """This host measures no further; says why."""


@dataclass
class Run:
    """One measuring of a fleet. `status`: by host, as the command line would end."""

    fleet: Fleet
    rows: Rows
    stopping: asyncio.Event
    status: dict[str, int] = field(default_factory=dict)
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def measured(self, members: Sequence[Host]) -> int:
        """Measure these hosts; the exit status of the command."""
        await asyncio.gather(*map(self._host, members))
        found = set(self.status.values())
        if self.stopping.is_set():
            return INTERRUPTED
        return gather.DAMAGED if gather.DAMAGED in found else int(any(found))

    async def _host(self, host: Host) -> None:
        row, run = self.rows.rows[host.name], self.fleet.run(host.name)
        try:
            told = await self._ended(host, row, run)
            if told["trials"]:
                row.state = FETCHING
                self.rows.changed(row.host)
                await self._fetched(host, run, told)
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
            self.rows.changed(row.host)

    async def _ended(self, host: Host, row: Row, run: str) -> dict[str, Any]:
        """What came of a host's measuring, which is started again, later each time, whenever its connection ends; Lost
        after RETRIES in vain and PATIENCE_S seconds without a trial."""
        tries, since, trials = 0, time.monotonic(), -1
        while True:
            told, why, spoke = await self._once(host, row, run)
            if told:
                return told
            if self.stopping.is_set():
                raise Lost("interrupted")
            row.deaths += spoke
            if row.trials > trials:
                tries, since, trials = 0, time.monotonic(), row.trials
            tries += 1
            if tries > RETRIES and time.monotonic() - since > PATIENCE_S:
                raise Lost(why)
            wait_s = min(2.0 ** (tries - 1), LONGEST_S)
            row.note = f"no connection ({why}), again in {int(wait_s)} s"
            self.rows.changed(row.host)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), wait_s)

    async def _once(self, host: Host, row: Row, run: str) -> tuple[dict[str, Any], str, bool]:
        """One connection from start to end: the answer, empty where there was none; why it ended then; whether the host
        had said anything."""
        words = ["./fleet", "work", run, self.fleet.profile, ",".join(self.fleet.measured)]
        async with Connection(connection.in_parcel(host, *words)) as there:
            stopping = asyncio.create_task(self._stop(row, there))
            spoke = False
            try:
                async for told in there.lines():
                    spoke = True
                    if "ended" in told:
                        return told["ended"], "", spoke
                    if told.get("asks") == "wanted":
                        await there.say(wanted=coordinator.encoded(await self._wanted(host, row, run, told)))
                    else:
                        self._heard(row, told)
                return {}, await there.ended(), spoke
            finally:
                stopping.cancel()

    async def _stop(self, row: Row, there: Connection) -> None:
        """Ctrl-C: end a host's measuring in order; it may take STOP_S seconds for that."""
        await self.stopping.wait()
        row.note = "ending in order"
        self.rows.changed(row.host)
        await there.say(stop=True)
        await asyncio.sleep(STOP_S)
        there.end()

    def _heard(self, row: Row, told: dict[str, Any]) -> None:
        row.told = row.told | {"waits": ""} | told
        row.state, row.note = MEASURING, row.note if self.stopping.is_set() else ""
        if (before := told.get("before")) and before not in row.resumed:
            row.resumed.append(before)
        self.rows.changed(row.host)

    async def _wanted(self, host: Host, row: Row, run: str, told: dict[str, Any]) -> Wanted:
        """What a host's sitting is for: its run is fetched and looked at here, where the data can be analysed."""
        row.note = LOOKS
        self.rows.changed(row.host)
        await self._fetched(host, run, told)
        entries = [catalogue.experiment(name) for name in self.fleet.measured]
        async with self._turn:
            found = await asyncio.to_thread(sampling_targets.wanted, Bundle.open(run), entries, ())
        row.note = ""
        return found

    async def _fetched(self, host: Host, run: str, told: dict[str, Any]) -> None:
        """Bring a host's run here; a file that arrives damaged is fetched once more."""
        if gather.here(run, told["id"]):
            return
        async with self._turn:
            file = gather.arriving(run)
            for _ in range(2):
                text = f"exec cat {shlex.quote(f'{host.root}/{CURRENT}/' + told['file'])}"
                await connection.asked(connection.remote(host, text), into=file)
                if await asyncio.to_thread(gather.take, run, file, told["sha256"]):
                    return
            raise gather.Damaged(f"{told['file']} arrived damaged; the same command fetches it again")
