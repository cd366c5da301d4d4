"""The host of a run in words, folded: first what can move a measurement, then what tells the host from another."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from pipeline.bundle.bundle import Bundle
from pipeline.catalogue.selectors import runtime_label
from pipeline.host import fingerprint, quota, topology, topology_summary
from pipeline.publish import topology_picture
from pipeline.publish.html_tables import table
from pipeline.publish.page import raw
from pipeline.words.numbers import counted, number, quantity

CORE_CLOCK = "Clock of the cores while measuring"
APART = 1.03  # clocks of runtimes whose quotient is more are not the same
SLOWED = "wide vector instructions of a runtime lower the clock of the core that it runs on"
ABSENT = ("", fingerprint.UNKNOWN)
SAFE = "Not affected"
ON, OFF = {"1": "on", "0": "off"}, {"1": "off", "0": "on"}
CLOCKS = {
    "tsc": "tsc, the CPU's own counter",
    "hpet": "hpet, a device: each reading is slow",
    "acpi_pm": "acpi_pm, a device: each reading is slow",
}
HUGE_PAGES = {"madvise": "where a program asks for them (madvise)", "always": "wherever they fit (always)"}
NUMA_BALANCING = {"0": "off", "1": "on", "2": "on, between tiers of memory"}
ROTATES = {"1": "said to be a turning disk", "0": "without turning parts"}
CACHE = re.compile(r"([\d.]+) ([KMG]iB) \((\d+) instances?\)")
Told = dict[str, str]


def section(bundle: Bundle) -> str:
    """The section of the first page."""
    return "## Host\n\n" + folded(bundle)


def folded(bundle: Bundle) -> str:
    """What is known of the host, folded below its sentence; facts that could not be seen are named together."""
    info = bundle.info
    moving = moves(info["host"])
    hidden = ", ".join(name.lower() for name, told in moving.items() if not told)
    moving |= {CORE_CLOCK: core_clocks(bundle.journal()), "Not visible here": hidden}
    tables = _table("What can move a measurement", moving)
    tables += _table("Which host, and with what", identifies(info)) + _mitigations(info["host"]["cpu"]["mitigations"])
    summary = f"The host: {escape(fingerprint.sentence(info['host']))}"
    return raw(f'<details class="lab-host-facts"><summary>{summary}</summary>{tables}</details>')


def core_clocks(lines: Iterable[Mapping[str, Any]]) -> str:
    """How fast the cores ran under the trials of each runtime, by what their workers read: an addition that needs the
    one before takes a cycle. Wide vector instructions, of a JVM say, lower it. Empty where nothing was read."""
    cycles: dict[str, list[float]] = {}
    for line in lines:
        if line.get("readings"):
            cycles.setdefault(line["runtime"], []).append(line["readings"]["chain_ns"][1])
    found = {runtime: 1 / statistics.median(several) for runtime, several in sorted(cycles.items())}
    told = ", ".join(f"{runtime_label(runtime)} {hertz:.2f} GHz" for runtime, hertz in found.items())
    apart = found and max(found.values()) > APART * min(found.values())
    return f"{told}; {SLOWED}" if apart else told


def picture(host: Mapping[str, Any]) -> str:
    """The CPUs of the host as a small picture; empty where it is not known how they lie."""
    return topology_picture.picture(topology.machine(host.get("cpu", {})))


def moves(host: Mapping[str, Any]) -> Told:
    """Heading -> what moves a measurement on this host; empty where nothing of it could be seen."""
    cpu, io = host["cpu"], host["io"]
    polling = cpu.get("halt_polling", "")
    guests = cpu.get("kvm_halt_polling", "")
    return {
        "Frequency": _joined(
            _part("governor {}", cpu["governor"]),
            _part("driver {}", cpu.get("frequency_driver")),
            _part("preference {}", cpu.get("energy_performance_preference")),
            _part("boost {}", cpu.get("boost"), ON),
            _part("turbo {}", cpu["turbo_disabled"], OFF),
        ),
        "Hypervisor": _part("{}, which may take a CPU away for a while", cpu["hypervisor"])
        if cpu["hypervisor"] != "none seen"
        else "none seen",
        "CPUs": _joined(
            f"{cpu['cpus']} usable",
            *_topology(cpu),
            _limit(host.get("cpu_limit", ""), cpu["cpus"]),
            *cpu.get("topology_doubts", ()),
        ),
        "Two threads in a core": _part("{}", cpu["smt"], {"notsupported": "no", "notimplemented": "no"}),
        "Sleep of an idle CPU": _joined(
            _part("states {}", cpu.get("idle_states")),
            _part("driver {}", cpu["idle_driver"]),
            _part("governor {}", cpu.get("idle_governor")),
            _part("states of intel_idle up to {}", cpu.get("idle_state_limit")),
            _part("polls {} before it sleeps", _nanoseconds(polling)),
            _part("KVM polls {} before an idle guest of this host sleeps", _nanoseconds(guests)),
        ),
        "Clock": _part("{}", host["clocksource"], CLOCKS),
        "Caches": ", ".join(f"{name} {_cache(size)}" for name, size in cpu["caches"].items()),
        "Huge pages": _part("{}", _chosen(host["transparent_huge_pages"]), HUGE_PAGES),
        "Memory": _joined(
            f"{host['memory_bytes'] / 2**30:.1f} GiB",
            _part("moved between NUMA nodes by the kernel: {}", host.get("numa_balancing"), NUMA_BALANCING),
        ),
        "Files of the IO experiments": _joined(
            f"{io['type']} on {io['device']}",
            _part("{}", io["rotational"], ROTATES),
            _part("IO scheduler {}", _chosen(io["scheduler"])),
            _part("blocks of {} bytes", io["logical_block_bytes"]),
            _part("mounted {}", io["options"]),
        ),
        "Kernel settings": _joined(
            _part("{}", host.get("kernel_command_line")), _part("profile of tuned: {}", host.get("tuned_profile"))
        ),
    }


def identifies(info: Mapping[str, Any]) -> Told:
    """Heading -> what tells this host and its programs from others."""
    host, machine = info["host"], info["host"].get("machine", {})
    return {
        "Processor": f"{host['cpu']['model']} ({host['cpu']['architecture']})",
        "Machine": _joined(_part("{}", machine.get("vendor")), _part("{}", machine.get("product"))),
        "Microcode": _part("{}", host["cpu"]["microcode"]),
        "Firmware": _part("{}", host.get("firmware")),
        "System": f"{host['distribution']}, {host['kernel']}",
        "Runtimes": "; ".join(f"{runtime_label(name)}: {_version(one)}" for name, one in info["runtimes"].items()),
        "Libraries": ", ".join(f"{name} {version}" for name, version in info.get("tools", {}).items()),
        "Revision and seed": f"{info['git'] or 'unknown'}, {info['seed']}",
        "Fingerprint": fingerprint.identity(host),
    }


def _version(runtime: Mapping[str, str]) -> str:
    return f"{runtime['version']} ({runtime['vendor']})" if runtime.get("build") else runtime["version"]


def _table(title: str, told: Told) -> str:
    rows = [[escape(name), escape(words)] for name, words in told.items() if words]
    return f"<p><b>{title}</b></p>{table([], rows, 'lab-facts')}"


def _mitigations(known: Mapping[str, str]) -> str:
    """What the kernel does against faults of the CPU; those that this CPU does not have are named together."""
    if not known:
        return ""
    told = {name: words for name, words in known.items() if words != SAFE}
    safe = ", ".join(name for name, words in known.items() if words == SAFE)
    return _table("Faults of the CPU, and what the kernel does against them", told | {SAFE: safe})


def _part(template: str, value: object, words: Mapping[str, str] | None = None) -> str:
    """A fact in the words of `template`, its value in other `words` where it has some; empty where it is not known."""
    told = "" if value is None else str(value)
    return "" if told in ABSENT else template.format((words or {}).get(told, told))


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _topology(cpu: Mapping[str, Any]) -> Iterable[str]:
    """Where the CPUs lie; of an older run, which kept no table of them, what lscpu says of all of the host's:
    `1 socket, 2 cores in a socket, 1 thread in a core, 1 NUMA node`, of what is a number."""
    if "topology" in cpu:
        return [topology_summary.facts(topology.machine(cpu))]
    nouns = {"sockets": "socket", "cores_per_socket": "core", "threads_per_core": "thread", "numa_nodes": "NUMA node"}
    where = {"cores_per_socket": " in a socket", "threads_per_core": " in a core"}
    told = [
        counted(int(cpu[name]), noun) + where.get(name, "") for name, noun in nouns.items() if cpu[name].isdecimal()
    ]
    return [", ".join(told)] if told else []


def _limit(limit: str, cpus: int) -> str:
    if (granted := quota.of(limit)) is None:
        return "no limit on their time" if limit == "none" else ""
    what = f"quota of {quota.words(granted)}"
    return f"more than their {what} is enough for" if granted < cpus else f"within a {what}"


def _nanoseconds(value: str) -> str:
    return quantity(int(value), "ns") if value.isdecimal() else ""


def _cache(size: str) -> str:
    """`2 × 48 KiB` for the `96 KiB (2 instances)` that lscpu adds up."""
    found = CACHE.fullmatch(size)
    if not found:
        return size
    each = f"{number(float(found[1]) / int(found[3]))} {found[2]}"
    return each if found[3] == "1" else f"{found[3]} × {each}"


def _chosen(choices: str) -> str:
    """`madvise` of `always [madvise] never`, the kernel's way to say which of several is in force."""
    found = re.search(r"\[(.+?)\]", choices)
    return found[1] if found else choices
