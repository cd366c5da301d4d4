"""One run, one clock: all experiments of a run are measured together, trials one at a time, alone on the machine.

Blocks of the experiments are interleaved over the whole run, so that the drift of the host within it is part of every
interval: the next block is that of the experiment which has measured the least share of its own blocks. So all of them
begin in the first minutes and end together. The first blocks are of two parts: what a first look is of comes first, in
all experiments, and then the rest in all of them. Then trials in other states than the one that is meant, where few
are in it, and noisy trials are repeated, those of all experiments in one random order. Whose turn it is follows from
the journal and the seed alone: an interrupted run goes on as if it had not been.
"""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable, Iterator, Sequence

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.bundle.lock import alone
from pipeline.ground import paths
from pipeline.ground.errors import INTERRUPTED, LabError
from pipeline.host import cpus
from pipeline.host.load import Load
from pipeline.host.runtimes import Runtime
from pipeline.measure import adaptive_sampling, class_data, states
from pipeline.measure.adaptive_sampling import Asked
from pipeline.measure.sweep import Precision, Sweep
from pipeline.plan.plan import Plan

SEED = 20110914
OnFailure = Callable[[str, LabError], None]


def _raised(experiment: str, error: LabError) -> None:
    raise error


def measure(
    run: str,
    plans: Sequence[Plan],
    precision: Precision,
    seed: int = SEED,
    on_failure: OnFailure = _raised,
    at_start: Callable[[], Load | None] = lambda: None,
    asked: Asked | None = None,
    at_first: Callable[[], None] = lambda: None,
) -> Bundle:
    """Measure plans (one per experiment, of one profile) into the run's bundle, or load it when it is complete.

    `precision` is the stop rule's measure; `seed` shuffles the blocks of a new run and is recorded, an existing run
    keeps its own. `on_failure` is told of an experiment that cannot be measured, and the others go on; by default its
    LabError is raised. `at_start` is called before the first trial; what it saw of a busy host goes into the journal.
    `asked`: for how long the run sits when its whole blocks are complete (`pipeline.measure.adaptive_sampling`);
    without it, as from a notebook, it does not. `at_first` is called once in the life of a run, between two trials: as
    soon as every experiment has the first part of its first block.
    Raises LabError: another host's bundle, a second run at the same time (status 5), interrupt (status 130; the next
    call continues).
    """
    existing = Bundle.open(run) if (paths.bundle(run) / "run.json").exists() else None
    profile = plans[0].profile
    sits = asked and (existing is None or adaptive_sampling.owed(existing.journal(), asked))
    if existing and existing.info["profile"] == profile and not _unfinished(existing, plans) and not sits:
        _sweeps(existing, plans, precision, on_failure)
        return existing
    try:
        with alone(run), _within_quota():
            bundle = Bundle.create_or_resume(run, profile, seed, plans[0].available, paths.io())
            class_data.make(_jdks(plans))
            load = at_start()
            if load and load.busy:
                bundle.note_busy(load)
            sweeps = _sweeps(bundle, plans, precision, on_failure)
            left = {plan.entry.name for plan in _unfinished(bundle, plans)}
            if asked and left and journal.deciding(bundle.journal()) is None and not journal.sittings(bundle.journal()):
                bundle.append({"event": "deciding", "minutes": float(asked.minutes)})
            _measure([sweep for sweep in sweeps if sweep.entry.name in left], on_failure, at_first)
            if asked and not _unfinished(bundle, plans) and adaptive_sampling.owed(bundle.journal(), asked):
                adaptive_sampling.sit(bundle, sweeps, asked)
    except KeyboardInterrupt:
        raise LabError("interrupted; the same command continues where it stopped", INTERRUPTED) from None
    return bundle


@contextlib.contextmanager
def _within_quota() -> Iterator[None]:
    """What is started meanwhile keeps to the CPUs that the quota is enough for.

    The plan pins no more busy threads than that, but it does not pin all: workers that are `free`, a JVM's compiler and
    its collector would otherwise run on the other CPUs and use up what the workers need.
    """
    before, enough = os.sched_getaffinity(0), set(cpus.usable())
    if not enough < before:
        yield
        return
    os.sched_setaffinity(0, enough)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _jdks(plans: Sequence[Plan]) -> set[Runtime]:
    """Those that trials of these plans run on."""
    found = [(plan, one) for plan in plans for one in plan.configurations]
    return {plan.available[one.runtime] for plan, one in found if any(part.harness == "java" for part in one.parts)}


def _unfinished(bundle: Bundle, plans: Sequence[Plan]) -> list[Plan]:
    lines = bundle.journal()
    return [plan for plan in plans if not journal.finished(lines, plan.entry.name)]


def _sweeps(bundle: Bundle, plans: Sequence[Plan], precision: Precision, on_failure: OnFailure) -> list[Sweep]:
    made = []
    for plan in plans:
        with _told(plan.entry.name, on_failure):
            made.append(Sweep(bundle, plan, precision))
    return made


@contextlib.contextmanager
def _told(experiment: str, on_failure: OnFailure) -> Iterator[None]:
    try:
        yield
    except LabError as error:
        on_failure(experiment, error)


def _measure(sweeps: list[Sweep], on_failure: OnFailure, at_first: Callable[[], None]) -> None:
    """First parts and blocks in turns, then repeats, then the last lines; a sweep that fails is left out of what
    follows."""
    failed: set[str] = set()

    def failing(experiment: str, error: LabError) -> None:
        failed.add(experiment)
        on_failure(experiment, error)

    def going() -> list[Sweep]:
        return [sweep for sweep in sweeps if sweep.entry.name not in failed]

    def waiting() -> list[Sweep]:
        return [sweep for sweep in going() if not sweep.ended]

    while closed := [sweep for sweep in waiting() if not sweep.opened]:
        turn = min(closed, key=_precedence)
        with _told(turn.entry.name, failing):
            turn.open()
        if waiting() and all(sweep.opened for sweep in waiting()):
            at_first()
    while left := waiting():
        turn = min(left, key=_precedence)
        with _told(turn.entry.name, failing):
            turn.block()
    for sweep, line in _again(going()):
        if sweep.entry.name not in failed:
            with _told(sweep.entry.name, failing):
                sweep.repeat(line)
    for sweep in going():
        sweep.finish()


def _again(sweeps: Sequence[Sweep]) -> list[tuple[Sweep, dict]]:
    """What is measured once more after the blocks, as long as budgets last: trials of configurations that were seldom
    in the state that is meant, then noisy ones; each in one random order of all experiments."""
    found = states.of([line for sweep in sweeps for line in sweep.first])
    kinds = [sweep.elsewhere(found) for sweep in sweeps], [sweep.noisy() for sweep in sweeps]
    every = []
    for kind in kinds:
        lines = [(sweep, line) for sweep, own in zip(sweeps, kind) for line in own]
        random.Random(f"{sweeps[0].seed}/repeats" if sweeps else "").shuffle(lines)
        every += lines
    return every


def _precedence(sweep: Sweep) -> tuple[bool, float, float]:
    """A block that an interrupt cut comes first, then the least share measured, then chance fixed by the seed."""
    chance = random.Random(f"{sweep.seed}/{sweep.entry.name}/{sweep.number}/turn").random()
    return not sweep.begun, sweep.share, chance
