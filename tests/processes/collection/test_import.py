"""lab import as a process: what a bomb takes of memory, two at once, and a kill at any moment."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

import hostile
import pytest
import shared
from laboratory import MAIN, PROGRAM, one_clear_line

from pipeline.bench import given, import_kills, multiplied

MOST = 64 << 10  # KiB of memory
PEAK = """
import atexit, re
atexit.register(lambda: print("peak", re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]))
"""


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
    return [one for one in (place / "runs").iterdir() if one.is_dir()]


@pytest.mark.prove
def test_a_kill_at_any_moment_leaves_all_or_nothing(place: Path):
    """`lab bench --only import_kills` does it a hundred times, and with a larger file."""
    file = hostile.written(place / "small.tgz", given.small().file)
    ends = import_kills.killed(file, place, 6, lab=PROGRAM)
    assert ends.total() == 6 and ends["a stage"], ends


@pytest.mark.prove
def test_a_multiplied_file_is_checked_and_ingested_whole(place: Path):
    """`lab bench --only scale` does it with a million histograms."""
    told = multiplied.import_apart(place, 1)
    assert told["histograms"] > 20_000 and told["peak_bytes"] > 1 << 27 and not list(place.iterdir())
