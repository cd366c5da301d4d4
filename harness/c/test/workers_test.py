"""Workers that share a CPU have one deadline, counted from the last one's arrival, and tell how long they waited for
each other: `workers_test.py BUILD_FOLDER`."""

from pathlib import Path

from harness import check, cpus, end, plain

LENGTH_MS, THREADS = 20, 4
trial = plain.run(
    0,
    *"atomic_increment --variant cas_loop --warmup 0 --iterations 5".split(),
    "--threads",
    THREADS,
    "--iteration-ms",
    LENGTH_MS,
    "--cpus",
    cpus[0],
)
if trial:
    stretches = {}
    columns = (trial["iterations"][name] for name in ("iteration", "start_ns", "elapsed_ns"))
    for iteration, start, elapsed in zip(*columns, strict=True):
        stretches.setdefault(iteration, []).append((start, elapsed))
    late = [
        elapsed
        for rows in stretches.values()
        for start, elapsed in rows
        if start > min(first for first, _ in rows) + 1_000_000
    ]
    # One CPU runs one of them at a time. Each with a deadline of its own would take an iteration's length at least,
    # however late it begins; kept from the CPU it may take longer than that, but not every time.
    check(late and min(late) < LENGTH_MS * 1_000_000 - 1_000_000, f"who begins late ends late: {late}")
    check(all(len(rows) == THREADS for rows in stretches.values()), "a worker left no row")
    try:
        counted = not Path("/proc/thread-self/schedstat").read_text().endswith(" 0\n")
    except OSError:
        counted = False
    waited = trial["run_delay"]
    check((waited is not None) == counted, f"the kernel tells of waiting: {counted}, the trial: {waited}")
    if waited:
        check(list(waited) == ["process_ns", "wall_ns", "ran_ns", "run_delay_ns"], f"keys: {list(waited)}")
        check(waited["process_ns"] >= waited["ran_ns"][0], f"the process used less than a worker: {waited}")
        shares = []
        for wall, ran, delay in zip(waited["wall_ns"], waited["ran_ns"], waited["run_delay_ns"], strict=True):
            # None of them sleeps, and one at a time has the CPU.
            check(wall >= 5 * LENGTH_MS * 1_000_000 and ran > 0 and delay > 0, f"none waited for another: {waited}")
            shares.append((ran + delay) / wall)
        # A worker's clocks are read one after the other, and it may lose its CPU in between: not each, each time.
        check(min(shares) <= 1.1, f"ran and waited for longer than it took: {waited}")
        check(len(waited["ran_ns"]) == THREADS, f"one number for each worker: {waited}")
end()
