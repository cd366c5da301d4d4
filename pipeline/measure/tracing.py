"""System calls of a trial's process, as strace tells them: who makes how many cannot be timed, only traced.

A tracer stops its process at every call, so what a traced variant takes says nothing about the same one untraced. It is
optional, as fio is: where it is not installed, or may not trace, such trials are unsupported, with its own reason.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from functools import cache

KINDS = ("futex",)  # logs of a variant that are the system calls of that name
# All threads (-f), each call with the name of its thread (-Y), nothing about signals or the tracer itself.
STRACE = ("strace", "-f", "-qq", "-Y", "-e", "signal=none")


def traced(logs: Iterable[str]) -> list[str]:
    """Those of a part's logs that a tracer writes."""
    return [kind for kind in logs if kind in KINDS]


def command(calls: Iterable[str], log: str) -> list[str]:
    """The command behind which a process is traced into the file `log`."""
    return [*STRACE, "-e", f"trace={','.join(calls)}", "-o", log, "--"]


@cache
def refusal() -> str:
    """Why nothing can be traced here; empty where it can."""
    if not shutil.which(STRACE[0]):
        return "a trace of system calls needs strace; install it (Debian: strace)"
    tried = subprocess.run([*command(KINDS, "/dev/null"), "true"], capture_output=True, text=True, check=False)
    if tried.returncode == 0:
        return ""
    said = tried.stderr.strip().splitlines() or [f"exit status {tried.returncode}"]
    return f"strace may not trace here ({said[0].strip()}); allow ptrace or measure without it"
