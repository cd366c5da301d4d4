"""Metrics of several runs and experiments, computed side by side before something asks for them one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from pipeline.analyse import kept, refused
from pipeline.bundle import entries, journal
from pipeline.bundle.bundle import Bundle
from pipeline.ground import paths, side_by_side
from pipeline.host import cpus
from pipeline.ingest import ingest

Asked = tuple[str, str]  # run and experiment


def metrics(asked: Iterable[Asked], told: Callable[[str], None]) -> None:
    """Compute and keep metrics by as many processes as there are CPUs. What was kept once is passed over: whoever asks
    for it sees whether it still holds. told: gets a line as each is done.

    Nothing is done where nothing would be kept, and for one alone. Raises LabError as reading the raw files does.
    """
    new = [one for one in dict.fromkeys(asked) if not kept.file(paths.tables(*one), "metrics").exists()]
    if not kept.keeps() or len(new) < 2:
        return
    trials = Counter()
    for run in {run for run, _ in new}:
        trials.update((run, line["experiment"]) for line in journal.trials(Bundle.open(run).journal()))
    done = iter(range(1, len(new) + 1))

    def tell(one: Asked) -> None:
        told(f"[{next(done)}/{len(new)}] {one[1]}: run {one[0]} read")

    side_by_side.each(_compute, new, len(cpus.usable()), trials.__getitem__, tell)


def _compute(one: Asked) -> None:
    run, experiment = one
    entry = entries.experiment(experiment, run)
    tables = ingest.ingest(Bundle.open(run), entry)
    kept.table("metrics", entry, tables, partial(refused.compute, entry, tables))
