#!/bin/sh
# Form, and the tests that are quick and start no process: files that are thorough as a whole are not even loaded. Each
# CPU has a process of its own with its share of the files, for in xdist every worker would load them all.
cd "$(dirname "$0")/.." || exit 1
results=build/test
mkdir -p $results
rm -f $results/check-*.log
workers=$(sh tests/workers.sh)
sh tests/lint.sh >$results/lint.log 2>&1 &
running=$!
# From the largest file to the smallest, one for each in turn.
files=$(grep -rL --include='test_*.py' '^pytestmark = .*thorough' tests/unit | tr '\n' '\0' | xargs -0 ls -S)
share() { # number: its tests
    # shellcheck disable=SC2046 # a list of files
    .venv/bin/python -m pytest -p no:xdist -m 'not thorough and not prove' $(echo "$files" | awk "NR % $workers == $1 - 1")
}
for number in $(seq 2 "$workers"); do
    share "$number" >$results/check-"$number".log 2>&1 &
    running="$running $!"
done
share 1
failed=$?
for one in $running; do
    wait "$one" || failed=1
done
cat $results/check-*.log $results/lint.log 2>/dev/null
exit $failed
