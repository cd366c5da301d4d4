"""Measuring on a host from a parcel: what it will measure and for how long, then the trials, then the run as one file.

Nothing analyses here: experiments end by their blocks or their budget. A run sits where somebody at home says what for
(`pipeline.parcel.worker`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pipeline.bundle import checksums, journal, single_file
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.ground import origin, paths
from pipeline.ground.errors import INTERRUPTED, NO_RESOURCES, LabError
from pipeline.host import load, runtimes
from pipeline.measure import duration, progress
from pipeline.measure.run import measure
from pipeline.parcel import usable_jdks
from pipeline.plan import plan
from pipeline.plan.plan import Plan
from pipeline.words.numbers import counted, quantity

Say = Callable[[str], None]


def run(name: str, profile: str, chosen: Sequence[str], say: Say) -> int:
    """Measure, or go on, and write `<name>.lab` of what there is; the exit status. LabError where nothing can be
    measured."""
    entries = [catalogue.experiment(one) for one in chosen] or list(catalogue.load().values())
    plans, failed = planned(name, profile, entries, say)
    say(beforehand(plans, name))
    status = INTERRUPTED
    try:
        with progress.in_lines([one.entry for one in plans], profile, paths.bundle(name), say):
            measure(name, plans, undecided, on_failure=failed.__setitem__, at_start=lambda: looked(say))
        status = 1 if failed else 0
    except LabError as error:
        if error.status not in (INTERRUPTED, NO_RESOURCES):
            raise
        status = error.status
        say(f"lab: {error}")
    return max(status, _written(name, say, failed))


def planned(name: str, profile: str, entries: Sequence[Experiment], say: Say) -> tuple[list[Plan], dict[str, LabError]]:
    """The plans of those experiments that can be measured here, and why the others cannot; `say` is told both, and of
    JDKs that do not start. LabError where none can, or the run is another parcel's."""
    own_run(name)
    for line in usable_jdks.take().left_out:
        say(line)
    plans, failed = plan.each(entries, profile, runtimes.all_runtimes())
    for experiment, error in failed.items():
        say(f"{experiment} is not measured: {error}")
    if not plans:
        raise next(iter(failed.values()))
    return plans, failed


def own_run(name: str) -> None:
    """LabError where a run of that name is another parcel's: its trials were started by other code."""
    if not (paths.bundle(name) / "run.json").exists():
        return
    known = Bundle.open(name).info.get("harness", {}).get("parcel", "")
    if known != checksums.of_harnesses()["parcel"]:
        of = f"parcel lab-{known}" if known else "no parcel"
        raise LabError(f"run {name!r} is of {of}, and this is another; go on with that one, or name another --run")


def beforehand(plans: Sequence[Plan], name: str) -> str:
    """What will be measured and how long that takes, in a line."""
    known = duration.by(origin.told()["takes"])
    there = {name for name, one in plans[0].available.items() if one.version != runtimes.ABSENT}
    used = dict.fromkeys(one.runtime for each in plans for one in each.configurations if one.runtime in there)
    minutes = counted(max(round(duration.minutes(plans, known, sits=False)), 1), "minute")
    configurations = counted(sum(len(one.configurations) for one in plans), "configuration")
    what = f"{configurations} of {counted(len(plans), 'experiment')} ({plans[0].profile}) on {', '.join(used)}"
    return f"Run {name}: {what}, about {minutes} at most. Ctrl-C at any moment; the same command continues."


def undecided(bundle: Bundle, entry: Experiment, lines: list[dict]) -> float:
    """No interval is narrow where none is computed."""
    return math.inf


def looked(say: Say) -> load.Load:
    seen = load.sample()
    if seen.busy:
        say(f"The host is busy: {seen.words()}. Measuring goes on, and the trials meanwhile are marked noisy.")
    return seen


def _written(name: str, say: Say, failed: Mapping[str, LabError]) -> int:
    """Say how each experiment ended, and write the run's file; the exit status of that."""
    if (path := written(name)) is None:
        return 0
    for experiment, error in failed.items():
        say(f"{experiment}: failed: {error}")
    trials = counted(len(journal.trials(Bundle.open(name).journal())), "trial")
    say(f"{path}: {trials}, {quantity(path.stat().st_size, 'bytes')}; at home: lab import {path.name}")
    return 0


def written(name: str) -> Path | None:
    """The file of all that a run holds by now, written anew; None where it holds no trial."""
    if not (paths.bundle(name) / "run.json").exists() or not journal.trials((bundle := Bundle.open(name)).journal()):
        return None
    return single_file.write(bundle, paths.ROOT / f"{name}{single_file.SUFFIX}")
