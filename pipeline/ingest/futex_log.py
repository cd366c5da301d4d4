"""What strace wrote about the system call futex (`-f -Y`), as measures of the whole trial: who calls to wake others."""

from __future__ import annotations

import re

# 30253<t0> futex(0x7faa20127250, FUTEX_WAKE_PRIVATE, 1) = 1
# 30253<t0> futex(0x7faa20127250, FUTEX_WAKE_PRIVATE, 1 <unfinished ...>
# 30254<waiter> <... futex resumed>)          = -1 EAGAIN (Resource temporarily unavailable)
CALL = re.compile(r"^\d+<(?P<thread>.*?)> +futex\(\w+, (?P<operation>FUTEX_\w+)", re.M)
WAKES = "futex_wakes"


def wakes(text: str) -> dict[str, int]:
    """By name of the thread, of those that call at all: its calls to wake another.

    Whether one found a sleeper does not count: a tracer holds up whoever is on the way to sleep.
    """
    calls: dict[str, int] = {}
    for call in CALL.finditer(text):
        woke = call["operation"].startswith("FUTEX_WAKE")
        calls[call["thread"]] = calls.get(call["thread"], 0) + woke
    return calls
