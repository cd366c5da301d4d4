"""Workers that share a CPU have one deadline, counted from the last one's arrival: `workers_test.py BUILD_FOLDER`."""

from harness import check, cpus, end, plain

LENGTH_MS, THREADS = 20, 4
trial = plain.run(0, *"atomic_increment --variant lock_xadd --warmup 0 --iterations 5".split(), "--threads", THREADS,
                  "--iteration-ms", LENGTH_MS, "--cpus", cpus[0])  # fmt: skip
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
end()
