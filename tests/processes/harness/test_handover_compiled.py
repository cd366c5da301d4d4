"""The timed round trip of the spinning hand-over runs as machine code, however seldom it is timed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pipeline.ground import paths
from pipeline.hdr.log import read_log
from pipeline.host import cpus, runtimes

# Two threads whose CPUs are busy hardly ever run at the same time: so many tries until they have.
TRIES = 4
# Of short chunks an iteration of 3 ms has hundreds, on busy CPUs some; of those of the measured size one or two.
SHORT = 4
# A chunk of 16,384 round trips whose two threads take turns on a CPU takes longer than the harness waits.
GAVE_UP = "check failed: pong hands over as often as ping"
# Whatever the JVM, a method that was called so often is compiled by its last tier (Tier4InvocationThreshold: 5,000).
SURELY = 20_000


@pytest.mark.skipif(not paths.java_harness().exists(), reason="the Java harness is not built")
@pytest.mark.skipif(len(cpus.usable()) < 2, reason="two threads that spin for each other need two CPUs")
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
    calls, printed = [], ""
    for _ in range(TRIES):
        ended = subprocess.run(argv, capture_output=True, text=True)
        if GAVE_UP in ended.stderr:
            continue
        assert ended.returncode == 0, ended.stderr
        printed = ended.stderr  # COMMON_FLAGS
        # The last round trip of a chunk is timed: as many values as calls.
        calls = [one.counts.total for one in read_log(tmp_path / "x.hlog", tag="t0").records]
        assert max(calls) > SHORT
        if sum(calls) >= SURELY:
            break
    if sum(calls) < SURELY:
        pytest.skip("on two busy CPUs two threads that wait for each other passed too few words")
    for side in ("ping", "pong"):
        assert re.search(rf" 4 +lab\.experiments\.handover\.Handover::{side}Chunk \(", printed)
