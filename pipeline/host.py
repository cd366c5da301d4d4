"""The host fingerprint: everything about the machine that a reader of a figure needs to compare it with theirs."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

CPU = Path("/sys/devices/system/cpu")
UNKNOWN = "not visible here"


def _read(path: Path | str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return UNKNOWN


def _output(*command: str) -> str:
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"}).stdout


def cpus() -> list[int]:
    """The CPUs this process may run on."""
    return sorted(os.sched_getaffinity(0))


def cpu_list(text: str) -> list[int]:
    """The CPUs of a kernel's list (`0,64`, `0-3,6`); none where it does not tell."""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        return []
    ranges = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return [cpu for ends in ranges for cpu in range(ends[0], ends[-1] + 1)]


def siblings(cpu: int) -> list[int]:
    """The hardware threads of a CPU's core, itself included, as the kernel reports them; none where it does not."""
    return cpu_list(_read(CPU / f"cpu{cpu}" / "topology" / "thread_siblings_list"))


def _cpu() -> dict[str, object]:
    info = _read("/proc/cpuinfo")
    lscpu = {k.strip(): v.strip() for k, _, v in (line.partition(":") for line in _output("lscpu").splitlines())}

    def field(name: str) -> str:
        found = re.search(rf"^{name}\s*:\s*(.*)$", info, re.M)
        return found[1].strip() if found else UNKNOWN

    return {
        "model": lscpu.get("Model name") or field("model name"),
        "architecture": platform.machine(),
        "microcode": field("microcode"),
        "cpus": len(cpus()),
        "threads_per_core": lscpu.get("Thread(s) per core", UNKNOWN),
        "thread_siblings": {str(cpu): siblings(cpu) for cpu in cpus()},
        "cores_per_socket": lscpu.get("Core(s) per socket", UNKNOWN),
        "sockets": lscpu.get("Socket(s)", UNKNOWN),
        "numa_nodes": lscpu.get("NUMA node(s)", UNKNOWN),
        "caches": {name: lscpu[name + " cache"] for name in ("L1d", "L1i", "L2", "L3") if name + " cache" in lscpu},
        "hypervisor": lscpu.get("Hypervisor vendor", "none seen"),
        "smt": _read(CPU / "smt" / "control"),
        "governor": _read(CPU / "cpu0" / "cpufreq" / "scaling_governor"),
        "turbo_disabled": _read(CPU / "intel_pstate" / "no_turbo"),
        "idle_driver": _read(CPU / "cpuidle" / "current_driver"),
        "idle_governor": _read(CPU / "cpuidle" / "current_governor"),
        "halt_polling": _read("/sys/module/haltpoll/parameters/guest_halt_poll_ns"),
        "kvm_halt_polling": _read("/sys/module/kvm/parameters/halt_poll_ns"),
        "mitigations": {p.name: _read(p) for p in sorted((CPU / "vulnerabilities").glob("*"))},
    }


def _file_system(folder: Path) -> dict[str, str]:
    device, kind, options = UNKNOWN, UNKNOWN, UNKNOWN
    longest = -1
    for line in _read("/proc/mounts").splitlines():
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
        "scheduler": _read(queue / "scheduler"),
        "rotational": _read(queue / "rotational"),
        "logical_block_bytes": _read(queue / "logical_block_size"),
    }


def fingerprint(io_folder: Path) -> dict[str, object]:
    """The machine as seen: CPU, kernel, clock, memory, and the file system under `io_folder` (an existing folder)."""
    memory = re.search(r"MemTotal:\s*(\d+)", _read("/proc/meminfo"))
    return {
        "cpu": _cpu(),
        "kernel": f"{platform.system()} {platform.release()}",
        "distribution": platform.freedesktop_os_release().get("PRETTY_NAME", UNKNOWN),
        "clocksource": _read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "transparent_huge_pages": _read("/sys/kernel/mm/transparent_hugepage/enabled"),
        "memory_bytes": int(memory[1]) * 1024 if memory else 0,
        "io": _file_system(io_folder.resolve()),
    }


def identity(host: dict[str, object]) -> str:
    """Twelve hex digits that tell two machines apart: CPU model, CPU count, kernel, memory (to 1 GiB), file system."""
    cpu, io = host["cpu"], host["io"]
    parts = [cpu["model"], cpu["cpus"], host["kernel"], round(host["memory_bytes"] / 2**30), io["type"]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


def sentence(host: dict[str, object]) -> str:
    """One line for a figure's footer, e.g. `Intel Xeon 2.50GHz, 2 CPUs, KVM guest, Linux 6.18`."""
    cpu = host["cpu"]
    model = re.sub(r"\((R|TM)\)|\bCPU\b|\bProcessor\b", "", cpu["model"])
    guest = "" if cpu["hypervisor"] in ("none seen", UNKNOWN) else f", {cpu['hypervisor']} guest"
    kernel = ".".join(host["kernel"].split(".")[:2])
    return f"{re.sub(r'  +', ' ', model).replace(' @', '').strip()}, {cpu['cpus']} CPUs{guest}, {kernel}"
