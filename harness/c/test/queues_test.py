"""queues from outside: `queues_test.py BUILD_FOLDER`."""

from harness import apart, broken, check, cpus, end, placements, plain, sanitized

common = ["queues", "--warmup", 4, "--iterations", 3, "--iteration-ms", 3]
PACED = ["intended", "sent", "late"]
SERVED = ["busy", "idle"]  # of all iterations, when the trial is over


def values(trial, name, phase="measured"):
    """A measure by iteration of a phase; `None`: of the whole trial."""
    rows = trial["iterations"]
    wanted = {i for i, p in zip(rows["iteration"], rows["phase"], strict=True) if p == phase} if phase else {-1}
    measures = zip(*(trial["measures"][column] for column in ("iteration", "name", "value")), strict=True)
    return [value for i, n, value in measures if n == name and i in wanted]


def series(trial, name, phase="measured"):
    """Operations and samples of a series, by iteration of a phase."""
    rows = trial["iterations"]
    columns = zip(rows["phase"], rows["series"], rows["operations"], trial["counts"], strict=True)
    return [(operations, count) for p, s, operations, count in columns if (p, s) == (phase, name)]


variants = [v["name"] for v in plain.listed("queues")["variants"]]
check(variants == ["sequenced", "sequenced_batch", "spsc", "mutex", "vyukov", "null"], f"variants are {variants}")

for variant in variants:
    arguments = [*common, "--variant", variant, "--slots", 1024, "--batch", 10, "--sample-every", 4]
    for placement in placements:
        for lab in plain, sanitized:
            trial = lab.run(0, *arguments, *placement)
            if trial is None:
                continue
            what = f"{variant} {placement}"
            rows = trial["iterations"]
            names = ["c0", "full"] if variant != "null" else ["c0"]
            check(rows["series"] == names * 7, f"series are {rows['series']}: {what}")
            phases = ["warmup"] * 4 + ["measured"] * 3
            check(rows["phase"] == [p for p in phases for _ in names], f"phases are {rows['phase']}: {what}")
            check(trial["parameters"]["threads"] == 1 + (variant != "null"), f"threads: {what}")
            handled = [operations for operations, _ in series(trial, "c0")]
            check(all(handled), f"handled {handled}: {what}")
            # The generator alone has no queue: what one would tell is left out.
            counted = {"handled", "failed_polls", "full", "occupancy_sum"} & set(trial["measures"]["name"])
            told = counted == set() if variant == "null" else counted >= {"handled", "failed_polls", "full"}
            check(told, f"counted {counted}: {what}")
            if variant != "null":
                check(values(trial, "handled") == handled, f"handled {handled}: {what}")
                # One event in 1024 is stamped, the first of all among them.
                counts = [count for _, count in series(trial, "full")]
                check(counts == [-(-n // 1024) for n in handled], f"{counts} stamped of {handled}: {what}")
            passed = [c["name"] for c in trial["checks"] if c["passed"]]
            check(len(passed) == len(trial["checks"]) >= 4, f"checks {trial['checks']}: {what}")

for variant in variants:
    for load in ["--load", 60], ["--rate", 300000], ["--rate", 300000, "--arrivals", "uniform"]:
        for lab in plain, sanitized:
            what = f"{variant} {load}"
            where = apart if lab is plain else []
            trial = lab.run(0, *common, "--variant", variant, *load, "--sample-every", 4, "--batch", 10, *where)
            if trial is None:
                continue
            rows = trial["iterations"]
            phases = ["warmup"] * 4 + ["measured"] * 3
            if load[0] == "--load":
                phases = [*phases[:4], *["capacity"] * 18, *phases[4:], *["capacity_after"] * 7]
            names, served = (["c0", *PACED], SERVED) if variant != "null" else (["c0", "late"], [])
            expected = [(p, name) for each in (names, served) for p in phases for name in each]
            found = list(zip(rows["phase"], rows["series"], strict=True))
            check(found == expected, f"rows are {found}: {what}")
            name = "generator_capacity" if variant == "null" else "capacity"
            capacity = 0
            if load[0] == "--load":
                (capacity,) = values(trial, name, None)
                (after,) = values(trial, name + "_after", None)
                check(capacity > 0 and after > 0, f"capacities {capacity} {after}: {what}")
                check(values(trial, name + "_at_once", None)[0] > 0, f"taken at once: {what}")
                check(0 <= values(trial, name + "_failed", None)[0] <= 1, f"checks of the capacity: {what}")
            else:
                check(not values(trial, name, None), f"a capacity at a rate: {what}")
            check(all(ns > 0 for ns in values(trial, "cpu_ns")), f"CPU time: {what}")
            check(values(trial, "timer_slack_ns", None)[0] > 0, f"timer slack: {what}")
            # Of four iterations of the warm-up the third is empty, with a row all the same; the last comes in bursts.
            *_, empty, (bursts, _) = series(trial, "c0", "warmup")
            check(empty == (0, 0), f"empty iteration: {what}")
            # A load is one of the capacity, of which a busy host leaves almost nothing; a rate is a rate.
            check(bursts % 64 == 0, f"{bursts} events in bursts of 64: {what}")
            check(bursts > 0 or load[0] == "--load", f"no events in bursts: {what}")
            if variant != "null":
                # One in four, the first among them, but for those of the first millisecond: of few perhaps none.
                for name in "intended", "sent", "late":
                    sampled = series(trial, name)
                    right = all(count <= -(-n // 4) and (count > 0 or n < 100) for n, count in sampled)
                    check(right, f"{name} samples {sampled}: {what}")
                pairs = zip(series(trial, "busy"), series(trial, "idle"), series(trial, "sent"), strict=True)
                check(all(b + i == s for (_, b), (_, i), (_, s) in pairs), f"pairs are not all samples: {what}")
            flight = values(trial, "flight", None)
            check(len(flight) <= (variant not in ("null", "mutex") and len(cpus) >= 2), f"flight {flight}: {what}")
            check(all(ns >= 0 for ns in flight), f"flight {flight}: {what}")
            if variant.startswith("sequenced"):
                handled, least = values(trial, "handled"), 0
                for size in (2**k for k in range(17)):
                    least += size * sum(values(trial, f"batch_size_{size}"))
                told = f"{sum(handled)} events in batches of at least {least}: {what}"
                check(least <= sum(handled) < 2 * least or not any(handled), told)
                # The first of an iteration is timed.
                timed = values(trial, "batches")
                check(len(timed) == sum(n > 0 for n in handled) and all(timed), f"timed batches {timed}: {what}")
            expected = 900 if load[0] == "--rate" else capacity * 0.6 * 0.003
            counts = [n for n, _ in series(trial, "c0")]
            near = 0.1 * expected + 5 * expected**0.5
            check(all(abs(n - expected) < near for n in counts), f"{counts} events, not {expected}: {what}")

# What a load is for: enough events of it, once both sides had a CPU while the capacity was measured.
if len(cpus) >= 2:
    plain.run(
        0,
        *common,
        "--variant",
        "spsc",
        "--load",
        60,
        *apart,
        until=lambda trial: min(n for n, _ in series(trial, "c0")) >= 100,
    )
else:
    print("queues_test.py: skipped: that a load has events, which needs two CPUs")

# The same arrivals for all: the number of events of every iteration depends on rate and seed alone.
seeds = {}
for variant, seed in ("spsc", 1), ("mutex", 1), ("spsc", 2):
    trial = plain.run(0, *common, "--variant", variant, "--rate", 300000, "--seed", seed, *apart)
    seeds.setdefault(seed, set()).add(tuple(series(trial, "c0")))
check(len(seeds[1]) == 1 and seeds[1] != seeds[2], f"events by seed: {seeds}")

# Positive controls: a consumer of known service, whose adds are counted.
for kind in "constant", "exponential":
    trial = plain.run(
        0,
        *common,
        "--variant",
        "spsc",
        "--rate",
        500000,
        "--work",
        1000,
        "--work-kind",
        kind,
        "--slots",
        1024,
        "--sample-every",
        2,
        *apart,
    )
    if trial is None:
        continue
    check([c["passed"] for c in trial["checks"] if "adds" in c["name"]] == [True], f"adds: {kind}")
    check(values(trial, "work_mean_ns", None)[0] > 0, f"work_mean_ns: {kind}")
    for name in "busy_count", "busy_ns", "busy_ns2", "idle_count", "idle_ns", "idle_ns2":
        check(len(values(trial, name)) == 3, f"{name}: {kind}")
    check(sum(values(trial, "busy_count") + values(trial, "idle_count")) > 0, f"no service times: {kind}")
    check(sum(values(trial, "occupancy_samples")) > 0, f"occupancy: {kind}")


# Events that find a consumer idle which never sleeps are on their way to it, and take that longer than their work.
if len(cpus) >= 2:
    sampled = [*common[:3], "--iterations", 4, "--iteration-ms", 50, "--rate", 200000, "--sample-every", 1, *apart]
    plain.run(
        0,
        *sampled,
        "--variant",
        "spsc",
        "--work",
        500,
        until=lambda trial: any(ns > 0 for ns in values(trial, "flight", None)),
    )
    asleep = plain.run(0, *sampled, "--variant", "mutex", "--work", 500)
    check(not values(asleep, "flight", None), "a flight to a consumer that sleeps")


# A stall of 20 ms at 1 event in 10 us: from then on each event waits that much less than the one before it, so the
# values that exceed any ordinary one are about one in every sample-every of the events that were due meanwhile.
def ramp(trial, name):
    """By measured iteration: values of a series beyond 2 ms."""
    columns = zip(trial["iterations"]["phase"], trial["iterations"]["series"], trial["late"], strict=True)
    return [late for p, s, late in columns if (p, s) == ("measured", name)]


# An event counts from when it was sent only once the producer had its CPU meanwhile.
stalled = ["intended", "sent"] if len(cpus) >= 2 else ["intended"]
trial = plain.run(
    0,
    "queues",
    "--variant",
    "spsc",
    "--rate",
    100000,
    "--arrivals",
    "uniform",
    "--sample-every",
    2,
    "--warmup",
    2,
    "--iterations",
    5,
    "--iteration-ms",
    60,
    "--stall-ms",
    20,
    *apart,
    until=lambda trial: all(ramp(trial, name)[2] >= 800 for name in stalled),
)
cut = values(trial, "cut_ns")
check(cut[2] >= 20e6, f"the stall is not in the middle iteration: {cut}")
both = [b + i for (_, b), (_, i) in zip(series(trial, "busy"), series(trial, "idle"), strict=True)]
check([count for _, count in series(trial, "waiting")] == both, "a waiting generator records every service")
for name in stalled:
    check(ramp(trial, name)[2] >= 800, f"{name}: {ramp(trial, name)} values above 2 ms, of about 900 events")

# What the checks have to notice.
for load in [], ["--rate", 300000]:
    for variant, check_failed in {
        "losing": "events handled equal events sent",
        "doubling": "events lost, repeated or out of order",
        "swapping": "events lost, repeated or out of order",
        "stuck": "waits given up",
        "quitting": "waits given up",
        "astray": "events lost, repeated or out of order",
    }.items():
        trial = broken.run(4, *common, "--variant", variant, *load)
        failed = [c["name"] for c in trial["checks"] if not c["passed"]] if trial else []
        check(check_failed in failed, f"{variant} {load}: only {failed} did not pass")
broken.run(4, *common, "--variant", "spoiling", "--rate", 300000, cause="due times differ")

spsc = [*common, "--variant", "spsc"]
plain.run(2, *spsc, "--load", 50, "--rate", 1000, cause="--load 50, not both")
plain.run(2, *spsc, "--load", 121, cause="--load")
plain.run(2, *spsc, "--slots", 1000, cause="power of two")
plain.run(2, *spsc, "--sample-every", 3, cause="power of two")
plain.run(2, *spsc, "--batch", 32, "--slots", 16, cause="--batch")
plain.run(2, *spsc, "--stall-ms", 5, cause="--stall-ms")
plain.run(2, *spsc, "--threads", 2, cause="--threads")
lengthless = [*common[:-2], "--variant", "spsc", "--iteration-ms"]
plain.run(2, *lengthless, 20, "--rate", 1000000000, cause="--rate")
plain.run(2, *spsc, "--topology", "three_to_one", cause="--topology")
three = [*common, "--variant", "vyukov", "--topology", "three_to_one", "--slots", 1024]
plain.run(3, *three, "--cpus", cpus[0], cause="a CPU each")
if len(cpus) >= 4:
    for load in [], ["--load", 50]:
        trial = plain.run(0, *three, *load)
        check(trial["parameters"]["threads"] == 4, "three producers and a consumer")
end()
