"""The host fingerprint: everything about the machine that a reader of a figure needs to compare it with theirs."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.host import cpus, settings, sysfs
from pipeline.host.kernel_file import UNKNOWN, read
from pipeline.words.numbers import counted

CPU = sysfs.ROOT / sysfs.CPUS
OS_RELEASE = ("/etc/os-release", "/usr/lib/os-release")
TIMING = re.compile(
    r"(isolcpus|nohz|rcu_|irqaffinity|idle|intel_|amd_|processor\.|cpuidle|haltpoll|mitigations|spectre|mds|nosmt|tsc"
    r"|clocksource|transparent_hugepage|hugepages|preempt|threadirqs|skew_tick|cgroup|psi|elevator)"
)


def _output(*command: str) -> str:
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"}).stdout


def _cpu() -> dict[str, Any]:
    info = read("/proc/cpuinfo")
    lscpu = {k.strip(): v.strip() for k, _, v in (line.partition(":") for line in _output("lscpu").splitlines())}

    def field(name: str) -> str:
        found = re.search(rf"^{name}\s*:\s*(.*)$", info, re.M)
        return found[1].strip() if found else UNKNOWN

    every = sysfs.read(sysfs.ROOT)  # of the machine: a page shows those that a run had among the others
    return {
        "model": lscpu.get("Model name") or field("model name"),
        "architecture": platform.machine(),
        "microcode": field("microcode"),
        "cpus": len(cpus.usable()),
        "threads_per_core": lscpu.get("Thread(s) per core", UNKNOWN),
        "topology": every.marked(cpus.usable()).table(),
        "topology_doubts": list(every.doubts),
        "cores_per_socket": lscpu.get("Core(s) per socket", UNKNOWN),
        "sockets": lscpu.get("Socket(s)", UNKNOWN),
        "numa_nodes": lscpu.get("NUMA node(s)", UNKNOWN),
        "caches": {name: lscpu[name + " cache"] for name in ("L1d", "L1i", "L2", "L3") if name + " cache" in lscpu},
        "hypervisor": lscpu.get("Hypervisor vendor", "none seen"),
        "smt": read(CPU / "smt" / "control"),
        "governor": read(CPU / "cpu0" / "cpufreq" / "scaling_governor"),
        "turbo_disabled": read(CPU / "intel_pstate" / "no_turbo"),
        "idle_driver": read(CPU / "cpuidle" / "current_driver"),
        "idle_governor": read(CPU / "cpuidle" / "current_governor"),
        "halt_polling": read("/sys/module/haltpoll/parameters/guest_halt_poll_ns"),
        "kvm_halt_polling": read("/sys/module/kvm/parameters/halt_poll_ns"),
        **settings.of_cpu(),
        "mitigations": {p.name: read(p) for p in sorted((CPU / "vulnerabilities").glob("*"))},
    }


def existing(folder: Path) -> Path:
    """The folder, or the nearest above it that exists."""
    return folder if folder.is_dir() else existing(folder.absolute().parent)


def file_system(folder: Path) -> dict[str, str]:
    """Type, device and mount options of the file system that a folder lies on, and of its device."""
    device, kind, options = UNKNOWN, UNKNOWN, UNKNOWN
    longest = -1
    for line in read("/proc/mounts").splitlines():
        fields = line.split()
        if len(fields) < 4:
            continue
        point = Path(fields[1])
        if (point == folder or point in folder.parents) and len(str(point)) >= longest:
            longest, device, kind, options = len(str(point)), fields[0], fields[2], fields[3]
    name = Path(device).name
    queue = Path("/sys/class/block") / name / "queue"
    return {
        "type": kind,
        "device": name,
        "options": options,
        "scheduler": read(queue / "scheduler"),
        "rotational": read(queue / "rotational"),
        "logical_block_bytes": read(queue / "logical_block_size"),
    }


def _firmware() -> str:
    """Vendor, version and date of the firmware."""
    found = [read(Path("/sys/class/dmi/id") / f"bios_{name}") for name in ("vendor", "version", "date")]
    return " ".join(one for one in found if one not in ("", UNKNOWN)) or UNKNOWN


def _command_line() -> str:
    """Those parameters of the kernel's command line that change timings, and a sum of all: the rest names devices."""
    words = read("/proc/cmdline")
    if words == UNKNOWN:
        return UNKNOWN
    kept = [word for word in words.split() if TIMING.match(word)]
    return " ".join([*kept, f"(sha256 {hashlib.sha256(words.encode()).hexdigest()[:12]})"])


def _distribution() -> str:
    """What the distribution calls itself; the smallest container images do not say."""
    text = next((text for text in map(read, OS_RELEASE) if text != UNKNOWN), UNKNOWN)
    if text == UNKNOWN:
        return UNKNOWN
    named = re.search(r"""^PRETTY_NAME=(["']?)(.*)\1$""", text, re.M)
    return re.sub(r"\\([$\"'\\`])", r"\1", named[2]) if named else "Linux"  # which the file's manual says then


def take(io_folder: Path) -> dict[str, Any]:
    """The machine as seen: CPU, kernel, clock, memory, and the file system of `io_folder`, which need not exist yet."""
    memory = re.search(r"MemTotal:\s*(\d+)", read("/proc/meminfo"))
    return {
        "machine": settings.of_machine(),
        "cpu": _cpu(),
        "kernel": f"{platform.system()} {platform.release()}",
        "kernel_command_line": _command_line(),
        "firmware": _firmware(),
        "distribution": _distribution(),
        "clocksource": read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "transparent_huge_pages": read("/sys/kernel/mm/transparent_hugepage/enabled"),
        **settings.of_system(),
        "memory_bytes": int(memory[1]) * 1024 if memory else 0,
        "io": file_system(existing(io_folder.resolve())),
    }


def identity(host: dict[str, Any]) -> str:
    """Twelve hex digits that tell two machines apart: CPU model, CPU count, kernel, memory (to 1 GiB), file system."""
    cpu, io = host["cpu"], host["io"]
    parts = [cpu["model"], cpu["cpus"], host["kernel"], round(host["memory_bytes"] / 2**30), io["type"]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


def state(host: dict[str, Any], runtimes: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """What may change on one machine between two parts of a run and would change its numbers; only what was seen."""
    cpu = host["cpu"]
    facts = {
        "microcode": cpu["microcode"],
        "frequency governor": cpu["governor"],
        "turbo disabled": cpu["turbo_disabled"],
        "boost": cpu.get("boost", UNKNOWN),
        "energy performance preference": cpu.get("energy_performance_preference", UNKNOWN),
        "idle states": cpu.get("idle_states", UNKNOWN),
        "NUMA balancing": host.get("numa_balancing", UNKNOWN),
        "profile of tuned": host.get("tuned_profile", UNKNOWN),
        "CPU limit": host.get("cpu_limit", UNKNOWN),
        "firmware": host.get("firmware", UNKNOWN),
        "kernel command line": host.get("kernel_command_line", UNKNOWN),
        **versions(runtimes),
    }
    return {name: value for name, value in facts.items() if value not in ("", UNKNOWN)}


def versions(runtimes: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Version, vendor and build of each runtime, under names as `state` has them."""
    facts = {name: runtime["version"] for name, runtime in runtimes.items()}
    facts |= {f"vendor of {name}": runtime["vendor"] for name, runtime in runtimes.items()}
    return facts | {f"build of {name}": runtime.get("build", UNKNOWN) for name, runtime in runtimes.items()}


def sentence(host: dict[str, Any]) -> str:
    """One line for a figure's footer, e.g. `Intel Xeon 2.50GHz, 2 CPUs, KVM guest, Linux 6.18`."""
    if "told" in host:  # somebody else's, never seen
        return host["told"]
    cpu = host["cpu"]
    guest = "" if cpu["hypervisor"] in ("none seen", UNKNOWN) else f", {cpu['hypervisor']} guest"
    kernel = ".".join(host["kernel"].split(".")[:2])
    return f"{model(cpu)}, {counted(cpu['cpus'], 'CPU')}{guest}, {kernel}"


def model(cpu: Mapping[str, Any]) -> str:
    """The model of a host's `cpu` without signs of trade: `Intel Xeon 2.50GHz`."""
    told = re.sub(r"\((R|TM)\)|\bCPU\b|\bProcessor\b", "", cpu["model"])
    return re.sub(r"  +", " ", told).replace(" @", "").strip()
