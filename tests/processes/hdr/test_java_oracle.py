"""The log reader against the Java library: recorded logs, ranges of time, and any histogram."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hdr_logs import DATA, LOGS, assert_like_java, counts_of

from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.hdr.corrected import corrected
from pipeline.hdr.log import read_log, summary
from pipeline.hdr.percentiles import maximum, mean, minimum, percentiles
from pipeline.hdr.v2 import decode_base64

JAR = Path(os.environ.get("LAB_HARNESS_JAR", paths.java_harness()))
HIGHEST = 3_600_000_000_000


def ask(requests: list[dict]) -> list[dict]:
    if not JAR.exists():
        pytest.skip(f"the Java oracle needs {JAR.name}: build it with `make harness`")
    run = subprocess.run(
        [sys.executable, DATA / "oracle.py", JAR], input=json.dumps(requests), capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_recorded_logs_against_the_java_library():
    for path, java in zip(LOGS, ask([{"kind": "read", "path": str(path)} for path in LOGS]), strict=True):
        assert_like_java(summary(read_log(path)), java)


def test_time_ranges_against_the_java_library():
    cases = [(path, start, end) for path in LOGS for start, end in ((0, 0.011), (0.005, 0.02), (1.0, 3.0), (2.5, 1e9))]
    answers = ask([{"kind": "read", "path": str(path), "start": a, "end": b} for path, a, b in cases])
    compared = 0
    for (path, start, end), java in zip(cases, answers, strict=True):
        if java["overall"] is None:
            with pytest.raises(LabError, match="none of its"):
                read_log(path, start=start, end=end)
            continue
        log = read_log(path, start=start, end=end)
        assert_like_java(summary(log), java)
        origin = log.start_time if log.start_time is not None else java["start_time"]
        assert abs((origin + log.records[-1].start) * 1000 - java["last_start_ms"]) <= 1
        compared += 1
    assert compared > 8


def test_any_histogram_against_the_java_library():
    rng = np.random.default_rng(20)
    percents = [0.0, 1e-9, 1, 9.999999999999998, 10, 25, 50, 90, 93.99999999999999, 94, 99, 99.9, 99.9999, 100, -1]
    requests = [dict(digits=3, lowest=1, highest=HIGHEST, values=list(range(1, 11)), counts=[1] * 10)]
    for lowest, highest, digits in [
        (1, HIGHEST, 3),
        (1, 2, 0),
        (1, 2**63 - 1, 3),
        (1000, 10**10, 2),
        (5, 2**40, 5),
        (2**31 - 1, 2**62, 1),
        (8, 2**50, 4),
        (1, 1 << 30, 1),
    ]:
        for size in (0, 1, 2, 7, 300):
            values = np.minimum(rng.lognormal(rng.uniform(0, 25), rng.uniform(0.1, 4), size), float(highest // 2))
            counts = rng.choice([1, 1, 1, 2, 63, 64, 8192, 2**40, 2**54], size)
            requests.append(
                dict(digits=digits, lowest=lowest, highest=highest)
                | dict(values=[int(v) for v in values], counts=[int(c) for c in counts])
            )
    for request in requests:
        request.update(kind="record", percents=percents)
    for request, java in zip(requests, ask(requests), strict=True):
        for kind in ("compressed", "plain"):
            counts = decode_base64(java[kind])
            assert np.stack([counts.low, counts.count], axis=1).tolist() == java["buckets"]
            assert all(getattr(counts, key) == request[key] for key in ("digits", "lowest", "highest"))
            assert percentiles(counts, percents) == java["percentiles"]
            if request["values"]:  # Java calls min and max of an empty histogram undefined
                found = [counts.total, minimum(counts), maximum(counts), mean(counts)]
                assert found == [java[key] for key in ("count", "min", "max", "mean")]


def test_correction_for_coordinated_omission_against_the_java_library():
    rng = np.random.default_rng(21)
    requests = []
    for interval in (1, 7, 50, 1000, 12_345, 2_000_000):
        for size in (0, 1, 2, 40):
            values = np.minimum(rng.lognormal(np.log(interval) + 1, rng.uniform(0.5, 2.5), size), 3000.0 * interval)
            counts = rng.choice([1, 2, 63, 8192], size)
            requests.append(dict(values=values.astype(int).tolist(), counts=counts.tolist(), interval=interval))
    for request in requests:
        request.update(kind="corrected", digits=3, lowest=1, highest=HIGHEST)
    for request, java in zip(requests, ask(requests), strict=True):
        found = corrected(counts_of(request["values"], request["counts"]), request["interval"])
        assert np.stack([found.low, found.count], axis=1).tolist() == java
