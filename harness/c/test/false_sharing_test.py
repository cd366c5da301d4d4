"""false_sharing from outside: `false_sharing_test.py BUILD_FOLDER`."""

import re

from harness import broken, check, code, end, machine, plain, sanitized

common = ["false_sharing", "--warmup", 1, "--iterations", 3, "--iteration-ms", 1]

listed = plain.listed("false_sharing")
variants = [v["name"] for v in listed["variants"]]
check(variants == ["array_volatile", "array_release", "array_add", "array_read"], f"variants are {variants}")
check(
    listed["parameters"] == [{"name": "distance", "type": "int", "min": 8, "max": 4096, "default": 64}],
    f"parameters are {listed['parameters']}",
)


def measured(trial, name):
    return [v for n, v in zip(trial["measures"]["name"], trial["measures"]["value"], strict=True) if n == name]


for variant in variants:
    for distance in (8, 64, 128, 4096):
        for lab in (plain, sanitized):
            trial = lab.run(0, *common, "--variant", variant, "--threads", 3, "--distance", distance)
            operations = trial["iterations"]["operations"]
            check(
                all(o == c * 4096 > 0 for o, c in zip(operations, trial["counts"], strict=True)),
                "a value is not a batch of 4096 writes",
            )
            held, counted, strange = trial["checks"][:3]
            if variant == "array_read":  # only the first thread's operations are writes
                rows = trial["iterations"]
                operations = [o for o, s in zip(operations, rows["series"], strict=True) if s == "t0"]
            check(strange["expected"] == "0" and strange["passed"], f"check is {strange}")
            check(held["actual"] == str(3 * 4), f"check is {held}")
            check(counted["actual"] == str(sum(operations)), f"check is {counted}")
            # Three words from the start of a page: at 64 bytes the first two are a pair, the third is alone.
            line, pair = {8: (3, 3), 64: (0, 2)}.get(distance, (0, 0))
            check(measured(trial, "smallest_distance") == [distance] * 4, f"distances of {distance}")
            check(measured(trial, "share_line") == [line] * 4, f"words in a line at {distance}")
            check(measured(trial, "share_pair") == [pair] * 4, f"words in a pair of lines at {distance}")

trial = plain.run(0, *common, "--variant", "array_volatile")
check(not measured(trial, "share_line"), "one word shares a line")
plain.run(2, *common, "--variant", "array_volatile", "--distance", 12, cause="--distance")
plain.run(2, *common, "--variant", "array_volatile", "--distance", 8192, cause="--distance")
broken.run(4, *common, "--variant", "broken", "--threads", 2, cause="own thread's last write", patient=True)


# On x86 the three kinds of write are three instructions; a release store takes neither lock nor fence.
locked = re.compile(r"\b(xchg\b.*\(|lock\b|mfence\b)")  # xchg %ax,%ax is a filler
if machine == "x86_64":
    check(any(locked.search(line) for line in code("run_volatile")), "a volatile store does not wait")
    check(any("lock" in line for line in code("run_add")), "an addition is not locked")
    check(not any(locked.search(line) for line in code("run_release")), "a release store waits")
end()
