"""sequential_io from outside: `sequential_io_test.py BUILD_FOLDER`."""

import contextlib
import os
import resource
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from harness import broken, build, check, end, plain, sanitized

work = tempfile.TemporaryDirectory(dir=build)  # not /tmp: that may be memory, without direct IO
folder = Path(work.name)
common = ["sequential_io", "--dir", folder, "--warmup", 0]
small = [*common, "--iterations", 3, "--file-size", 300000, "--passes", 2]
blocks = 300000 // 4096
files = ["write_read", "mapped", "direct", "io_uring"]


def no_file_left(what):
    check(not list(folder.iterdir()), f"files left after {what}: {list(folder.iterdir())}")


def expected_rows(passes, slices, streams, sync, reads):
    """Phase and series of every row, in order."""
    for p in range(1, passes + 1):
        for step, count in ("write", slices), *([("sync", 1)] if sync else []), *([("read", slices)] if reads else []):
            for _ in range(count):
                for t in range(streams):
                    yield f"pass{p}", f"{step}.t{t}"


def check_shape(trial, what, passes=2, slices=3, streams=1, sync=False, reads=True, blocks=blocks):
    rows = trial["iterations"]
    check(
        list(zip(rows["phase"], rows["series"], strict=True))
        == list(expected_rows(passes, slices, streams, sync, reads)),
        f"rows: {what}",
    )
    check(rows["iteration"] == [k // streams for k in range(len(rows["series"]))], f"iterations: {what}")
    check(rows["operations"] == trial["counts"], f"a value is not a block: {what}")
    check(all(e > 0 for e in rows["elapsed_ns"]), f"elapsed: {what}")
    for p in range(1, passes + 1):
        for series in {s for s in rows["series"] if not s.startswith("sync")}:
            moved = [
                o
                for o, f, s in zip(rows["operations"], rows["phase"], rows["series"], strict=True)
                if (f, s) == (f"pass{p}", series)
            ]
            check(sum(moved) == blocks and max(moved) - min(moved) <= 1, f"slices {moved} of {series}: {what}")
    for series in set(rows["series"]):
        spans = [
            (b, b + e)
            for b, e, s in zip(rows["start_ns"], rows["elapsed_ns"], rows["series"], strict=True)
            if s == series
        ]
        check(
            all(end <= start for (_, end), (start, _) in zip(spans, spans[1:], strict=False)),
            f"{series} overlaps itself: {what}",
        )
    check(len({c["name"] for c in trial["checks"]}) == len(trial["checks"]), f"check names repeat: {what}")


def check_fetched(trial, what):
    """Of what each pass read it says how much came from the device (but io_uring, whose requests others carry out)."""
    told = trial["measures"]
    of = {
        name: [v for n, v in zip(told["name"], told["value"], strict=True) if n == name] for name in set(told["name"])
    }
    if "io_uring" in what:
        check("read_bytes" not in of, f"measures: {what}")
        return
    check(of["read_bytes"] == [blocks * 4096] * 2, f"read_bytes {of['read_bytes']}: {what}")
    direct = blocks * 4096
    if "direct" in what:
        check(of["device_read_bytes"] == [direct] * 2, f"direct IO fetched {of['device_read_bytes']}: {what}")
    elif "write_read" in what:
        # Nearly nothing: a kernel may drop pages of its cache, or of this program, whenever it likes.
        check(max(of["device_read_bytes"]) <= direct / 10, f"the cache, but fetched {of['device_read_bytes']}: {what}")


listed = plain.listed("sequential_io")
supported = {v["name"]: v["supported"] for v in listed["variants"]}
check(list(supported) == [*files, "cpu_loop"], f"variants are {list(supported)}")
check(all(v["supported"] != bool(v["reason"]) for v in listed["variants"]), "unsupported without a reason")
table = {
    p["name"]: (p["type"], p["default"], p.get("min"), p.get("max"), p.get("choices")) for p in listed["parameters"]
}
check(
    table
    == {
        "dir": ("string", None, None, None, None),
        "file-size": ("int", 67108864, 512, 2**43, None),
        "block-size": ("int", 4096, 512, 2**20, None),
        "passes": ("int", 5, 1, 100, None),
        "preparation": ("choice", "zeros", None, None, ["zeros", "fallocate", "extend", "reuse"]),
        "sync": ("choice", "none", None, None, ["none", "fdatasync"]),
        "fill": ("choice", "bytes", None, None, ["bytes", "once"]),
        "directions": ("choice", "both", None, None, ["both", "write"]),
    },
    f"parameters are {table}",
)
for name in (v for v in supported if not supported[v]):
    plain.run(3, *small, "--variant", name, cause="not supported")


def refused_here(variant):
    """Whether this host cannot do it although the program can (direct IO in memory, io_uring in a container)."""
    command = [*plain.command, *map(str, small), "--variant", variant, "--out", str(folder / "a.hlog")]
    done = subprocess.run(command, capture_output=True, text=True)
    (folder / "a.hlog").unlink(missing_ok=True)
    if done.returncode == 3:
        print(f"sequential_io_test.py: {variant} skipped: {done.stderr.strip()}")
    return done.returncode == 3


for variant in (v for v in supported if supported[v] and not refused_here(v)):
    check_shape(plain.run(0, *small, "--variant", variant, "--threads", 3), f"{variant}, 3 streams", streams=3)
    one_block = [*common, "--variant", variant, "--iterations", 1, "--passes", 1, "--file-size", 5000]
    check_shape(sanitized.run(0, *one_block), f"{variant}, one block", passes=1, slices=1, blocks=1)
    if variant == "cpu_loop":
        check_shape(sanitized.run(0, *small, "--variant", variant), variant)
        plain.run(2, *small, "--variant", variant, "--sync", "fdatasync", cause="--sync")
        plain.run(2, *small, "--variant", variant, "--fill", "once", cause="--fill")
        plain.run(2, *small, "--variant", variant, "--directions", "write", cause="--directions")
        broken.run(4, *small, "--variant", variant, cause="sum of bytes read, pass1, stream 0")
        continue
    for preparation in ("zeros", "fallocate", "extend", "reuse"):
        for fill in ("bytes", "once"):
            what = [*small, "--variant", variant, "--preparation", preparation, "--fill", fill]
            trial = sanitized.run(0, *what, "--sync", "fdatasync")
            check_shape(trial, " ".join(map(str, what)), sync=True)
            wanted = ["file size", *(["sum of bytes produced"] if fill == "bytes" else []), "sum of bytes read"] * 2
            found = [made["name"].split(",")[0] for made in trial["checks"]]
            check(found == wanted, f"checks: {trial['checks']}")
            check_fetched(trial, what)
            whole = str(blocks * 4096 // 256 * sum(range(256)))
            for made in trial["checks"]:
                wanted = str(blocks * 4096) if made["name"].startswith("file size") else whole
                check(made["passed"] and made["actual"] == wanted, f"{what}: {made}")
            # One byte of stream 0 changes between writing and reading: its check fails, and no other.
            trial = broken.run(4, *what, "--threads", 2, cause="sum of bytes read, pass1, stream 0")
            failed = [c["name"] for c in trial["checks"] if not c["passed"]]
            check(failed == [f"sum of bytes read, pass{p}, stream 0" for p in (1, 2)], f"{what}: failed {failed}")
    for fill in ("bytes", "once"):
        what = [*small, "--variant", variant, "--fill", fill, "--directions", "write"]
        for sync in (False, True):
            trial = sanitized.run(0, *what, "--sync", "fdatasync" if sync else "none")
            check_shape(trial, f"{what}", sync=sync, reads=False)
            summed = [made for made in trial["checks"] if made["name"].startswith("sum of bytes read")]
            check(len(summed) == 2 and all(made["actual"] == whole for made in summed), f"{what}: {trial['checks']}")
        broken.run(4, *what, cause="sum of bytes read, pass1, stream 0")
    for size in (65536, 1048576):
        what = [*common, "--variant", variant, "--iterations", 2, "--passes", 1, "--file-size", 5 * 1048576 + 1]
        trial = sanitized.run(0, *what, "--block-size", size)
        check_shape(trial, f"{variant}, blocks of {size}", passes=1, slices=2, blocks=5 * 1048576 // size)
    no_file_left(variant)

variant = ["--variant", "write_read"]
plain.run(2, *small[:3], *variant, "--warmup", 1, "--iterations", 1, cause="pass1 is the warm-up")
plain.run(2, *small, *variant, "--block-size", 5000, cause="--block-size")
plain.run(2, *small, *variant, "--block-size", 256, cause="--block-size")
plain.run(2, *small, *variant, "--block-size", 131072, cause="--iterations")
plain.run(2, *common, *variant, "--iterations", 1, "--passes", 101, cause="--passes")
plain.run(2, *small, *variant, "--preparation", "holes", cause="--preparation")
plain.run(2, "sequential_io", "--warmup", 0, "--iterations", 1, *variant, cause="--dir")
plain.run(2, "sequential_io", "--dir", folder / "nowhere", "--warmup", 0, "--iterations", 1, *variant, cause="nowhere")
plain.run(2, "sequential_io", "--dir", __file__, "--warmup", 0, "--iterations", 1, *variant, cause="no folder")
plain.run(5, "sequential_io", "--dir", "/proc", "--warmup", 0, "--iterations", 1, *variant, cause="/proc")
plain.run(5, *common, *variant, "--iterations", 1, "--file-size", 2**43, "--threads", 1024, cause=f"{2**53} are needed")


def no_large_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))


# The system refuses in the middle: while preparing, and while a worker is timing.
for name, preparation in (
    ("write_read", "zeros"),
    ("write_read", "extend"),
    ("mapped", "extend"),
    ("mapped", "fallocate"),
):
    full = [*small, "--variant", name, "--preparation", preparation, "--threads", 2]
    process = {"preexec_fn": no_large_files, "restore_signals": False}  # SIGXFSZ stays ignored
    sanitized.run(5, *full, cause="File too large", **process)
if os.getuid() != 0:
    folder.chmod(0o500)
    plain.run(5, *small, *variant, cause="Permission denied")
    folder.chmod(0o700)


def has_data_file(pid):
    """Whether the process holds a data file open, as the name it once had says."""
    links = []
    for descriptor in Path(f"/proc/{pid}/fd").glob("*"):
        with contextlib.suppress(OSError):  # closed meanwhile
            links.append(os.readlink(descriptor))
    return any("lab-sequential-io" in link for link in links)


# Ended from outside: the file has no name to leave behind, and its blocks are free again. A shell starts its background
# jobs with SIGINT ignored, and their children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
    log = folder / "a.hlog"
    command = [*map(str, common), *variant, "--iterations", "1", "--passes", "100", "--out", str(log)]
    running = subprocess.Popen([*plain.command, *command], stdout=subprocess.DEVNULL)
    until = time.monotonic() + 20
    while running.poll() is None and time.monotonic() < until and not has_data_file(running.pid):
        time.sleep(0.01)
    check(has_data_file(running.pid), "the data file is not open")
    running.send_signal(number)
    check(running.wait() == -number, f"ended by {-running.returncode}, not by {number}")
    if number == signal.SIGKILL:
        (folder / "a.hlog.part").unlink()  # no program can remove this one
    no_file_left(number)
work.cleanup()
end()
