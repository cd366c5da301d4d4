"""Numbers that trials have too few samples for: what is not shown, so that it can be said."""

from __future__ import annotations

import pandas as pd

from pipeline.analyse import events
from pipeline.analyse.distributions import MOST
from pipeline.analyse.frames import framed
from pipeline.analyse.trials import Trials
from pipeline.catalogue.metric import Metric
from pipeline.hdr.percentiles import MIN_BEYOND, supported
from pipeline.words.numbers import counted

WHY = {
    "typical_percentile": f"in most iterations fewer than {MIN_BEYOND} samples lie beyond it",
    "percentile": f"fewer than {MIN_BEYOND} samples of a trial lie beyond it",
    "greatest": "a trial has fewer samples than it is the greatest of",
}


def withheld(trials: Trials) -> pd.DataFrame:
    """Configurations some of whose trials have too few samples for a metric: variant, runtime, axes, metric, why,
    instead (what is said in its place: how many events a trial has; empty of samples), trials (how many lack it) and of
    (how many recorded samples).
    """
    entry = trials.entry
    keys = ["variant", "runtime", *entry.axes]
    parts = []
    for name, metric in entry.metrics.items():
        if metric.fewest is not None:
            found = events.numbers(trials, metric)
            told = trials.table.loc[found.index, keys].assign(metric=name, why=_too_few(metric), found=found)
            typical = told.groupby(keys, dropna=False, observed=True)["found"].transform("median")
            instead = [counted(int(number), events.called(metric)) for number in typical]
            parts.append(told.drop(columns="found").assign(instead=instead, lacking=found < metric.fewest))
        if metric.kind not in WHY:
            continue
        rows = trials.selected(metric)
        samples = rows.groupby("trial")["samples"].sum()
        samples = samples[samples > 0]
        if metric.kind == "greatest":
            lacking = samples.to_numpy() < metric.samples
        elif metric.kind == "percentile":
            lacking = ~_supported(samples, metric).to_numpy()
        else:
            each = _supported(rows.groupby(["trial", "iteration"])["samples"].sum(), metric)
            lacking = each.groupby(level="trial").mean()[samples.index].to_numpy() < MOST
        if lacking.any():
            rows = trials.table.loc[samples.index, keys].assign(metric=name, why=WHY[metric.kind], lacking=lacking)
            rows["instead"] = ""
            parts.append(rows)
    if not parts:
        return framed((), [*keys, "metric", "why", "instead", "trials", "of"], trials.table)
    alike = [*keys, "metric", "why", "instead"]
    groups = pd.concat(parts).groupby(alike, sort=False, dropna=False, observed=True)["lacking"]
    found = groups.agg(trials="sum", of="size").reset_index()
    return found[found["trials"] > 0].reset_index(drop=True)


def _too_few(metric: Metric) -> str:
    return f"fewer than {metric.fewest} {events.called(metric)}s in a trial"


def _supported(samples: pd.Series, metric: Metric) -> pd.Series:
    return samples.map(lambda count: supported(count, metric.percentile)).astype(bool)
