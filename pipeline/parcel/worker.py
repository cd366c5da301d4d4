"""A worker of a fleet measures its part: `./fleet work RUN PROFILE EXPERIMENT,EXPERIMENT`, started by a coordinator.

It says once a second how far it is, and asks what its sitting is for: whoever started it holds the data and can analyse
them. Its last line is the answer: how it ended and, where there are trials, the file that holds them.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

from pipeline.bundle import content_id, journal
from pipeline.bundle.bundle import Bundle
from pipeline.bundle.lock import Measuring
from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import DECIDE_MINUTES
from pipeline.ground import digest, paths
from pipeline.ground.errors import INTERRUPTED, NO_RESOURCES, LabError, of_system
from pipeline.host import load
from pipeline.measure import progress
from pipeline.measure.adaptive_sampling import Asked, Wanted
from pipeline.measure.progress import Follower
from pipeline.measure.run import measure
from pipeline.parcel import measuring
from pipeline.parcel.coordinator import Coordinator

PATIENCE_S, AGAIN_S = 600.0, 2.0  # for how long another run on the machine is waited for, and how often it is looked at


def answer(run: str, profile: str, names: Sequence[str], coordinator: Coordinator) -> None:
    """Measure, or go on, and say what came of it: `status` and `why` as the command line would end, `failed`
    experiments with their reasons, how many `trials` there are and were `before`, and the `file` (`told_of`)."""
    if os.getpgrp() != os.getpid():  # as who has a session of his own, which sshd gives, is
        os.setpgrp()  # so that all of it ends together (`coordinator.alone`)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which who started us may have told to ignore it
    coordinator.hear()
    told: dict[str, Any] = {"status": 0, "why": "", "failed": {}, "before": trials(run)}
    try:
        told["failed"] = measured(run, profile, names, coordinator)
    except LabError as error:
        told |= {"status": error.status, "why": str(error)}
    except OSError as error:
        told |= {"status": NO_RESOURCES, "why": of_system(error)}
    except KeyboardInterrupt:  # before there was anything to measure
        told |= {"status": INTERRUPTED, "why": "interrupted"}
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        told |= told_of(run)
    except (LabError, OSError) as error:
        why = str(error) if isinstance(error, LabError) else of_system(error)
        told |= {"status": told["status"] or NO_RESOURCES, "why": told["why"] or why}
    coordinator.say(ended=told)


def measured(run: str, profile: str, names: Sequence[str], coordinator: Coordinator) -> dict[str, str]:
    """Measure these experiments; why some could not be. LabError as `measuring.planned` and `measure` have it, the
    first's where none could be, and when another run still measures on this machine after PATIENCE_S."""
    said: list[str] = []
    plans, failed = measuring.planned(run, profile, [catalogue.experiment(one) for one in names], said.append)
    before = trials(run)

    def choose(bundle: Bundle) -> Wanted:
        return coordinator.wanted(**told_of(run))

    last: list[dict[str, Any]] = [{}]

    def show(seen: Follower, _: float) -> None:
        news = state(seen)
        news["before"] = before if news["trials"] > before else 0
        if news != last[0]:
            last[0] = news
            coordinator.say(**news)

    asked = Asked(DECIDE_MINUTES[profile], choose, say=said.append)
    with progress.following([one.entry for one in plans], profile, paths.bundle(run), show, progress.EVERY_S):
        waited(
            lambda: measure(
                run, plans, measuring.undecided, on_failure=failed.__setitem__, at_start=load.sample, asked=asked
            ),
            coordinator,
        )
    if len(failed) == len(names):
        raise next(iter(failed.values()))
    return {name: str(error) for name, error in failed.items()}


def waited(measuring: Callable[[], object], coordinator: Coordinator) -> None:
    """Measure once the machine is free."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            measuring()
            return
        except Measuring as error:
            if time.monotonic() >= until:
                raise
            coordinator.say(waits=str(error))
            time.sleep(AGAIN_S)


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
    return len(journal.trials(Bundle.open(run).journal())) if (paths.bundle(run) / "run.json").exists() else 0


def told_of(run: str) -> dict[str, Any]:
    """How many trials a run holds by now and its file, written anew: name, content id and SHA-256; `file` is empty
    where there is none."""
    path = measuring.written(run)
    if path is None:
        return {"trials": 0, "file": ""}
    identity = content_id.content_id(Bundle.open(run))
    return {"trials": trials(run), "file": path.name, "id": identity, "sha256": digest.large(path)}
