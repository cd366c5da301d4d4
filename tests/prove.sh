#!/bin/sh
# The tests that `make test` leaves out: each takes long and has seldom failed.
cd "$(dirname "$0")/.." || exit 1
results=build/test
mkdir -p $results
.venv/bin/python -m pytest --hypothesis-profile=repeatable -m prove -n "$(sh tests/workers.sh)" --dist loadfile --no-loadscope-reorder \
    --junit-xml=$results/proved.xml tests/processes tests/unit
proved=$?
.venv/bin/python tests/skipped.py $results/proved.xml
exit $proved
