"""Execute the notebooks one after the other and build the report from them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from pipeline import paths
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.errors import INTERRUPTED, LabError
from pipeline.host import cpus
from pipeline.measure import progress
from pipeline.publish import notebooks, page, site
from pipeline.publish.notebooks import Result

DRAWN_AT_ONCE = 4


@dataclass(frozen=True)
class Report:
    """What a report came to. `failed` has one line per notebook that failed: `experiment: reason`."""

    results: list[Result]
    index_path: Path | None
    failed: list[str]


def report(
    run: str,
    profile: str,
    experiments: list[str],
    measuring: bool = True,
    *,
    parameters: dict[str, Any] | None = None,
    fresh: bool = False,
    pages: bool = True,
    console: Console | None = None,
) -> Report:
    """Execute the notebooks of `experiments` for a run and build its site.

    `parameters` go to every notebook. `fresh` executes those too that are up to date; without `pages` no site is built
    (index_path is None). A notebook that fails is shown as failed; the rest is built. Experiments of the same run that
    are not named keep their pages.
    Raises LabError for an unknown experiment or parameter, when nothing could be measured, and when interrupted (130).
    """
    console = console or Console()
    entries = [catalogue.experiment(name) for name in experiments]
    if not measuring:
        Bundle.open(run)
    for entry in entries if parameters else []:
        notebooks.check(entry, parameters)

    def one(entry: Experiment) -> Result:
        return _one(entry, run, profile, parameters or {}, measuring, fresh, console)

    results = []
    with _mapping(measuring) as each:
        for number, result in enumerate(each(one, entries), 1):
            results.append(result)
            ending = "up to date" if result.up_to_date else f"done in {progress.clock(result.seconds)}"
            ending = f"failed: {result.failed}" if result.failed else ending
            line = f"[{number}/{len(entries)}] {result.experiment}: {ending}"
            console.print(line, soft_wrap=True, markup=False, highlight=False)
    if results and all(result.failed for result in results) and not (paths.bundle(run) / "run.json").exists():
        raise LabError(results[0].failed, 1)
    failed = [f"{r.experiment}: {r.failed}" for r in results if r.failed]
    if not pages:
        return Report(results, None, failed)
    index = site.build(run, page.of_run(run, results), console)
    return Report(results, index, failed)


@contextlib.contextmanager
def _mapping(measuring: bool) -> Iterator[Callable]:
    """How notebooks are executed: measuring one after the other, alone on the machine; drawing several at once."""
    if measuring:
        yield map
        return
    with ThreadPoolExecutor(min(DRAWN_AT_ONCE, len(cpus.usable()))) as pool:
        yield pool.map


def _one(
    entry: Experiment, run: str, profile: str, given: dict, measuring: bool, fresh: bool, console: Console
) -> Result:
    if not fresh and (last := notebooks.up_to_date(entry, run, profile, given, measuring)):
        return last
    watch = progress.following(entry, profile, paths.bundle(run), console)
    try:
        with watch if measuring else contextlib.nullcontext():
            return notebooks.execute(entry, run, profile, given, measuring=measuring)
    except LabError as error:
        if error.status == INTERRUPTED:
            raise
        return Result(entry.name, notebooks.executed(entry, run), str(error))
