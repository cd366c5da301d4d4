#!/bin/sh
# Names each missing tool with the Debian package that brings it. Usage: doctor.sh [python|java|c]; all when absent.
what=${1:-all}
missing=0

need() { # command, what it is, package
    command -v "$1" >/dev/null 2>&1 && return
    echo "missing: $2 ($1); install it, on Debian or Ubuntu: apt-get install $3" >&2
    missing=5
}

case $what in python | all)
    need "${PYTHON:-python3}" 'Python 3.11 or later' 'python3 python3-venv'
    if command -v "${PYTHON:-python3}" >/dev/null 2>&1; then
        "${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
            { echo "too old: $("${PYTHON:-python3}" --version); install Python 3.11 or later" >&2; missing=5; }
        "${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null ||
            { echo 'missing: Python module venv; install it, on Debian or Ubuntu: apt-get install python3-venv' >&2; missing=5; }
    fi
    ;;
esac
case $what in java | all)
    need javac 'a JDK, version 17 or later' openjdk-17-jdk
    need mvn 'Apache Maven' maven
    if command -v javac >/dev/null 2>&1; then
        # A JVM with JAVA_TOOL_OPTIONS says so in a line of its own.
        version=$(javac -version 2>&1 | sed -nE 's/^javac ([0-9]+).*/\1/p')
        [ "$version" -ge 17 ] 2>/dev/null ||
            { echo "too old: javac $version; install a JDK 17 or later, on Debian or Ubuntu: apt-get install openjdk-17-jdk" >&2; missing=5; }
    fi
    ;;
esac
case $what in c | all)
    compiler=${CC:-cc} # or with options: ccache gcc
    need "${compiler%% *}" 'a C compiler' gcc
    if command -v "${compiler%% *}" >/dev/null 2>&1; then
        echo '#include <zlib.h>' | $compiler -E - >/dev/null 2>&1 ||
            { echo 'missing: the zlib headers (zlib.h); install them, on Debian or Ubuntu: apt-get install zlib1g-dev' >&2; missing=5; }
    fi
    ;;
esac
[ "$what" = all ] && [ $missing = 0 ] && echo 'All tools that set-up needs are here.'
exit $missing
