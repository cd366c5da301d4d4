#!/bin/sh
# Every test of the project, one part after the other; ends with the number of parts that failed.
cd "$(dirname "$0")/.." || exit 1
failed=0

part() { # name, command...
    name=$1
    shift
    echo "== $name"
    "$@" || { failed=$((failed + 1)); echo "FAILED: $name"; }
}

part 'Java: Checkstyle and JUnit' mvn -B -q -f harness/java/pom.xml verify
part 'C: unit and contract tests under ASan and UBSan' make --no-print-directory -s -C harness/c test
part 'Python: lint' .venv/bin/ruff check --quiet .
part 'Python: format' .venv/bin/ruff format --quiet --check .
part 'C: format' make --no-print-directory -s -C harness/c format-check CLANG_FORMAT="$PWD/.venv/bin/clang-format"
part 'Python: pytest, with a whole smoke report' .venv/bin/python -m pytest
part 'Figures: the reference run redrawn, bytes compared' .venv/bin/lab verify
[ $failed = 0 ] && echo 'All parts passed.' || echo "$failed parts failed."
exit $failed
