"""executor from outside: `executor_test.py BUILD_FOLDER`."""

from harness import apart, broken, check, cpus, end, placements, plain, sanitized

common = ["executor", "--warmup", 4, "--iterations", 3, "--iteration-ms", 3]

variants = [v["name"] for v in plain.listed("executor")["variants"]]
check(variants == ["caller", "pool_mutex", "pool_vyukov", "pool_futex"], f"variants are {variants}")


def named(trial):
    return {c["name"]: c for c in trial["checks"]}


def pool(variant, producers, workers):
    """What asks for a pool of that size."""
    return [*common, "--variant", variant, "--producers", producers, "--workers", workers]


for variant in variants:
    for producers, workers in (1, 1), (2, 1), (1, 3), (3, 2):
        consumers = producers if variant == "caller" else workers
        threads = producers + (0 if variant == "caller" else workers)
        for placement in placements:
            for lab in plain, sanitized:
                trial = lab.run(0, *pool(variant, producers, workers), "--window", 64, "--spin", 10, *placement)
                if trial is None:
                    continue
                what = f"{variant} {producers} {workers} {placement}"
                rows = trial["iterations"]
                names = [f"c{c}" for c in range(consumers)] + ["full"]
                check(rows["series"] == names * 7, f"series are {rows['series']}: {what}")
                check(trial["parameters"]["threads"] == producers, f"threads: {what}")
                pinned = {p["thread"]: p for p in trial["pinning"]}
                check(sorted(pinned) == list(range(threads)), f"pinning {pinned}: {what}")
                told = placement and [int(cpu) for cpu in str(placement[1]).split(",")]
                for thread, pin in pinned.items():
                    wanted = told[thread % len(told)] if told else None
                    check(pin["requested"] == wanted, f"thread {thread} on {pin}: {what}")
                run = named(trial)["events handled equal events sent"]
                done = sum(n for n, s in zip(rows["operations"], rows["series"], strict=True) if s != "full")
                check(run["actual"] == str(done) and done > 0, f"{done} tasks of {run}: {what}")
                for name in "tasks not run once per submission", "sum of the tasks' results", "tasks left in the queue":
                    check(named(trial)[name]["passed"], f"{name}: {what}")
                polled = "failed_polls" in trial["measures"]["name"]
                check(polled == (variant != "caller"), f"looks in vain, though nobody looks: {what}")
                pools = named(trial)["threads of the pool ended by its shutdown"]
                check(pools["actual"] == str(threads - producers), f"shutdown {pools}: {what}")

for variant in variants:
    for producers, workers in (1, 1), (2, 2):
        for lab in plain, sanitized:
            trial = lab.run(
                0,
                *pool(variant, producers, workers),
                "--rate",
                200000,
                "--work",
                200,
                "--sample-every",
                4,
                *(apart if lab is plain else []),
            )
            if trial is None:
                continue
            what = f"{variant} {producers} {workers} paced"
            rows = trial["iterations"]
            names = [f"c{c}" for c in range(workers)] + ["intended", "sent", "late"]
            served = ["busy", "idle"] if workers == 1 else []
            check(rows["series"] == names * 7 + served * 7, f"series are {rows['series']}: {what}")
            told = trial["measures"]["name"].count("flight")
            check(told <= (variant == "pool_vyukov" and workers == 1 and len(cpus) >= 2), f"flight: {what}")
            measured = [
                (name, operations, count)
                for p, name, operations, count in zip(
                    rows["phase"], rows["series"], rows["operations"], trial["counts"], strict=True
                )
                if p == "measured"
            ]
            check(all(count > 0 for n, _, count in measured if n in ("intended", "sent", "late")), f"samples: {what}")
            tasks = [operations for n, operations, _ in measured if n == "intended"]
            check(all(450 < n < 750 for n in tasks), f"{tasks} tasks at 600: {what}")

# A window of one: each task waits for the one before it, and every wake-up counts.
for variant in variants:
    plain.run(0, *common, "--variant", variant, "--window", 1, "--spin", 0, *apart)
    plain.run(0, *common, "--variant", variant, "--window", 1, "--spin", 0, "--cpus", cpus[0])
trial = plain.run(0, *common, "--variant", "pool_futex", "--window", 1, "--spin", 0, *apart)
wakes = [v for n, v in zip(trial["measures"]["name"], trial["measures"]["value"], strict=True) if n == "wakes"]
check(len(wakes) == 7 and all(wakes), f"nobody was woken: {wakes}")

# What the checks have to notice. A wake-up without a second look is lost: nobody runs the task, and its producer ends
# the trial.
broken.run(4, *common, "--variant", "twice", cause="events handled")
broken.run(4, *common, "--variant", "losing", "--window", 4096, cause="events handled")
broken.run(4, *common, "--variant", "forgetting", "--window", 64, cause="once per submission", patient=True)
broken.run(4, *common, "--variant", "careless", "--window", 1, "--spin", 0, cause="events handled")
broken.run(4, *common, "--variant", "staying", cause="ended by its shutdown")

# A thread loses its CPU while it takes a task, and the others fill the queue up to that place meanwhile. The program
# with the faults gives up after a second, which a busy machine may take.
broken.run(
    0,
    "executor",
    "--variant",
    "holding",
    "--producers",
    2,
    "--workers",
    2,
    "--warmup",
    0,
    "--iterations",
    2,
    "--iteration-ms",
    300,
    patient=True,
)

caller = [*common, "--variant", "caller"]
plain.run(2, *caller, "--threads", 2, cause="--threads")
plain.run(2, *caller, "--producers", 17, cause="--producers")
plain.run(2, *caller, "--window", 100, cause="power of two")
plain.run(2, *caller, "--load", 10, "--rate", 10, cause="not both")
end()
