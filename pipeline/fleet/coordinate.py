"""`lab fleet run`: hosts are asked, warned of and measured until Ctrl-C, and what is known of them is kept."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import resource
import signal
from collections.abc import Iterator, Sequence

from rich.console import Console

from pipeline.fleet import config, gather, hosts
from pipeline.fleet.config import Fleet, state_file
from pipeline.fleet.hosts import Answer
from pipeline.fleet.rows import NOT, Rows
from pipeline.fleet.run import Run
from pipeline.ground.errors import LabError


def run(fleet: Fleet, file: str, console: Console, as_json: bool) -> int:
    """Measure a fleet; the exit status."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a host takes three, and most shells allow a thousand
    with _alone(fleet):
        there, away = hosts.ready(fleet, file)
        rows = Rows([host.name for host in fleet.hosts], console, as_json)
        for one in there:
            for words in hosts.warnings(one.facts):
                console.print(f"{one.name}: {words}", style="yellow", highlight=False, soft_wrap=True)
        with rows.shown():
            for one in away:
                rows.rows[one.name].state, rows.rows[one.name].note = NOT, one.why
                rows.changed(one.name)
            status = asyncio.run(_measured(fleet, there, rows))
        remember(fleet, rows, there)
        return max(status, int(bool(away)))


async def _measured(fleet: Fleet, there: Sequence[Answer], rows: Rows) -> int:
    """Measure the hosts that are there; Ctrl-C ends that in order, a second one at once."""
    stopping, loop, ours = asyncio.Event(), asyncio.get_running_loop(), asyncio.current_task()
    names = {one.name for one in there}

    def stop() -> None:
        ours.cancel() if stopping.is_set() else stopping.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        return await Run(fleet, rows, stopping).measured([host for host in fleet.hosts if host.name in names])
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


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


def remember(fleet: Fleet, rows: Rows, answers: Sequence[Answer]) -> None:
    """Keep what is known of the hosts for the report, next to what was known before of those not asked this time."""
    file = config.state_file(fleet.name)
    before = gather.remembered(file).get("hosts", {})
    facts = {one.name: dict(one.facts) for one in answers}
    now = {name: {"run": fleet.run(name), "facts": facts.get(name, {})} for name in rows.rows}
    for name, row in rows.rows.items():
        earlier = before.get(name, {})
        now[name] |= {"state": row.state, "note": row.note, "trials": row.trials}
        now[name]["deaths"] = earlier.get("deaths", 0) + row.deaths
        now[name]["resumed"] = sorted({*earlier.get("resumed", []), *row.resumed})
    gather.remember(file, {"name": fleet.name, "profile": fleet.profile, "hosts": before | now})
