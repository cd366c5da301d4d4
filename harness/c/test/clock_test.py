"""clock from outside: `clock_test.py BUILD_FOLDER`."""

from harness import broken, check, cpus, end, measured, plain, sanitized

common = ["clock", "--warmup", 1, "--iterations", 3, "--iteration-ms", 6, "--batch", 50, "--slot-us", 20]

listed = plain.listed("clock")
clocks = ["monotonic", "monotonic_raw", "monotonic_coarse", "monotonic_syscall", "rdtsc", "rdtscp"]
variants = {v["name"]: v["supported"] for v in listed["variants"]}
check(list(variants) == [*clocks, "idle", "across", "sleeper"], f"variants are {list(variants)}")
check(
    [p["name"] for p in listed["parameters"]] == ["batch", "slot-us", "period-us"],
    f"parameters: {listed['parameters']}",
)

for variant in clocks:
    for lab in (plain, sanitized):
        if not variants[variant]:
            lab.run(3, *common, "--variant", variant, cause="not supported")
            continue
        trial = lab.run(0, *common, "--variant", variant)
        rows = trial["iterations"]
        check(rows["series"] == ["batches", "steps"] * 4, f"{variant}: series are {rows['series']}")
        check(rows["phase"] == ["warmup"] * 2 + ["measured"] * 6, f"{variant}: phases are {rows['phase']}")
        operations = rows["operations"]
        check(
            all(o == c * 50 for o, c in zip(operations[::2], trial["counts"][::2], strict=True)),
            f"{variant}: a value is not a batch of 50 readings",
        )
        counted = [measured(trial, name) for name in ("steps", "zero_steps", "backward_steps")]
        for reads, samples, steps, zero, back in zip(operations[1::2], trial["counts"][1::2], *counted, strict=True):
            check(reads - 1 == steps == samples + zero + back, f"{variant}: {reads} readings are not all accounted for")
        check(len(measured(trial, "resolution")) == 1, f"{variant} has no resolution")
        check(all(c["passed"] for c in trial["checks"]) and len(trial["checks"]) == 3, f"{variant}: {trial['checks']}")
        check(trial["runtime"]["clocksource"], f"{variant} does not name the clock source")

for lab in (plain, sanitized):
    trial = lab.run(0, *common, "--variant", "idle")
    check(trial["iterations"]["series"] == ["gaps"] * 4, "idle: series are not gaps")
    watched = measured(trial, "watched_ns")
    check([w // 20000 for w in watched] == trial["counts"], "idle: slots do not cover the time")
    check(all(a <= w for a, w in zip(measured(trial, "away_ns"), watched, strict=True)), "away longer than watched")

for lab in (plain, sanitized):
    trial = lab.run(0, *common, "--variant", "sleeper", "--period-us", 500)
    check(trial["iterations"]["series"] == ["late"] * 4, f"sleeper: series are {trial['iterations']['series']}")
    check(trial["iterations"]["operations"] == trial["counts"] == [12] * 4, "sleeper: a value is not a tick")
    check(min(trial["iterations"]["elapsed_ns"]) >= 6_000_000, "sleeper did not sleep until its last tick")
    check(all(c["passed"] for c in trial["checks"]) and len(trial["checks"]) == 2, f"sleeper: {trial['checks']}")
broken.run(4, *common, "--variant", "sleeper", cause="before their tick")
plain.run(2, *common, "--variant", "sleeper", "--period-us", 7000, cause="--period-us")
plain.run(2, *common, "--variant", "sleeper", "--threads", 2, cause="--threads")

across = [*common, "--variant", "across", "--threads", 2]
if len(cpus) > 1:
    for lab in (plain, sanitized):
        trial = lab.run(0, *across)
        check(
            trial["iterations"]["series"] == ["round_trips"] * 4, f"across: series are {trial['iterations']['series']}"
        )
        trips = [n // 3 for n in trial["iterations"]["operations"]]
        check(trips == trial["counts"] and min(trips) > 0, "across: a value is not a round trip of three readings")
        bounds = measured(trial, "cpu_offset_bound")
        check(len(bounds) == 4 == len(measured(trial, "cpu_offset")), f"across: bounds are {bounds}")
        check(all(c["passed"] for c in trial["checks"]) and len(trial["checks"]) == 2, f"across: {trial['checks']}")
    broken.run(4, *across, cause="have seen")
plain.run(2, *common, "--variant", "across", cause="--threads")
plain.run(3, *across, "--cpus", cpus[0], cause="two CPUs")

broken.run(4, *common, "--variant", "broken", cause="steps back")
plain.run(2, *common, "--variant", "monotonic", "--threads", 2, cause="--threads")
plain.run(2, *common[:-4], "--variant", "idle", "--slot-us", 0, cause="--slot-us")
end()
