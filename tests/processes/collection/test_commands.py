"""Share, import, collection and place as commands, one after the other; and a collection of many hosts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import many_hosts
import pytest
import shared
from laboratory import MAIN, PEAK, PROGRAM, Call, one_clear_line

from pipeline.collection import hosts
from pipeline.collection import place as place_
from pipeline.collection.staging import SUMMARY
from pipeline.ground import paths
from pipeline.words.numbers import counted

SHIPPED = [json.loads(one.read_text()) for one in (paths.ROOT / "data" / "collection").glob("*/host.json")]
INTEL = sum("Intel" in one["host"]["cpu"]["model"] for one in SHIPPED)

GIGABYTE = 1 << 30
EVERY = f"{len(SHIPPED) + 1} runs of {len(SHIPPED)} hosts"  # of one of these there is a second run


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A laboratory of its own with one experiment of the catalogue."""
    (tmp_path / "catalogue" / "claims").mkdir(parents=True)
    for name in ("whitebox.yaml", "claims/whitebox.yaml"):
        if (source := paths.catalogue() / name).exists():
            shutil.copyfile(source, tmp_path / "catalogue" / name)
    for name in ("CATALOGUE", "RUNS", "BUILD"):
        monkeypatch.setenv(f"LAB_{name}", str(tmp_path / name.lower()))
    shared.bundle(tmp_path / "runs" / "mine", ("whitebox",))
    return tmp_path


def test_a_run_goes_round(place: Path, call: Call):
    one_clear_line(call("share", "mine"), 2, "nothing was written; --yes agrees")
    assert not (place / "build" / "share").exists()
    agreed = [*PROGRAM, "share", "mine", "--label", "A toy"]
    told = subprocess.run(agreed, input="y\n", capture_output=True, text=True, check=False)
    assert told.returncode == 0 and "cpu.model" in told.stdout and "CC-BY-4.0" in told.stdout, told.stderr
    (file,) = (place / "build" / "share").iterdir()
    assert str(file) in told.stdout.replace("\n", "")
    first = call("import", str(file))
    assert first.returncode == 0 and "imported a-toy-" in first.stdout, first.stdout + first.stderr
    assert "already here as a-toy-" in call("import", str(file)).stdout
    seen = call("collection")
    assert seen.returncode == 0 and EVERY in seen.stdout, seen.stdout + seen.stderr
    # With the run itself, what was shared of it is no host of its own.
    assert EVERY in call("collection", "--run", "mine").stdout
    # The second run is of the archived run's host.
    archived = json.loads((paths.ROOT / "data" / "collection" / paths.REFERENCE / "host.json").read_text())
    intel = "Intel" in archived["host"]["cpu"]["model"]
    runs, kind = INTEL + intel, (INTEL if intel else len(SHIPPED) - INTEL) - 1
    only = call("collection", "--where", "vendor=Intel")
    assert f"{counted(runs, 'run')} of {counted(INTEL, 'host')}" in only.stdout
    stands = call("place", "mine")
    peers = counted(kind if kind >= place_.KINDS else len(SHIPPED) - 1, "machine")
    assert stands.returncode == 0 and f"next to {peers}" in stands.stdout, stands.stdout + stands.stderr
    assert len(stands.stdout.splitlines()) <= 11


def test_what_there_is_not_is_one_line(place: Path, call: Call):
    one_clear_line(call("place", "absent"), 2, "run 'absent' does not exist")
    one_clear_line(call("share", "absent"), 2, "run 'absent' does not exist")
    one_clear_line(call("collection", "--where", "vendor=Zilog"), 2, "no host is left")


@pytest.mark.prove
def test_many_hosts_take_as_little_memory_as_thousands_may(place: Path):
    """A gigabyte is for the pages of 2,000 hosts; so many are not made here."""
    (few, _), (many, page) = (drawn(place / str(count), count) for count in (100, 300))
    assert many < few + (GIGABYTE - few) * 300 / 2000 and page < 3_000_000


def drawn(folder: Path, count: int) -> tuple[int, int]:
    """The most memory that drawing the pages of so many hosts takes, copies of one, and the bytes of the largest."""
    source = max(hosts.every_committed(), key=lambda host: host.told["trials"]).folder
    for number in range(count):
        many_hosts.copied(source, folder / "runs" / f"host-{number}" / SUMMARY, number)
    env = os.environ | {"LAB_RUNS": str(folder / "runs"), "LAB_BUILD": str(folder / "build")}
    argv = [sys.executable, "-c", PEAK + MAIN, "collection"]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, env=env)
    told, *_, peak = ran.stdout.replace(",", "").splitlines()
    assert ran.returncode == 0 and told.startswith(f"{count + len(SHIPPED)} runs "), ran.stdout + ran.stderr
    largest = max(page.stat().st_size for page in (folder / "build" / "collection").glob("*.html"))
    return 1024 * int(peak.removeprefix("peak ")), largest
