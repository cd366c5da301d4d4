"""The log of owners from outside: `lock_scaling_test.py BUILD_FOLDER`."""

from harness import apart, broken, check, end, plain, sanitized

common = ["lock_scaling", "--warmup", 2, "--iterations", 6, "--iteration-ms", 2]
SERIES = ["handover", "wait", "owned", "residence"]


def logged(trial):
    """By iteration and series: count of values, time and operations of each row of the log."""
    rows = trial["iterations"]
    columns = [rows["iteration"], rows["series"], trial["counts"], rows["elapsed_ns"], rows["operations"]]
    return {(i, s): told for i, s, *told in zip(*columns, strict=True) if s in SERIES}


def measures(trial):
    """By iteration and name."""
    table = trial["measures"]
    return dict(zip(zip(table["iteration"], table["name"], strict=True), table["value"], strict=True))


def log_adds_up(trial, threads, capacity, what):
    """Every second measured iteration, and each value of it, is told once. Returns how many iterations are."""
    rows, told, named = trial["iterations"], logged(trial), measures(trial)
    of_threads = [c for c, s in zip(trial["counts"], rows["series"], strict=True) if s not in SERIES]
    check(len(of_threads) == 8 * threads and not any(of_threads), f"{what}: an operation was timed")
    iterations = sorted({i for i, _ in told})
    check(set(iterations) <= {2, 4, 6}, f"{what}: {iterations} are logged")
    check(sorted(told) == sorted((i, s) for i in iterations for s in SERIES), f"{what}: rows of the log are {told}")
    for i in iterations:
        runs, operations, ns = (named[i, name] for name in ("owner_runs", "window_operations", "log_ns"))
        waits = told[i, "wait"][0]
        check(all(told[i, s][1:] == [ns, operations] for s in SERIES), f"{what}: rows and measures differ")
        check(told[i, "handover"][0] == told[i, "owned"][0] == runs > 0, f"{what}: {told} of {runs} runs")
        check(runs - threads <= waits < runs <= min(operations, threads * capacity), f"{what}: {waits} waits")
        check(told[i, "residence"][0] == waits + operations - runs, f"{what}: residence of some operations")
        made = sum(o for k, s, o in zip(rows["iteration"], rows["series"], rows["operations"], strict=True) if k == i)
        check(operations <= made, f"{what}: the log holds more than was done")
        check(("reacquire_operations" in {n for k, n in named if k == i}) == (waits > 0), f"{what}: who came back")
        check(0 <= named[i, "handover_hidden"] <= runs, f"{what}: hidden hand-overs")
        check(0 <= named[i, "handover_mean_ns"] * runs <= 1.000001 * ns, f"{what}: hand-overs are longer than the log")
        check(named.get((i, "section_ns"), 1) > 0, f"{what}: section")
    check(named[-1, "log_cost"] > 0, f"{what}: log_cost")
    return len(iterations)


for variant in "atomic pthread_mutex pthread_mutex_adaptive spin_ttas ticket mcs".split():
    for threads, capacity in ((2, 4096), (2, 16), (5, 64)):
        for lab in (plain, sanitized):
            placed = apart if threads == 2 else []
            log = ["--variant", variant, "--threads", threads, "--log", capacity, *placed]
            what = f"{variant} {threads} {capacity}"
            log_adds_up(lab.run(0, *common, *log), threads, capacity, what)

# Threads that meet change owners; a busy machine may keep them from it.
trial = plain.run(
    0, *common, "--variant", "mcs", "--threads", 2, "--log", 4096, *apart, patient=True, until=lambda t: logged(t)
)
check(logged(trial), "no owner changed")

# One thread changes no owner, and without a log nothing is told of it.
for log in ((1, 16), (2, 0)):
    trial = plain.run(0, *common, "--variant", "mcs", "--threads", log[0], "--log", log[1])
    check(not logged(trial), f"{log}: a log is told")
    check(not {"owner_runs", "log_cost"} & set(trial["measures"]["name"]), f"{log}: a log is told")
# With two iterations of a kind nothing is told of what it costs.
few = [*common[:3], "--iterations", 5, "--iteration-ms", 2]
trial = plain.run(0, *few, "--variant", "mcs", "--threads", 2, "--log", 16)
check("log_cost" not in trial["measures"]["name"], "log_cost of too few iterations")

# With work outside the log is of operations: what each took of the lock, and no hand-over.
for variant in "pthread_mutex spin_ttas mcs".split():
    outside = ["--variant", variant, "--threads", 2, "--sample-every", 1, "--outside", 200, "--log", 4096]
    for lab in (plain, sanitized):
        trial = lab.run(0, *common, *outside, *apart)
        told = set(trial["iterations"]["series"])
        check(told <= {"t0", "t1", "service_free", "service_queued"}, f"{variant}: {told}")
        check("log_cost" in trial["measures"]["name"], f"{variant}: what the log costs")
outside[-1] = 0
check(not set(plain.run(0, *common, *outside)["iterations"]["series"]) - {"t0", "t1"}, "services without a log")
alone = ["--variant", "own_counter", "--threads", 3, "--sample-every", 1, "--outside", 200]
check(all(one["passed"] for one in plain.run(0, *common, *alone)["checks"]), "own counters do not add up")

plain.run(2, *common, "--variant", "mcs", "--outside", 100, cause="--sample-every")
plain.run(2, *common, *alone, "--log", 16, cause="--log")
broken.run(4, *common, "--variant", "broken", "--threads", 2, "--log", 64, cause="increments", patient=True)
end()
