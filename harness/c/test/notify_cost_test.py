"""notify_cost from outside: `notify_cost_test.py BUILD_FOLDER`."""

from harness import broken, check, end, plain, sanitized

short = ["notify_cost", "--warmup", 1, "--iterations", 3, "--notifies", 20]
common = [*short, "--warmup-notifies", 50]
variants = [v["name"] for v in plain.listed("notify_cost")["variants"]]
check(variants == ["cond_signal", "futex_wake"], f"variants are {variants}")


def measures(trial, name):
    told = trial["measures"]
    return [value for n, value in zip(told["name"], told["value"], strict=True) if n == name]


for variant in variants:
    for pairs in 1, 3, 16:
        for lab in plain, sanitized:
            trial = lab.run(0, *common, "--variant", variant, "--pairs", pairs)
            what = f"{variant}, {pairs} pairs"
            rows = trial["iterations"]
            warmup = -(-50 // pairs)
            expected = [pairs * warmup] * 2 + [pairs * 20] * 6
            check(rows["series"] == ["notify", "block"] * 4, f"series {rows['series']}: {what}")
            check(rows["phase"] == ["warmup"] * 2 + ["measured"] * 6, f"phases {rows['phase']}: {what}")
            check(rows["operations"] == expected, f"operations {rows['operations']}: {what}")
            check(trial["counts"] == expected, f"samples {trial['counts']}: {what}")
            check(rows["elapsed_ns"][::2] == rows["elapsed_ns"][1::2], f"elapsed differs by series: {what}")
            check(trial["parameters"]["threads"] == pairs, f"threads {trial['parameters']['threads']}: {what}")
            handed = str(pairs * (warmup + 60))
            told = [(one["expected"], one["actual"], one["passed"]) for one in trial["checks"]]
            check(told == [(handed, handed, True)] * 2, f"checks {trial['checks']}: {what}")
            check(measures(trial, "watched_blocks") == [pairs * 3] * 3, f"watched blocks: {what}")
            tells = variant == "futex_wake"
            check(len(measures(trial, "woken")) == 4 * tells, f"woken: {what}")
            check(measures(trial, "wakes") == expected[::2] * tells, f"wakes: {what}")

trial = plain.run(0, *common, "--variant", "futex_wake", "--pairs", 4, "--iteration-most", 30)
check(trial["iterations"]["operations"][2:] == [28] * 6, "iteration-most is not kept")
trial = plain.run(0, *common, "--variant", "cond_signal", "--pairs", 2, "--pace-us", 1000)
check(all(e >= 19_000_000 for e in trial["iterations"]["elapsed_ns"][2:]), "a paced iteration ends before its schedule")

# A notifier that does not wait for its waiter overwrites numbers: status 4.
trial = broken.run(4, *common, "--variant", "broken", "--pairs", 2, cause="numbers taken equal notifications")
taken = trial["checks"][0]
check(int(taken["actual"]) < int(taken["expected"]), f"nothing was lost: {taken}")

# A number that is never sent: its notifier waits for ever, and the other one at the barrier.
broken.run(
    4, *short, "--warmup-notifies", 6, "--variant", "losing", "--pairs", 2, cause="no iteration ended in", told=False
)

plain.run(2, *common, "--variant", "cond_signal", "--pairs", 0, cause="--pairs")
plain.run(2, *common, "--variant", "cond_signal", "--pairs", 513, cause="--pairs")
plain.run(2, *common, "--variant", "cond_signal", "--threads", 2, cause="--threads")
plain.run(2, *common, "--variant", "cond_signal", "--cpus", 0, cause="--cpus")
end()
