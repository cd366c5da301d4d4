"""The measuring of a whole run, as `lab report` and `lab measure` do it: a look at the host, then all experiments."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rich.console import Console

from pipeline.analyse import precision
from pipeline.catalogue.entry import Experiment
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.host import load, runtimes
from pipeline.measure.progress import LOG_EVERY_S, clock
from pipeline.measure.run import measure
from pipeline.plan import plan
from pipeline.session import live_progress
from pipeline.session.sampling_targets import Deciding


def measured(
    run: str,
    profile: str,
    entries: Sequence[Experiment],
    console: Console,
    wait_s: float = 0.0,
    deciding: Deciding | None = None,
    at_first: Callable[[], None] = lambda: None,
    where: Sequence[str] = (),
) -> dict[str, LabError]:
    """Measure, or go on; the experiments that could not be measured, with their reasons.

    On a busy host it says so and waits until the host is quiet, `wait_s` seconds at most. Then the run sits, by its
    profile or as `deciding` asks. `where` leaves some of each experiment (`Overrides.of`). `at_first` and LabError as
    `pipeline.measure.run.measure` has them, and the reason of the first experiment when none can be measured.
    """
    deciding = deciding or Deciding()
    if deciding.more and paths.is_archived(run):
        raise LabError("an archived run is measured no further; name another: RUN=quick")
    asked = deciding.asked(profile, entries, console)
    plans, failed = plan.each(entries, profile, runtimes.all_runtimes(), where)
    if plans:
        settled = precision.Settled()

        def pausing() -> None:
            settled.meanwhile = "a first report is drawn"
            at_first()
            settled.meanwhile = ""

        shown = [one.entry for one in plans], profile, paths.bundle(run), console
        with live_progress.following(*shown, settled.words):
            measure(
                run,
                plans,
                settled.widest,
                on_failure=failed.__setitem__,
                at_start=lambda: quiet_host(console, wait_s),
                asked=asked,
                at_first=pausing,
            )
    if len(failed) == len(entries):
        raise next(iter(failed.values()))
    return failed


def quiet_host(
    console: Console,
    wait_s: float,
    sample: Callable[[], load.Load] = load.sample,
    now: Callable[[], float] = time.monotonic,
) -> load.Load:
    """Watch the host for a second; when it is busy say who uses it and what to do, and wait. What was seen last."""

    def say(words: str) -> None:
        console.print(words, soft_wrap=True, markup=False, highlight=False, style="yellow")

    seen, started = sample(), now()
    if not seen.busy:
        return seen
    going_on = "measuring goes on, and the trials meanwhile are marked noisy"
    if wait_s <= 0:
        say(f"The host is busy: {seen.words()}. Stop them, or wait for them with --wait MINUTES; {going_on}.")
        return seen
    say(f"The host is busy: {seen.words()}. Waiting until it is quiet, {clock(wait_s)} at most; or stop them.")
    told = started
    while seen.busy and now() - started < wait_s:
        seen = sample()
        if now() - told >= LOG_EVERY_S:
            told = now()
            say(f"Waiting, {clock(now() - started)} of {clock(wait_s)}: {seen.words()}.")
    say(f"Still busy: {seen.words()}; {going_on}." if seen.busy else "The host is quiet; measuring begins.")
    return seen
