"""gc_pause from outside: `gc_pause_test.py BUILD_FOLDER`."""

import os

from harness import broken, check, cpus, end, measured, plain, sanitized

common = ["gc_pause", "--warmup", 1, "--iterations", 3, "--iteration-ms", 4]
common += ["--period-us", 20, "--live-mb", 1, "--keep-every", 7]

check([v["name"] for v in plain.listed("gc_pause")["variants"]] == ["paced"], "variants differ from paced")

if len(cpus) > 1:
    for lab in (plain, sanitized):
        trial = lab.run(0, *common, "--variant", "paced")
        rows = trial["iterations"]
        check(rows["series"] == ["late", "service"] * 4, f"series are {rows['series']}")
        check(rows["phase"] == ["warmup"] * 2 + ["measured"] * 6, f"phases are {rows['phase']}")
        check(rows["operations"] == trial["counts"] == [200] * 8, f"operations are {rows['operations']}")
        check(measured(trial, "allocated_bytes") == [400000] * 4, "an operation does not make 20 arrays")
        watched = measured(trial, "watched_ns")
        check(all(ns >= 199 * 20_000 for ns in watched), f"watched {watched}")
        check(measured(trial, "watched_s") == [sum(watched[1:]) / 1e9], "watched_s is not that of measured iterations")
        check(len(trial["checks"]) == 2 and all(c["passed"] for c in trial["checks"]), f"checks: {trial['checks']}")
        plain.run(0, *common, "--variant", "paced", "--bytes-per-operation", 0)
    for variant, cause in (("losing", "live arrays"), ("skipping", "operations"), ("reusing", "live arrays")):
        broken.run(4, *common, "--variant", variant, cause=cause)
    plain.run(
        3, *common, "--variant", "paced", cause="second CPU", preexec_fn=lambda: os.sched_setaffinity(0, cpus[:1])
    )

plain.run(2, *common, "--variant", "paced", "--threads", 2, cause="--threads")
plain.run(2, *common[:-6], "--variant", "paced", "--period-us", 5000, cause="--period-us")
end()
