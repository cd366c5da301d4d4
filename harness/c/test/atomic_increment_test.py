"""atomic_increment from outside: `atomic_increment_test.py BUILD_FOLDER`."""

import re

from harness import broken, check, code, end, machine, plain, sanitized

common = ["atomic_increment", "--warmup", 1, "--iterations", 3, "--iteration-ms", 2]

listed = plain.listed("atomic_increment")
variants = {v["name"]: v["supported"] for v in listed["variants"]}
known = ["lock_add", "lock_xadd", "lock_xadd_runs", "cas_loop", "cmpxchg"]
check(list(variants) == known, f"variants are {list(variants)}")
check(all(v["supported"] != bool(v["reason"]) for v in listed["variants"]), "unsupported without a reason")
check([p["name"] for p in listed["parameters"]] == ["sample-every"], f"parameters are {listed['parameters']}")

events = {"lock_xadd_runs": "owner_runs", "cas_loop": "failed_cas", "cmpxchg": "failed_cas"}
for variant, supported in variants.items():
    if not supported:
        plain.run(3, *common, "--variant", variant, cause="x86")
        continue
    for threads in (1, 2, 5):
        for lab in (plain, sanitized):
            trial = lab.run(0, *common, "--variant", variant, "--threads", threads, "--sample-every", 10)
            rows = trial["iterations"]
            operations = rows["operations"]
            check(all(o == 10 * c > 0 for o, c in zip(operations, trial["counts"], strict=True)), "not a chunk of 10")
            (counted,) = trial["checks"]
            check(counted["name"] == "counter equals increments" and counted["passed"], f"check is {counted}")
            check(int(counted["actual"]) == sum(operations), f"{variant} {threads}: {counted}, {sum(operations)}")
            measures = trial["measures"]
            told = [v for n, v in zip(measures["name"], measures["value"], strict=True) if n == events.get(variant)]
            check(len(told) == (4 if events.get(variant) else 0), f"{variant}: {len(told)} measures")
            if threads == 1 and events.get(variant):
                # Without a load the first attempt of an iteration does not know the value, nor whose the line was.
                expected = 0 if variant == "cas_loop" else 1
                check(told == [expected] * 4, f"{variant} alone: {events.get(variant)} {told}")
            for iteration, value in enumerate(told):
                made = sum(o for i, o in zip(rows["iteration"], operations, strict=True) if i == iteration)
                check(variant != "lock_xadd_runs" or threads <= value <= made, f"{value} runs in {made} operations")

# An increment that is not atomic: status 4.
trial = broken.run(
    4, *common, "--variant", "broken", "--threads", 2, "--sample-every", 1, cause="counter equals", patient=True
)
check(int(trial["checks"][0]["actual"]) < sum(trial["iterations"]["operations"]), "no update was lost")

plain.run(2, *common, "--variant", "cas_loop", "--sample-every", 0, cause="--sample-every")
plain.run(2, *common, "--variant", "nothing_like_it", cause="--variant")


def locked(symbol):
    """Instructions with the prefix LOCK in a function of the program that is measured."""
    return {found[1] for found in map(re.compile(r"lock (\w+)").match, code(symbol)) if found}


if machine == "x86_64":
    for variant, accepted in {
        "lock_add": {"add", "addq", "inc", "incq"},
        "lock_xadd": {"xadd"},
        "lock_xadd_runs": {"xadd"},
        "cas_loop": {"cmpxchg"},
        "cmpxchg": {"cmpxchg"},
    }.items():
        found = locked(f"atomic_{variant}")
        check(found and found <= accepted, f"{variant} is made of LOCK {sorted(found)}")
if machine == "aarch64":  # in place or behind a call that looks whether the processor has it
    swaps = [line for line in code("atomic_cas_loop") if re.match(r"bl\s.*__aarch64_cas8|casal|stlxr", line)]
    check(swaps, "the loop around a compare-and-swap has none")
end()
