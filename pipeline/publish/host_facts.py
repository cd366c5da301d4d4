"""The host of a run in words, on the first page."""

from __future__ import annotations

from html import escape

from pipeline.bundle.bundle import Bundle
from pipeline.host import fingerprint
from pipeline.publish.html_tables import table
from pipeline.publish.page import raw

NOT_VISIBLE = fingerprint.UNKNOWN


def section(bundle: Bundle) -> str:
    """The section of the page: what of the host is known, and what could not be seen."""
    info = bundle.info
    seen, cpu, io = info["host"], info["host"]["cpu"], info["host"]["io"]
    facts = {
        "Processor": f"{cpu['model']} ({cpu['architecture']})",
        "CPUs": f"{cpu['cpus']} usable",
        "Topology as reported": f"sockets: {cpu['sockets']}, cores per socket: {cpu['cores_per_socket']}, threads per "
        f"core: {cpu['threads_per_core']}, NUMA nodes: {cpu['numa_nodes']}",
        "Caches": ", ".join(f"{name} {size}" for name, size in cpu["caches"].items()) or NOT_VISIBLE,
        "Hypervisor": cpu["hypervisor"],
        "Memory": f"{seen['memory_bytes'] / 2**30:.1f} GiB; transparent huge pages: {seen['transparent_huge_pages']}",
        "System": f"{seen['distribution']}, {seen['kernel']}",
        "Clock source": seen["clocksource"],
        "Files": f"{io['type']} on {io['device']}, scheduler {io['scheduler']}",
        "Microcode": cpu["microcode"],
        "Frequency governor": cpu["governor"],
        "Turbo disabled": cpu["turbo_disabled"],
        "Simultaneous multithreading": cpu["smt"],
        "Idle driver": cpu["idle_driver"],
        "Idle governor": cpu.get("idle_governor", NOT_VISIBLE),
        "Halt polling": f"{cpu['halt_polling']} ns" if cpu["halt_polling"] != NOT_VISIBLE else NOT_VISIBLE,
        "Runtimes": "; ".join(f"{r['name']}: {r['version']} ({r['vendor']})" for r in info["runtimes"].values()),
        "Libraries": ", ".join(f"{name} {version}" for name, version in info["tools"].items()),
        "Revision and seed": f"{info['git'] or 'unknown'}, {info['seed']}",
        "Fingerprint": fingerprint.identity(seen),
    }
    rows = [[escape(name), escape(str(value))] for name, value in facts.items() if NOT_VISIBLE not in str(value)]
    if hidden := [name.lower() for name, value in facts.items() if NOT_VISIBLE in str(value)]:
        rows.append(["Not visible here", escape(", ".join(hidden))])
    text = "## Host\n\n" + raw(table([], rows, "lab-facts"))
    if cpu["mitigations"]:
        mitigations = [[escape(name), escape(value)] for name, value in cpu["mitigations"].items()]
        folded = f"<details><summary>Mitigations</summary>{table([], mitigations, 'lab-facts')}</details>"
        text += raw(folded)
    return text
