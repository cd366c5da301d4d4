"""Recorded histograms as files for other tools: of each configuration an interval log and a percentile distribution."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pipeline.analyse import histogram_selection
from pipeline.analyse.estimates import configurations
from pipeline.catalogue.metric import Metric
from pipeline.ground import durable
from pipeline.hdr import distribution, encode
from pipeline.hdr.counts import Counts
from pipeline.hdr.merge import merge
from pipeline.plan.plan import key_of
from pipeline.session import listing
from pipeline.session.session import Session
from pipeline.words.numbers import counted, place


def export(
    lab: Session, folder: Path, where: Sequence[str] | None, series: str, phase: str, tagged: bool
) -> Iterator[str]:
    """Write `<experiment>-<variant>-<runtime>-<axes>-<series>.hlog` and `.hgrm` for every selected configuration and
    choice of series that holds a value; a sentence about each pair.

    where: `NAME=VALUE[,VALUE]` words; series, phase: as `Session.histogram` takes them. The log has the intervals of
    all trials in order of time, each with its series as tag, unless not `tagged`; the distribution is of all of them.
    Both say their unit, nanoseconds. LabError for a selection that is unknown or holds no value.
    """
    trials, metrics = lab.recorded(series, phase, listing.selection(lab, where))
    folder.mkdir(parents=True, exist_ok=True)
    configured = list(configurations(trials.table, ["variant", "runtime", *lab.entry.axes]))
    for metric in histogram_selection.filled(trials, metrics).values():
        rows = histogram_selection.intervals(trials, metric)
        for key, at in configured:
            own = rows[rows["trial"].isin(trials.table["trial"].iloc[at])]
            if len(own) and (counts := merge(own["counts"])).total:
                yield _write(lab, folder, metric, _set(lab, key), own, counts, tagged)


def _write(
    lab: Session, folder: Path, metric: Metric, key: Mapping[str, Any], rows: pd.DataFrame, counts: Counts, tagged: bool
) -> str:
    axes = {axis: key[axis] for axis in lab.entry.axes if axis in key}
    plain = re.sub(r"[^\w.-]+", "", metric.series)
    name = "-".join([lab.entry.name, key_of(key["variant"], key["runtime"], axes), *([plain] if plain else [])])
    about = lab.provenance
    told = ", ".join(f"{one} {place(value)}" for one, value in key.items())
    comments = [
        f"Values in nanoseconds: {lab.entry.value}",
        f"Series {metric.series} of {lab.entry.name}, {told}; trials: {', '.join(sorted(set(rows['trial'])))}",
        f"Run {about['run']}, {about['date']}, {about['host']}",
    ]
    start, found = histogram_selection.records(rows, tagged)
    durable.write(folder / f"{name}.hlog", encode.log_text(start, found, comments))
    head = "".join(f"{encode.comment(one)}\n" for one in comments)
    durable.write(folder / f"{name}.hgrm", head + distribution.text(counts))
    return (
        f"{folder / name}.hlog, .hgrm: {counted(counts.total, 'value')} in {counted(len(rows), 'interval')} of "
        f"{counted(rows['trial'].nunique(), 'trial')}"
    )


def _set(lab: Session, key: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration without the axes that it does not have, whole numbers as such."""
    kept = {name: value for name, value in key.items() if pd.notna(value)}
    return {name: int(value) if lab.entry.axes.get(name) == "int" else value for name, value in kept.items()}
