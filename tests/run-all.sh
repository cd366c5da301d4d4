#!/bin/sh
# Every test of the project, one part after the other; ends with what was skipped and the number of parts that failed.
cd "$(dirname "$0")/.." || exit 1
failed=0
results=build/test # what pytest did, for the summary
pytest='.venv/bin/python -m pytest -n 2 --hypothesis-profile=repeatable'

part() { # name, command...
    name=$1
    shift
    echo "== $name"
    "$@" || { failed=$((failed + 1)); echo "FAILED: $name"; }
}

rm -f $results/*.xml
part 'Format and lint of Python, notebooks, Java and C' sh tests/lint.sh
part 'Java: JUnit' env LC_ALL=C.UTF-8 mvn -B -q -f harness/java/pom.xml test
part 'C: unit and contract tests under ASan and UBSan' make --no-print-directory -s -C harness/c test
part 'Python: tests that start no process' $pytest --dist worksteal --junit-xml=$results/unit.xml tests/unit
# The smoke report first: it takes as long as all others together.
part 'Python: processes, with a whole smoke report' $pytest --dist loadfile --no-loadscope-reorder --junit-xml=$results/processes.xml tests/processes/publish/test_report_smoke.py tests/processes
part 'Figures: the reference run redrawn, bytes compared' .venv/bin/lab verify
.venv/bin/python tests/skipped.py $results/unit.xml $results/processes.xml
[ $failed = 0 ] && echo 'All parts passed.' || echo "$failed parts failed."
exit $failed
