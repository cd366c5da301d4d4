"""single_writer from outside: `single_writer_test.py BUILD_FOLDER`."""

import re

from harness import broken, check, code, end, machine, plain, sanitized

head = ["single_writer", "--warmup", 1, "--iterations", 3, "--sample-every", 16]
common = [*head, "--iteration-ms", 2]

listed = plain.listed("single_writer")
variants = {v["name"]: v["supported"] for v in listed["variants"]}
shared = {"lock_add", "lock_xadd", "cas_loop", "mutex", "readers"}
check(shared < set(variants), f"variants are {list(variants)}")
check(all(v["supported"] != bool(v["reason"]) for v in listed["variants"]), "unsupported without a reason")
check([p["name"] for p in listed["parameters"]] == ["sample-every", "write-pause-us"], "parameters differ")

for variant, supported in variants.items():
    if not supported:
        plain.run(3, *common, "--variant", variant, cause="not supported")
        continue
    for threads in (1, 2, 5):
        arguments = [*common, "--variant", variant, "--threads", threads]
        if threads > 1 and variant not in shared:
            plain.run(2, *arguments, cause="--threads")
            continue
        for lab in (plain, sanitized):
            trial = lab.run(0, *arguments)
            rows, checks = trial["iterations"], trial["checks"]
            check(len(rows["iteration"]) == 4 * threads, f"{variant}: {len(rows['iteration'])} rows")
            check(rows["phase"].count("warmup") == threads, f"{variant}: phases are {rows['phase']}")
            check(
                all(o == 16 * c > 0 for o, c in zip(rows["operations"], trial["counts"], strict=True)),
                f"{variant}: a sample is not one operation in 16",
            )
            if variant != "readers":
                check(checks[0]["actual"] == str(sum(rows["operations"])), f"{variant}: {checks}")
                continue
            value = dict(zip(trial["measures"]["name"], trial["measures"]["value"], strict=True))
            last = [c["actual"] for c in checks if c["name"].startswith("last value")]
            check(last == [str(int(value["writes"]))] * threads, f"readers ended at {last}, not {value['writes']}")
            check(value["write_period"] > 10_000, f"a write every {value['write_period']} ns")

broken.run(4, *common, "--variant", "broken", "--threads", 2, cause="counter equals increments", patient=True)
broken.run(4, *head, "--iteration-ms", 20, "--variant", "backward", cause="smaller than the one before", patient=True)
plain.run(2, *common, "--variant", "readers", "--write-pause-us", -1, cause="--write-pause-us")


# What each variant is named for; what is a plain store has neither lock nor fence.
if machine == "x86_64":
    named = {
        "lock_add": r"lock (add|inc)",
        "lock_xadd": r"lock xadd",
        "cas_loop": r"lock cmpxchg",
        "seq_cst": r"xchg",
        "mfence": r"mfence",
        "volatile": r"lock addl +\$0x0,-0x40\(%rsp\)",
    }
    for variant, pattern in named.items():
        found = code(f"writer_{variant}")
        check(any(re.match(pattern, line) for line in found), f"{variant} has no {pattern}: {found}")
    for variant in ("plain", "release", "release_store", "readers"):
        found = [line for line in code(f"writer_{variant}") if re.match(r"lock|xchg +%\w+,.*\(|mfence", line)]
        check(not found, f"{variant} has {found}")
if machine == "aarch64":
    kinds = r"stlr|dmb\s+ish\w*"
    expected = {
        "plain": set(),
        "release": {"stlr"},
        "release_store": {"stlr"},
        "seq_cst": {"stlr"},
        "volatile": {"dmb ish"},
    }
    for variant, wanted in expected.items():
        found = {" ".join(kind[0].split()) for kind in map(re.compile(kinds).match, code(f"writer_{variant}")) if kind}
        check(found == wanted, f"{variant}: {sorted(found)} instead of {sorted(wanted)}")
end()
