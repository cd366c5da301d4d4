"""dispatch from outside: `dispatch_test.py BUILD_FOLDER`."""

from harness import check, code, end, plain, sanitized

common = ["dispatch", "--warmup", 1, "--iterations", 3, "--iteration-ms", 1]

listed = plain.listed("dispatch")
variants = {v["name"]: v["supported"] for v in listed["variants"]}
check(
    list(variants) == ["function_pointer", "function_pointer_pgo1", "function_pointer_pgo4", "inlined"],
    f"variants are {list(variants)}",
)
check(all(v["supported"] != bool(v["reason"]) for v in listed["variants"]), "unsupported without a reason")
check(
    [p["name"] for p in listed["parameters"]] == ["classes", "period", "chains"], f"parameters: {listed['parameters']}"
)

values = {}
for variant, supported in variants.items():
    if not supported:
        plain.run(3, *common, "--variant", variant, cause="not supported")
        continue
    for classes, *more in [(n,) for n in range(1, 9)] + [(3, "--period", 64), (2, "--chains", 8), (8, "--chains", 8)]:
        for lab in (plain, sanitized):
            trial = lab.run(0, *common, "--variant", variant, "--classes", classes, *more)
            rows = trial["iterations"]
            check(rows["series"] == ["calls"] * 4, f"series are {rows['series']}")
            check(rows["phase"] == ["warmup"] + ["measured"] * 3, f"phases are {rows['phase']}")
            check(
                all(o == c * 1024 > 0 for o, c in zip(rows["operations"], trial["counts"], strict=True)),
                "a value is not a batch of 1024 calls",
            )
            (made,) = trial["checks"]
            check(
                made["name"] == f"sum of the values after {sum(trial['counts'])} batches of 1024 calls",
                f"check is {made}",
            )
            check(made["passed"] and made["expected"] == made["actual"], f"{variant} {classes}: {made}")
            values.setdefault(made["actual"], []).append((variant, classes))
check(len(values) > 32, "values collapse: different mixes and lengths give the same one")

plain.run(2, *common, "--variant", "function_pointer", "--classes", 0, cause="--classes")
plain.run(2, *common, "--variant", "function_pointer", "--classes", 9, cause="--classes")
plain.run(2, *common, "--variant", "function_pointer", "--period", 32, cause="--period")
plain.run(2, *common, "--variant", "function_pointer", "--period", 100, cause="--period")
plain.run(2, *common, "--variant", "function_pointer", "--chains", 2, cause="--chains")
plain.run(2, *common, "--variant", "function_pointer", "--threads", 2, cause="--threads")
plain.run(2, *common, "--variant", "function_pointer", "--seed", 1, cause="--seed")


def mnemonics(symbol):
    return {line.split()[0] for line in code(symbol)}


# The body of a target is a multiplication: without a profile there is only the call, with the
# profile of one target a comparison and the body, and the hand-inlined loop has no call at all.
# Vectors would compare something else than a call.
multiply, call, compare = {"imul", "mul", "madd"}, {"call", "callq", "blr"}, {"cmp"}
vectors = {"pmuludq", "pmulld", "pxor"}
for loop in ("calls", "independent"):
    found = mnemonics(f"dispatch_{loop}_plain")
    check(found & call and not found & multiply, f"{loop}: the plain kernel does not merely call: {sorted(found)}")
    if variants["function_pointer_pgo1"]:
        found = mnemonics(f"dispatch_{loop}_pgo1")
        check(found & multiply and found & compare, f"{loop}: the profile of one inlined nothing: {sorted(found)}")
for symbol in ("dispatch_inlined", "dispatch_inlined_independent"):
    found = mnemonics(symbol)
    check(found & multiply and not found & (call | vectors), f"{symbol} is not: {sorted(found)}")
end()
