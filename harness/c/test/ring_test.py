"""The ring file from outside, each end a process: `ring_test.py BUILD_FOLDER`. LAB_KILLS: how often one is killed."""

import os
import random
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from harness import PATIENCE, RUNNER, build, check, end, plain, sanitized

END = build / "ring_end"
KILLS = int(os.environ.get("LAB_KILLS", "100"))
SEED, ENDLESS = 11, 1 << 60
HEADER = 4096
shm = Path("/dev/shm")
chance = random.Random(1)


def start(*arguments):
    command = [*RUNNER, END, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(*arguments):
    done = start(*arguments)
    out, err = done.communicate(timeout=PATIENCE)
    return done.returncode, out, err


def word(path, at):
    with open(path, "rb") as file:
        file.seek(at)
        return struct.unpack("<q", file.read(8))[0]


def moved(process, path, at):
    """Waits until a word has changed: the end that changes it is at work."""
    before, until = word(path, at), time.monotonic() + PATIENCE
    while word(path, at) == before and process.poll() is None and time.monotonic() < until:
        time.sleep(0.0005)


def kill(process, after):
    time.sleep(after)
    check(process.poll() is None, f"an end ended by itself: {process.poll()} {process.args}")
    process.send_signal(signal.SIGKILL)
    process.communicate()


def stop(process, what):
    """Asks an end to end between two messages; what it printed."""
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE)
    check(process.returncode == 0, f"{what}: {process.args[1]} ended with {process.returncode} {err}")
    return out


def nothing_left(ring, capacity):
    """Whether every message was taken. A producer may have ended after the padding before its next one, or a consumer
    before it looked beyond the last one: then padding to the end of the ring is left."""
    tail, head = word(ring, 128), word(ring, 256)
    length = struct.unpack("<i", ring.read_bytes()[HEADER + head % capacity :][:4])[0]
    return head == tail or (length < 0 and head - length == tail and tail % capacity == 0)


def killed_again_and_again(folder, side, most, capacity, consume):
    """One end is killed at random moments and starts again, the other lives; then all messages must have come.
    `consume`: how, or with `sleep`, a consumer that nothing but a producer wakes."""
    ring, journal = Path(folder, "killed.ring"), Path(folder, "journal")
    ring.unlink(missing_ok=True)
    journal.write_bytes(bytes(8))
    what = f"killed {side} ({consume}) of messages up to {most} bytes in {capacity}"
    check(run("create", ring, capacity)[0] == 0, f"{what}: no ring")
    ends = {
        "producer": ("produce", ring, SEED, most, ENDLESS),
        "consumer": (consume, ring, SEED, most, ENDLESS, journal),
    }
    other = "consumer" if side == "producer" else "producer"
    living = start(*ends[other])
    for _ in range(KILLS):
        victim = start(*ends[side])
        # What it alone changes: the tail; what it has used.
        moved(victim, *((ring, 128) if side == "producer" else (journal, 0)))
        kill(victim, chance.uniform(0, 0.002))
    # Who is left: the producer says how many it has sent, and a consumer takes all of them. It is not killed, for that
    # may leave the last message used and not released.
    if side == "consumer":
        sent = int(stop(living, what))
        status, _, err = run("consume", ring, SEED, most, sent, journal)
        check(status == 0, f"{what}: {err}")
    else:
        status, out, err = run("produce", ring, SEED, most, 0)
        check(status == 0, f"{what}: {err}")
        sent, until = int(out), time.monotonic() + PATIENCE
        while word(journal, 0) < sent and living.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        stop(living, what)
    check(word(journal, 0) == sent > KILLS, f"{what}: {word(journal, 0)} of {sent} messages were used")
    check(nothing_left(ring, capacity), f"{what}: tail {word(ring, 128)}, head {word(ring, 256)}")


with tempfile.TemporaryDirectory(dir=shm if shm.is_dir() else None) as folder:
    for side in "consumer", "producer":
        killed_again_and_again(folder, side, 504, 4096, "consume")
        killed_again_and_again(folder, side, 60, 1 << 16, "consume")
        killed_again_and_again(folder, side, 60, 1 << 16, "sleep")
    # A million messages of all sizes through a small ring, one process at each end.
    ring, journal = Path(folder, "whole.ring"), Path(folder, "journal")
    for most, capacity, how in (
        (504, 4096, "consume"),
        (7, 4096, "sleep"),
        (61, 8192, "consume"),
        (1020, 1 << 14, "sleep"),
    ):
        ring.unlink(missing_ok=True)
        journal.write_bytes(bytes(8))
        run("create", ring, capacity)
        producer = start("produce", ring, SEED, most, 100000)
        consumer = start(how, ring, SEED, most, 100000, journal)
        said = [process.communicate(timeout=PATIENCE) for process in (producer, consumer)]
        check(
            (producer.returncode, consumer.returncode) == (0, 0), f"messages up to {most} bytes in {capacity}: {said}"
        )

    # The harness refuses what is no ring in one line, and leaves the file as it was.
    def refused(cause, path=ring):
        before = path.read_bytes() if path.is_file() else None
        for lab in plain, sanitized:
            lab.run(
                2,
                "ipc",
                "--variant",
                "ring_solo",
                "--pattern",
                "stream",
                "--warmup",
                0,
                "--iterations",
                1,
                "--ring",
                path,
                cause=f"lab-harness: --ring {path}: {cause}",
            )
        check(before is None or path.read_bytes() == before, f"a file was changed: {cause}")

    def altered(at, value, form="<Q"):
        ring.unlink(missing_ok=True)
        run("create", ring, 1 << 20)
        with open(ring, "r+b") as file:
            file.seek(at)
            file.write(struct.pack(form, value))

    for at, value, form, cause in (
        (0, 0x312345, "<Q", "not a ring of this format (magic 0x0000000000312345)"),
        (8, 7, "<I", "version 7, this program knows 1"),
        (12, 64, "<I", "a header of 64 bytes, version 1 has 4096"),
        (16, 1000, "<Q", "capacity 1000 is not a power of two"),
        (16, 1 << 40, "<Q", "capacity 1099511627776 is not from 4096 to 1073741824"),
        (256, 128, "<Q", "head 128 is beyond tail 0"),
        (128, 1 << 30, "<Q", "tail 1073741824 is further from head 0 than its capacity"),
        (128, 64, "<Q", "64 bytes of messages wait in it: give an empty ring"),
    ):
        altered(at, value, form)
        refused(cause)
    altered(0, int.from_bytes(b"LABMEET1", "little"))
    refused("not a ring of this format (magic 0x315445454d42414c)")
    altered(24, 0)
    refused("capacity 1048576 and a length of 0: they do not agree")
    for length, cause in (
        (4096, "4,096 bytes long, its header says 1,052,672: truncated"),
        (1052671, "1,052,671 bytes long, its header says 1,052,672: truncated"),
        (1052673, "1,052,673 bytes long, its header says 1,052,672: grown"),
        (4095, "not a ring of this format: 4,095 bytes long, its header alone has 4,096"),
        (0, "not a ring of this format: 0 bytes long, its header alone has 4,096"),
    ):
        altered(0, int.from_bytes(b"LABRING1", "little"))
        os.truncate(ring, length)
        refused(cause)
    refused("cannot be opened: Is a directory", Path(folder))
    refused("cannot be opened: No such file or directory", Path(folder, "nowhere"))
    os.mkfifo(Path(folder, "fifo"))
    refused("not a file", Path(folder, "fifo"))
    if os.geteuid() != 0:
        altered(0, int.from_bytes(b"LABRING1", "little"))
        ring.chmod(0o000)
        refused("cannot be opened: Permission denied")

    # One that is as it should be is used, and is whole and empty afterwards.
    ring.unlink()
    run("create", ring, 1 << 16)
    solo = ["ipc", "--variant", "ring_solo", "--pattern", "stream", "--warmup", 1, "--iterations", 2]
    for _ in range(2):
        plain.run(0, *solo, "--iteration-ms", 1, "--ring", ring)
    check(word(ring, 128) == word(ring, 256) > 0, "the ring that was used is not empty")

end()
