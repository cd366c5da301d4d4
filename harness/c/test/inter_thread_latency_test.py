"""inter_thread_latency from outside: `inter_thread_latency_test.py BUILD_FOLDER`."""

import re

from harness import broken, check, code, end, machine, placements, plain, sanitized

common = ["inter_thread_latency", "--threads", 2, "--warmup", 1, "--iterations", 3, "--iteration-ms", 2]

variants = [v["name"] for v in plain.listed("inter_thread_latency")["variants"]]
known = ["volatile_increment", "atomic_add", "atomic_xadd", "release_acquire", "pipeline"]
check(variants == known, f"variants are {variants}")

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


# The variants are what they say: HotSpot's fence, a locked addition with and without its result, neither; a pause only
# with the hint. No other fence than HotSpot's, which a compiler would not write. Of aarch64's additions there is one,
# in place or behind a call that looks whether the processor has it.
KINDS = {
    "x86_64": {
        "fence": r"lock addl +\$0x0,-0x40\(%rsp\)",
        "add": r"lock (add|inc)",
        "xadd": r"lock xadd",
        "other": r"lock|mfence|xchg +%\w+,.*\(",
        "pause": r"pause",
    },
    "aarch64": {
        "fence": r"dmb\s+ish$",
        "add": r"(bl\s.*__aarch64_)?ldadd",
        "other": r"dmb|dsb|bl\s.*__aarch64_",
        "pause": r"isb",
    },
}
if machine in KINDS:
    kinds = KINDS[machine]
    xadd = "xadd" if "xadd" in kinds else "add"
    expected = dict(volatile_increment={"fence"}, atomic_add={"add"}, atomic_xadd={xadd}, release_acquire=set())
    for spin in ("busy", "hint"):
        for variant, wanted in expected.items():
            lines = code(f"run_{variant}_{spin}")
            found = {next((kind for kind, text in kinds.items() if re.match(text, line)), "") for line in lines}
            wanted = wanted | ({"pause"} if spin == "hint" else set())
            check(found - {""} == wanted, f"{variant}, {spin}: {sorted(found)} instead of {sorted(wanted)}")
end()
