"""What the owner of a machine chose and that changes timings: which machine, frequency, idle states, limits.

Read without root. Every file is named here, for what else lies beside them (serial numbers, names of groups) is not to
be told.
"""

from __future__ import annotations

from pathlib import Path

from pipeline.host import quota
from pipeline.host.kernel_file import UNKNOWN, read

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
    return _facts(OF_THE_SYSTEM) | {"cpu_limit": quota.told()}


def _idle_states() -> str:
    """The states that CPU 0 may fall into, shallow ones first, and which of them are switched off."""
    states = sorted((ROOT / CPU / "cpu0" / "cpuidle").glob("state*"), key=lambda one: (len(one.name), one.name))
    off = {True: " (off)", False: ""}
    return ", ".join(read(one / "name") + off[read(one / "disable") == "1"] for one in states) or UNKNOWN
