"""How much CPU time the control groups of this process grant it, and for how long they held its threads back.

A quota is what `docker run --cpus`, a limit of Kubernetes or CPUQuota of systemd set: so much CPU time in each period,
mostly 100 ms, for all threads of the group and on all CPUs together. When it has run out they stand still until the
next period.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pipeline.host.kernel_file import UNKNOWN, read
from pipeline.words.numbers import number

ROOT = Path("/")
NO_LIMIT = float("inf")
# Where both hierarchies are usually mounted; a container sees its own group as the uppermost.
UNIFIED, OLD = ("sys/fs/cgroup", "sys/fs/cgroup/unified"), ("sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct")
THROTTLED = {"throttled_usec": 1e-6, "throttled_time": 1e-9}  # of cpu.stat, version 2 and 1 -> seconds


@dataclass(frozen=True)
class Held:
    """A group with a quota (in CPUs), and the seconds that it has held threads back so far, those of its CPUs added."""

    quota: float
    throttled_s: float


def cpus() -> float | None:
    """The tightest quota of this process in CPUs, as it was when it was first asked for; None where there is none to be
    seen."""
    found = _tightest(ROOT)
    return None if found == NO_LIMIT else found


def told() -> str:
    """The tightest quota in words: `none`, or `1.5 CPUs`."""
    found = _tightest(ROOT)
    if found is None:
        return UNKNOWN
    return "none" if found == NO_LIMIT else f"{found:g} CPUs"


def of(told: str) -> float | None:
    """The quota that `told` told, of this host or another; None where it told of none."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) CPUs", told)
    return float(found[1]) if found else None


def words(granted: float) -> str:
    """A quota in a sentence: `1.5 CPUs`, `1 CPU`."""
    return f"{number(granted)} CPU{'' if granted == 1 else 's'}"


def threads(allowed: int) -> int:
    """How many threads can be busy all the time on so many CPUs: the whole part of the quota, one at least."""
    granted = cpus()
    return allowed if granted is None else min(allowed, max(1, int(granted)))


def held() -> dict[str, Held]:
    """What the groups with a quota tell now, by their folders."""
    found = {}
    for group in _groups(ROOT):
        granted, seconds = _granted(group), _throttled_s(group)
        if granted not in (None, NO_LIMIT) and seconds is not None:
            found[str(group)] = Held(granted, seconds)
    return found


def between(start: Mapping[str, Held], end: Mapping[str, Held]) -> Held | None:
    """The group that held threads back longest between two readings, for so long; None without a quota.

    Not all groups together: one may be mounted twice.
    """
    each = [Held(now.quota, now.throttled_s - start[group].throttled_s) for group, now in end.items() if group in start]
    return max(each, key=lambda one: (one.throttled_s, -one.quota), default=None)


@lru_cache(maxsize=64)  # a plan asks for each of its thousands of trials
def _tightest(root: Path) -> float | None:
    return min((granted for group in _groups(root) if (granted := _granted(group)) is not None), default=None)


def _groups(root: Path) -> list[Path]:
    """The folders of the control groups of this process that may limit its CPU time, and of all above them."""
    found = []
    for line in read(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0":
            mounts = UNIFIED
        elif "cpu" in controllers.split(","):
            mounts = OLD
        else:
            continue
        below = Path(path.lstrip("/"))
        found += [root / mount / group for mount in mounts for group in (below, *below.parents)]
    return found


def _granted(group: Path) -> float | None:
    """The CPUs that a group grants, NO_LIMIT where it has no quota, None where it tells of none."""
    unified = _quota(*read(group / "cpu.max").split(), "", "")
    return unified or _quota(read(group / "cpu.cfs_quota_us"), read(group / "cpu.cfs_period_us"))


def _quota(quota: str, period: str, *_: str) -> float | None:
    if quota in ("max", "-1"):
        return NO_LIMIT
    known = quota.isdecimal() and period.isdecimal() and int(quota) and int(period)
    return int(quota) / int(period) if known else None


def _throttled_s(group: Path) -> float | None:
    for line in read(group / "cpu.stat").splitlines():
        name, _, value = line.partition(" ")
        if name in THROTTLED and value.isdecimal():
            return int(value) * THROTTLED[name]
    return None
