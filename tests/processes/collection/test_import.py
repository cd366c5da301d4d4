"""lab import as a process: what a bomb takes of memory, two at once, and a kill at any moment."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
import zlib
from collections import Counter
from pathlib import Path

import given
import hostile
import multiplied
import pytest
import shared
from laboratory import MAIN, PEAK, PROGRAM, one_clear_line

from pipeline.collection import staging

MOST = 64 << 10  # KiB of memory


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    return tmp_path


def large(path: Path) -> Path:
    """A file of 190 MB that unpacks to 190 GB of zeros."""
    made = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = b"".join(made.compress(bytes(1 << 20)) for _ in range(1024)) + made.flush(zlib.Z_FULL_FLUSH)
    start = zlib.compressobj(9, zlib.DEFLATED, 31)
    member = hostile.plain("journal.jsonl.tar.xz", b"")[0]
    member.size = 190 << 20
    head = start.compress(member.tobuf()) + start.flush(zlib.Z_FULL_FLUSH)
    with path.open("wb") as file:
        file.write(head)
        for _ in range(190):
            file.write(block)
    return path


BOMBS = {
    "190 GB of zeros": large,
    "a member of 128 MB that may have a quarter": lambda path: hostile.written(path, hostile.gzip_bomb(128 << 20)),
    "an archive within": lambda path: hostile.written(
        path, hostile.changed(**{"whitebox.tar.xz": hostile.xz_bomb(63 << 20)})
    ),
    "a dictionary of 256 MB": lambda path: hostile.written(
        path, hostile.changed(**{"whitebox.tar.xz": hostile.of_large_dictionary(1 << 28)})
    ),
}


@pytest.mark.parametrize("what", BOMBS)
def test_a_bomb_ends_in_one_line_within_64_megabytes(place: Path, what: str):
    file = BOMBS[what](place / "bomb.tgz")
    result = subprocess.run(
        [sys.executable, "-c", PEAK + MAIN, "import", str(file)], capture_output=True, text=True, check=False
    )
    told, peak = result.stdout.strip().splitlines()
    assert result.returncode == 4 and told.startswith("bomb.tgz: refused "), result.stdout + result.stderr
    assert int(peak.removeprefix("peak ")) < MOST
    assert [one.name for one in (place / "runs").iterdir()] == [".import.lock"]


def test_what_is_no_shared_run_is_named(place: Path):
    file = hostile.written(place / "notes.txt", b"hello")
    for one, words in (
        (file, "notes.txt: none of the formats read here"),
        (place / "absent", "absent': matches no file"),
    ):
        result = subprocess.run([*PROGRAM, "import", str(one)], capture_output=True, text=True, check=False)
        one_clear_line(result, 2, words)


def test_two_at_once_make_one_run(place: Path):
    file = shared.parcel().write(place)
    both = [
        subprocess.Popen([*PROGRAM, "import", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    told = [one.communicate()[0] for one in both]
    assert [one.returncode for one in both] == [0, 0]
    assert sorted("imported" in one for one in told) == [False, True], told
    assert len(runs(place)) == 1


def runs(place: Path) -> list[Path]:
    return [one for one in (place / "runs").glob("*") if one.is_dir()]


@pytest.mark.prove
def test_a_kill_at_any_moment_leaves_all_or_nothing(place: Path):
    """Moments are spread over the time in which an import writes here, and the next import is as if none were."""
    file, kills, ends, chance = hostile.written(place / "small.tgz", given.small().file), 6, Counter(), random.Random(7)

    def started() -> subprocess.Popen:
        for left in runs(place):
            if not left.name.startswith(staging.STAGED):
                shutil.rmtree(left)
        return subprocess.Popen([*PROGRAM, "import", str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def whole() -> dict[str, bytes]:
        told = (one := started()).communicate()[0].decode()
        assert one.returncode == 0, told
        (run,) = runs(place)
        return contents(run)

    begun, one = time.monotonic(), started()
    while not runs(place) and one.poll() is None:
        time.sleep(0.001)
    writes = time.monotonic() - begun
    one.communicate()
    ended, good = time.monotonic() - begun, whole()
    for number in range(kills):
        one = started()
        try:
            one.communicate(timeout=writes + (number + chance.random()) / kills * (ended - writes))
        except subprocess.TimeoutExpired:
            one.kill()
            one.communicate()
        named = [left for left in runs(place) if not left.name.startswith(staging.STAGED)]
        assert all(contents(left) == good for left in named) and len(named) < 2, "a part of a run"
        ends["a whole run" if named else "a stage" if runs(place) else "nothing"] += 1
    assert whole() == good and not list((place / "build").glob(f"{staging.STAGED}*"))
    assert ends["a stage"], ends


def contents(run: Path) -> dict[str, bytes]:
    return {one.relative_to(run).as_posix(): one.read_bytes() for one in run.rglob("*") if one.is_file()}


@pytest.mark.prove
def test_a_file_of_four_times_as_many_histograms_takes_little_more_memory(place: Path):
    peaks = []
    for least in (1, 100_000):
        held, file = multiplied.write(place / "given.tgz", least), place / "given.tgz"
        argv = [sys.executable, "-c", PEAK + MAIN, "import", str(file)]
        ran = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert ran.returncode == 0 and "imported" in ran.stdout and held > 20_000, ran.stdout + ran.stderr
        peaks.append(int(ran.stdout.splitlines()[-1].removeprefix("peak ")))
    assert peaks[1] < 1.3 * peaks[0]
