"""A host over `ssh`: one connection for each thing it is asked, and nothing that listens on either side.

`ssh` finds keys, agents and jump hosts as its user's configuration says; it asks for no password, and checks the host's
key.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shlex
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from pipeline.fleet.config import Host
from pipeline.ground.errors import LabError
from pipeline.measure.processes import dying_with_us

# A connection of our own: one that is shared would end with somebody else's.
SSH = ("ssh", "-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15")
SSH += ("-o", "ServerAliveCountMax=3", "-o", "ControlMaster=no", "-o", "ControlPath=none")
CURRENT = "current"  # the link to the parcel that is measured with, in the folder of the Lab there
WORDS = 300  # characters of what ssh says
BEAT_S = 15.0  # so often a host hears that we are there
LINE = 1 << 20  # bytes, of the longest that a host says


def remote(host: Host, text: str) -> list[str]:
    """The command line that gives a text to the shell of a host."""
    return [*SSH, "--", host.ssh, text]


def in_parcel(host: Host, *command: str) -> list[str]:
    """The command line that runs a command in the parcel of a host."""
    words = ["env", f"LAB_JDKS={':'.join(host.jdks)}"] if host.jdks else []
    return remote(host, f"cd {shlex.quote(f'{host.root}/{CURRENT}')} && exec {shlex.join([*words, *command])}")


def printable(content: bytes) -> str:
    """The last line of what was said that has something in it."""
    lines = [line.strip() for line in content.decode(errors="replace").splitlines() if line.strip()]
    return "".join(one for one in (lines[-1] if lines else "") if one.isprintable())[:WORDS]


class Connection:
    """A command on a host, which is spoken with in lines of JSON. It ends with its block."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._last = b""
        self._tasks: list[asyncio.Task] = []
        self._process: asyncio.subprocess.Process

    async def __aenter__(self) -> Connection:
        pipe = asyncio.subprocess.PIPE
        self._process = await started(
            [*dying_with_us(), *self._command],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            limit=LINE,
            start_new_session=True,  # Ctrl-C is for the coordinator alone, which ends what runs there in order
        )
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._beat())]
        return self

    async def __aexit__(self, *_: object) -> None:
        for one in self._tasks:
            one.cancel()
        self.end()
        await self._process.wait()

    def end(self) -> None:
        """End `ssh`, and so what it started."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()

    async def lines(self) -> AsyncIterator[dict[str, Any]]:
        """What the host says, until it says no more; what is no object of JSON is left out."""
        with contextlib.suppress(ValueError):  # of a line that is longer than LINE
            while text := await self._process.stdout.readline():
                with contextlib.suppress(ValueError, TypeError):
                    yield dict(json.loads(text))

    async def say(self, **told: Any) -> None:
        """A line for it; nobody may be there any more, which the end of its lines will tell."""
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(told).encode() + b"\n")
            await self._process.stdin.drain()

    async def ended(self) -> str:
        """Why there are no more lines: the last words of `ssh`, or the status."""
        status = await self._process.wait()
        await self._tasks[0]
        return printable(self._last) or f"it ended with status {status}"

    async def _read(self) -> None:
        while content := await self._process.stderr.read(1 << 16):
            self._last = (self._last + content)[-2 * WORDS :]

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            with contextlib.suppress(OSError):
                self._process.stdin.write(b"\n")
                await self._process.stdin.drain()


async def started(command: list[str], **how: Any) -> asyncio.subprocess.Process:
    """A process; LabError where there is no `ssh`."""
    try:
        return await asyncio.create_subprocess_exec(*command, **how)
    except FileNotFoundError:
        raise LabError("there is no ssh here; install it (Debian: openssh-client)", 5) from None


async def asked(command: list[str], given: Path | None = None, into: Path | None = None) -> tuple[int, bytes, bytes]:
    """Exit status, output and complaints of a command to its end; `given`: the file that it reads, `into`: the one that
    it writes. LabError where there is no `ssh`."""
    with contextlib.ExitStack() as opened:
        reads = opened.enter_context(given.open("rb")) if given else asyncio.subprocess.DEVNULL
        writes = opened.enter_context(into.open("wb")) if into else asyncio.subprocess.PIPE
        process = await started(command, stdin=reads, stdout=writes, stderr=asyncio.subprocess.PIPE)
        try:
            out, err = await process.communicate()
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
        return process.returncode, out or b"", err
