"""Fixtures: a laboratory of its own for each test (runs, build, catalogue), and the command line as a user calls it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline import paths

# A shell starts its background jobs with SIGINT ignored, and what they start inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# One small C-only experiment, so that real processes are measured in a fraction of a second each.
TINY = """
name: lock_scaling
number: 1
title: Tiny
question: Does the machinery work?
value: residence time in nanoseconds
posts: [{file: none, line: 1}]
axes: {threads: int}
parameters: {sample-every: 64, window: 1024}
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


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty laboratory with the tiny catalogue; returns its folder."""
    (tmp_path / "catalogue").mkdir()
    (tmp_path / "catalogue" / "lock_scaling.yaml").write_text(TINY)
    for name, folder in (("CATALOGUE", "catalogue"), ("RUNS", "runs"), ("BUILD", "build"), ("IO_DIR", "io")):
        monkeypatch.setenv(f"LAB_{name}", str(tmp_path / folder))
    return tmp_path


Call = Callable[..., subprocess.CompletedProcess]


@pytest.fixture
def call() -> Call:
    """Run `lab ...` in a process of its own and return its exit status and what it printed."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
        program = [sys.executable, "-c", "from pipeline.cli import main; main()", *arguments]
        return subprocess.run(
            program, capture_output=True, text=True, env=os.environ | environment, cwd=paths.ROOT, timeout=300
        )

    return run


def one_clear_line(result: subprocess.CompletedProcess, status: int, *words: str) -> None:
    """The run ended with `status` and one line on standard error that holds `words`, and no traceback."""
    assert result.returncode == status, result.stderr + result.stdout
    assert "Traceback" not in result.stderr + result.stdout
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, result.stderr
    for word in words:
        assert word in lines[0], lines[0]
