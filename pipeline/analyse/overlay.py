"""Several histograms of the same trials as if each were a variant, so that their percentiles lie in one figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from pipeline.analyse.distributions import corrected_histograms
from pipeline.analyse.frames import framed
from pipeline.analyse.trials import Trials
from pipeline.catalogue.entry import Experiment
from pipeline.ground.errors import LabError
from pipeline.hdr.counts import Counts
from pipeline.ingest.tables import Tables

KINDS = ("percentile", "corrected", "mean", "greatest")


def overlay(
    entry: Experiment, tables: Tables, chosen: pd.DataFrame, series: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(buckets, trials) as figures take them: of every chosen trial and metric in `series` (metric -> its name there)
    the histogram that the metric is of, corrected where its kind is; the name takes the place of the variant.

    LabError for a metric that is of no histogram of the whole trial.
    """
    trials, found = Trials(entry, tables), []
    wanted = trials.table.index[trials.table["trial"].isin(chosen["trial"])]
    for name, called in series.items():
        metric = entry.metrics.get(name)
        if metric is None or metric.kind not in KINDS:
            raise LabError(f"{entry.name}: {name!r} is no metric of a kind that has a histogram: {', '.join(KINDS)}")
        counts = corrected_histograms(trials, metric) if metric.kind == "corrected" else trials.merged(metric)
        found += [(trials.table.loc[one], name, called, counts[one]) for one in wanted if one in counts]
    return as_variants(found, trials.table)


def as_variants(
    found: Iterable[tuple[pd.Series, str, str, Counts]], trials: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(buckets, trials) of histograms that are each a trial of its own: (row of `trials`, what is put behind the
    trial's name, what takes the place of its variant, counts)."""
    buckets, rows = [], []
    for about, behind, called, counts in found:
        trial = f"{about['trial']} {behind}"
        rows.append(about.to_dict() | {"trial": trial, "variant": called})
        told = {"low_ns": counts.low, "width_ns": counts.width, "count": counts.count}
        buckets.append(pd.DataFrame(told | {"trial": trial}))
    if not buckets:
        columns = ["trial", "low_ns", "width_ns", "count"]
        return framed((), columns).astype(dict.fromkeys(columns[1:], np.int64)), trials.iloc[:0]
    return pd.concat(buckets, ignore_index=True).astype({"trial": "category", "count": np.int64}), pd.DataFrame(rows)
