"""The fio adaptor keeps the harness contract."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.ground import paths
from pipeline.hdr import log as hlog

SMALL = ("--file-size", "1048576", "--passes", "3")


def run(tmp_path: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    out = ("--dir", str(tmp_path), "--out", str(tmp_path / "f.hlog"))
    program = [sys.executable, str(paths.fio_harness()), "sequential_io", *out, *arguments]
    return subprocess.run(program, capture_output=True, text=True, env=environment or None)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--variant", "aio"), 2, ["aio", "psync"]),
        (("--variant", "psync", "--passes", "0"), 2, ["passes", "'0'", "1 to 100"]),
        (("--variant", "psync", "--threads", "2"), 2, ["threads", "'2'"]),
        (("--variant", "psync", "--cpus", "9999"), 2, ["9999"]),
        (("--variant", "psync", "--file-size", "5000"), 2, ["5000", "multiple"]),
        (("--variant", "psync", "--fill", "bytes"), 2, ["fill", "once"]),
        (("--variant", "psync", "--sheep", "1"), 2, ["--sheep"]),
    ],
)
def test_bad_arguments_are_one_line(tmp_path, arguments, status, words):
    result = run(tmp_path, *arguments)
    assert result.returncode == status and len(result.stderr.splitlines()) == 1, result.stderr
    assert all(word in result.stderr for word in words), result.stderr
    assert not list(tmp_path.iterdir())


def test_without_fio_it_is_not_supported_and_says_how_to_get_it(tmp_path):
    result = run(tmp_path, "--variant", "psync", PATH=str(tmp_path))
    assert result.returncode == 3 and "apt-get install fio" in result.stderr
    listed = subprocess.run(
        [sys.executable, str(paths.fio_harness()), "--list"],
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path)},
    )
    assert {v["supported"] for v in json.loads(listed.stdout)["experiments"][0]["variants"]} == {False}


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
@pytest.mark.parametrize("variant", ["psync", "mmap", "null"])
def test_a_trial_moves_every_block_and_leaves_no_file(tmp_path, variant):
    result = run(tmp_path, "--variant", variant, *SMALL)
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["iterations"]["phase"] == ["pass1", "pass1", "pass2", "pass2"]
    assert told["iterations"]["operations"] == [256, 256, 512, 512] and told["checks"][0]["passed"]
    records = hlog.read_log(tmp_path / "f.hlog").records
    assert [r.tag for r in records] == told["iterations"]["series"]
    assert [p.name for p in tmp_path.iterdir()] == ["f.hlog"]
