"""How busy the host is: CPU time used by all processes, and who uses it.

The exact counter is the control group of CPU accounting (version 1), in nanoseconds, where we see its root. Everywhere
else it is /proc/stat, whose busy counters advance in ticks of 10 ms: a difference of two readings is rarely wrong by
more than two ticks (docs/referees.md).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
ACCOUNTING = Path("/sys/fs/cgroup/cpuacct")
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
BUSY = (0, 1, 2, 5, 6)  # user, nice, system, irq, softirq of /proc/stat; not idle, iowait, steal
STOLEN = 7
SAMPLE_S = 1.0
BUSY_PCT = 10.0  # of all CPUs' capacity; the limit at which a trial is noisy
NAMED = 3


@dataclass(frozen=True)
class CpuTime:
    """Seconds of CPU used on this host since it started, by whom ever; `error_s`: of a difference of two readings."""

    seconds: float
    error_s: float
    cpus: int


@dataclass(frozen=True)
class CpuUse:
    """Seconds that one CPU was busy since the host started, whoever used it, and that the hypervisor kept it away."""

    busy_s: float
    stolen_s: float


@dataclass(frozen=True)
class CpuUses:
    """Every CPU's use at one instant; `error_s`: of a difference of two readings of one CPU."""

    of: Mapping[int, CpuUse]
    error_s: float


@dataclass(frozen=True)
class Process:
    """A process that uses the CPU: `pct` of one CPU."""

    name: str
    pid: int
    pct: float


@dataclass(frozen=True)
class Load:
    """What others than this process used during a sample: `pct` of all CPUs' capacity, and the most eager of them."""

    pct: float
    processes: tuple[Process, ...]

    @property
    def busy(self) -> bool:
        return self.pct > BUSY_PCT

    def words(self) -> str:
        """`other processes used 52 % of all CPUs: java (pid 4711) 98 %, cc1 (pid 4712) 5 % of one`."""
        named = ", ".join(f"{one.name} (pid {one.pid}) {one.pct:.0f} %" for one in self.processes)
        return f"other processes used {self.pct:.0f} % of all CPUs" + (f": {named} of one CPU" if named else "")


def cpu_time() -> CpuTime:
    """The best counter that this host has."""
    lines = (PROC / "stat").read_text(encoding="ascii").splitlines()
    count = sum(1 for line in lines if line.startswith("cpu") and line[3].isdigit())
    if exact := _accounted("cpuacct.usage"):
        return CpuTime(exact[0], 0.0, count)
    ticks = [int(value) for value in lines[0].split()[1:]]
    return CpuTime(sum(ticks[column] for column in BUSY) * TICK_S, 2 * TICK_S, count)


def _accounted(name: str) -> list[float]:
    """The seconds in a file of the accounting group; none where that is not the whole host's."""
    # Only the root of the hierarchy has a release agent: a container's own group would not see its neighbours.
    if (ACCOUNTING / "release_agent").exists():
        with contextlib.suppress(OSError, ValueError):
            return [int(ns) / 1e9 for ns in (ACCOUNTING / name).read_text(encoding="ascii").split()]
    return []


def cpu_uses() -> CpuUses:
    """The use of every CPU that is online, by the best counter that this host has."""
    lines = (PROC / "stat").read_text(encoding="ascii").splitlines()
    rows = [line.split() for line in lines if line.startswith("cpu") and line[3].isdigit()]
    ticks = {int(row[0][3:]): [int(value) for value in row[1:]] for row in rows}
    stolen = {cpu: columns[STOLEN] * TICK_S for cpu, columns in ticks.items()}
    exact = _accounted("cpuacct.usage_percpu")  # by the CPU's number, those offline included
    if len(exact) > max(ticks, default=-1):
        return CpuUses({cpu: CpuUse(exact[cpu], stolen[cpu]) for cpu in ticks}, 0.0)
    busy = {cpu: sum(columns[column] for column in BUSY) * TICK_S for cpu, columns in ticks.items()}
    return CpuUses({cpu: CpuUse(busy[cpu], stolen[cpu]) for cpu in ticks}, 2 * TICK_S)


def sample(seconds: float = SAMPLE_S) -> Load:
    """Watch the host for `seconds`; this process's own use does not count."""
    start, started, before = cpu_time(), time.monotonic(), _processes()
    time.sleep(seconds)
    end, ended, after = cpu_time(), time.monotonic(), _processes()
    wall_s = ended - started
    used = {pid: (name, ticks - before.get(pid, (name, ticks))[1]) for pid, (name, ticks) in after.items()}
    own = used.pop(os.getpid(), ("", 0))[1] * TICK_S
    eager = sorted(((ticks, pid, name) for pid, (name, ticks) in used.items() if ticks > 0), reverse=True)[:NAMED]
    processes = tuple(Process(name, pid, 100 * ticks * TICK_S / wall_s) for ticks, pid, name in eager)
    foreign = max(end.seconds - start.seconds - own - end.error_s, 0.0)
    return Load(100 * foreign / (wall_s * end.cpus), processes)


def _processes() -> dict[int, tuple[str, int]]:
    """pid -> name and ticks of CPU used so far, of every process that we can see."""
    found = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):  # it ended meanwhile
                # The name stands in brackets and may hold blanks and brackets itself.
                head, _, rest = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
                fields = rest.split()
                found[int(folder.name)] = head.partition("(")[2], int(fields[11]) + int(fields[12])
    return found
