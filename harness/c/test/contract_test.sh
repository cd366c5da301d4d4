#!/bin/sh
# The contract from outside: exit statuses, one line of cause, files left or not left, results that parse.
# Usage: contract_test.sh BUILD_FOLDER; LAB_RUNNER: what runs the programs where they are another processor's
set -u
build=$1
here=$(dirname "$0")
plain="${LAB_RUNNER-} $build/lab-harness"
lab="${LAB_RUNNER-} $build/lab-harness-sanitized"
broken="${LAB_RUNNER-} $build/lab-harness-broken"
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
failures=0
checks=0

note() { # passed? what
    checks=$((checks + 1))
    if [ "$1" -ne 0 ]; then
        failures=$((failures + 1))
        echo "contract: $2" >&2
        sed 's/^/    stderr: /' "$work/err" >&2
    fi
}

expect() { # status word-in-the-cause program arguments...
    status=$1 word=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" -eq "$status" ]
    note $? "status $got instead of $status: $*"
    if [ "$status" -eq 0 ]; then
        [ ! -s "$work/err" ]
        note $? "standard error is not empty: $*"
    else
        [ "$(wc -l <"$work/err")" -eq 1 ] && grep -qF -- "$word" "$work/err"
        note $? "no single line naming '$word': $*"
    fi
}

left() { # files left in the output folder
    [ "$(ls -A "$work/trial" | wc -l)" -eq "$1" ]
    note $? "expected $1 files to be left, found: $(ls -A "$work/trial" | tr '\n' ' ')"
}

mkdir "$work/trial"
log=$work/trial/a.hlog
short="lock_scaling --warmup 1 --iteration-ms 2 --out $log"
locks="$short --iterations 2"

for variant in no_lock atomic pthread_mutex pthread_mutex_adaptive spin_ttas ticket mcs; do
    for threads in 1 2 8; do
        if [ "$variant" = no_lock ] && [ "$threads" -ne 1 ]; then
            expect 2 no_lock $lab $locks --variant no_lock --threads "$threads"
            left 0
            continue
        fi
        for program in "$lab" "$plain"; do
            expect 0 "" $program $locks --variant "$variant" --threads "$threads"
            left 1
            python3 "$here/check_trial.py" "$work/out" "$log" "$variant" "$threads" 3 64
            note $? "trial breaks the contract: $program $variant $threads"
            rm -f "$log"
        done
    done
done

# Work outside the lock: done (the check of the adds) and timed, as is every operation.
for law in constant exponential; do
    expect 0 "" $lab $locks --variant mcs --threads 2 --sample-every 1 --outside 700 --outside-law $law
    rm -f "$log"
    python3 -c '
import json, sys
trial = json.loads(open(sys.argv[1]).read())
adds = {check["name"]: check for check in trial["checks"]}["sum of the adds outside"]
assert adds["passed"] and adds["expected"] != "0", adds
measures = trial["measures"]
values = lambda name: [value for each, value in zip(measures["name"], measures["value"]) if each == name]
assert sum(values("timed_operations")) == sum(trial["iterations"]["operations"])
assert len(values("outside_ns")) == len(values("outside_mean_ns")) == len(values("lock_mean_ns")) == 3
' "$work/out"
    note $? "work outside the lock is not as the contract says: $law"
done
expect 2 "outside-law" $lab $locks --variant mcs --outside 700 --outside-law normal
expect 2 "outside" $lab $locks --variant mcs --outside -1
left 0

# A lock that does not lock: status 4, with the log and the JSON to look at. Its threads must meet, which a busy machine
# may keep them from.
meeting() {
    for _ in 1 2 3 4 5 6 7 8; do
        rm -f "$log"
        "$@" >"$work/out" 2>"$work/err"
        met=$?
        [ "$met" -eq 0 ] || break
    done
    return "$met"
}
expect 4 "counter equals increments" meeting $broken $short --iterations 20 --variant broken --threads 2
left 1
python3 "$here/check_trial.py" "$work/out" "$log" broken 2 21 64
note $? "broken lock: its JSON breaks the contract"
rm -f "$log"

for threads in 0 -1 1025 10000 12abc "" 99999999999999999999; do
    expect 2 "--threads" $lab $locks --variant atomic --threads "$threads"
done
expect 2 "no experiment" $lab
expect 2 "nothing_like_it" $lab nothing_like_it
expect 2 "--variant" $lab $locks
expect 2 "--variant" $lab $locks --variant monitor
expect 2 "--sample-every" $lab $locks --variant mcs --sample-every 48
expect 2 "--log" $lab $locks --variant mcs --log -1
expect 2 "--sample-every" $lab $locks --variant mcs --outside 100
expect 2 "--nonsense" $lab $locks --variant mcs --nonsense 1
expect 2 "CPU 1023" $lab $locks --variant mcs --cpus 0,1023
expect 2 "--cpus" $lab $locks --variant mcs --cpus 0,
expect 2 "folder" $lab lock_scaling --variant mcs --warmup 0 --iterations 1 --out "$work/trial"
mkfifo "$work/pipe"
expect 2 "pipe" $lab lock_scaling --variant mcs --warmup 0 --iterations 1 --out "$work/pipe"
[ -p "$work/pipe" ] || { echo "FAILED: the log replaced the pipe at --out"; failures=$((failures + 1)); }
rm "$work/pipe"
expect 2 "after --list" $lab --list all
expect 2 "--cpus" $lab probe --variant chunks --warmup 0 --iterations 1 --out "$log"
expect 2 "--threads" $lab probe --variant chunks --warmup 0 --iterations 1 --out "$log" --cpus 0 --threads 2
expect 5 "nowhere" $lab lock_scaling --variant mcs --warmup 0 --iterations 1 --out "$work/nowhere/a.hlog"
left 0
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w "$work/trial"
    expect 5 "Permission denied" $lab $locks --variant mcs
    chmod u+w "$work/trial"
fi
if [ -w /dev/full ]; then
    $lab $locks --variant mcs >/dev/full 2>"$work/err"
    [ $? -eq 5 ]
    note $? "standard output full: status is not 5"
    left 0
fi

# Ended from outside while measuring: nothing half-written stays.
$lab $short --iterations 100000 --variant mcs >"$work/out" 2>"$work/err" &
pid=$!
tries=0
while [ ! -e "$log.part" ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
left 1
kill -TERM $pid
wait $pid 2>/dev/null
left 0

# A trial pinned to a CPU says so; the probe describes every CPU it was given.
cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
expect 0 "" $lab $locks --variant ticket --threads 3 --cpus "$cpu"
python3 -c '
import json, sys
cpu = int(sys.argv[2])
pinning = json.loads(open(sys.argv[1]).read().splitlines()[-1])["pinning"]
assert sorted(p["thread"] for p in pinning) == [0, 1, 2]
assert all(p["requested"] == cpu and p["observed"] == [cpu] for p in pinning)
' "$work/out" "$cpu"
note $? "pinning is not reported"
expect 0 "" $plain probe --variant chunks --cpus "$cpu,$cpu" --warmup 1 --iterations 2 --iteration-ms 3 --out "$log"
python3 -c '
import json, sys
trial = json.loads(open(sys.argv[1]).read().splitlines()[-1])
series = "cpu" + sys.argv[2]
assert trial["iterations"]["series"] == [series] * 6
value = {(i, n): v for i, n, v in zip(*(trial["measures"][k] for k in ("iteration", "name", "value")))}
for i in range(3):
    assert 0 < value[i, "floor_ns"] and 0.1 < value[i, "cycle_ns"] < 10
    assert 0 <= value[i, "hiccup_p99_ns"] <= value[i, "hiccup_max_ns"]
' "$work/out" "$cpu"
note $? "the probe breaks the contract"

expect 0 "" $lab --list
python3 -c '
import json, sys
listed = json.load(open(sys.argv[1]))
assert listed["harness"] == "c"
locks = {e["name"]: e for e in listed["experiments"]}["lock_scaling"]
names = [v["name"] for v in locks["variants"]]
assert names == "no_lock own_counter atomic pthread_mutex pthread_mutex_adaptive spin_ttas ticket mcs".split(), f"{names}: a new one belongs here and in the loop at the top"
assert all(v["supported"] or v["reason"] for v in locks["variants"])
assert [p["name"] for p in locks["parameters"]] == ["sample-every", "log", "outside", "outside-law"]
' "$work/out"
note $? "--list breaks the contract"

echo "contract: $checks checks, $failures failed"
[ "$failures" -eq 0 ]
