"""atomic_increment from outside: `atomic_increment_test.py BUILD_FOLDER`."""

import re

from harness import broken, check, code, end, machine, plain, sanitized

common = ["atomic_increment", "--warmup", 1, "--iterations", 3, "--iteration-ms", 2]

listed = plain.listed("atomic_increment")
variants = {v["name"]: v["supported"] for v in listed["variants"]}
known = ["lock_add", "lock_xadd", "lock_xadd_runs", "cas_loop", "load_xadd", "cmpxchg"]
check(list(variants) == known, f"variants are {list(variants)}")
check(all(v["supported"] != bool(v["reason"]) for v in listed["variants"]), "unsupported without a reason")
check([p["name"] for p in listed["parameters"]] == ["sample-every"], f"parameters are {listed['parameters']}")

events = {
    "lock_xadd_runs": "owner_runs",
    "cas_loop": "failed_cas",
    "load_xadd": "outdated_loads",
    "cmpxchg": "failed_cas",
}
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
                expected = 0 if variant in ("cas_loop", "load_xadd") else 1
                check(told == [expected] * 4, f"{variant} alone: {events.get(variant)} {told}")
            for iteration, value in enumerate(told):
                made = sum(o for i, o in zip(rows["iteration"], operations, strict=True) if i == iteration)
                check(variant != "lock_xadd_runs" or threads <= value <= made, f"{value} runs in {made} operations")
                check(variant != "load_xadd" or value <= made, f"{value} outdated loads in {made} operations")

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
        "load_xadd": {"xadd"},
        "cmpxchg": {"cmpxchg"},
    }.items():
        found = locked(f"atomic_{variant}")
        check(found and found <= accepted, f"{variant} is made of LOCK {sorted(found)}")
    # Each XADD of the twin adds what a load from the same word gave, and a branch follows on what it returned.
    lines = code("atomic_load_xadd")
    register = r"%(r\w+)"
    for at in (at for at, line in enumerate(lines) if line.startswith("lock")):
        added, word = re.match(rf"lock xadd {register},(\S+)", lines[at]).groups()
        before = [re.sub(r"\s+", " ", line) for line in lines[at - 4 : at]]
        loads = [found[1] for line in before if (found := re.match(rf"mov {re.escape(word)},{register}$", line))]
        check(len(loads) == 1, f"the word is not loaded once before LOCK XADD: {before}")
        masks = [line for line in before if re.match(rf"and {register},%{added}$", line)]
        check(masks and (loads[0] == added or f"%{loads[0]}" in masks[0]), f"what is added needs no load: {before}")
        after = [line.split()[0] for line in lines[at + 1 : at + 3]]
        check(after[0] == "cmp" and after[1] in ("je", "jne"), f"no branch on what LOCK XADD returned: {after}")
if machine == "aarch64":  # in place or behind a call that looks whether the processor has it
    swaps = [line for line in code("atomic_cas_loop") if re.match(r"bl\s.*__aarch64_cas8|casal|stlxr", line)]
    check(swaps, "the loop around a compare-and-swap has none")
end()
