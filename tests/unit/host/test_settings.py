"""What an owner set is read from the files that are named, and from no other."""

from __future__ import annotations

import json

from publish_toy import HOST

from pipeline.host import fingerprint, settings
from pipeline.host.kernel_file import UNKNOWN

SECRET = "C0FFEE-serial-of-alice"
FULL = {
    "sys/class/dmi/id/sys_vendor": "Toy Inc.",
    "sys/class/dmi/id/product_name": "Toy 9000",
    "sys/class/dmi/id/product_serial": SECRET,
    "sys/class/dmi/id/product_uuid": SECRET,
    "sys/class/dmi/id/chassis_asset_tag": SECRET,
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver": "amd-pstate-epp",
    "sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference": "balance_performance",
    "sys/devices/system/cpu/cpufreq/boost": "1",
    "sys/module/intel_idle/parameters/max_cstate": "1",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/name": "POLL",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/disable": "0",
    "sys/devices/system/cpu/cpu0/cpuidle/state10/name": "C10",
    "sys/devices/system/cpu/cpu0/cpuidle/state10/disable": "1",
    "sys/devices/system/cpu/cpu0/cpuidle/state2/name": "C2",
    "sys/devices/system/cpu/cpu0/cpuidle/state2/disable": "0",
    "proc/sys/kernel/numa_balancing": "0",
    "proc/sys/kernel/hostname": SECRET,
    "etc/tuned/active_profile": "latency-performance\n",
    "proc/self/cgroup": f"0::/user.slice/{SECRET}\n",
    f"sys/fs/cgroup/user.slice/{SECRET}/cpu.max": "max 100000",
    "sys/fs/cgroup/user.slice/cpu.max": "150000 100000",
}


def taken() -> dict:
    return {"machine": settings.of_machine()} | settings.of_cpu() | settings.of_system()


def test_the_named_facts_are_read_and_nothing_that_tells_of_the_owner(machine):
    machine(FULL)
    assert taken() == {
        "machine": {"vendor": "Toy Inc.", "product": "Toy 9000"},
        "frequency_driver": "amd-pstate-epp",
        "energy_performance_preference": "balance_performance",
        "boost": "1",
        "idle_state_limit": "1",
        "idle_states": "POLL, C2, C10 (off)",
        "numa_balancing": "0",
        "tuned_profile": "latency-performance",
        "cpu_limit": "1.5 CPUs",
    }
    assert SECRET not in json.dumps(taken())


def test_a_machine_that_shows_nothing_says_so(machine):
    seen = taken()
    assert set(seen.pop("machine").values()) == set(seen.values()) == {UNKNOWN}


def test_they_are_no_part_of_a_host_s_identity_and_a_run_may_lack_them():
    told = {"machine": {"vendor": "Toy Inc."}, "cpu_limit": "1 CPUs", "cpu": HOST["cpu"] | {"boost": "0"}}
    assert fingerprint.identity(HOST | told) == fingerprint.identity(HOST)
    assert "boost" not in fingerprint.state(HOST, {}) and fingerprint.state(HOST | told, {})["boost"] == "0"
