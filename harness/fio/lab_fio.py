#!/usr/bin/env python3
"""fio behind the harness contract: the referee of our IO is a variant like any other, interleaved and archived.

One fio process per trial, with a job (and a row) for writing and one for reading in the first pass, and the same for
all passes after it, which the row `pass2` holds together. fio keeps no histogram that could be compared with ours
bucket by bucket, so the log has an empty one per row. Only the standard library is used: a trial must start fast.

What was made alike with our own variants (`fill once`, `preparation reuse`): the file is written before, in pieces of
4 KiB (what fio lays out itself it drops from the page cache, and read ahead it comes back in larger pieces with fewer
page faults); blocks go to and from one buffer whose bytes stay as they are; nothing is flushed; the clock is read once
per IO. The `null` variant does all that fio does per IO except the IO.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ENGINES = {"psync": "psync", "mmap": "mmap", "null": "null"}
DIRECTIONS = ("write", "read")
INTEGERS = {  # name: (default, least, greatest)
    "threads": (1, 1, 1),
    "warmup": (0, 0, 0),
    "iterations": (1, 1, 100_000),
    "iteration-ms": (5, 1, 60_000),
    "file-size": (67_108_864, 4096, 1 << 50),
    "block-size": (4096, 512, 1_048_576),
    "passes": (5, 1, 100),
}
CHOICES = {"preparation": ["reuse"], "fill": ["once"]}
# The V2 encoding of an empty histogram (1 to 3,600,000,000,000, 3 digits), as the Java library writes it.
EMPTY = "HISTFAAAACF42pNpmSzMwMDAyAABzFAayGd2M9ixgMH+A1QEAFKmBEw="
BAD_ARGUMENT, UNSUPPORTED, CHECK_FAILED, NO_RESOURCE = 2, 3, 4, 5


def stop(status: int, message: str) -> None:
    print(f"lab-fio: {message}", file=sys.stderr)
    sys.exit(status)


def why_not() -> str:
    return "" if shutil.which("fio") else "fio is not installed (Debian: apt-get install fio)"


def listing() -> str:
    reason = why_not()
    parameters = [{"name": "dir", "type": "string", "default": ""}]
    for name, words in CHOICES.items():
        parameters.append({"name": name, "type": "choice", "choices": words, "default": words[0]})
    for name in ("file-size", "block-size", "passes"):
        default, least, greatest = INTEGERS[name]
        parameters.append({"name": name, "type": "int", "min": least, "max": greatest, "default": default})
    variants = [{"name": name, "supported": not reason, "reason": reason} for name in ENGINES]
    experiment = {"name": "sequential_io", "variants": variants, "parameters": parameters}
    return json.dumps({"harness": "fio", "experiments": [experiment]})


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        stop(BAD_ARGUMENT, message)


def integer(name: str):
    _, least, greatest = INTEGERS[name]

    def parse(text: str) -> int:
        if not re.fullmatch(r"\d+", text) or not least <= int(text) <= greatest:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {greatest}")
        return int(text)

    return parse


def arguments() -> argparse.Namespace:
    parser = Parser(prog="lab-fio", allow_abbrev=False)
    parser.add_argument("experiment", choices=["sequential_io"])
    parser.add_argument("--variant", required=True, choices=list(ENGINES))
    parser.add_argument("--cpus", default="")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--dir", required=True, type=Path)
    for name, (default, _, _) in INTEGERS.items():
        parser.add_argument(f"--{name}", type=integer(name), default=default)
    for name, words in CHOICES.items():
        parser.add_argument(f"--{name}", choices=words, default=words[0])
    given = parser.parse_args()
    if given.file_size % given.block_size:
        stop(BAD_ARGUMENT, f"--file-size {given.file_size} is not a multiple of --block-size {given.block_size}")
    cpus = [part for part in given.cpus.split(",") if part]
    if any(not part.isdigit() or int(part) not in os.sched_getaffinity(0) for part in cpus):
        stop(BAD_ARGUMENT, f"--cpus {given.cpus}: use CPUs of {sorted(os.sched_getaffinity(0))}")
    given.cpu = int(cpus[0]) if cpus else None
    return given


def prepare(file: Path, size: int) -> None:
    """Write `size` bytes through the page cache, 4 KiB at a time, as our variants prepare their own file."""
    space = os.statvfs(file.parent)
    if space.f_bavail * space.f_frsize < 1.05 * size:
        stop(NO_RESOURCE, f"--dir {file.parent}: {size} bytes needed, {space.f_bavail * space.f_frsize} free")
    piece = bytes(range(256)) * 16
    with file.open("wb", buffering=0) as out:
        for _ in range(size // len(piece)):
            out.write(piece)


def command(given: argparse.Namespace, file: Path) -> list[str]:
    directory = str(file.parent.resolve()).replace(":", r"\:")
    # Starting a job takes fio a quarter of a second: the passes after the first are one job per direction.
    phases = [("pass1", 1), ("pass2", given.passes - 1)][: given.passes]
    jobs = [(f"{phase}-{direction}", direction, loops) for phase, loops in phases for direction in DIRECTIONS]
    return [
        "fio",
        "--output-format=json",
        "--thread=1",
        f"--ioengine={ENGINES[given.variant]}",
        *([f"--cpus_allowed={given.cpu}"] if given.cpu is not None else []),
        f"--directory={directory}",
        f"--filename={file.name}",
        f"--size={given.file_size}",
        f"--bs={given.block_size}",
        # In place, from the cache, bytes as they are, no advice to the kernel, nothing flushed, one clock read per IO.
        "--overwrite=1",
        "--fallocate=none",
        "--invalidate=0",
        "--fadvise_hint=0",
        "--scramble_buffers=0",
        "--refill_buffers=0",
        "--end_fsync=0",
        "--gtod_reduce=1",
        *(word for name, rw, n in jobs for word in (f"--name={name}", "--stonewall", f"--rw={rw}", f"--loops={n}")),
    ]


def run(given: argparse.Namespace, file: Path) -> list[dict]:
    try:
        prepare(file, given.file_size)
        ran = subprocess.run(command(given, file), capture_output=True, text=True)
    except OSError as error:
        stop(NO_RESOURCE, f"--dir {file.parent}: {error.strerror}")
    finally:
        file.unlink(missing_ok=True)
    try:
        # fio prints its warnings on standard output too, above the object.
        return json.loads(ran.stdout[ran.stdout.index("{") :])["jobs"]
    except (ValueError, KeyError):
        complaint = (ran.stderr.strip() or "no result").splitlines()[-1]
        stop(NO_RESOURCE, f"fio ended with status {ran.returncode}: {complaint}")


def rows(jobs: list[dict], start_ns: int) -> dict[str, list]:
    """One row per job, one after the other: fio tells how long a job ran, in whole milliseconds, not when it began."""
    table = {name: [] for name in ("iteration", "phase", "series", "start_ns", "elapsed_ns", "operations")}
    for number, job in enumerate(jobs):
        phase, direction = job["jobname"].split("-")
        told = job[direction]
        elapsed = max(int(told["runtime"]), 1) * 1_000_000
        values = (number, phase, f"{direction}.t0", start_ns, elapsed, int(told["total_ios"]))
        for name, value in zip(table, values):
            table[name].append(value)
        start_ns += elapsed
    return table


def write_log(out: Path, table: dict[str, list], epoch_ms: int, start_ns: int) -> None:
    lines = [
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {epoch_ms / 1000:.3f} (seconds since epoch), fio]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    for series, start, elapsed in zip(table["series"], table["start_ns"], table["elapsed_ns"]):
        at = epoch_ms / 1000 + (start - start_ns) / 1e9
        lines.append(f"Tag={series},{at:.3f},{elapsed / 1e9:.3f},0.000,{EMPTY}")
    part = out.with_name(out.name + ".part")
    with part.open("w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        os.fsync(file.fileno())
    part.rename(out)


def main() -> None:
    if sys.argv[1:] == ["--list"]:
        print(listing())
        return
    given = arguments()
    if reason := why_not():
        stop(UNSUPPORTED, reason)
    if not given.dir.is_dir() or not given.out.parent.is_dir():
        stop(NO_RESOURCE, f"--dir {given.dir} or the folder of --out {given.out} does not exist; create it")
    if given.out.exists() and not given.out.is_file():
        stop(BAD_ARGUMENT, f"--out {given.out} is not a file; give a file name")
    version = subprocess.run(["fio", "--version"], capture_output=True, text=True).stdout.strip()
    epoch_ms, start_ns = time.time_ns() // 1_000_000, time.monotonic_ns()
    jobs = run(given, given.dir / f"lab-fio-{os.getpid()}")
    table = rows(jobs, start_ns)
    blocks = 2 * given.passes * (given.file_size // given.block_size)
    failed = sum(job["error"] for job in jobs)
    checks = [
        {
            "name": "fio moved every block",
            "expected": str(blocks),
            "actual": str(sum(table["operations"])),
            "passed": sum(table["operations"]) == blocks and not failed,
        }
    ]
    parameters = {name: getattr(given, name.replace("-", "_")) for name in (*INTEGERS, *CHOICES)}
    write_log(given.out, table, epoch_ms, start_ns)
    print(
        json.dumps(
            {
                "experiment": given.experiment,
                "variant": given.variant,
                "harness": "fio",
                "parameters": parameters | {"cpus": [given.cpu] if given.cpu is not None else []},
                "runtime": {"name": "fio", "version": version, "vendor": "fio", "flags": [], "options": {}},
                "clock": {"monotonic_ns": start_ns, "epoch_ms": epoch_ms},
                "pinning": [
                    {"thread": 0, "requested": given.cpu, "observed": [given.cpu] if given.cpu is not None else []}
                ],
                "run_delay": None,
                "readings": None,
                "iterations": table,
                "measures": {"iteration": [], "series": [], "name": [], "value": []},
                "checks": checks,
            }
        )
    )
    if not checks[0]["passed"]:
        stop(CHECK_FAILED, f"fio moved {checks[0]['actual']} of {blocks} blocks")


if __name__ == "__main__":
    main()
