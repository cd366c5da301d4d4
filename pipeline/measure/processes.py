"""The processes of a trial: started together, watched together, ended together.

Parts of a trial meet on a page of memory before every iteration (harness/README.md). The page is an anonymous file that
they inherit: there is none to reuse, and none is left when all have ended, however they did. When one part fails the
others get GRACE_S to see it there and end by themselves. All are killed when this process is interrupted, and by the
kernel when it is killed itself.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pipeline.bundle.journal import MEASURED
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.words.numbers import place

STATUS = {0: MEASURED, 2: "bad_argument", 3: "unsupported", 4: "check_failed", 5: "no_resources"}
TIMEOUT_S = 300
GRACE_S = 2
PAGE_BYTES = 4096
ANOTHER = "another part failed"  # what a part says that ended because of another one
TOO_LONG, GIVEN_UP = "too long", "given up"  # why a process was killed: the time-out, or another part's failure


@dataclass(frozen=True)
class Start:
    """A process to start: the name of its part, its command line, its log, beside which its output is written, and the
    command that starts it and watches over it, if there is one (a tracer), and its own time-out in s, if it has one."""

    name: str
    argv: Sequence[str]
    log: Path
    under: Sequence[str] = ()
    timeout_s: float | None = None
    orderly: bool = False  # whether it has something to end itself: it is asked to, before it is killed

    @property
    def limit_s(self) -> float:
        """After how many seconds it is killed."""
        return self.timeout_s or TIMEOUT_S


@dataclass(frozen=True)
class Ended:
    """A process that has ended: exit status (negative: a signal), the lines it told on standard output, the last one of
    standard error, why it was killed if it was, and what it used, its children included."""

    start: Start
    exit: int
    told: list[str]
    complaint: str
    killed: str
    usage: resource.struct_rusage

    @property
    def status(self) -> str:
        return "timeout" if self.killed == TOO_LONG else STATUS.get(self.exit, "crashed")

    @property
    def reason(self) -> str:
        """Why it is not `measured`, with its part in front."""
        late = f"no end after {place(self.start.limit_s)} s"
        return named(self.start.name, late if self.killed == TOO_LONG else self.complaint)

    @property
    def at_fault(self) -> bool:
        """Whether it failed by itself, and not because another part did."""
        return self.exit != 0 and self.killed != GIVEN_UP and not self.complaint.endswith(ANOTHER)


def named(part: str, reason: str) -> str:
    """A reason with the name of its part in front, as far as it has one."""
    return f"{part}: {reason}" if part else reason


@contextlib.contextmanager
def meeting(parts: int) -> Iterator[int | None]:
    """The file descriptor of a fresh meeting page, for the processes to inherit; None where one part meets nobody."""
    if parts == 1:
        yield None
        return
    page = os.memfd_create("meeting")
    try:
        os.ftruncate(page, PAGE_BYTES)
        yield page
    finally:
        os.close(page)


def run(
    starts: Sequence[Start], prefix: Sequence[str], environment: Mapping[str, str], page: int | None
) -> list[Ended]:
    """Run processes from the project's root to their end, each behind the command `prefix`; `page` is open to them.

    They are told in the order given. On an interrupt, or whatever else is raised, all have ended. What they wrote on
    their standard streams lies beside their logs until `forget`.
    """
    running: list[_Process] = []
    try:
        for start in starts:
            running.append(_Process(start, prefix, environment, page))
        _wait(running)
        return [process.ended() for process in running]
    finally:
        for process in running:
            process.close()


def forget(starts: Sequence[Start]) -> None:
    """Remove what processes wrote on their standard streams."""
    for start in starts:
        start.log.with_suffix(".out").unlink(missing_ok=True)
        start.log.with_suffix(".err").unlink(missing_ok=True)


def outcome(ended: Sequence[Ended]) -> tuple[str, str]:
    """Status and reason of a trial: those of the first part that failed by itself, and what others that did say too."""
    failed = [one for one in ended if one.exit]
    if not failed:
        return MEASURED, ""
    to_tell = [one for one in failed if one.at_fault] or failed
    return to_tell[0].status, "; ".join(one.reason for one in to_tell)


class _Process:
    """A process while it runs. No other code waits for it, so that its usage is told here."""

    def __init__(self, start: Start, prefix: Sequence[str], environment: Mapping[str, str], page: int | None) -> None:
        self.start, self.killed = start, ""
        self.out, self.err = start.log.with_suffix(".out"), start.log.with_suffix(".err")
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self._popen = subprocess.Popen(
                [*dying_with_us(), *prefix, *_under(start), *start.argv],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment,
                cwd=paths.ROOT,
                pass_fds=() if page is None else (page,),
            )
        try:
            self.pidfd = os.pidfd_open(self._popen.pid)
        except OSError as error:
            self._popen.kill()
            self._popen.wait()
            raise LabError(f"trials need pidfd_open, which Linux has since 5.3 ({error.strerror})", 5) from None

    def kill(self, why: str) -> None:
        self.killed = self.killed or why
        if self.start.orderly:
            signal.pidfd_send_signal(self.pidfd, signal.SIGTERM)
            if select.select([self.pidfd], [], [], GRACE_S)[0]:
                return
        signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def reap(self) -> int:
        """The exit status of the process, which has ended or is about to."""
        _, status, self.usage = os.wait4(self._popen.pid, 0)
        self._popen.returncode = os.waitstatus_to_exitcode(status)
        return self._popen.returncode

    def ended(self) -> Ended:
        told = self.out.read_text(encoding="utf-8", errors="replace").splitlines()
        lines = [line for line in self.err.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
        # The JVM's own warnings come after the harness's line: "... warning: ..." and "Warning: ... on register ...".
        lines = [line for line in lines if "warning:" not in line.lower()]
        reason = lines[-1].strip()[:300] if lines else f"exit status {self._popen.returncode}"
        return Ended(self.start, self._popen.returncode, told, reason, self.killed, self.usage)

    def close(self) -> None:
        """End the process, if it still runs."""
        if self._popen.returncode is None:
            self.kill(GIVEN_UP)
            self.reap()
        os.close(self.pidfd)


def _wait(processes: Sequence[_Process]) -> None:
    """Wait for all: GRACE_S from the first failure on, the longest time-out in all, then they are killed."""
    left = {process.pidfd: process for process in processes}
    poll = select.poll()
    for pidfd in left:
        poll.register(pidfd, select.POLLIN)
    timeout_s = max(process.start.limit_s for process in processes)
    deadline, why = time.monotonic() + timeout_s, TOO_LONG
    while left:
        for pidfd, _ in poll.poll(max(0, math.ceil(1000 * (deadline - time.monotonic())))):
            poll.unregister(pidfd)
            if left.pop(pidfd).reap() and (until := time.monotonic() + GRACE_S) < deadline:
                deadline, why = until, GIVEN_UP
        if time.monotonic() >= deadline:
            for process in left.values():
                process.kill(why)
            deadline = time.monotonic() + timeout_s


def _under(start: Start) -> list[str]:
    """What a process is started by; it dies with that, as that does with us."""
    return [*start.under, *dying_with_us()] if start.under else []


@cache
def dying_with_us() -> list[str]:
    """The command (of util-linux) that lets the kernel kill a process when this one dies; nothing without it."""
    command = ["setpriv", "--pdeathsig", "KILL", "--"]
    try:
        subprocess.run([*command, "true"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return command
