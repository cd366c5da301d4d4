"""`lab ...` as a fork of a process that has loaded its libraries, as kernels are (`pipeline.publish.fork_server`).

A process of its own with its own arguments, environment, folder, output and exit status, which only has not to import
pandas and matplotlib again: two thirds of what a short command takes. How `lab` starts is tested where it is started.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from laboratory import MAIN

from pipeline.publish import fork_server


def run(arguments: Sequence[str], environment: Mapping[str, str], folder: Path, timeout: float | None):
    """As `subprocess.run(["lab", *arguments], capture_output=True, text=True)`."""
    with tempfile.TemporaryDirectory() as printed:
        files = [os.path.join(printed, name) for name in ("out", "err")]
        given = (list(arguments), dict(environment), str(folder), files)
        process = fork_server.Fork(target=_lab, args=given)
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(list(arguments), timeout)
        out, err = (Path(file).read_bytes().decode(errors="replace") for file in files)
    return subprocess.CompletedProcess(list(arguments), process.exitcode, out, err)


def _lab(arguments: list[str], environment: Mapping[str, str], folder: str, files: Sequence[str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    opened = [os.open(os.devnull, os.O_RDONLY), *(os.open(file, os.O_WRONLY | os.O_CREAT) for file in files)]
    for target, one in enumerate(opened):
        os.dup2(one, target)
        os.close(one)
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    for name, target in (("stdout", 1), ("stderr", 2)):
        setattr(sys, name, open(target, "w", encoding=encoding, closefd=False))  # noqa: SIM115
    sys.argv = ["lab", *arguments]
    exec(MAIN, {})
