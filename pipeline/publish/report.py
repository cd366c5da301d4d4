"""Measure a run, execute its notebooks and build the report from them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.ground.errors import INTERRUPTED, LabError
from pipeline.host import cpus
from pipeline.measure import progress
from pipeline.publish import notebooks, page, preview, site
from pipeline.publish.notebooks import Result

if TYPE_CHECKING:
    from pipeline.session.sampling_targets import Deciding

DRAWN_AT_ONCE = 4


@dataclass(frozen=True)
class Report:
    """What a report came to. `failed` has one line per experiment or notebook that failed: `experiment: reason`."""

    results: list[Result]
    index_path: Path | None
    failed: list[str]


def report(
    run: str,
    profile: str,
    experiments: list[str],
    measuring: bool = True,
    *,
    fresh: bool = False,
    pages: bool = True,
    wait_s: float = 0.0,
    deciding: Deciding | None = None,
    previewing: bool = True,
    console: Console | None = None,
) -> Report:
    """Measure `experiments` together, execute their notebooks for the run, several at once, and build its site.

    `fresh` executes those notebooks too that are up to date; without `pages` no site is built (index_path is None);
    `wait_s`: to wait for a quiet host at most; `deciding`: how long to sit for what is undecided; `previewing`: draw a
    first report of a first look (`pipeline.publish.preview`). What fails is shown as failed; the rest is built.
    Experiments of the same run that are not named keep their pages.
    Raises LabError for an unknown experiment, when nothing could be measured, and when interrupted (130).
    """
    console = console or Console()
    entries = [catalogue.experiment(name) for name in experiments]
    unmeasured: dict[str, LabError] = {}
    if measuring:
        from pipeline.session.measuring import measured  # slow to load

        first = partial(preview.draw, run, entries, console) if previewing and pages else lambda: None
        unmeasured = measured(run, profile, entries, console, wait_s, deciding, first)
    bundle = Bundle.open(run)

    def one(entry: Experiment) -> Result:
        if entry.name in unmeasured:
            return Result(entry.name, notebooks.executed(entry, run), str(unmeasured[entry.name]))
        return _one(entry, run, profile, fresh)

    # The page of the largest files first: it takes longest, and begun last it would be drawn alone.
    longest = sorted(entries, key=lambda entry: bundle.raw_bytes(entry.name), reverse=True)
    with ThreadPoolExecutor(min(DRAWN_AT_ONCE, len(cpus.usable()))) as pool:
        drawn = {entry.name: pool.submit(one, entry) for entry in longest}
        try:
            for number, future in enumerate(as_completed(drawn.values()), 1):
                _tell(future.result(), f"[{number}/{len(entries)}]", console)
        finally:
            for future in drawn.values():
                future.cancel()
    results = [drawn[entry.name].result() for entry in entries]
    failed = [f"{r.experiment}: {r.failed}" for r in results if r.failed]
    index = site.build(run, page.of_run(run, results), console) if pages else None
    return Report(results, index, failed)


def _tell(result: Result, which: str, console: Console) -> None:
    ending = "up to date" if result.up_to_date else f"drawn in {progress.clock(result.seconds)}"
    ending = f"failed: {result.failed}" if result.failed else ending
    console.print(f"{which} {result.experiment}: {ending}", soft_wrap=True, markup=False, highlight=False)


def _one(entry: Experiment, run: str, profile: str, fresh: bool) -> Result:
    if not fresh and (last := notebooks.up_to_date(entry, run, profile, {})):
        return last
    try:
        return notebooks.execute(entry, run, profile)
    except LabError as error:
        if error.status == INTERRUPTED:
            raise
        return Result(entry.name, notebooks.executed(entry, run), str(error))
