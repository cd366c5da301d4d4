"""A trial of gc_pause as it is started: what its virtual machine compiles, and when."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest
from living import PATIENCE_S

from pipeline.ground import paths
from pipeline.host import cpus, runtimes
from pipeline.ingest.gc_log import gc
from pipeline.ingest.jvm_logs import jit
from pipeline.measure.environment import environment
from pipeline.measure.trial import LOG_FLAGS

# Compilers that get no CPU look idle, so that on a busy host a trial may begin too early; such iterations count as
# disturbed. What is compiled because an iteration is measured is compiled in every trial.
TRIES = 4
JDKS = list(runtimes.jdks().values())
LINE = "gc_pause --variant paced --warmup 2 --iterations 14 --iteration-ms 100 --live-mb 8 --out"


@pytest.mark.skipif(len(cpus.usable()) < 2, reason="a collector beside the program needs a second CPU")
@pytest.mark.parametrize("jdk", JDKS, ids=lambda jdk: jdk.name)
def test_nothing_that_is_timed_is_compiled_while_it_is_measured_and_there_are_thirty_pauses(jdk, tmp_path):
    """The loop of an iteration was replaced by a compiled one in the third and the seventh measured iteration."""
    logs = {kind: tmp_path / f"{kind}.log" for kind in ("gc", "jit")}
    flags = ["-XX:+UseSerialGC", "-Xms64m", "-Xmx64m", "-Xmn10m"]
    flags += [flag for kind, log in logs.items() for flag in shlex.split(LOG_FLAGS[kind].format(log))]
    command = [jdk.java(), *flags, "-jar", str(paths.java_harness()), *shlex.split(LINE), str(tmp_path / "t.hlog")]
    for _ in range(TRIES):
        spans, timed, pauses = _trial(command, logs)
        assert len(spans) == 14
        if not timed:
            break
    assert not timed
    for kind in ("safepoint_gc", "collection"):
        assert sum(one["kind"] == kind for one in pauses) >= 30


def _trial(command: list[str], logs: dict[str, Path]) -> tuple[list[tuple[int, int]], list[dict], list[dict]]:
    """The measured iterations of a trial; what of the harness was compiled, and what was collected, within them."""
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=environment(), timeout=PATIENCE_S)
    rows = json.loads(told.stdout.splitlines()[-1])["iterations"]
    columns = zip(rows["start_ns"], rows["elapsed_ns"], rows["phase"], rows["series"], strict=True)
    spans = [(start, start + ns) for start, ns, phase, series in columns if (phase, series) == ("measured", "late")]

    def measured(kind, events):
        return [one for one in events(logs[kind].read_text()) if any(a <= one["t_ns"] < b for a, b in spans)]

    timed = [one for one in measured("jit", jit) if one["method"].startswith("lab.experiments.gc.")]
    return spans, timed, measured("gc", gc)
