"""One ring file, its ends in C and in Java: the same bytes for the same calls, any end with any other, and killed ones.

The ends are test programs of both harnesses, ring_end.c and RingEnd.java; messages follow from a seed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Iterable, Iterator
from itertools import cycle, permutations, product
from pathlib import Path

import pytest
from living import PATIENCE_S

from pipeline.ground import paths
from pipeline.host import runtimes

HARNESS = paths.ROOT / "harness"
C = HARNESS / "c"
JAVA_END = HARNESS / "java/src/test/java/lab/experiments/ipc/RingEnd.java"
JDKS = list(runtimes.jdks())
NAMES = ["c", *JDKS]
SEED = 7
ENDLESS = 1 << 60
TAIL, HEAD = 128, 256
# Longest message and capacity; a ring of 4,096 bytes has padding at every lap but with messages of one length of 60.
SIZES = [(1, 4096), (7, 4096), (60, 4096), (61, 4096), (504, 4096), (1020, 1 << 14)]

pytestmark = [
    pytest.mark.skipif(not paths.java_harness().exists(), reason="the Java harness is not built"),
    pytest.mark.skipif(not paths.c_harness().exists(), reason="the C harness is not built"),
]


def in_turns(cases: Iterable[tuple]) -> list:
    """Each case with every JDK, as its first part: with one of them in turn in `make test`, for both ends have the same
    code on all, and with the others in `make prove`."""
    tried = []
    for at, case in enumerate(cases):
        often = JDKS[at % len(JDKS)] if JDKS else None
        tried += [pytest.param(jdk, *case, marks=[] if jdk == often else pytest.mark.prove) for jdk in JDKS]
    return tried


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The command line of an end in C and on every JDK."""
    folder = tmp_path_factory.mktemp("ends")
    compiler = shutil.which(os.environ.get("CC", "cc")) or pytest.skip("no C compiler")
    c = [str(C / source) for source in ("test/ring_end.c", "src/experiments/ipc/ring.c", "src/status.c")]
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O1", f"-I{C / 'src'}", f"-I{C / 'test'}"]
    subprocess.run([compiler, *flags, *c, "-o", str(folder / "ring_end")], check=True)
    found = {"c": [str(folder / "ring_end")]}
    jar = str(paths.java_harness())
    oldest = next(iter(runtimes.jdks().values()))
    javac = Path(oldest.home) / "bin" / "javac"
    if not javac.exists():
        pytest.skip(f"{oldest.name} has no compiler")
    subprocess.run([str(javac), "-cp", jar, "-d", str(folder), str(JAVA_END)], check=True)
    for name, jdk in runtimes.jdks().items():
        flags = ["-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx64m", f"-Dlab.native={paths.native_library()}"]
        found[name] = [jdk.java(), *flags, "-cp", f"{folder}:{jar}", "lab.experiments.ipc.RingEnd"]
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """In memory where there is some: a disk would be written to for every message."""
    shm = Path("/dev/shm")
    place = shm / f"lab-test-{os.getpid()}" if shm.is_dir() else tmp_path
    place.mkdir(exist_ok=True)
    yield place
    shutil.rmtree(place)


class Ends:
    """Processes at a ring; none outlives the test."""

    def __init__(self, programs: dict[str, list[str]], ring: Path) -> None:
        self.programs, self.ring, self.started = programs, ring, []
        self.journal = ring.with_suffix(".journal")

    def start(self, name: str, *words: object) -> subprocess.Popen:
        argv = [*self.programs[name], str(words[0]), str(self.ring), *map(str, words[1:])]
        self.started.append(subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return self.started[-1]

    def run(self, name: str, *words: object) -> str:
        return self.finish(self.start(name, *words))

    def finish(self, process: subprocess.Popen) -> str:
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, f"{process.args}: {process.returncode} {err}"
        return out

    def create(self, name: str, capacity: int) -> None:
        self.ring.unlink(missing_ok=True)
        self.journal.write_bytes(bytes(8))
        self.run(name, "create", capacity)

    def word(self, path: Path, at: int = 0) -> int:
        with path.open("rb") as file:
            file.seek(at)
            return struct.unpack("<q", file.read(8))[0]

    def used(self) -> int:
        return self.word(self.journal)


@pytest.fixture
def ends(programs: dict[str, list[str]], folder: Path) -> Iterator[Ends]:
    ends = Ends(programs, folder / "ring")
    yield ends
    for process in ends.started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(("java", "most", "capacity"), in_turns(SIZES))
def test_the_same_calls_write_the_same_bytes(ends: Ends, java: str, most: int, capacity: int) -> None:
    """Ten thousand offers, and half as many polls: so the ring is full after a while."""
    written = {}
    for name in ("c", java):
        ends.create(name, capacity)
        ends.run(name, "script", SEED, most, 10000)
        written[name] = ends.ring.read_bytes()
    assert len(written["c"]) == 4096 + capacity
    assert ends.word(ends.ring, TAIL) > ends.word(ends.ring, HEAD) > 4 * capacity
    assert written[java] == written["c"]


def _passed_on(ends: Ends, producer: str, consumer: str, most: int, capacity: int, how: str) -> None:
    ends.create(producer, capacity)
    both = [
        ends.start(producer, "produce", SEED, most, 20000),
        ends.start(consumer, how, SEED, most, 20000, ends.journal),
    ]
    assert [ends.finish(each) for each in both] == ["20000\n", ""]
    assert ends.used() == 20000
    assert ends.word(ends.ring, TAIL) == ends.word(ends.ring, HEAD)


PASSED = [(7, 4096, "consume"), (504, 4096, "consume"), (61, 4096, "sleep"), (1020, 1 << 14, "sleep")]


@pytest.mark.parametrize(
    ("java", "first", "most", "capacity", "how"), in_turns((first, *one) for first in ("c", "java") for one in PASSED)
)
def test_either_end_with_the_other(ends: Ends, java: str, first: str, most: int, capacity: int, how: str) -> None:
    producer, consumer = ("c", java) if first == "c" else (java, "c")
    _passed_on(ends, producer, consumer, most, capacity, how)


@pytest.mark.prove
@pytest.mark.parametrize(("producer", "consumer"), list(permutations(JDKS, 2)))
def test_a_jdk_with_another(ends: Ends, producer: str, consumer: str) -> None:
    for one in PASSED:
        _passed_on(ends, producer, consumer, *one)


def _kill(ends: Ends, process: subprocess.Popen, path: Path, at: int, chance: random.Random) -> None:
    """Once it has been at work, which a word shows that only it writes, and a random moment later."""
    before, until = ends.word(path, at), time.monotonic() + PATIENCE_S
    while ends.word(path, at) == before and process.poll() is None and time.monotonic() < until:
        time.sleep(0.0005)
    time.sleep(chance.uniform(0, 0.002))
    assert process.poll() is None, f"it ended by itself: {process.communicate()}"
    process.send_signal(signal.SIGKILL)
    process.communicate()


# Every JDK starts in a tenth of a second, C at once.
@pytest.mark.parametrize(("java", "killed", "how"), in_turns(product(("c", "java"), ("consume", "sleep"))))
def test_a_killed_consumer_loses_nothing(ends: Ends, java: str, killed: str, how: str) -> None:
    """It gets what it had in hand once more, at most one message, and ends with 4 where the next is another; one that
    sleeps is woken by nobody but the producer."""
    victim, living = ("c", java) if killed == "c" else (java, "c")
    chance = random.Random(SEED)
    ends.create(living, 4096)
    producer = ends.start(living, "produce", SEED, 504, ENDLESS)
    for _ in range(20 if killed == "c" else 3):
        consumer = ends.start(victim, how, SEED, 504, ENDLESS, ends.journal)
        _kill(ends, consumer, ends.journal, 0, chance)
    assert producer.poll() is None
    producer.kill()
    producer.communicate()
    sent = int(ends.run(living, "produce", SEED, 504, 0))
    ends.run(victim, how, SEED, 504, sent, ends.journal)
    assert ends.used() == sent > 0
    assert ends.word(ends.ring, TAIL) == ends.word(ends.ring, HEAD)


@pytest.mark.parametrize(("java", "killed", "how"), in_turns(product(("c", "java"), ("consume", "sleep"))))
def test_after_a_killed_producer_comes_the_next_message(ends: Ends, java: str, killed: str, how: str) -> None:
    victim, living = ("c", java) if killed == "c" else (java, "c")
    chance = random.Random(SEED)
    ends.create(living, 4096)
    consumer = ends.start(living, how, SEED, 504, ENDLESS, ends.journal)
    for _ in range(20 if killed == "c" else 3):
        _kill(ends, ends.start(victim, "produce", SEED, 504, ENDLESS), ends.ring, TAIL, chance)
    sent = int(ends.run(victim, "produce", SEED, 504, 0))
    until = time.monotonic() + PATIENCE_S
    while ends.used() < sent and consumer.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert consumer.poll() is None, consumer.communicate()
    assert ends.used() == sent > 0


def _harness(name: str) -> list[str]:
    if name == "c":
        return [str(paths.c_harness())]
    java = [runtimes.jdks()[name].java(), *runtimes.COMMON_FLAGS, f"-Dlab.native={paths.native_library()}"]
    return [*java, "-XX:-BackgroundCompilation", "-jar", str(paths.java_harness())]


def _trial(folder: Path, ping: str, pong: str, *arguments: str) -> list[dict]:
    """Both parts, the main one in Java where there is one; what each leaves."""
    page = folder / "page"
    page.write_bytes(bytes(4096))
    parts = []
    for part, (role, name) in enumerate(zip(("ping", "pong"), (ping, pong), strict=True)):
        words = f"ipc --role {role} --warmup 2 --iterations 3 --iteration-ms 3 --meet {page} --part {part}/2".split()
        argv = [*_harness(name), *words, *arguments, "--dir", str(folder), "--out", str(folder / f"{part}.hlog")]
        parts.append(subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    told = [part.communicate(timeout=PATIENCE_S) for part in parts]
    assert [part.returncode for part in parts] == [0, 0], [err for _, err in told]
    return [json.loads(out.splitlines()[-1]) for out, _ in told]


def _operations(trial: dict, series: str) -> list[int]:
    rows = trial["iterations"]
    return [n for s, n in zip(rows["series"], rows["operations"], strict=True) if s == series]


def _phases(trial: dict, series: str) -> list[tuple[int, str]]:
    rows = trial["iterations"]
    each = zip(rows["series"], rows["iteration"], rows["phase"], strict=True)
    return [(number, phase) for name, number, phase in each if name == series]


WAYS = [
    "--variant ring --pattern round_trip",
    "--variant ring --pattern stream --size 252 --capacity 4096",
    "--variant ring --pattern stream --size 16",
    "--variant ring --pattern paced --rate 50000",
    "--variant word",
    "--variant tcp --pattern stream --writes-of 5",
    "--variant unix --pattern round_trip --size 68",
    "--variant pipe --pattern round_trip",
    "--variant ring_futex --pattern round_trip",
    "--variant tcp_spin --pattern round_trip",
    "--variant pipe_spin --pattern stream --writes-of 5",
]
OFTEN = 5  # of so many ways one end in C and the other in Java, in turn; all others in make prove


def tried() -> Iterator:
    """Each end of each way in C, the other in Java: the JDKs take turns."""
    for at, (way, java) in enumerate(zip(WAYS, cycle(JDKS), strict=False)):
        for turn, ends in enumerate(((java, "c"), ("c", java))):
            often = at < OFTEN and turn == at % 2
            yield pytest.param(*ends, way, marks=[] if often else pytest.mark.prove)


@pytest.mark.parametrize(("ping", "pong", "arguments"), list(tried()))
def test_a_trial_has_its_ends_in_two_languages(folder: Path, ping: str, pong: str, arguments: str) -> None:
    sent, got = _trial(folder, ping, pong, *arguments.split())
    assert _operations(sent, "floor.ping") == _operations(got, "floor.pong") != []
    assert _operations(sent, "wake.ping") == _operations(got, "wake.pong") != []
    names = ("stream.out", "stream.in") if "stream" in arguments or "paced" in arguments else ("hop.ping", "hop.pong")
    assert _operations(sent, names[0]) == _operations(got, names[1])
    # However often something was compiled in either: what that made of an iteration both know.
    assert _phases(sent, names[0]) == _phases(got, names[1])
    assert [phase for _, phase in _phases(sent, names[0])].count("measured") == 3
    assert not list(folder.glob("lab-ipc-*"))
