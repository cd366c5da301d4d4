"""Metrics of several runs and experiments, computed in parallel before something asks for them one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from pipeline.analyse import result_cache
from pipeline.bundle import entries, journal
from pipeline.bundle.bundle import Bundle
from pipeline.ground import parallel, paths
from pipeline.host import cpus
from pipeline.ingest import ingest

Asked = tuple[str, str]  # run and experiment


def metrics(asked: Iterable[Asked], told: Callable[[str], None]) -> None:
    """Compute and keep metrics that are not kept, by as many processes as there are CPUs. told: gets a line as each is
    done.

    Nothing is done where nothing would be kept, and for one alone. Raises LabError as reading the raw files does.
    """
    if not result_cache.keeps():
        return
    asked = list(dict.fromkeys(asked))
    bundles = {run: Bundle.open(run) for run, _ in asked}
    new = [one for one in asked if not _known(bundles[one[0]], one[1])]
    if len(new) < 2:
        return
    trials = Counter()
    for run, bundle in bundles.items():
        trials.update((run, line["experiment"]) for line in journal.trials(bundle.journal()))
    done = iter(range(1, len(new) + 1))

    def tell(one: Asked) -> None:
        told(f"[{next(done)}/{len(new)}] {one[1]}: run {one[0]} read")

    parallel.each(_compute, new, len(cpus.usable()), trials.__getitem__, tell)


def _known(bundle: Bundle, experiment: str) -> bool:
    entry = entries.experiment(experiment, bundle.name)
    stamp = ingest.current(bundle, entry)
    return bool(stamp) and result_cache.holds_metrics(entry, paths.tables(bundle.name, experiment), stamp)


def _compute(one: Asked) -> None:
    run, experiment = one
    entry = entries.experiment(experiment, run)
    result_cache.metrics(entry, ingest.ingest(Bundle.open(run), entry))
