"""A program, executed once: its time, what it used and printed, and the end of all that it started."""

from __future__ import annotations

import os
import select
import signal
import time

OUTPUT_BYTES = 10_000_000  # of what a program prints that is kept
TAIL_BYTES = 4_096
MEASURES = ("time_ns", "cpu_ns", "peak_bytes", "minor_faults", "major_faults", "voluntary", "involuntary")


class Ended:
    """An execution that has ended: its wait status, seconds, usage, what it printed and whether it took too long."""

    def __init__(self, status, elapsed_ns, usage, printed, dropped, complaint, late, left):
        self.exit = os.waitstatus_to_exitcode(status)
        self.elapsed_ns, self.usage, self.printed, self.dropped = elapsed_ns, usage, printed, dropped
        self.complaint, self.late, self.left = complaint, late, left

    def why_not(self, timeout_s: float) -> str:
        """Why it does not count; empty when it does."""
        if self.late:
            return f"no end after {timeout_s:g} s"
        if self.exit == 0:
            return ""
        said = self.complaint.decode("utf-8", "replace").strip().splitlines()
        words = f"; its last words: {plain(said[-1])}" if said else ""
        return (f"ended by signal {-self.exit}" if self.exit < 0 else f"ended with status {self.exit}") + words

    @property
    def values(self) -> tuple:
        """Its MEASURES."""
        usage = self.usage
        cpu_ns = round(1e9 * (usage.ru_utime + usage.ru_stime))
        counts = usage.ru_minflt, usage.ru_majflt, usage.ru_nvcsw, usage.ru_nivcsw
        return self.elapsed_ns, cpu_ns, usage.ru_maxrss * 1024, *counts


def execute(argv, environment, timeout_s) -> Ended:
    """Run a program to its end and the end of all that it started. OSError when it cannot be started."""
    (out, into_out), (err, into_err) = os.pipe2(os.O_CLOEXEC), os.pipe2(os.O_CLOEXEC)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, into_out, 1),
        (os.POSIX_SPAWN_DUP2, into_err, 2),
    ]
    how = {"setsid": True, "setsigmask": [], "setsigdef": [signal.SIGPIPE, signal.SIGTERM, signal.SIGXFSZ]}
    pid = 0
    try:
        start = time.monotonic_ns()
        try:
            pid = os.posix_spawnp(argv[0], argv, environment, file_actions=actions, **how)
        finally:
            os.close(into_out)
            os.close(into_err)
        kept = {out: bytearray(), err: bytearray()}
        dropped, late = _until_ended(pid, out, err, kept, timeout_s)
        _, status, usage = os.wait4(pid, 0)
        elapsed = time.monotonic_ns() - start
        dropped += sum(take(one, kept[one], one == err) or 0 for one in kept)
    finally:  # also where this process is asked to end: nothing stays behind
        os.close(out)
        os.close(err)
        if pid:
            end_group(pid)
        left = end_orphans()
    return Ended(status, elapsed, usage, bytes(kept[out]), dropped, bytes(kept[err]), late, left)


def _until_ended(pid: int, out: int, err: int, kept: dict, timeout_s: float) -> tuple[int, bool]:
    """Read what a program prints until it has ended; the bytes that were dropped, and whether it was too late."""
    dropped, late, over = 0, False, False
    ended = os.pidfd_open(pid)
    poll = select.poll()
    for one in (out, err, ended):
        if one != ended:
            os.set_blocking(one, False)
        poll.register(one, select.POLLIN)
    deadline = time.monotonic() + timeout_s
    while not over:
        found = poll.poll(None if late else max(0, 1000 * (deadline - time.monotonic())))
        if not late and time.monotonic() >= deadline:
            late = True
            end_group(pid)
        for one, events in found:
            if one == ended:
                over = True
            elif (lost := take(one, kept[one], one == err)) is not None:
                dropped += lost
            elif events & select.POLLHUP:
                poll.unregister(one)
    os.close(ended)
    return dropped, late


def take(pipe, kept: bytearray, tail: bool) -> int | None:
    """Read what a pipe holds, a MiB at most: the first OUTPUT_BYTES are kept, or the last TAIL_BYTES. How many were
    dropped; None at its end."""
    try:
        content = os.read(pipe, 1 << 20)
    except BlockingIOError:
        return 0
    if not content:
        return None
    if tail:
        kept += content
        del kept[:-TAIL_BYTES]
        return 0
    room = max(OUTPUT_BYTES - len(kept), 0)
    kept += content[:room]
    return len(content) - len(content[:room])


def end_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def end_orphans() -> int:
    """Kill and reap every process that an execution left behind; how many there were."""
    ended = 0
    while True:
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return ended
        for pid in children():
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                ended += 1
            except (ProcessLookupError, ChildProcessError, PermissionError):
                pass


def children() -> list[int]:
    """The processes whose parent this one is, by /proc: orphans do not stand in any list of ours."""
    own, found = str(os.getpid()), []
    for folder in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{folder}/stat", encoding="utf-8", errors="replace") as file:
                stat = file.read()
        except OSError:
            continue
        if stat.rpartition(")")[2].split()[1] == own:
            found.append(int(folder))
    return found


def plain(text: str) -> str:
    """A program's words as they may be shown."""
    return "".join(one if one.isprintable() else " " for one in text)[:200]
