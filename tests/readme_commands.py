"""Run the commands of README.md as they stand, each to its end, in a clone that sets itself up: hours in all.

    .venv/bin/python tests/readme_commands.py FOLDER [COMMAND...]

FOLDER: of the clone, made when it is not there. COMMAND: what to run, in the words of README.md; all where none is.
Says of each with which status it ended after how many seconds, and ends with 1 when one failed. Results: docs/hosts.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "support"), str(Path(__file__).parents[1])]

import readme  # noqa: E402
from jupyter_lab import jupyter_lab  # noqa: E402

from pipeline.ground import paths  # noqa: E402


def main(folder: str, *chosen: str) -> int:
    """The number of commands that failed, 1 at most."""
    project = Path(folder).resolve()
    if not project.exists():
        subprocess.run(["git", "clone", "--quiet", paths.ROOT, project], check=True)
        readme.prepare(project)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LAB_")}
    environment["PATH"] = f"{project / '.venv' / 'bin'}:{environment['PATH']}"
    failed = 0
    for command in readme.commands():
        if chosen and command not in chosen:
            continue
        following = readme.MORE if command == readme.MEASURED else []
        for line in [readme.spelled(command), *following]:
            started = time.monotonic()
            if line == readme.SERVER:
                with jupyter_lab(project, project=project):  # raises where it does not start
                    status = 0
            else:
                status = subprocess.run(line, shell=True, cwd=project, env=environment).returncode
            print(f"== status {status} after {time.monotonic() - started:.0f} s: {line}", flush=True)
            failed = failed or int(status != 0)
    return failed


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
