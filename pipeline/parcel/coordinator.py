"""The coordinator of a fleet as a host sees it: lines of JSON to it and from it, over the `ssh` that started us.

What is said once a second goes out by standard output. By standard input come `{"stop": true}`, which is Ctrl-C;
`{"wanted": ...}`, what a sitting is for; and an empty line now and then, so that somebody is known to be there. Where
nothing came for SILENCE_S, or the connection has ended, nobody is: then this process ends, with the trial in progress.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from pipeline.measure.adaptive_sampling import Open, Wanted

SILENCE_S = 120.0


class Coordinator:
    """Who asked this host to measure."""

    def __init__(self, came: int = 0) -> None:
        """came: the file descriptor that its lines come by."""
        self._came = came
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._one_line = threading.Lock()  # progress is said by a thread of its own

    def hear(self) -> threading.Thread:
        """From now on what it says is done, by this thread, which ends with the connection."""
        hearing = threading.Thread(target=self._hear, daemon=True)
        hearing.start()
        return hearing

    def say(self, **told: Any) -> None:
        """One line for it."""
        with self._one_line:
            print(json.dumps(told), flush=True)

    def wanted(self, **told: Any) -> Wanted:
        """Ask what a sitting is for, and wait until it says so; `told`: where it finds what was measured."""
        self.say(asks="wanted", **told)
        return decoded(self._answers.get())

    def _hear(self) -> None:
        for line in self._lines():
            if line.get("stop"):
                os.kill(os.getpid(), signal.SIGINT)
            if "wanted" in line:
                self._answers.put(line["wanted"])
        alone()

    def _lines(self) -> Iterator[dict[str, Any]]:
        """What comes, until nobody is there."""
        kept = b""
        while select.select([self._came], [], [], SILENCE_S)[0]:
            if not (content := os.read(self._came, 1 << 16)):
                return
            *complete, kept = (kept + content).split(b"\n")
            for text in filter(bytes.strip, complete):
                with contextlib.suppress(ValueError, TypeError):
                    yield dict(json.loads(text))


def alone() -> None:
    """End this process and all that it started, at once: what no journal line says was not measured."""
    sys.stdout.flush()
    os.killpg(0, signal.SIGKILL)


def encoded(wanted: Wanted) -> dict[str, Any]:
    """What a sitting is for, as JSON has it."""
    opened = {
        of: [asdict(one) | {"keys": sorted(one.keys)} for one in getattr(wanted, of)] for of in ("open", "answers")
    }
    return opened | {"wide": wanted.wide}


def decoded(told: Mapping[str, Any]) -> Wanted:
    """The same again."""
    opened = [
        tuple(Open(**{**one, "chances": tuple(one["chances"]), "keys": frozenset(one["keys"])}) for one in told[of])
        for of in ("open", "answers")
    ]
    return Wanted(*opened, tuple((name, tuple(keys)) for name, keys in told["wide"]))
