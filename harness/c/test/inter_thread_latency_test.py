"""inter_thread_latency from outside: `inter_thread_latency_test.py BUILD_FOLDER`."""

import os
import re
import subprocess
import sys
from pathlib import Path

from harness import Lab, check, end

build = Path(sys.argv[1])
plain, sanitized, broken = (
    Lab(build / name) for name in ("lab-harness", "lab-harness-sanitized", "lab-harness-broken")
)
common = ["inter_thread_latency", "--threads", 2, "--warmup", 1, "--iterations", 3, "--iteration-ms", 2]
cpus = sorted(os.sched_getaffinity(0))
placements = [[], ["--cpus", cpus[0]], ["--cpus", ",".join(map(str, cpus[:2]))]]

variants = [v["name"] for v in plain.listed("inter_thread_latency")["variants"]]
check(variants == ["volatile_increment", "atomic_add", "release_acquire", "pipeline"], f"variants are {variants}")

for variant in variants:
    for spin in ("busy", "hint"):
        for placement in placements:
            for lab in (plain, sanitized):
                trial = lab.run(0, *common, "--variant", variant, "--spin", spin, "--sample-every", 4, *placement)
                rows = trial["iterations"]
                check(rows["series"] == ["t0", "t1"] * 4, f"series are {rows['series']}")
                pings, pongs = rows["operations"][::2], rows["operations"][1::2]
                check(pings == pongs, f"ping {pings}, pong {pongs}")
                # Every chunk has one timed round trip, and one more ends the iteration.
                check([4 * n + 1 for n in trial["counts"][::2]] == pings, "a sample is not one of 4 round trips")
                check(not any(trial["counts"][1::2]), "pong has samples")
                found = {c["name"]: c for c in trial["checks"]}
                check(found["pong word equals pong hand-overs"]["actual"] == str(sum(pongs)), "word is not the sum")

# With one round trip per chunk ping is ahead when pong looks whether the iteration has ended.
every = ["inter_thread_latency", "--threads", 2, "--warmup", 1, "--iterations", 100, "--iteration-ms", 1]
for placement in placements:
    plain.run(0, *every, "--variant", "release_acquire", "--sample-every", 1, *placement)

for variant in ("skipping", "losing"):
    for placement in placements:
        broken.run(4, *common, "--variant", variant, *placement, cause="hand")

plain.run(2, *common, "--variant", "pipeline", "--threads", 3, cause="--threads")
plain.run(2, *common[:1], *common[3:], "--variant", "pipeline", cause="--threads")
plain.run(2, *common, "--variant", "pipeline", "--spin", "idle", cause="--spin")
plain.run(2, *common, "--variant", "pipeline", "--working-set-kib", 0, cause="--working-set-kib")


def code(symbol):
    """Instructions of a function of the program that is measured, operands left out."""
    command = ["objdump", "-d", "--no-show-raw-insn", f"--disassemble={symbol}", build / "lab-harness"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^\s+[0-9a-f]+:\s+((?:lock )?\w+)", text, re.MULTILINE)
    check(found, f"no code of {symbol}")
    return set(found)


# The variants are what they say: a fence of its own, a locked addition, neither; a pause only with the hint.
if os.uname().machine == "x86_64":
    fences, additions = (
        {"mfence", "lock or", "lock orq", "lock orl"},
        {"lock add", "lock addq", "lock inc", "lock incq"},
    )
    for spin in ("busy", "hint"):
        volatile, atomic, release = (code(f"run_{name}_{spin}") for name in variants[:3])
        check(volatile & fences and not volatile & additions, f"no load, add, store, fence: {sorted(volatile)}")
        check(atomic & additions and not atomic & fences, f"no LOCK ADD: {sorted(atomic)}")
        check(not release & (fences | additions), f"release has a fence: {sorted(release)}")
        for found in (volatile, atomic, release):
            check(("pause" in found) == (spin == "hint"), f"pause in {spin}: {sorted(found)}")
end()
