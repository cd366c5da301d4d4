"""What tests share that start processes: the command line as a user calls it."""

from __future__ import annotations

import os
import subprocess

import pytest
from laboratory import PROGRAM, Call

from pipeline.ground import paths


@pytest.fixture
def call() -> Call:
    """Run `lab ...` in a process of its own and return its exit status and what it printed."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*PROGRAM, *arguments],
            capture_output=True,
            text=True,
            env=os.environ | environment,
            cwd=paths.ROOT,
            timeout=300,
        )

    return run
