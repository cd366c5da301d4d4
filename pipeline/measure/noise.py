"""Host noise of one trial: which facts are recorded, and the one rule that judges them.

Facts: steal, pressure, context switches, and a calibration probe before and after.

The probe is the C harness's own (`probe`): a dependent chain of adds, so its floor is a multiple of the core's cycle;
a floor that drifts between the probe before and the probe after a trial means the clock of the core changed under it.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline import paths
from pipeline.errors import LabError


@dataclass(frozen=True)
class Limits:
    """Above these a trial is noisy; docs/referees.md gives the A/A study that the standing ones rest on."""

    steal_pct: float = 10.0
    drift_pct: float = 20.0


LIMITS = Limits()
PROBE_MS = 5
PROBE_IS_FRESH_S = 0.1


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
    """Host counters at one instant: ticks of /proc/stat and microseconds of CPU pressure."""

    total: int
    steal: int
    pressure_us: int
    monotonic: float


def counters() -> Counters:
    """Read the host's counters; pressure is 0 on kernels without it."""
    ticks = [int(v) for v in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    try:
        some = Path("/proc/pressure/cpu").read_text().split("\n", 1)[0]
        pressure = int(some.rsplit("total=", 1)[1])
    except (OSError, IndexError):
        pressure = 0
    return Counters(sum(ticks), ticks[7], pressure, time.monotonic())


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
    before: Probe, after: Probe, start: Counters, end: Counters, voluntary: int, involuntary: int
) -> dict[str, float]:
    """The `noise` object of a trial's journal line: what was seen, not what it means (`judge` says that)."""
    ticks = max(end.total - start.total, 1)
    return {
        "steal_pct": round(100.0 * (end.steal - start.steal) / ticks, 3),
        "psi_pct": round((end.pressure_us - start.pressure_us) / (end.monotonic - start.monotonic) / 1e4, 3),
        "voluntary": voluntary,
        "involuntary": involuntary,
        "floor_before_ns": before.floor_ns,
        "floor_after_ns": after.floor_ns,
        "cycle_ns": min(before.cycle_ns, after.cycle_ns),
        "hiccup_p99_ns": after.hiccup_p99_ns,
        "hiccup_max_ns": after.hiccup_max_ns,
    }


def judge(facts: Mapping[str, float] | None, limits: Limits = LIMITS) -> list[str]:
    """Why a trial counts as noisy, from its recorded facts; empty when it is quiet, or was never measured (None).

    The one rule: measuring asks it what to repeat, ingest what to show, so that an archived run can be judged anew.
    """
    reasons = []
    if facts and facts["steal_pct"] > limits.steal_pct:
        reasons.append(f"steal {facts['steal_pct']:.1f} %")
    if facts and abs(drift_pct(facts)) > limits.drift_pct:
        reasons.append(f"calibration floor drifted {drift_pct(facts):+.1f} %")
    return reasons


def drift_pct(facts: Mapping[str, float]) -> float:
    """By how much the calibration floor changed across the trial, in percent."""
    return 100.0 * (facts["floor_after_ns"] / facts["floor_before_ns"] - 1.0)
