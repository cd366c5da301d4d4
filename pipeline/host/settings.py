"""What the owner of a machine chose and that changes timings: which machine, frequency, idle states, limits.

Read without root. Every file is named here, for what else lies beside them (serial numbers, names of groups) is not to
be told.
"""

from __future__ import annotations

from pathlib import Path

from pipeline.host.visible import UNKNOWN, read

ROOT = Path("/")
CPU = "sys/devices/system/cpu"
OF_THE_MACHINE = {"vendor": "sys/class/dmi/id/sys_vendor", "product": "sys/class/dmi/id/product_name"}
OF_THE_CPU = {
    "frequency_driver": f"{CPU}/cpu0/cpufreq/scaling_driver",
    "energy_performance_preference": f"{CPU}/cpu0/cpufreq/energy_performance_preference",
    "boost": f"{CPU}/cpufreq/boost",
    "idle_state_limit": "sys/module/intel_idle/parameters/max_cstate",
}
OF_THE_SYSTEM = {"numa_balancing": "proc/sys/kernel/numa_balancing", "tuned_profile": "etc/tuned/active_profile"}


def _facts(files: dict[str, str]) -> dict[str, str]:
    return {name: read(ROOT / file) for name, file in files.items()}


def of_machine() -> dict[str, str]:
    """Vendor and product as the firmware calls them."""
    return _facts(OF_THE_MACHINE)


def of_cpu() -> dict[str, str]:
    """How frequency and idle states are chosen; `boost` is 1 or 0, `idle_states` as `POLL, C1, C6 (off)`."""
    return _facts(OF_THE_CPU) | {"idle_states": _idle_states()}


def of_system() -> dict[str, str]:
    """Automatic NUMA balancing (0, 1, 2), the profile of tuned, and how many CPUs' time this process may use."""
    return _facts(OF_THE_SYSTEM) | {"cpu_limit": _cpu_limit()}


def _idle_states() -> str:
    """The states that CPU 0 may fall into, shallow ones first, and which of them are switched off."""
    states = sorted((ROOT / CPU / "cpu0" / "cpuidle").glob("state*"), key=lambda one: (len(one.name), one.name))
    off = {True: " (off)", False: ""}
    return ", ".join(read(one / "name") + off[read(one / "disable") == "1"] for one in states) or UNKNOWN


def _cpu_limit() -> str:
    """The tightest quota of CPU time among the control groups that this process is in: `none`, or `1.5 CPUs`.

    Of both hierarchies where they are usually mounted; a container sees its own group as the uppermost.
    """
    quotas = [quota for group in _groups() for quota in (_unified(group), _of_old(group)) if quota]
    if not quotas:
        return UNKNOWN
    tightest = min(quotas)
    return "none" if tightest == float("inf") else f"{tightest:g} CPUs"


def _groups() -> list[Path]:
    """The folders of the control groups of this process that may limit its CPU time, and of all above them."""
    found = []
    for line in read(ROOT / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0":
            mounts = ["sys/fs/cgroup", "sys/fs/cgroup/unified"]
        elif "cpu" in controllers.split(","):
            mounts = ["sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"]
        else:
            continue
        below = Path(path.lstrip("/"))
        found += [ROOT / mount / group for mount in mounts for group in (below, *below.parents)]
    return found


def _unified(group: Path) -> float | None:
    return _quota(*read(group / "cpu.max").split(), "", "")


def _of_old(group: Path) -> float | None:
    return _quota(read(group / "cpu.cfs_quota_us"), read(group / "cpu.cfs_period_us"))


def _quota(quota: str, period: str, *_: str) -> float | None:
    """CPUs, inf where there is no limit, None where the group tells of none."""
    if quota in ("max", "-1"):
        return float("inf")
    return int(quota) / int(period) if quota.isdecimal() and period.isdecimal() and int(period) else None
