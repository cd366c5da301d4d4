"""The timed round trip of the spinning hand-over runs as machine code, however seldom it is timed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pipeline.ground import paths
from pipeline.host import runtimes


@pytest.mark.skipif(not paths.java_harness().exists(), reason="the Java harness is not built")
@pytest.mark.parametrize("runtime", runtimes.jdks().values(), ids=runtimes.jdks())
def test_warming_up_compiles_the_chunks(tmp_path: Path, runtime: runtimes.Runtime) -> None:
    """Chunks of the size of the measured ones would be called a few hundred times in this warm-up: far too seldom."""
    argv = [
        runtime.java(),
        *runtimes.COMMON_FLAGS,
        "-XX:+PrintCompilation",
        f"-Dlab.native={paths.native_library()}",
        "-jar",
        str(paths.java_harness()),
        *"inter_thread_latency --variant release_acquire --threads 2 --sample-every 16384".split(),
        *"--warmup 300 --iterations 1 --iteration-ms 3 --out".split(),
        str(tmp_path / "x.hlog"),
    ]
    printed = subprocess.run(argv, check=True, capture_output=True, text=True).stderr  # COMMON_FLAGS
    for side in ("ping", "pong"):
        assert re.search(rf" 4 +lab\.experiments\.handover\.Handover::{side}Chunk ", printed)
