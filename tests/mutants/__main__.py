"""Do the tests notice? Mutants of a room, drawn by a seed, against the room's unit tests: `make mutants ROOM=kit`.

The operators are cosmic-ray's: an arithmetic sign, a comparison, a number, a condition, a loop, a decorator, an except.
A place in the code is drawn, then one of its mutants, and an operator is replaced by one of its own kind, for one of
another kind mostly fails at once and shows nothing. Annotations and what decorators are given, with which nothing is
computed, are left out.

No file is changed. The tests are collected once; each mutant is a fork of that process in which the mutated function
has other code, and runs the tests that enter the function, the fastest first, until one fails. Outside of bodies one
module has another source and all are imported again; what is of no function meets all tests of the room. Results lie
in build/mutants: the same command again tries only what survived, and looks only at new tests for what they enter.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import pytest
from drawn import ROOMS, ROOT
from study import NOTICED, OPTIONS, Study


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("room", choices=ROOMS)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--count", type=int, default=50)
    asked.add_argument("--quick", action="store_true", help="without the tests that are marked thorough")
    given = asked.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as scratch:
        options = [*OPTIONS, f"--basetemp={scratch}/tests", f"tests/unit/{given.room}"]
        options += ["-m", "not thorough and not prove"] if given.quick else []
        study = Study(given.room, given.seed, given.count, Path(scratch))
        pytest.main(options, plugins=[study])
    dead, every = sum(one["outcome"] in NOTICED for one in study.results), len(study.results)
    print(f"{given.room}, seed {given.seed}: {dead} of {every} mutants are noticed")
    return 0 if every else 1


if __name__ == "__main__":
    sys.exit(main())
