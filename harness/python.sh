#!/bin/sh
# The Python environment, .venv, exactly as the lock files say, by uv. Usage:
#   python.sh uv           the environment itself, with the uv of requirements-uv.lock in it (pip checks its hash)
#   python.sh sync [group] the packages of requirements.lock, with `test` or `import` also its lock's, and `lab`
#   python.sh mutants      besides these the packages of requirements-mutants.lock, until the next sync
#   python.sh lock         the lock files anew, from the pins in pyproject.toml
cd "$(dirname "$0")/.." || exit 1
venv=.venv
# The Python is the one that made the environment: none is ever fetched.
export UV_PYTHON_DOWNLOADS=never VIRTUAL_ENV="$PWD/$venv"
# All at once on all CPUs, or the first processes of a report and of the tests compile the same files side by side.
export UV_COMPILE_BYTECODE=1
pip="$venv/bin/python -m pip --disable-pip-version-check"

# uv does not read pip's settings: what a user has told pip (a mirror, a certificate) is handed on, unless uv has its own.
pip_setting() { # name
    $pip config list 2>/dev/null | sed -n "s/^[a-z:]*\.$1='\(.*\)'\$/\1/p" | head -1 | sed 's/\\n/ /g'
}

hand_on_settings() {
    UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$(pip_setting index-url)}
    UV_INDEX=${UV_INDEX:-$(pip_setting extra-index-url)}
    SSL_CERT_FILE=${SSL_CERT_FILE:-$(pip_setting cert)}
    [ -z "$UV_DEFAULT_INDEX" ] || export UV_DEFAULT_INDEX
    [ -z "$UV_INDEX" ] || export UV_INDEX UV_INDEX_STRATEGY="${UV_INDEX_STRATEGY:-unsafe-best-match}"
    [ -z "$SSL_CERT_FILE" ] || export SSL_CERT_FILE
}

# uv with its progress; where nobody watches, without the list of the 150 packages at the end.
uv() {
    if [ -t 2 ]; then
        $venv/bin/uv "$@"
    else
        { $venv/bin/uv "$@" 2>&1 || echo "uv failed"; } |
            awk '/^ [+~-] /{next} /^uv failed/{bad=1; next} {print; fflush()} END{exit bad}' >&2
    fi
}

case $1 in
uv)
    echo 'Set-up 1/4: the Python environment .venv, with uv ...'
    ${PYTHON:-python3} -m venv $venv || exit 1
    $pip install --quiet --no-compile --require-hashes -r requirements-uv.lock
    ;;
sync)
    locks=requirements.lock
    what='2/4: Python packages to measure and report'
    # A group, once installed, is kept.
    for group in test import; do
        if [ "$2" = $group ] || [ -e $venv/.ready-$group ]; then
            locks="$locks requirements-$group.lock" what="$what + $group"
        fi
    done
    echo "Set-up $what ..."
    hand_on_settings
    # shellcheck disable=SC2086 # a list of files
    uv pip sync --require-hashes $locks && uv --quiet pip install --no-deps --editable .
    ;;
mutants)
    hand_on_settings
    uv --quiet pip install --no-deps --require-hashes -r requirements-mutants.lock
    ;;
lock)
    hand_on_settings
    compile() { # group or file, lock file
        $venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
            --no-annotate "$@"
    }
    # The tools are chosen beside the packages of the first lock, so that both can be installed together.
    compile pyproject.toml -o requirements.lock && compile --group test -c requirements.lock -o requirements-test.lock &&
        compile --group import -c requirements.lock -c requirements-test.lock -o requirements-import.lock &&
        compile --group mutants -c requirements.lock -c requirements-test.lock -o requirements-mutants.lock &&
        compile --group uv -o requirements-uv.lock
    ;;
*)
    echo 'usage: python.sh uv | sync [test] | mutants | lock' >&2
    exit 2
    ;;
esac
