#!/bin/sh
# The tests that `make test` leaves out: each takes long and has seldom failed. And properties, with more examples.
cd "$(dirname "$0")/.." || exit 1
results=build/test
mkdir -p $results
.venv/bin/python -m pytest --hypothesis-profile=many -m "prove or hypothesis" -n "$(sh tests/workers.sh)" --dist loadfile --no-loadscope-reorder \
    --junit-xml=$results/proved.xml tests/processes tests/unit
proved=$?
.venv/bin/python tests/skipped.py $results/proved.xml
exit $proved
