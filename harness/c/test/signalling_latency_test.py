"""signalling_latency from outside: `signalling_latency_test.py BUILD_FOLDER`."""

import resource

from harness import broken, check, end, placements, plain, sanitized

common = ["signalling_latency", "--warmup", 1, "--iterations", 3, "--iteration-ms", 2]
pair = [*common, "--threads", 2]

listed = plain.listed("signalling_latency")
variants = [v["name"] for v in listed["variants"]]
check(
    variants == ["condition_inside", "condition_after", "futex", "eventfd", "pipe", "spin"], f"variants are {variants}"
)

for variant in variants:
    for placement in placements:
        for lab, every in ((plain, 1), (sanitized, 4)):
            trial = lab.run(0, *pair, "--variant", variant, "--sample-every", every, *placement)
            rows = trial["iterations"]
            check(rows["series"] == ["t0", "t1"] * 4, f"{variant}: series are {rows['series']}")
            for first in range(0, 8, 2):
                passed, answered = rows["operations"][first : first + 2]
                timed, none = trial["counts"][first : first + 2]
                # The last round trip of an iteration says that it is the last, and is not timed.
                check(passed == answered, f"{variant}: {passed} hand-overs, {answered} answers")
                check((timed * every, none) == (passed - 1, 0), f"{variant}: {timed} round trips timed of {passed}")
            check(all(one["passed"] for one in trial["checks"]), f"{variant}: {trial['checks']}")
            whole = dict(zip(trial["measures"]["name"], trial["measures"]["value"], strict=True))
            check(whole["handovers"] == sum(rows["operations"]), f"{variant}: {whole}")
            shows = variant.startswith(("condition", "futex"))
            check(("spurious_wakeups" in whole) == shows, f"{variant}: {whole}")

trial = broken.run(4, *pair, "--variant", "skipping", cause="hand-overs lost, repeated or out of order")
check(any(not one["passed"] for one in trial["checks"]), "a number out of order passed")

# A number that is never passed: both sides sleep for good, which ends the process.
broken.run(4, *pair, "--variant", "losing", cause="no iteration ended in 1.01 s", told=False)
# Its patience is a second; iterations that end keep a longer trial going.
long = ["signalling_latency", "--threads", 2, "--warmup", 0, "--iterations", 60, "--iteration-ms", 40]
broken.run(0, *long, "--variant", "futex")

for threads in (1, 3):
    plain.run(2, *common, "--threads", threads, "--variant", "futex", cause="--threads")
plain.run(2, *pair, "--variant", "futex", "--sample-every", 0, cause="--sample-every")


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))


plain.run(5, *pair, "--variant", "pipe", cause="pipe", preexec_fn=few_descriptors)
end()
