#!/bin/sh
# Every test of the project; ends with what was skipped and the number of parts that failed. What leaves a CPU idle runs
# with another part, and its words follow that part's.
cd "$(dirname "$0")/.." || exit 1
failed=0
results=build/test # what the parts say, and what pytest did, for the summary

tested() { # words for pytest
    .venv/bin/python -m pytest --hypothesis-profile=repeatable -m 'not prove' "$@"
}

ended() { # name, status
    [ "$2" = 0 ] || { failed=$((failed + 1)); echo "FAILED: $1"; }
}

part() { # name, command...
    name=$1
    shift
    echo "== $name"
    "$@"
    ended "$name" $?
}

followed() { # name, log, process: a part that ran with another one
    wait "$3"
    status=$?
    echo "== $1"
    cat "$results/$2.log"
    ended "$1" $status
}

workers=$(sh tests/workers.sh)
mkdir -p $results
rm -f $results/*.xml $results/*.log
part 'Format and lint of Python, notebooks, Java and C' sh tests/lint.sh
make --no-print-directory -s -j "$(nproc)" -C harness/c test >$results/c.log 2>&1 &
part 'Java: JUnit' env LC_ALL=C.UTF-8 mvn -B -q -f harness/java/pom.xml test
part 'Python: tests that start no process' tested -n "$workers" --dist worksteal --junit-xml=$results/unit.xml tests/unit
followed 'C: unit and contract tests under ASan and UBSan' c $!
# As a user of an older CPU might have it; tests/processes/publish/test_every_cpu.py draws two pages under other settings.
# Its tables are its own, for the tests read the same run meanwhile.
LAB_BUILD=$PWD/$results/redrawn OPENBLAS_CORETYPE=Nehalem OPENBLAS_NUM_THREADS=1 NPY_DISABLE_CPU_FEATURES='X86_V3 X86_V4 AVX512_ICL AVX512_SPR' \
    .venv/bin/lab verify >$results/figures.log 2>&1 &
# One more than CPUs: of two, one often waits for a trial, a browser or a host; with two more, trials whose threads spin
# take all CPU time.
part 'Python: processes, with a whole smoke report' tested -n $((workers + 1)) --dist loadfile --no-loadscope-reorder --junit-xml=$results/processes.xml tests/processes
followed 'Figures: the reference run redrawn, bytes compared' figures $!
.venv/bin/python tests/skipped.py $results/unit.xml $results/processes.xml
[ $failed = 0 ] && echo 'All parts passed.' || echo "$failed parts failed."
exit $failed
