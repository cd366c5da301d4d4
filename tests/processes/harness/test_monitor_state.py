"""What a trial of an uncontended monitor measures: the stack lock, in every process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pipeline.ground import paths
from pipeline.host import runtimes

TRIALS = 5  # sizes of the quick profile: without training, every other trial inflated its monitor on a quiet host


@pytest.mark.skipif(not paths.java_harness().exists(), reason="the Java harness is not built")
@pytest.mark.parametrize("runtime", runtimes.jdks().values(), ids=runtimes.jdks())
def test_the_monitor_of_a_single_thread_is_never_inflated(tmp_path: Path, runtime: runtimes.Runtime) -> None:
    biased = ["-XX:-UseBiasedLocking"] if runtime.name == "jdk17" else []
    for trial in range(TRIALS):
        log = tmp_path / f"{trial}.log"
        argv = [
            runtime.java(),
            *runtimes.COMMON_FLAGS,
            *biased,
            f"-Xlog:monitorinflation=trace:file={log}",
            f"-Dlab.native={paths.native_library()}",
            "-jar",
            str(paths.java_harness()),
            "lock_scaling",
            "--variant",
            "monitor",
            "--threads",
            "1",
            "--log",
            "8192",
            "--warmup",
            "30",
            "--iterations",
            "25",
            "--iteration-ms",
            "4",
            "--out",
            str(tmp_path / f"{trial}.hlog"),
        ]
        subprocess.run(argv, check=True, capture_output=True)
        lines = log.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if "inflate" in line and "MonitorKernel" in line] == []
