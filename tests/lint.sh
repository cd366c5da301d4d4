#!/bin/sh
# The gates on form. Each says in one line that it passes, or what it found; all run, side by side, and the status is 1
# when any fails.
#   lint.sh [--fix] [gate...]      all gates when none is named; --fix formats instead of checking
cd "$(dirname "$0")/.." || exit 1
tools="$PWD/.venv/bin"
lines=40 # of what a gate found
fix=
[ "$1" != --fix ] || { fix=yes; shift; }
[ $# -gt 0 ] || set -- python-lint python-format notebook-lint notebook-format java-format java-lint c-format
found=$(mktemp -d) || exit 1
trap 'rm -rf "$found"' EXIT
gates=0 running= failed=0

gate() { # what it is about, command...
    gates=$((gates + 1))
    echo "$1" >"$found/$gates.about"
    shift
    { "$@" >"$found/$gates" 2>&1; echo $? >"$found/$gates.status"; } &
    running="$running $!"
    [ ! "$fix" ] || wait # those that mend the same files take turns
}

tell() { # number of a gate that has ended
    read -r about <"$found/$1.about"
    read -r status <"$found/$1.status"
    if [ "$status" = 0 ]; then
        echo "ok      $about"
    else
        failed=1
        echo "FAILED  $about"
        # Without colours, empty lines and Maven's advice on its own options.
        sed 's/\x1b\[[0-9;]*m//g' "$found/$1" | grep -vE '^(\[ERROR\])? *$|^\[ERROR\] (To see the full|Re-run Maven|For more info|\[Help)' |
            sed "s/^/        /; ${lines}{s/.*/        .../;q}"
    fi
}

have() { # program of requirements-test.lock
    [ -x "$tools/$1" ] || { echo "missing: $1; 'make lint' installs it from requirements-test.lock"; return 1; }
}

# ruff reads Python and notebooks: each gate leaves the others' files out.
python() { have ruff && "$tools/ruff" "$@" --quiet --output-format concise --extend-exclude '*.ipynb' .; }
notebooks() { have ruff && "$tools/ruff" "$@" --quiet --output-format concise --extend-exclude '*.py' .; }
java() { # project, goal; a JVM that lives for two seconds is better off without its second compiler
    sh harness/doctor.sh java &&
        LC_ALL=C.UTF-8 MAVEN_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC $MAVEN_OPTS" \
            mvn -q -B -Dstyle.color=never -f "harness/$1/pom.xml" "$2"
}
# Spotless formats nothing outside its own project; Checkstyle reads both from the first.
spotless() { java java "spotless:$1"; here=$?; java jmh "spotless:$1" && return $here; }
c() { have clang-format && make --no-print-directory -s -C harness/c "$1" CLANG_FORMAT="$tools/clang-format"; }

for name; do
    case $name${fix:+ fix} in
    python-lint) gate 'Python: lint (ruff check)' python check ;;
    python-format) gate 'Python: format (ruff format)' python format --check ;;
    notebook-lint) gate 'Notebooks: lint (ruff check)' notebooks check ;;
    notebook-format) gate 'Notebooks: format (ruff format)' notebooks format --check ;;
    java-format) gate 'Java: format (Spotless)' spotless check ;;
    java-lint) gate 'Java: lint (Checkstyle)' java java checkstyle:check ;;
    c-format) gate 'C: format (clang-format)' c format-check ;;
    'python-lint fix') gate 'Python: imports sorted' python check --fix --select I ;;
    'python-format fix') gate 'Python: formatted' python format ;;
    'notebook-lint fix') gate 'Notebooks: imports sorted' notebooks check --fix --select I ;;
    'notebook-format fix') gate 'Notebooks: formatted' notebooks format ;;
    'java-format fix') gate 'Java: formatted' spotless apply ;;
    'java-lint fix') ;; # what Checkstyle finds is mended by hand
    'c-format fix') gate 'C: formatted' c format ;;
    *) echo "no gate is called $name" >&2; exit 2 ;;
    esac
done
at=0
for one in $running; do
    [ "$fix" ] || wait "$one"
    at=$((at + 1))
    tell $at
done
exit $failed
