"""Host noise of one trial: which facts are recorded, and the rules that judge them.

Facts: steal, CPU used by others, pressure, context switches, and a calibration probe before and after. `judge` judges
one trial's facts, `judged` all trials of a configuration together; both are pure, so that measuring (what to repeat)
and ingest (what to show) agree and an archived run is judged anew. A fact that an old run lacks is not judged.

The probe is the C harness's own (`probe`): a dependent chain of adds, so its floor is a multiple of the core's cycle;
a floor that drifts between the probe before and the probe after a trial means the clock of the core changed under it.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import load
from pipeline.host.load import CpuTime
from pipeline.plan.plan import key_of


@dataclass(frozen=True)
class Limits:
    """Above these a trial is noisy; docs/referees.md gives the studies that the standing ones rest on.

    In percent: steal and foreign CPU of all CPUs' capacity; drift of the calibration floor; pressure in points above
    the median of the trial's own configuration, for two threads on one CPU press each other without any noise.
    """

    steal_pct: float = 10.0
    drift_pct: float = 20.0
    foreign_pct: float = 10.0
    psi_above_pct: float = 20.0


LIMITS = Limits()
STEAL, DRIFT, FOREIGN, WAITING = "steal", "calibration floor drifted", "other processes used", "waited for a CPU"
ADVICE = {  # the first words of a reason -> what to do about it
    STEAL: "the hypervisor gave the CPU to others; measure at another time, or on a host that is not shared",
    DRIFT: "the clock frequency changed; fix the frequency (governor, turbo) or let the host cool",
    FOREIGN: "stop them, or let the run wait for them with --wait MINUTES",
    WAITING: "other work took the CPU for a while; stop it, or let the run wait for it with --wait MINUTES",
}
PROBE_MS = 5
PROBE_IS_FRESH_S = 0.1
FEWEST_PEERS = 3  # trials whose median is a level of pressure


@dataclass(frozen=True)
class Probe:
    """One probe: shortest chunk and cycle in ns (the fastest of the CPUs probed), and the worst CPU's hiccups in ns."""

    floor_ns: float
    cycle_ns: float
    hiccup_p99_ns: float
    hiccup_max_ns: float
    ended: float


@dataclass(frozen=True)
class Counters:
    """Host counters at one instant: ticks of /proc/stat, microseconds of CPU pressure, seconds of CPU used by all
    processes, and by this one (it sleeps while a trial runs, nearly)."""

    total: int
    steal: int
    pressure_us: int
    monotonic: float
    busy: CpuTime
    own_s: float


def counters() -> Counters:
    """Read the host's counters; pressure is 0 on kernels without it."""
    ticks = [int(v) for v in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    try:
        some = Path("/proc/pressure/cpu").read_text().split("\n", 1)[0]
        pressure = int(some.rsplit("total=", 1)[1])
    except (OSError, IndexError):
        pressure = 0
    own = resource.getrusage(resource.RUSAGE_SELF)
    return Counters(sum(ticks), ticks[7], pressure, time.monotonic(), load.cpu_time(), own.ru_utime + own.ru_stime)


def probe(cpus: list[int], scratch: Path) -> Probe:
    """Run the calibration probe on `cpus`, one after the other, PROBE_MS each."""
    out = scratch / "probe.hlog"
    command = [
        str(paths.c_harness()),
        "probe",
        "--variant",
        "chunks",
        "--warmup",
        "0",
        "--iterations",
        "1",
        "--iteration-ms",
        str(PROBE_MS),
        "--cpus",
        ",".join(map(str, cpus)),
        "--out",
        str(out),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise LabError(f"the calibration probe failed: {ran.stderr.strip()}; run: make doctor", 5)
    measures = json.loads(ran.stdout.splitlines()[-1])["measures"]
    values: dict[str, list[float]] = {}
    for name, value in zip(measures["name"], measures["value"], strict=True):
        values.setdefault(name, []).append(float(value))
    return Probe(
        min(values["floor_ns"]),
        min(values["cycle_ns"]),
        max(values["hiccup_p99_ns"]),
        max(values["hiccup_max_ns"]),
        time.monotonic(),
    )


def facts(
    before: Probe, after: Probe, start: Counters, end: Counters, usages: Sequence[resource.struct_rusage]
) -> dict[str, float]:
    """The `noise` object of a trial's journal line: what was seen, not what it means (`judge` says that).

    `usages` are those of the trial's processes, their children included, as wait4 gives them.
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
    }


def judge(facts: Mapping[str, float] | None, limits: Limits = LIMITS) -> list[str]:
    """Why a trial counts as noisy, from its recorded facts; empty when it is quiet, or was never measured (None).

    CPU used by others must exceed the limit by more than its counter's error, which is large for a short trial.
    """
    if not facts:
        return []
    reasons = []
    if facts["steal_pct"] > limits.steal_pct:
        reasons.append(_reason(STEAL, f"{facts['steal_pct']:.1f} %"))
    if abs(drift_pct(facts)) > limits.drift_pct:
        reasons.append(_reason(DRIFT, f"{drift_pct(facts):+.1f} %"))
    foreign = facts.get("foreign_pct")
    if foreign is not None and foreign - facts.get("foreign_error_pct", 0.0) > limits.foreign_pct:
        reasons.append(_reason(FOREIGN, f"{foreign:.1f} % of all CPUs"))
    return reasons


def judge_together(several: Sequence[Mapping[str, float] | None], limits: Limits = LIMITS) -> list[list[str]]:
    """`judge` of every trial of one configuration, and beside it what only the others of the configuration tell:
    pressure above their median. Too few trials have no such level."""
    levels = [one["psi_pct"] for one in several if one]
    usual = statistics.median(levels) if len(levels) >= FEWEST_PEERS else float("inf")
    found = []
    for facts in several:
        reasons = judge(facts, limits)
        if facts and facts["psi_pct"] > usual + limits.psi_above_pct:
            reasons.append(_reason(WAITING, f"{facts['psi_pct']:.1f} % of the time, otherwise {usual:.1f} %"))
        found.append(reasons)
    return found


def _reason(kind: str, seen: str) -> str:
    return f"{kind} {seen}: {ADVICE[kind]}"


def kind_of(reason: str) -> str:
    """Which of ADVICE a reason is."""
    return next(kind for kind in ADVICE if reason.startswith(kind))


def judged(lines: Iterable[Mapping]) -> dict[str, list[str]]:
    """Trial -> why it is noisy (empty: quiet), for the journal's lines of trials, each beside its configuration's."""
    groups = defaultdict(list)
    for line in lines:
        if "trial" in line:
            groups[line["experiment"], key_of(line["variant"], line["runtime"], line["axes"])].append(line)
    return {
        line["trial"]: reasons
        for group in groups.values()
        for line, reasons in zip(group, judge_together([line.get("noise") for line in group]), strict=True)
    }


def drift_pct(facts: Mapping[str, float]) -> float:
    """By how much the calibration floor changed across the trial, in percent."""
    return 100.0 * (facts["floor_after_ns"] / facts["floor_before_ns"] - 1.0)
