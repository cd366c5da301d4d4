#!/bin/sh
# Every test of the project, one part after the other; ends with what was skipped and the number of parts that failed.
cd "$(dirname "$0")/.." || exit 1
failed=0
results=build/test # what pytest did, for the summary
pytest='.venv/bin/python -m pytest --hypothesis-profile=repeatable'

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

rm -f $results/*.xml
part 'Format and lint of Python, notebooks, Java and C' sh tests/lint.sh
# Neither of the two keeps both CPUs busy: together, the second one's words after the first one's.
mkdir -p $results
echo '== Java: JUnit'
make --no-print-directory -s -j "$(nproc)" -C harness/c test >$results/c.log 2>&1 &
LC_ALL=C.UTF-8 mvn -B -q -f harness/java/pom.xml test
ended 'Java: JUnit' $?
echo '== C: unit and contract tests under ASan and UBSan'
wait $!
status=$?
cat $results/c.log
ended 'C: unit and contract tests' $status
part 'Python: tests that start no process' $pytest -n 2 --dist worksteal --junit-xml=$results/unit.xml tests/unit
# Three: of two, one often waits for a trial, a browser or a host.
part 'Python: processes, with a whole smoke report' $pytest -n 3 --dist loadfile --no-loadscope-reorder --junit-xml=$results/processes.xml tests/processes
# As a user of an older CPU might have it; tests/processes/publish/test_every_cpu.py draws two pages under other settings.
part 'Figures: the reference run redrawn, bytes compared' env OPENBLAS_CORETYPE=Nehalem OPENBLAS_NUM_THREADS=1 \
    NPY_DISABLE_CPU_FEATURES='X86_V3 X86_V4 AVX512_ICL AVX512_SPR' .venv/bin/lab verify
.venv/bin/python tests/skipped.py $results/unit.xml $results/processes.xml
[ $failed = 0 ] && echo 'All parts passed.' || echo "$failed parts failed."
exit $failed
