"""The live panel with the real harness in a process of its own: it draws, it stops, and it leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from living import PATIENCE_S

from pipeline.ground import paths

PROGRAM = """
import sys, time
from pathlib import Path
from pipeline.bundle import lock
lock.FOLDERS = (Path(sys.argv[1]),)
from pipeline.explore.live_panel import Live

panel, drawn = Live("lock_scaling", "monitor", threads=2), []
panel.chart.observe(lambda change: drawn.append(change.new), "outputs")
panel.start.click()
until = time.monotonic() + int(sys.argv[2])

def enough():  # on a busy host pictures come before there is anything in them
    curve = panel._curve
    return len(drawn) >= 3 and curve and curve.iterations >= 20 and curve.merged

while not enough() and time.monotonic() < until and panel.loop.running:
    time.sleep(0.05)
status = panel.status.value
panel.stop.click()
import jpype
print(len(drawn) >= 3, panel.loop.running, jpype.isJVMStarted(), "Running on Java" in status, panel.status.value)
print(panel._curve.merged.total > 0, panel._curve.iterations >= 20)
"""

# A JVM that collects its garbage without an end, while Python ends.
COLLECTING = """
from pipeline.explore import live
live.Harness()
from jpype import JClass
kind = JClass("java.lang.invoke.MethodType").methodType(JClass("java.lang.Void").TYPE)
collect = JClass("java.lang.invoke.MethodHandles").publicLookup().findStatic(JClass("java.lang.System"), "gc", kind)
proxies = JClass("java.lang.invoke.MethodHandleProxies")
task = proxies.asInterfaceInstance(JClass("java.lang.Runnable").class_, collect)
milliseconds = JClass("java.util.concurrent.TimeUnit").MILLISECONDS
JClass("java.util.concurrent.Executors").newScheduledThreadPool(2).scheduleAtFixedRate(task, 0, 1, milliseconds)
import pandas
print("ends")
"""


def test_the_live_panel_draws_stops_and_keeps_nothing(tmp_path: Path):
    (tmp_path / "lock").mkdir()
    environment = os.environ | {"LAB_RUNS": str(tmp_path / "runs"), "LAB_BUILD": str(tmp_path / "build")}
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "lock"), str(PATIENCE_S // 2)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=paths.ROOT,
        timeout=PATIENCE_S,
    )
    assert told.returncode == 0, told.stderr
    first, second = told.stdout.strip().splitlines()
    assert first.startswith("True False True True") and "Stopped." in first, told.stdout
    assert second == "True True"
    kept = [file.name for file in (tmp_path / "build").rglob("*")]
    assert not (tmp_path / "runs").exists() and kept == ["catalogue.checked"], "of the catalogue, not of a trial"


def test_a_kernel_ends_while_its_jvm_still_works():
    told = subprocess.run(
        [sys.executable, "-c", COLLECTING], capture_output=True, text=True, cwd=paths.ROOT, timeout=PATIENCE_S
    )
    assert (told.returncode, told.stdout) == (0, "ends\n"), told.stderr
