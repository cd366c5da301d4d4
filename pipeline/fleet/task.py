"""What a Dask worker on a host is asked for: to measure its run, to stop, and for what it measured.

The measuring is a process of its own (`pipeline.fleet.work`), so that the worker stays small and asleep. It dies with
the worker. A worker loads this module as a preload; the coordinator sends its functions by name alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.fleet import work
from pipeline.ground import paths
from pipeline.ground.errors import INTERRUPTED
from pipeline.measure.processes import dying_with_us
from pipeline.measure.progress import EVERY_S, Follower

TOPIC = "mechanical-sympathy-lab"
Tell = Callable[[dict[str, Any]], None]


class Killed(Exception):
    """What measures here was killed, by whom ever."""


_running: dict[str, subprocess.Popen] = {}  # by run; one at a time
_stopped: set[str] = set()


def measure(run: str, profile: str, experiments: list[str]) -> dict[str, Any]:
    """Measure a run of this host, or go on; what came of it: `status` and `why` as the command line would end, `failed`
    experiments with their reasons, `packed` ones with their trials, `before` and `trials`: how many there were and are.
    """
    from distributed import get_worker

    worker = get_worker()
    return watched(run, profile, experiments, lambda told: worker.log_event(TOPIC, {"run": run, **told}))


def watched(run: str, profile: str, experiments: list[str], tell: Tell) -> dict[str, Any]:
    """As `measure`; `tell` is given how far it is, once a second at most and only when there is news; `before` of it is
    0 until there is a trial more."""
    sizes = {name: catalogue.experiment(name).profiles[profile] for name in experiments}
    follower = Follower(paths.bundle(run) / journal.FILE, sizes)
    follower.read()
    before, grown = state(follower)["trials"], False
    log = work.packed(run).with_suffix(".log")
    log.parent.mkdir(parents=True, exist_ok=True)
    _stopped.discard(run)
    command = [sys.executable, "-m", "pipeline.fleet.work", run, profile, ",".join(experiments)]
    with log.open("wb") as out:
        _running[run] = subprocess.Popen(
            [*dying_with_us(), *command], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, cwd=paths.ROOT
        )
    last: dict[str, Any] = {}
    try:
        while _running[run].poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                _running[run].wait(EVERY_S)
            grown = follower.read() or grown
            news = state(follower) | {"before": before if grown else 0, "waits": _last(log).get("waits", "")}
            if news != last:
                tell(last := news)
    finally:
        ended = _running.pop(run)
        if ended.poll() is None:
            ended.kill()
            ended.wait()
    if ended.returncode < 0 and run not in _stopped:
        raise Killed(f"signal {-ended.returncode}")
    return _answer(run, log, ended.returncode) | {"before": before, "trials": trials(run)}


def _answer(run: str, log: Path, status: int) -> dict[str, Any]:
    told = _last(log)
    if "packed" in told:
        return told
    if run in _stopped:
        return {"status": INTERRUPTED, "why": "interrupted", "failed": {}, "packed": {}}
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    words = next((line.strip() for line in reversed(lines) if line.strip()), "")
    why = f"measuring ended with status {status}: {words[:200]}"
    return {"status": 5, "why": why, "failed": {}, "packed": {}}


def _last(log: Path) -> dict[str, Any]:
    """The last line of a log where that is an object of JSON."""
    with contextlib.suppress(ValueError, OSError):
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - (1 << 20)))
            told = json.loads(file.read().rstrip().rpartition(b"\n")[2])
        if isinstance(told, dict):
            return told
    return {}


def state(follower: Follower) -> dict[str, Any]:
    """How far a run is, in numbers: trials, those planned and those noisy, experiment, block, seconds to go."""
    each = follower.counted.values()
    now = follower.counted.get(follower.current)
    done = sum(one.done for one in each)
    return {
        "trials": done,
        "planned": max(sum(one.planned for one in each), done),
        "noisy": sum(one.noisy for one in each),
        "experiment": follower.current,
        "block": now.block if now else 0,
        "sitting": bool(follower.sitting),
        "left_s": round(follower.left_s()),
    }


def trials(run: str) -> int:
    """How many trials the journal of a run here holds."""
    file = paths.bundle(run) / journal.FILE
    return len(journal.trials(journal.parse(file.read_bytes(), run))) if file.exists() else 0


def interrupt(run: str) -> bool:
    """Stop measuring in order; whether it was."""
    _stopped.add(run)
    if running := _running.get(run):
        running.send_signal(signal.SIGINT)
    return running is not None


def dask_teardown(worker: Any) -> None:
    """The worker ends, as when its coordinator is gone: so does what it started."""
    for running in list(_running.values()):
        running.kill()


def contents(run: str) -> dict[str, Any]:
    """What a run here consists of: the bytes of `run.json` and of the journal's complete lines, and the SHA-256 of the
    archive of each experiment."""
    bundle, folder = Bundle.open(run), work.packed(run)
    content = bundle.read_raw(journal.FILE)
    named = {line["experiment"] for line in journal.trials(journal.parse(content, run)) if line.get("files")}
    sums = {name: hashlib.sha256(bundle.packed(name, folder).read_bytes()).hexdigest() for name in sorted(named)}
    return {
        "run.json": (bundle.folder / "run.json").read_bytes(),
        journal.FILE: content[: content.rfind(b"\n") + 1],
        "archives": sums,
    }


def archive(run: str, experiment: str) -> bytes:
    """The archive of one experiment of a run here."""
    return Bundle.packed(experiment, work.packed(run)).read_bytes()
