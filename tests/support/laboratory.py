"""A tiny experiment, and how a test calls the command line and reads its answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"

# One small C-only experiment, so that real processes are measured in a fraction of a second each.
TINY = """
name: lock_scaling
number: 1
title: Tiny
question: Does the machinery work?
value: residence time in nanoseconds
posts: [{file: none, line: 1}]
axes: {threads: int}
parameters: {sample-every: 1, outside: 10}
variants:
  mutex: {label: mutex, harness: c, runs: pthread_mutex}
  ticket: {label: ticket, harness: c, runs: ticket}
profiles:
  smoke: &sizes
    min_blocks: 2
    max_blocks: 2
    budget_s: 30
    parameters: {warmup: 1, iterations: 4, iteration-ms: 1}
    sweeps: [{variants: [mutex, ticket], axes: {threads: [1, 2]}}]
  quick: *sizes
  full: *sizes
metrics:
  cost: {kind: cost, series: "t*", estimator: quartile, unit: ns, label: Cost}
headlines: [{metric: cost}]
"""

# The command line with a measuring lock of the test's own: tests of two checkouts must not refuse each other.
MAIN = """
import os, pathlib
from pipeline.bundle import lock
if folder := os.environ.get("TEST_LOCK_FOLDER"):
    lock.FOLDERS = (pathlib.Path(folder),)
from pipeline.commands.cli import main
main()
"""
# Before MAIN: the last line says how much memory was resident at most, in KiB (VmHWM of proc(5)).
PEAK = """
import atexit, re
atexit.register(lambda: print("peak", re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]))
"""
PROGRAM = (sys.executable, "-c", MAIN)

Call = Callable[..., subprocess.CompletedProcess]


def make_room(disk: Path) -> None:
    """Make a full small disk (the fixture) large: where the host is noisy, trials are measured again and need more."""
    (disk / "filler").unlink()
    subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)


def one_clear_line(result: subprocess.CompletedProcess, status: int, *words: str) -> None:
    """The run ended with `status` and one line on standard error that holds `words`, and no traceback."""
    assert result.returncode == status, result.stderr + result.stdout
    assert "Traceback" not in result.stderr + result.stdout
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, result.stderr
    for word in words:
        assert word in lines[0], lines[0]
