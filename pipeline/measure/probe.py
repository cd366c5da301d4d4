"""The calibration probe: what the core's clock is right before a trial and right after it.

It is the C harness's own (`probe`): a dependent chain of adds, so its floor is a multiple of the core's cycle; a floor
that drifts between the probe before and the probe after a trial means the clock of the core changed under it. Where no
harness is built, as where a user's program is measured without a compiler, a sum of SHA-256 takes its place: it keeps
the core as busy, and its floor drifts with the clock as well, but it tells no cycle.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.ground import paths
from pipeline.ground.columns import rows
from pipeline.ground.errors import AGAIN, NO_RESOURCES, LabError
from pipeline.ground.quantile import quantile

PROBE_MS = 5
FRESH_S = 0.1  # for so long the probe after a trial serves as the one before the next, on the same CPUs


@dataclass(frozen=True)
class Probe:
    """One probe: shortest chunk and cycle in ns (the fastest of the CPUs probed), and the worst CPU's hiccups in ns."""

    floor_ns: float
    cycle_ns: float
    hiccup_p99_ns: float
    hiccup_max_ns: float
    ended: float


def run(cpus: Sequence[int], scratch: Path) -> Probe:
    """Run the calibration probe on `cpus`, one after the other, PROBE_MS each; LabError when it fails."""
    if not paths.c_harness().exists():
        return _without_harness(cpus)
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
        remedy = AGAIN if ran.returncode == NO_RESOURCES else "run: make doctor"  # a full disk is none of its matters
        raise LabError(f"the calibration probe failed: {ran.stderr.strip()}; {remedy}", NO_RESOURCES)
    measures = json.loads(ran.stdout.splitlines()[-1])["measures"]
    values: dict[str, list[float]] = {}
    for name, value in rows(measures["name"], measures["value"]):
        values.setdefault(name, []).append(float(value))
    return Probe(
        min(values["floor_ns"]),
        min(values["cycle_ns"]),
        max(values["hiccup_p99_ns"]),
        max(values["hiccup_max_ns"]),
        time.monotonic(),
    )


CHUNK = bytes(16 << 10)  # about 10 us of SHA-256 with the instructions for it, 40 us without


def _without_harness(cpus: Sequence[int]) -> Probe:
    """The probe by what Python brings: chunks of SHA-256, a cycle of 0 (not known)."""
    before, each = os.sched_getaffinity(0), []
    try:
        for cpu in cpus:
            os.sched_setaffinity(0, {cpu})
            each.append(_chunks())
    finally:
        os.sched_setaffinity(0, before)
    late = [quantile(one, 0.99) - one[0] for one in each], [one[-1] - one[0] for one in each]
    return Probe(min(one[0] for one in each), 0.0, max(late[0]), max(late[1]), time.monotonic())


def _chunks() -> list[float]:
    """The times of single chunks (ns) of PROBE_MS, in order."""
    times, now = [], time.monotonic_ns()
    end = now + 1_000_000 * PROBE_MS
    while now < end or not times:
        hashlib.sha256(CHUNK).digest()
        times.append(float((after := time.monotonic_ns()) - now))
        now = after
    return sorted(times)
