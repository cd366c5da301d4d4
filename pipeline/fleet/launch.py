"""Workers over ssh: one `ssh` for each host, which carries both directions of Dask's traffic, and nothing else.

Dask asks nobody who he is, so no port of it is ever open but on the loopback of either machine. `ssh` finds keys,
agents and jump hosts as its user's configuration says; it asks for no password, and checks the host's key.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import shlex
import socket
import time
from collections.abc import Callable, Mapping

from pipeline.fleet.config import Host
from pipeline.fleet.hello import QUIET
from pipeline.measure.processes import dying_with_us

LOOPBACK = "127.0.0.1"
# A connection of our own: one that is shared would end with somebody else's.
SSH = ("ssh", "-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15")
SSH += ("-o", "ServerAliveCountMax=3", "-o", "ControlMaster=no", "-o", "ControlPath=none")
TUNNEL = ("-o", "ExitOnForwardFailure=yes")
PORTS = range(20_000, 32_000)  # below those that systems hand out by themselves
RETRIES, LONGEST_S, PATIENCE_S = 5, 60.0, 120.0
WORDS = 300  # characters of what ssh says


def remote(host: Host, *command: str, options: tuple[str, ...] = (), environment: Mapping[str, str] | None = None):
    """The command line that runs a command in the Lab of a host."""
    given = {**(environment or {}), **({"LAB_JDKS": ":".join(host.jdks)} if host.jdks else {})}
    words = ["env", *(f"{name}={value}" for name, value in given.items())] if given else []
    text = f"cd {shlex.quote(host.root)} && exec {shlex.join([*words, *command])}"
    return [*SSH, *options, "--", host.ssh, text]


def python(host: Host, *words: str):
    """The command line that runs a module of the Lab on a host."""
    return remote(host, ".venv/bin/python", "-m", *words)


def worker(host: Host, scheduler_port: int, there: int, listens: int, here: int) -> list[str]:
    """The command line of a host's worker: it reaches the scheduler through its own port `there` and listens on its
    port `listens`, which is `here` on this machine."""
    options = (*TUNNEL, "-R", f"{LOOPBACK}:{there}:{LOOPBACK}:{scheduler_port}")
    options += ("-L", f"{LOOPBACK}:{here}:{LOOPBACK}:{listens}")
    command = [".venv/bin/python", "-m", "dask", "worker", f"tcp://{LOOPBACK}:{there}", "--name", host.name]
    command += ["--nthreads", "1", "--nworkers", "1", "--no-nanny", "--memory-limit", "0"]
    # Without an address of its own even a worker without pages listens everywhere.
    command += ["--no-dashboard", "--dashboard-address", f"{LOOPBACK}:0"]
    command += ["--listen-address", f"tcp://{LOOPBACK}:{listens}", "--contact-address", f"tcp://{LOOPBACK}:{here}"]
    command += ["--resources", f"{resource(host.name)}=1", "--death-timeout", "60"]
    command += ["--local-directory", "build/fleet/worker", "--preload", "pipeline.fleet.task"]
    quiet = {f"DASK_{name.replace('.', '__').replace('-', '_').upper()}": str(value) for name, value in QUIET.items()}
    # What ssh says of a connection is to be its last words: a worker is silent.
    return remote(host, *command, options=options, environment=quiet | {"DASK_LOGGING__DISTRIBUTED": "critical"})


def resource(name: str) -> str:
    """What only the worker of this host has: a task that asks for it runs there or waits, whatever its address."""
    return f"host-{name}"


def free_port(chance: random.Random) -> int:
    """A port that nobody listens on here; on the host it is free most likely, or `ssh` ends and is started anew."""
    while True:
        port = chance.choice(PORTS)
        with contextlib.suppress(OSError), socket.socket() as one:
            one.bind((LOOPBACK, port))
            return port


class Tunnel:
    """Keeps the worker of a host there. `joined` is set by whoever sees it arrive at the scheduler, `over` by whoever
    has asked it to end: then no other is started."""

    def __init__(self, host: Host, scheduler_port: int, say: Callable[[str], None]) -> None:
        self.host, self.port, self.say = host, scheduler_port, say
        self.joined = asyncio.Event()
        self.over = False
        self.last = ""
        self.process: asyncio.subprocess.Process | None = None

    async def keep(self) -> str:
        """Start `ssh` whenever it has ended, later each time, until it is over; returns why it gave up: RETRIES in vain
        and PATIENCE_S seconds without a worker."""
        failures, since = 0, time.monotonic()
        while True:
            self.joined.clear()
            await self._once()
            if self.over:
                return ""
            failures = 0 if self.joined.is_set() else failures + 1
            since = time.monotonic() if self.joined.is_set() else since
            if failures > RETRIES and time.monotonic() - since > PATIENCE_S:
                return self.last or "its worker never came"
            wait_s = min(2.0**failures, LONGEST_S)
            self.say(f"no connection ({self.last or 'it ended'}), again in {int(wait_s)} s")
            await asyncio.sleep(wait_s)

    async def _once(self) -> None:
        """One `ssh` from start to end; it has PATIENCE_S seconds to bring the worker."""
        chance = random.Random()
        ports = [free_port(chance) for _ in range(3)]
        self.process = await asyncio.create_subprocess_exec(
            *dying_with_us(),
            *worker(self.host, self.port, *ports),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the coordinator alone, which ends what runs there in order
        )
        reading = asyncio.create_task(self._read(self.process.stderr))
        joining = asyncio.create_task(self.joined.wait())
        try:
            await asyncio.wait({reading, joining}, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
            if self.joined.is_set():
                await reading
        finally:
            reading.cancel()
            joining.cancel()
            await self._end()

    async def _read(self, stream: asyncio.StreamReader) -> None:
        """Until it ends: keep its last words."""
        while content := await stream.read(1 << 16):
            for line in content.decode(errors="replace").splitlines():
                if line.strip():
                    self.last = "".join(one for one in line.strip() if one.isprintable())[:WORDS]

    async def _end(self) -> None:
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.terminate()
        await self.process.wait()
