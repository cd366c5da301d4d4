"""doctor: what this machine has, and what limits the results measured on it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping

from pipeline.ground import paths
from pipeline.ground.errors import LabError, Unavailable
from pipeline.host import cpus, fingerprint, runtimes, topology, topology_summary
from pipeline.measure import control_group, facts, probe

TOOLS = {"fio": "referee of make bench", "strace": "counts futex calls", "chromium": "page check of make test"}


def _memory_group() -> str:
    try:
        with control_group.limited(64):
            return "memory control group is writable: the cache-starved regime can be measured"
    except Unavailable as error:
        return f"{error}: the cache-starved regime is reported as not supported"


def _steal() -> str:
    scratch = paths.build() / "doctor"
    scratch.mkdir(parents=True, exist_ok=True)
    start = facts.counters()
    probes = [probe.run(cpus.usable()[:2], scratch) for _ in range(20)]
    end = facts.counters()
    floors = sorted(p.floor_ns for p in probes)
    ticks = max(end.total - start.total, 1)
    return (
        f"steal {100 * (end.steal - start.steal) / ticks:.1f} %, calibration floor varied "
        f"{100 * (floors[-1] / floors[0] - 1):.1f} %, worst hiccup {max(p.hiccup_max_ns for p in probes) / 1e6:.2f} ms"
    )


def examine(tools: Mapping[str, str] = TOOLS) -> list[tuple[str, str]]:
    """Name and finding, in the order a reader wants them; tools: programs that are optional, and their use."""
    seen = fingerprint.take(paths.io())
    cpu = seen["cpu"]
    found = [
        ("host", fingerprint.sentence(seen)),
        ("cpus", f"{cpu['cpus']} usable; more threads than that are drawn shaded and never called scaling"),
        ("where they lie", topology_summary.line(topology.machine(cpu))),
        ("clocksource", seen["clocksource"]),
        ("governor", f"{cpu['governor']}; turbo disabled: {cpu['turbo_disabled']}"),
        ("python", sys.version.split()[0]),
    ]
    try:
        for runtime in runtimes.all_runtimes().values():
            found.append((runtime.name, f"{runtime.vendor} {runtime.version}"))
        found.append(("noise now", _steal()))
    except LabError as error:
        found.append(("missing", str(error)))
    found.append(("memory limit", _memory_group()))
    free = shutil.disk_usage(fingerprint.existing(paths.io())).free
    found.append(("io folder", f"{seen['io']['type']}, {free / 1e9:.0f} GB free"))
    for tool, use in tools.items():
        found.append((tool, f"{'found' if shutil.which(tool) else 'not found'} ({use}, optional)"))
    return found
