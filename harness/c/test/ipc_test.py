"""ipc from outside, two processes on a meeting page: `ipc_test.py BUILD_FOLDER`."""

import json
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from check_trial import counts

from harness import PATIENCE, RUNNER, build, check, cpus, end, plain

shm = Path("/dev/shm")
COMMON = ["ipc", "--warmup", "2", "--iterations", "3", "--iteration-ms", "2"]
LONG = ["ipc", "--warmup", "2", "--iterations", "5000", "--iteration-ms", "2"]
# Of COMMON; the Java harness has the same.
FLOORS = ["wake", "floor"]
PHASES = ["warmup"] * 2 + ["floor_warmup"] * 2 + ["wake_warmup"]
PHASES += [*FLOORS, *FLOORS, "measured"] * 2 + [*FLOORS, "measured"]
RINGS = ["ring", "ring_flushed", "ring_futex"]
BLOCKING = ["pipe", "unix", "tcp"]
STREAMS = [*BLOCKING, "pipe_spin", "unix_spin", "tcp_spin"]
SLEEPERS = ["ring_futex", *BLOCKING]


def start(folder, program, part, role, arguments, where=None, common=COMMON):
    out = Path(folder, f"{part}.hlog")
    words = [*RUNNER, build / program, *common, *arguments, "--role", role, "--out", out]
    words += ["--meet", Path(folder, "page"), "--part", f"{part}/2"] + (["--cpus", where] if where is not None else [])
    return subprocess.Popen([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def both(folder, arguments, roles=("ping", "pong"), places=(None, None), program="lab-harness", common=COMMON):
    """Starts both parts on a fresh page."""
    Path(folder, "page").write_bytes(bytes(4096))
    return [start(folder, program, part, roles[part], arguments, places[part], common) for part in (0, 1)]


def ended(parts):
    told = [part.communicate(timeout=120) for part in parts]
    trials = [json.loads(out.splitlines()[-1]) if out else None for out, _ in told]
    return [part.returncode for part in parts], [err for _, err in told], trials


def rows(trial, phase="measured"):
    """Operations and elapsed times of the series of a phase."""
    found = {}
    columns = (trial["iterations"][name] for name in ("phase", "series", "operations"))
    for p, series, operations in zip(*columns, strict=True):
        if p == phase:
            found.setdefault(series, []).append(operations)
    return found


def phases(trial):
    """Of the iterations, in order."""
    return list(dict(zip(trial["iterations"]["iteration"], trial["iterations"]["phase"], strict=True)).values())


def values(trial, name):
    return [v for n, v in zip(trial["measures"]["name"], trial["measures"]["value"], strict=True) if n == name]


def samples(folder, part, trial, series):
    """Samples of the measured iterations of a series."""
    lines = Path(folder, f"{part}.hlog").read_text().splitlines()[3:]
    columns = zip(trial["iterations"]["phase"], trial["iterations"]["series"], lines, strict=True)
    return [sum(counts(line.split(",")[4])) for p, s, line in columns if (p, s) == ("measured", series)]


def measured(folder, what, arguments, pattern, **how):
    """Runs a trial that has to be measured; checks what is the same for all. JSON of ping and pong."""
    before = sorted(shm.glob("lab-ipc-*"))
    statuses, causes, trials = ended(both(folder, [*arguments, "--pattern", pattern], **how))
    check(statuses == [0, 0] and causes == ["", ""], f"{what}: {statuses} {causes}")
    check(sorted(shm.glob("lab-ipc-*")) == before, f"{what}: a file is left in /dev/shm")
    if statuses != [0, 0]:
        return None
    roles = how.get("roles", ("ping", "pong"))
    ping, pong = trials[roles.index("ping")], trials[roles.index("pong")]
    floors = rows(ping, "floor")["floor.ping"], rows(pong, "floor")["floor.pong"]
    check(floors[0] == floors[1] and len(floors[0]) == 5 and all(floors[0]), f"{what}: floors {floors}")
    wakes = rows(ping, "wake")["wake.ping"], rows(pong, "wake")["wake.pong"]
    check(wakes[0] == wakes[1] and len(wakes[0]) == 5 and all(wakes[0]), f"{what}: wakes {wakes}")
    for trial in trials:
        check(phases(trial) == PHASES, f"{what}: phases {phases(trial)}")
        failed = [c for c in trial["checks"] if not c["passed"]]
        receives = trial is pong or pattern == "round_trip"
        least = 5 if receives and "word" not in arguments else 2
        used = [values(trial, name) for name in ("cpu_ns", "slept")]
        check(all(len(each) == 5 * receives for each in used), f"{what}: used {used}")
        check(all(cpu > 0 for cpu in used[0]), f"{what}: CPU times {used[0]}")
        check(not failed and len(trial["checks"]) >= least, f"{what}: checks {trial['checks']}")
    return ping, pong


def round_trip(folder, variant, *more, **how):
    what = f"{variant} round_trip {more} {how}"
    found = measured(folder, what, ["--variant", variant, *more], "round_trip", **how)
    if not found:
        return
    ping, pong = (rows(trial) for trial in found)
    check(list(ping) == ["hop.ping", "rtt"] and list(pong) == ["hop.pong"], f"{what}: {list(ping)} {list(pong)}")
    check(ping["hop.ping"] == pong["hop.pong"] and all(ping["hop.ping"]), f"{what}: {ping} {pong}")
    every = 1 if variant in [*STREAMS, "ring_futex"] else 16
    slept = [sum(values(trial, "slept")) for trial in found]
    if variant in SLEEPERS:
        check(all(slept), f"{what}: slept {slept} times")
    elif "yield" not in more:
        check(sum(slept) * 10 < sum(ping["hop.ping"]), f"{what}: slept {slept} times, and is said to spin")
    trips = [1 + every * n for n in samples(folder, how.get("roles", ("ping",)).index("ping"), found[0], "rtt")]
    check(trips == ping["hop.ping"], f"{what}: {trips} round trips by the samples, not {ping['hop.ping']}")
    if variant in RINGS:
        page_faults = [values(trial, "minor_faults") for trial in found]
        check(all(len(each) == 5 for each in page_faults), f"{what}: page faults {page_faults}")


def one_way(folder, variant, pattern, *more, **how):
    what = f"{variant} {pattern} {more} {how}"
    found = measured(folder, what, ["--variant", variant, *more], pattern, **how)
    if not found:
        return
    ping, pong = (rows(trial) for trial in found)
    sent = ["stream.out"] + ["sent_late"] * (pattern == "paced")
    check(list(ping) == sent and list(pong) == ["stream.in", "transit"], f"{what}: {list(ping)} {list(pong)}")
    check(ping["stream.out"] == pong["stream.in"] and all(pong["stream.in"]), f"{what}: {ping} {pong}")
    transits = samples(folder, 1, found[1], "transit")
    if pattern == "paced":
        check(transits == [n - 1 for n in pong["stream.in"]], f"{what}: {transits} of {pong}")
        check(transits == samples(folder, 0, found[0], "sent_late"), f"{what}: {transits} were sent late or not")
        # From 50 us after the opening to 2 ms after it, one every 10 us: fewer where the sender came late.
        check(all(n <= 196 for n in transits), f"{what}: {transits} messages at 100,000 a second")
    elif "16" in more:
        check(not any(transits), f"{what}: {transits} of messages without a time")
    else:
        check([1 + 64 * n for n in transits] == pong["stream.in"], f"{what}: {transits} of {pong}")
    check(len(values(found[0], "full")) == len(values(found[1], "empty")) == 5, f"{what}: full and empty")
    sending = values(found[0], "sending_ns")
    check(len(sending) == 5 * (pattern == "paced") and all(sending), f"{what}: sending {sending}")
    in_ring = values(found[1], "in_ring_ns")
    several = sum(n > 0 for n in transits) if variant in RINGS else 0  # of the measured iterations, without the warm-up
    check(several <= len(in_ring) <= 5 and all(in_ring), f"{what}: in_ring {in_ring} of {transits}")
    check(several > 0 or not in_ring, f"{what}: in_ring {in_ring} of {transits}")
    check(len(in_ring) == len(values(found[1], "in_ring_sum")), f"{what}: sums and times in the ring")


with tempfile.TemporaryDirectory() as folder:
    check([v["name"] for v in plain.listed("ipc")["variants"]] == ["word", *RINGS, "ring_solo", *STREAMS], "variants")
    for variant in ["word", *RINGS, *STREAMS]:
        for hint in ["pause", "none", "yield"]:
            round_trip(
                folder, variant, "--hint", hint, program="lab-harness-sanitized" if hint == "pause" else "lab-harness"
            )
        round_trip(folder, variant, places=(cpus[0], cpus[0]))
        round_trip(folder, variant, places=(cpus[0], cpus[-1]), roles=("pong", "ping"))
        for pattern in ["stream", "paced"] if variant != "word" else []:
            one_way(folder, variant, pattern, program="lab-harness-sanitized")
            one_way(folder, variant, pattern, places=(cpus[0], cpus[-1]))
            one_way(folder, variant, pattern, places=(cpus[0], cpus[0]))
    for variant in "ring", "tcp":
        for size in 16, 68, 252, 1020, 4092:
            round_trip(folder, variant, "--size", str(size), program="lab-harness-sanitized")
            one_way(folder, variant, "stream", "--size", str(size), "--capacity", "65536")
    for variant in STREAMS:
        one_way(folder, variant, "stream", "--writes-of", "64", program="lab-harness-sanitized")
    one_way(folder, "ring", "stream", "--capacity", "4096")
    one_way(folder, "ring", "stream", "--capacity", "4096", "--size", "68")  # padding at every lap
    one_way(folder, "ring", "stream", "--dir", folder)

    # One process, no partner: nothing but the ring.
    for size, capacity in (60, 4096), (68, 4096), (4092, 1 << 20):
        solo = plain.run(
            0, *COMMON, "--variant", "ring_solo", "--pattern", "stream", "--size", size, "--capacity", capacity
        )
        check(solo and list(rows(solo)) == ["stream.in"] and not rows(solo, "floor"), f"solo of {size} bytes")
        check(solo and all(rows(solo)["stream.in"]), f"solo of {size} bytes")

    # A ring whose lengths come before their messages: the content tells, if the ends run at the same time, which takes
    # two CPUs, and on busy ones patience.
    if len(cpus) > 1:
        broken = ["--variant", "ring", "--pattern", "round_trip", "--capacity", str(1 << 24)]
        statuses, until = [0, 0], time.monotonic() + PATIENCE
        while statuses == [0, 0] and time.monotonic() < until:
            statuses, causes, _ = ended(both(folder, broken, program="lab-harness-broken", places=(cpus[0], cpus[-1])))
        check(4 in statuses and any("is none: kind 0" in c for c in causes), f"a broken ring: {statuses} {causes}")

    # And one whose producer wakes nobody: who sleeps is never woken, and does not wake up by itself. On one CPU nobody
    # looks while the other end writes.
    asleep = both(folder, ["--variant", "ring_futex"], program="lab-harness-broken", places=(cpus[0], cpus[0]))
    statuses, causes, _ = ended(asleep)
    check(4 in statuses and any("nothing came from another part" in c for c in causes), f"{statuses} {causes}")

    # An end that is killed, whatever the link: the other ends soon, says so, and leaves nothing.
    for variant in ["word", *RINGS, *STREAMS]:
        for part in 0, 1:
            for old in Path(folder).glob("*.hlog*"):
                old.unlink()
            parts = both(folder, ["--variant", variant], common=LONG)
            while int.from_bytes(Path(folder, "page").read_bytes()[128:136], "little") < 16:
                time.sleep(0.001)
            parts[part].send_signal(signal.SIGKILL)
            statuses, causes, _ = ended(parts)
            what = f"{variant}: part {part} killed"
            check(statuses[1 - part] == 4, f"{what}: {statuses}")
            check(causes[1 - part] == "lab-harness: another part failed\n", f"{what}: {causes}")
            check(not list(Path(folder).glob(f"{1 - part}.hlog*")), f"{what}: a log is left")

    # What cannot be, in one line.
    def refused(cause, *arguments):
        for name in "lab-harness", "lab-harness-sanitized":
            Path(folder, "page").write_bytes(bytes(4096))
            part = start(folder, name, 0, "ping", list(map(str, arguments)))
            statuses, causes, _ = ended([part])
            check(statuses == [2] and cause in causes[0], f"not '{cause}': {statuses} {causes}")
            check(len(causes[0].splitlines()) == 1, f"not one line: {causes}")

    refused("--pattern paced: a word is not a queue", "--variant", "word", "--pattern", "paced")
    refused("--size 16: no room for the time", "--variant", "ring", "--pattern", "paced", "--size", 16)
    for size in 15, 17, 24, 59, 61, 64, 65540:
        refused("--size: '", "--variant", "ring", "--size", size)
    refused("has at most an eighth less 8, 504", "--variant", "ring", "--size", 508, "--capacity", 4096)
    refused("--capacity: '5000'", "--variant", "ring", "--capacity", 5000)
    refused("--writes-of 2: only a stream", "--variant", "ring", "--pattern", "stream", "--writes-of", 2)
    refused("--writes-of 2: only a stream", "--variant", "tcp", "--writes-of", 2)
    refused("--threads: '2'", "--variant", "ring", "--threads", 2)
    refused("--ring x: only ring_solo", "--variant", "ring", "--ring", "x")
    refused("--dir /nowhere: there is no such folder", "--variant", "ring", "--dir", "/nowhere")
    refused("--part 0/2: --variant ring_solo is one process", "--variant", "ring_solo", "--pattern", "stream")
    refused("too long for the path of a socket", "--variant", "unix", "--dir", folder + "/." * 60)
    plain.run(2, *COMMON, "--variant", "ring", cause="is two parts, --role ping and --role pong")
    plain.run(2, *COMMON, "--variant", "ring_solo", cause="--pattern round_trip: one process has nobody to wait for")

end()
