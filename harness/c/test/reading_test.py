"""Workers with a CPU of their own each read its state around measured iterations, others do not; the CPU of a thread
beside them is read at the ends:
`reading_test.py BUILD_FOLDER`."""

from harness import check, cpus, end, plain

ITERATIONS = 3
POOL = "executor --variant pool_mutex"


def trial(threads, *where, what="lock_scaling --variant mcs"):
    words = f"{what} --threads {threads} --warmup 2 --iterations {ITERATIONS} --iteration-ms 2".split()
    return plain.run(0, *words, *where) or {"readings": None}


for threads in (1, 2, 3, 4):
    own = cpus[:threads]
    read = trial(threads, "--cpus", ",".join(map(str, own)))["readings"]
    check((read is None) == (len(own) < threads), f"{threads} workers on {len(own)} CPUs: {read}")
    if read:
        check(list(read) == ["iteration", "thread", "chain_ns", "wide_ns", "word_ns"], f"keys: {list(read)}")
        places = list(zip(read["iteration"], read["thread"], strict=True))
        before_and_after = [(2 + i, thread) for i in range(ITERATIONS + 1) for thread in range(threads)]
        check(places == before_and_after, f"one before each measured iteration and one after the last: {places}")
        check(all(one > 0 for name in ("chain_ns", "wide_ns") for one in read[name]), f"no time: {read}")
        words = list(zip(read["thread"], read["word_ns"], strict=True))
        last = threads - 1
        check(all((one is None) == (at == last) for at, one in words), f"the last one has none: {words}")
        check(all(one is None or one > 0 for _, one in words), f"no time: {words}")
# The pool's thread is none of the workers: its CPU is read before they come and after they have gone.
if len(cpus) >= 2:
    read = trial(1, "--cpus", ",".join(map(str, cpus[:2])), what=POOL)["readings"]
    beside = [at for at, thread in enumerate(read["thread"]) if thread == 1]
    ends = [read["iteration"][at] for at in beside]
    check(ends == [min(read["iteration"]), max(read["iteration"])], f"the thread beside the worker: {read}")
    check(all(read["word_ns"][at] > 0 and read["wide_ns"][at] > 0 for at in beside), f"no time: {read}")
    check(read["thread"].count(0) == ITERATIONS + 1, f"the worker: {read}")
check(trial(1, "--cpus", cpus[0], what=POOL)["readings"] is None, "two threads on one CPU read something")
check(trial(1)["readings"] is None, "a worker that may run anywhere read something")
end()
