"""Which histograms a selection stands for: those of the iterations that numbers of it are computed from.

All values of all logs are nanoseconds, so what must not be mixed are series: latencies from when events were due, say,
with those from when they were sent. Which belong together the entry's metrics tell.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd

from pipeline.analyse.trials import Trials
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.metric import Metric
from pipeline.ground.errors import LabError
from pipeline.hdr.percentiles import maximum
from pipeline.hdr.reader import Record
from pipeline.ingest.tables import Tables
from pipeline.words.numbers import counted

KINDS = ("percentile", "typical_percentile", "corrected", "greatest", "mean")
NS_PER_MS, MS_PER_S = 1_000_000, 1000


def metrics_of(entry: Experiment, names: Collection[str] = ()) -> dict[str, Metric]:
    """Of the entry's metrics, or of those named, one for each choice of histograms that they are computed from.

    LabError for a name that is of no histogram.
    """
    known = {name: metric for name, metric in entry.metrics.items() if metric.kind in KINDS}
    if wrong := [name for name in names if name not in known]:
        there = f"there are: {', '.join(known)}" if known else "there is none; choose by series"
        raise LabError(f"{entry.name}: {wrong[0]!r} is no metric of recorded values; {there}")
    found: dict[tuple, str] = {}
    for name in names or known:
        one = known[name]
        found.setdefault((one.series, one.operations, one.phase, one.last), name)
    return {name: known[name] for name in found.values()}


def of_series(entry: Experiment, series: str, phase: str) -> dict[str, Metric]:
    """The histograms of the series and phases that match, cut to the steady part as the entry's metrics of them are."""
    alike = [one for one in metrics_of(entry).values() if (one.series, one.phase) == (series, phase)]
    operations = alike[0].operations if alike else None
    return {series: Metric(kind="mean", unit="ns", label=series, series=series, phase=phase, operations=operations)}


def narrowed(entry: Experiment, tables: Tables, chosen: pd.DataFrame) -> Trials:
    """The chosen trials alone; LabError when there is none."""
    if chosen.empty:
        raise LabError(f"{entry.name}: no measured trial is selected; widen the selection")
    return Trials(entry, tables.but(trials=chosen))


def filled(trials: Trials, metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Those of the metrics whose histograms hold a sample in these trials; LabError when none does."""
    found = {name: one for name, one in metrics.items() if (trials.selected(one)["samples"] > 0).any()}
    if found:
        return found
    rows = trials.iterations
    held = sorted(set(rows.loc[(rows["samples"] > 0) & (rows["phase"] != "warmup"), "series"].astype(str)))
    wanted = ", ".join(dict.fromkeys(f"{one.series} in {one.phase}" for one in metrics.values())) or "any metric"
    there = f"these have some: {', '.join(held)}" if held else "no series of them has any (an archived run may lack it)"
    raise LabError(
        f"{trials.entry.name}: no value of {wanted} in {counted(len(trials.table), 'selected trial')}; {there}"
    )


def only(trials: Trials, metrics: Mapping[str, Metric]) -> Metric:
    """The one of the metrics whose histograms hold a sample; LabError for none, and for several, which do not mix."""
    found = filled(trials, metrics)
    if len(found) > 1:
        there = ", ".join(f"{name} ({one.series} in {one.phase})" for name, one in found.items())
        raise LabError(f"{trials.entry.name}: several series were recorded; say which by metric=, one of: {there}")
    return next(iter(found.values()))


def intervals(trials: Trials, metric: Metric) -> pd.DataFrame:
    """A row for each selected iteration and series, also those without a value, in order of time: trial (its name),
    series, begin_ms (since the epoch), length_ms, counts (`hdr.counts.Counts`).

    A trial's clock is set by the instant that its harness read on both clocks; times are whole milliseconds, cut.
    """
    rows, counts = trials.apart(metric)
    about = trials.table.iloc[rows["trial"]]
    since = rows["start_ns"].to_numpy() - about["monotonic_ns"].to_numpy()
    begin, end = since // NS_PER_MS, (since + rows["elapsed_ns"].to_numpy()) // NS_PER_MS
    found = {"trial": about["trial"].to_numpy(), "series": rows["series"].astype(str).to_numpy()}
    times = {"begin_ms": about["epoch_ms"].to_numpy() + begin, "length_ms": end - begin}
    return pd.DataFrame(found | times | {"counts": counts}).sort_values("begin_ms", kind="stable", ignore_index=True)


def records(rows: pd.DataFrame, tagged: bool = True) -> tuple[float, list[Record]]:
    """Intervals as a log has them: when the first began, in seconds since the epoch, and a record of each, its start in
    seconds after that and its tag the series, or none."""
    first = int(rows["begin_ms"].min())
    return first / MS_PER_S, [
        Record(
            row.series if tagged else None,
            (row.begin_ms - first) / MS_PER_S,
            row.length_ms / MS_PER_S,
            maximum(row.counts) / NS_PER_MS,
            row.counts,
        )
        for row in rows.itertuples()
    ]
