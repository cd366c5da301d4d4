"""The log reader against the Java library: recorded logs, ranges of time, and any histogram."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hdr_logs import DATA, LOGS, assert_like_java, counts_of

from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.hdr import distribution, encode
from pipeline.hdr.coordinated_omission import corrected
from pipeline.hdr.log import read_log, summary
from pipeline.hdr.merge import merge
from pipeline.hdr.percentiles import maximum, mean, minimum, percentiles
from pipeline.hdr.v2 import decode_base64

JAR = Path(os.environ.get("LAB_HARNESS_JAR", paths.java_harness()))
HIGHEST = 3_600_000_000_000


@pytest.fixture(scope="module")
def ask() -> Iterator[Callable[[list[dict]], list]]:
    """Ask the Java library: one JVM answers all tests."""
    if not JAR.exists():
        pytest.skip(f"the Java oracle needs {JAR.name}: build it with `make harness`")
    program = [sys.executable, DATA / "oracle.py", JAR]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as oracle:

        def asked(requests: list[dict]) -> list:
            print(json.dumps(requests), file=oracle.stdin, flush=True)
            return json.loads(oracle.stdout.readline())

        yield asked
        oracle.stdin.close()
    assert oracle.returncode == 0


@pytest.fixture
def processed(ask) -> Callable[..., str]:
    """What Java's HistogramLogProcessor prints of a log: the percentile distribution of its untagged lines."""

    def printed(file: Path, *options: str) -> str:
        (text,) = ask([{"kind": "processed", "words": ["-i", str(file), *options]}])
        return text

    return printed


def test_recorded_logs_against_the_java_library(ask):
    for path, java in zip(LOGS, ask([{"kind": "read", "path": str(path)} for path in LOGS]), strict=True):
        assert_like_java(summary(read_log(path)), java)


@pytest.mark.parametrize("name", ["double.hlog", "jHiccup-2.0.1.logV0.hlog", "jHiccup-2.0.6.logV1.hlog"])
def test_logs_of_other_encodings_against_the_java_tool(name, processed):
    file = DATA.parent / "cases" / name
    assert processed(file, "-outputValueUnitRatio", "1") == distribution.of_log(read_log(file))


def test_time_ranges_against_the_java_library(ask):
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


def test_any_histogram_against_the_java_library(ask):
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
            assert base64.b64encode(encode.plain(counts)).decode() == java["plain"]
            assert np.stack([counts.low, counts.count], axis=1).tolist() == java["buckets"]
            assert all(getattr(counts, key) == request[key] for key in ("digits", "lowest", "highest"))
            assert percentiles(counts, percents) == java["percentiles"]
            if request["values"]:  # Java calls min and max of an empty histogram undefined
                found = [counts.total, minimum(counts), maximum(counts), mean(counts)]
                assert found == [java[key] for key in ("count", "min", "max", "mean")]


def test_correction_for_coordinated_omission_against_the_java_library(ask):
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


@pytest.mark.parametrize("file", [file for file in LOGS if file.stem != "tagged_v13"], ids=lambda file: file.stem)
@pytest.mark.parametrize("ratio", ["1", "1000", "1000000.0", "0.3"])
def test_a_percentile_distribution_is_the_processors_byte_by_byte(file, ratio, processed):
    ours = distribution.of_log(read_log(file, tag=""), float(ratio))
    assert processed(file, "-outputValueUnitRatio", ratio) == ours


def test_the_distribution_of_one_tag_is_the_processors(processed):
    file = DATA / "tagged_v13.hlog"
    for tag in ("t0", "t1", "read"):
        assert processed(file, "-tag", tag, "-outputValueUnitRatio", "1") == distribution.of_log(read_log(file, tag))


def test_what_is_exported_of_a_run_is_read_by_javas_tools(measured_run, call, tmp_path, ask, processed):
    for folder, options in (("tagged", ()), ("untagged", ("--untagged",))):
        told = call("export", "--run", "r", "--series", "t*", "--to", str(tmp_path / folder), *options)
        assert told.returncode == 0 and not told.stderr, told.stderr
    files = sorted((tmp_path / "tagged").glob("*.hlog"))
    alone = {f"lock_scaling-{variant}-c-threads=1-t.hlog" for variant in ("mutex", "ticket")}
    assert alone <= {file.name for file in files}  # two threads may not have run together on a busy host
    for file, java in zip(files, ask([{"kind": "read", "path": str(file)} for file in files]), strict=True):
        log = read_log(file)
        assert_like_java(summary(log), java)
        assert java["overall"]["count"] > 0 and java["start_time"] == log.start_time
        assert set(java["by_tag"]) == ({"t0", "t1"} if "threads=2" in file.name else {"t0"})
        for tag in java["by_tag"]:
            expected = distribution.of_log(read_log(file, tag))
            assert processed(file, "-tag", tag, "-outputValueUnitRatio", "1") == expected
    for file in sorted((tmp_path / "untagged").glob("*.hlog")):
        merged = file.with_suffix(".hgrm").read_text(encoding="utf-8")
        assert merged == (tmp_path / "tagged" / file.name).with_suffix(".hgrm").read_text(encoding="utf-8")
        start, _, table = processed(file, "-outputValueUnitRatio", "1").partition("\n")
        assert start == encode.start_line(read_log(file).start_time) and merged.endswith(table)
        told = merged.removesuffix(table).splitlines()
        assert told[0].startswith("#[Values in nanoseconds") and all(line.startswith("#[") for line in told)
        counts = merge(one.counts for one in read_log(file).records)
        assert distribution.text(counts) == table


def test_the_distribution_of_a_log_is_printed_as_the_processor_does(call, processed):
    file = next(file for file in LOGS if file.stem == "untagged_v13")
    told = call("hlog", str(file), "--hgrm", "--unit-ratio", "1000")
    assert told.stdout == processed(file, "-outputValueUnitRatio", "1000") and told.returncode == 0
