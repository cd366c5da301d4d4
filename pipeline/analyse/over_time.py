"""Percentiles over the time of a session, each of the sum of the histograms of a window: none is of percentiles."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from pipeline.hdr import histograms
from pipeline.hdr.counts import Counts
from pipeline.hdr.merge import merge
from pipeline.hdr.percentiles import maximum, percentiles, supported
from pipeline.ingest.tables import Tables

PERCENTS = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9}
GREATEST = "greatest"
WINDOWS = 120  # in a panel of half the page's width a line with more points is a band of ink
COLUMNS = ["trial", "variant", "runtime", "x_s", "what", "value", "samples"]


def over_time(tables: Tables, trials: pd.DataFrame, windows: int = WINDOWS) -> pd.DataFrame:
    """Columns COLUMNS: of each window the percentiles that ten of its samples lie beyond, and the greatest, in ns.

    trials: rows of the trials table; x_s: the middle of the window, in seconds since its session began. The rows of
    trial "" are of all sessions of a variant and runtime together, window by window. A window has a `windows`-th of the
    longest session, or one iteration where that is longer.
    """
    rows = tables.iterations[tables.iterations["trial"].isin(trials["trial"])]
    if rows.empty:
        return pd.DataFrame(columns=COLUMNS)
    about = trials.set_index("trial")[["variant", "runtime"]]
    names = pd.Index(about.index)
    start = rows["start_ns"].to_numpy() - rows.groupby("trial", observed=True)["start_ns"].transform("min").to_numpy()
    middle = start + rows["elapsed_ns"].to_numpy() / 2
    step = max((start + rows["elapsed_ns"].to_numpy()).max() / windows, float(rows["elapsed_ns"].median()))
    if step <= 0:
        return pd.DataFrame(columns=COLUMNS)
    bin_ = np.minimum((middle / step).astype(np.int64), windows - 1)
    trial = histograms.positions(rows["trial"], names)
    length = int(rows["iteration"].max()) + 1
    place = np.full(len(names) * length, -1, np.int64)
    place[trial * length + rows["iteration"].to_numpy(np.int64)] = trial * windows + bin_
    groups = about.groupby(["variant", "runtime"], sort=False).ngroup().to_numpy()
    singles, together = {}, {}
    for part in tables.buckets.parts(trials["trial"].unique()):
        owner = histograms.positions(part["trial"], names)
        known = owner >= 0
        owner = np.where(known, place[np.where(known, owner * length + part["iteration"].to_numpy(np.int64), 0)], -1)
        singles |= histograms.by_owner(part, owner)
    for at, counts in singles.items():
        together.setdefault((groups[at // windows], at % windows), []).append(counts)
    found = []
    for at, counts in singles.items():
        number, window = divmod(at, windows)
        found += _rows(names[number], about.iloc[number], window, step, counts)
    for (group, window), several in together.items():
        found += _rows("", about.iloc[int(np.argmax(groups == group))], window, step, merge(several))
    return pd.DataFrame(found, columns=COLUMNS).sort_values(
        ["variant", "runtime", "trial", "what", "x_s"], kind="stable"
    )


def _rows(trial: str, about: pd.Series, window: int, step: float, counts: Counts) -> Iterable[tuple]:
    total = counts.total
    known = {name: percent for name, percent in PERCENTS.items() if supported(total, percent)}
    values = dict(zip(known, percentiles(counts, known.values()), strict=True)) | {GREATEST: maximum(counts)}
    at = (window + 0.5) * step / 1e9
    return [
        (trial, about["variant"], about["runtime"], at, what, float(value), total) for what, value in values.items()
    ]
