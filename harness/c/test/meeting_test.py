"""Parts of a trial, each a process of the harness: `meeting_test.py BUILD_FOLDER`."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import PATIENCE, check, end, sanitized

LAB = sanitized.command
LOCKS = "lock_scaling --variant atomic --warmup 0 --iteration-ms 1".split()


def start(folder, part, *arguments, out=None):
    out = out or Path(folder, f"{part}.hlog")
    words = [*LAB, *arguments, "--meet", Path(folder, "page"), "--part", f"{part}/2", "--out", out]
    return subprocess.Popen([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(*parts):
    """Statuses, causes and JSON objects of parts."""
    told = [part.communicate(timeout=PATIENCE) for part in parts]
    trials = [json.loads(out.splitlines()[-1]) if out else None for out, _ in told]
    return [part.returncode for part in parts], [err for _, err in told], trials


def new_page(folder, content=b"\0" * 4096):
    Path(folder, "page").write_bytes(content)


def stretches(trial):
    """Per iteration: the earliest start and the latest end of all its rows."""
    columns = (trial["iterations"][name] for name in ("iteration", "start_ns", "elapsed_ns"))
    found = {}
    for iteration, start_ns, elapsed in zip(*columns, strict=True):
        first, last = found.get(iteration, (start_ns, 0))
        found[iteration] = min(first, start_ns), max(last, start_ns + elapsed)
    return [found[iteration] for iteration in sorted(found)]


def aligned(trials, what):
    """No part begins an iteration before every other has ended the one before: one clock for all processes."""
    of_parts = [stretches(trial) for trial in trials]
    check(len({len(each) for each in of_parts}) == 1, f"{what}: parts differ in their iterations")
    for ends, begins in zip(zip(*of_parts, strict=True), list(zip(*of_parts, strict=True))[1:], strict=False):
        if max(last for _, last in ends) > min(first for first, _ in begins):
            check(False, f"{what}: an iteration begins before the one before has ended")
            return
    check(True, what)


with tempfile.TemporaryDirectory() as folder:
    # Two parts of one thread; a part of several; the load generator, with phases of its own.
    load = "queues --variant spsc --warmup 4 --iterations 3 --iteration-ms 5 --load 20".split()
    for what, first, second in (
        ("one thread each", [*LOCKS, "--iterations", "1000"], [*LOCKS, "--iterations", "1000"]),
        ("three threads and one", [*LOCKS, "--iterations", "50", "--threads", "3"], [*LOCKS, "--iterations", "50"]),
        ("under load", load, load),
    ):
        new_page(folder)
        statuses, causes, trials = ended(start(folder, 0, *first), start(folder, 1, *second))
        check(statuses == [0, 0] and causes == ["", ""], f"{what}: {statuses} {causes}")
        if statuses == [0, 0]:
            aligned(trials, what)
            check([t["parameters"]["part"] for t in trials] == ["0/2", "1/2"], f"{what}: the parts are not told")
        check(Path(folder, "page").read_bytes()[:8] == b"LABMEET1", f"{what}: the page has no magic")

    # A part that is killed in the middle, and one that fails: the other ends, and leaves nothing.
    for fault in ("killed", "terminated", "refused", "unwritable"):
        new_page(folder)
        for old in Path(folder).glob("*.hlog*"):
            old.unlink()
        other = start(folder, 0, *LOCKS, "--iterations", "100000")
        if fault == "refused":
            part = start(folder, 1, *LOCKS, "--iterations", "0")
        elif fault == "unwritable":
            part = start(folder, 1, *LOCKS, "--iterations", "9", out="/nowhere/x.hlog")
        else:
            part = start(folder, 1, *LOCKS, "--iterations", "100000")
            while int.from_bytes(Path(folder, "page").read_bytes()[128:136], sys.byteorder) < 16:
                time.sleep(0.01)
            part.send_signal(signal.SIGKILL if fault == "killed" else signal.SIGTERM)
        statuses, causes, _ = ended(other, part)
        check(statuses[0] == 4, f"{fault}: the other ends with status {statuses[0]}")
        check(causes[0] == "lab-harness: another part failed\n", f"{fault}: the other says {causes[0]!r}")
        check(
            not Path(folder, "0.hlog").exists() and not Path(folder, "0.hlog.part").exists(), f"{fault}: a log is left"
        )

    # Bad arguments, one line each.
    def refused(cause, *arguments):
        done = subprocess.run(
            [*LAB, *LOCKS, "--iterations", "1", *map(str, arguments), "--out", str(Path(folder, "x.hlog"))],
            capture_output=True,
            text=True,
        )
        check(done.returncode == 2 and cause in done.stderr, f"not '{cause}': {done.returncode} {done.stderr}")
        check(len(done.stderr.splitlines()) == 1, f"not one line: {done.stderr}")

    page = Path(folder, "page")
    new_page(folder)
    refused(f"--meet {page}: give --part I/N with it", "--meet", page)
    refused("--part 0/2: give --meet FILE with it", "--part", "0/2")
    for part in ("2/2", "0/1", "1", "x/2"):
        refused(f"--part {part}: give I/N, part I of N", "--meet", page, "--part", part)
    refused("--part is given twice", "--meet", page, "--part", "0/2", "--part", "1/2")
    refused("nowhere: there is no such file", "--meet", Path(folder, "nowhere"), "--part", "0/2")
    new_page(folder, b"\0" * 100)
    refused("not a meeting page: it must be a file of 4096 bytes", "--meet", page, "--part", "0/2")
    new_page(folder, b"LABRING1" * 512)
    refused("not a meeting page: it begins with 0x", "--meet", page, "--part", "0/2")

end()
