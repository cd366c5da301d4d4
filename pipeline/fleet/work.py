"""What a host does for a fleet, in a process of its own: measure its run as `lab measure` does, then pack it.

    python -m pipeline.fleet.work RUN PROFILE EXPERIMENT,EXPERIMENT

Ctrl-C (SIGINT) ends measuring in order, and what there is gets packed all the same. The last line that it prints is the
answer, JSON; the exit status is 0 whenever there is one. So it needs no Dask: whatever can start a command and fetch
files can take the place of its worker.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from pipeline.bundle import content_id, journal
from pipeline.bundle.bundle import Bundle
from pipeline.bundle.lock import Measuring
from pipeline.catalogue import catalogue, withheld
from pipeline.ground import arithmetic, durable, paths
from pipeline.ground.errors import INTERRUPTED, NO_RESOURCES, LabError, of_system

PATIENCE_S, AGAIN_S = 600.0, 2.0  # for how long another run on the machine is waited for, and how often it is looked at


def packed(run: str) -> Path:
    """Where the archives of a run lie until they are fetched."""
    return paths.build() / "fleet" / run


def say(**told: object) -> None:
    """One line for who watches."""
    print(json.dumps(told), flush=True)


def measure(run: str, profile: str, experiments: list[str]) -> dict[str, str]:
    """Measure or go on; experiments that could not be measured, with their reasons. LabError as `lab measure`, also
    when another run still measures on this machine after PATIENCE_S."""
    from pipeline.session.measuring import measured

    entries = [catalogue.experiment(name) for name in experiments]
    console = Console(width=200)
    failed = waited(lambda: measured(run, profile, entries, console))
    return {name: str(error) for name, error in failed.items()}


def waited(measuring: Callable[[], dict[str, LabError]]) -> dict[str, LabError]:
    """What `measuring` gives once the machine is free."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            return measuring()
        except Measuring as error:
            if time.monotonic() >= until:
                raise
            say(waits=str(error))
            time.sleep(AGAIN_S)


def pack(run: str) -> dict[str, int]:
    """Pack what the run holds, each experiment into an archive as `lab archive` makes it; experiment -> trials."""
    from pipeline.publish import packing

    if not (paths.bundle(run) / journal.FILE).exists():
        return {}
    bundle, folder = Bundle.open(run), packed(run)
    folder.mkdir(parents=True, exist_ok=True)
    stamp, identity = folder / "packed.json", content_id.content_id(bundle)
    if stamp.exists() and (told := json.loads(stamp.read_text(encoding="utf-8")))["id"] == identity:
        return told["packed"]
    lines = bundle.journal()
    found = {}
    for name in sorted(journal.experiments(lines)):
        trials = journal.trials(lines, name)
        sums = {file: sha for line in trials for file, sha in line.get("files", {}).items()}
        files = {file: bundle.verified(file, sha) for file, sha in sums.items()}
        parts = {file: journal.part_of(line, file) for line in trials for file in line.get("files", {})}
        without = withheld.of(name, trials, bundle.info)
        if files:
            packing.pack(files, bundle.packed(name, folder), (), without, parts)
            found[name] = len(trials)
    durable.write(stamp, json.dumps({"id": identity, "packed": found}) + "\n")
    return found


def _failed(error: LabError | OSError) -> dict[str, object]:
    if isinstance(error, LabError):
        return {"status": error.status, "why": str(error)}
    return {"status": NO_RESOURCES, "why": of_system(error)}


def main(run: str, profile: str, experiments: str) -> None:
    """Measure, pack and say what came of it."""
    told: dict[str, object] = {"status": 0, "why": "", "failed": {}}
    try:
        told["failed"] = measure(run, profile, experiments.split(","))
    except (LabError, OSError) as error:
        told |= _failed(error)
    except KeyboardInterrupt:
        told |= {"status": INTERRUPTED, "why": "interrupted"}
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        told["packed"] = pack(run)
    except (LabError, OSError) as error:
        told |= {**_failed(error), "packed": {}}
    say(**told)


if __name__ == "__main__":
    arithmetic.begin_again()
    main(*sys.argv[1:])
