"""What is recorded of a trial's host: facts, not what they mean (`pipeline.measure.noise` says that).

Of a trial whose processes all name their CPUs, what others did there: on these CPUs, on the hardware threads beside
them, and how long its workers waited. What happens elsewhere on a host of many CPUs does not touch it.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.ground.columns import rows
from pipeline.host import cpus as topology
from pipeline.host import load, quota
from pipeline.host.load import CpuTime, CpuUses
from pipeline.host.quota import Held
from pipeline.measure.probe import Probe
from pipeline.plan.parts import Part


@dataclass(frozen=True)
class Counters:
    """Host counters at one instant: ticks of /proc/stat, microseconds of CPU pressure, seconds of CPU used by all
    processes, and by this one (it sleeps while a trial runs, nearly), every CPU's use, and what control groups with a
    quota held back."""

    total: int
    steal: int
    pressure_us: int
    monotonic: float
    busy: CpuTime
    own_s: float
    each: CpuUses
    held: Mapping[str, Held] = field(default_factory=dict)


def counters() -> Counters:
    """Read the host's counters; pressure is 0 on kernels without it."""
    ticks = [int(v) for v in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    try:
        some = Path("/proc/pressure/cpu").read_text().split("\n", 1)[0]
        pressure = int(some.rsplit("total=", 1)[1])
    except (OSError, IndexError):
        pressure = 0
    own = resource.getrusage(resource.RUSAGE_SELF)
    own_s = own.ru_utime + own.ru_stime
    now = time.monotonic()
    return Counters(sum(ticks), ticks[7], pressure, now, load.cpu_time(), own_s, load.cpu_uses(), quota.held())


def of_trial(
    before: Probe,
    after: Probe,
    start: Counters,
    end: Counters,
    usages: Sequence[resource.struct_rusage],
    cpus: Sequence[int] = (),
) -> dict[str, float]:
    """The `noise` object of a trial's journal line, but for what its workers tell (`waiting`).

    `usages` are those of the trial's processes, their children included, as wait4 gives them; `cpus` those that all of
    them are pinned to.
    """
    ticks = max(end.total - start.total, 1)
    wall_s = end.monotonic - start.monotonic
    capacity_s = wall_s * end.busy.cpus
    own_s = end.own_s - start.own_s + sum(usage.ru_utime + usage.ru_stime for usage in usages)
    foreign_s = end.busy.seconds - start.busy.seconds - own_s
    return {
        "steal_pct": round(100.0 * (end.steal - start.steal) / ticks, 3),
        "foreign_pct": round(100.0 * foreign_s / capacity_s, 3),
        "foreign_error_pct": round(100.0 * end.busy.error_s / capacity_s, 3),
        "psi_pct": round((end.pressure_us - start.pressure_us) / wall_s / 1e4, 3),
        "voluntary": sum(usage.ru_nvcsw for usage in usages),
        "involuntary": sum(usage.ru_nivcsw for usage in usages),
        "floor_before_ns": before.floor_ns,
        "floor_after_ns": after.floor_ns,
        "cycle_ns": min(before.cycle_ns, after.cycle_ns),
        "hiccup_p99_ns": after.hiccup_p99_ns,
        "hiccup_max_ns": after.hiccup_max_ns,
        **on_cpus(cpus, start.each, end.each, wall_s, own_s),
        **_throttled(start, end),
    }


def _throttled(start: Counters, end: Counters) -> dict[str, float]:
    """How long the control group of a trial held its threads back, those of its CPUs added, in percent of its time, and
    the CPUs that it grants. Nothing without a quota."""
    held = quota.between(start.held, end.held)
    if held is None:
        return {}
    share = held.throttled_s / (end.monotonic - start.monotonic)
    return {"quota_cpus": held.quota, "throttled_pct": round(100.0 * share, 3)}


def throttled_s(start: Counters, end: Counters) -> float:
    """The seconds that a quota held the threads of a trial back; 0 without one."""
    held = quota.between(start.held, end.held)
    return held.throttled_s if held else 0.0


def pinned(parts: Iterable[Part]) -> list[int]:
    """The CPUs of a trial's parts, ascending; none where one of them may run anywhere."""
    each = [part.cpus for part in parts]
    return sorted(set().union(*each)) if all(each) else []


def on_cpus(cpus: Sequence[int], start: CpuUses, end: CpuUses, wall_s: float, own_s: float) -> dict[str, float]:
    """What others did on `cpus` and on the hardware threads beside them during `wall_s`, in percent of these CPUs'
    capacity, the busiest of those threads alone. Nothing without CPUs, or where one of them went off-line.

    All that the trial and the Lab used (`own_s`) is taken off, wherever they did: a JVM's own threads run anywhere. So
    these are what others used there at least.
    """
    beside = set().union(*map(topology.siblings, cpus)) - set(cpus)
    touched = [*cpus, *sorted(beside)]
    if not cpus or any(cpu not in uses.of for cpu in touched for uses in (start, end)):
        return {}
    busy = {cpu: end.of[cpu].busy_s - start.of[cpu].busy_s for cpu in touched}
    stolen_s = sum(end.of[cpu].stolen_s - start.of[cpu].stolen_s for cpu in cpus)
    capacity_s = wall_s * len(cpus)
    found = {
        "cpus_steal_pct": stolen_s / capacity_s,
        "cpus_foreign_pct": (sum(busy[cpu] for cpu in cpus) - own_s) / capacity_s,
        "cpus_error_pct": end.error_s / wall_s,
    }
    if beside:
        others_s = sum(busy.values()) - own_s
        found["sibling_foreign_pct"] = min(others_s, max(busy[cpu] for cpu in beside)) / wall_s
    return {name: round(100.0 * value, 3) for name, value in found.items()}


@dataclass(frozen=True)
class _Worker:
    cpu: int | None
    wall_ns: int
    ran_ns: int
    delay_ns: int


def waiting(told: Sequence[Mapping], throttled_s: float = 0.0) -> dict[str, float]:
    """How long a worker waited for a CPU while others had it, in percent of the measured phase: of the one that waited
    most, by what the parts of a trial told. Nothing where one of them does not know, or a worker is not pinned.

    Who shares a CPU with other workers of its trial waits for them by design. What they ran is taken off, and so is all
    that other threads of the trial ran (a compiler, a collector), for they may have been there.
    """
    workers: list[_Worker] = []
    helpers_ns = 0
    for one in told:
        waited = one.get("run_delay")
        if waited is None:
            return {}
        requested = {row["thread"]: row["requested"] for row in one["pinning"]}
        columns = rows(waited["wall_ns"], waited["ran_ns"], waited["run_delay_ns"])
        workers += [_Worker(requested.get(thread), *row) for thread, row in enumerate(columns)]
        helpers_ns += max(waited["process_ns"] - sum(waited["ran_ns"]), 0)
    if not workers or any(worker.cpu is None for worker in workers):
        return {}
    shares = []
    for worker in workers:
        beside_ns = sum(other.ran_ns for other in workers if other.cpu == worker.cpu) - worker.ran_ns
        ours_ns = beside_ns + helpers_ns + 1e9 * throttled_s
        shares.append((worker.delay_ns - ours_ns) / worker.wall_ns)
    return {"run_delay_pct": round(100.0 * max(0.0, *shares), 3)}
