"""Numbers that are measured and not told, by the rules that the entry declares (`pipeline.catalogue.refusals`).

A latency under load whose generator came too late is the generator's; a throughput that is its handler's is not the
queue's. Such a number stays in the raw files and in no table of metrics: no estimate, fit, headline or claim can be
made of it by accident, and what refuses it is a metric that stays.

Where half of a configuration's trials are refused, or more, all are: those left were chosen by chance. Where the number
itself decides (`outcome`) that is the only way: a trial above the bound is at least as fast as it says, which is all
that a median needs to know of it while more than half lie below; without it the median would be of the slow ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

import pandas as pd

from pipeline.analyse import metrics
from pipeline.analyse.distributions import MOST
from pipeline.analyse.frames import framed
from pipeline.analyse.trials import Trials
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.refusals import Refusal
from pipeline.ingest.tables import Tables


def compute(entry: Experiment, tables: Tables, names: Iterable[str] | None = None) -> pd.DataFrame:
    """The metrics table (`pipeline.analyse.metrics.compute`) without the numbers that the entry refuses."""
    return of(entry, (Trials(entry, part) for part in tables.parts()), names)


def of(entry: Experiment, several: Iterable[Trials], names: Iterable[str] | None = None) -> pd.DataFrame:
    """`compute` of trials that others look at too, or of all parts of them."""
    wanted = list(entry.metrics if names is None else names)
    rules = [rule for rule in entry.refusals if not rule.ratios and any(map(rule.refuses, wanted))]
    needed = [name for rule in rules for name in (rule.metric, *([rule.over.metric] if rule.over else []))]
    found = metrics.of(entry, several, list(dict.fromkeys([*wanted, *needed])))
    for rule in rules:
        about = _about(found, rule)
        found = found[~(about & found["trial"].isin(refused(found, rule, entry)))]
    return found[found["metric"].isin(wanted)].reset_index(drop=True)


def refused(found: pd.DataFrame, rule: Refusal, entry: Experiment) -> set[str]:
    """The trials of a metrics table that a rule refuses. Of one that lacks what decides nothing is known, and its
    numbers are told."""
    rows = found[found["metric"] == rule.metric]
    rows = rows[_matching(rows["variant"], rule.variants)]
    value = rows["value"].astype(float)
    if rule.over:
        twins = found[(found["metric"] == rule.over.metric) & (found["variant"] == rule.over.variant)]
        value = value / rows["runtime"].map(twins.groupby("runtime", observed=True)["value"].median()).astype(float)
    rows = rows.assign(above=value > rule.above)
    keys = [rows[one] for one in ("variant", "runtime", *entry.axes)]
    mostly = rows.groupby(keys, dropna=False, observed=True)["above"].transform("mean") >= MOST
    return set(rows.loc[mostly if rule.outcome else rows["above"] | mostly, "trial"])


def told(found: pd.DataFrame, entry: Experiment) -> pd.DataFrame:
    """Configurations of which the entry refuses metrics: the columns of `pipeline.analyse.too_few_samples`, of which
    `trials` are refused.

    found: a metrics table with all that decide, refused ones left out or not.
    """
    keys, parts = ["variant", "runtime", *entry.axes], []
    for rule in entry.refusals:
        rows = found[(found["metric"] == rule.metric) & _matching(found["variant"], rule.variants)]
        rows = rows.assign(gone=rows["trial"].isin(refused(found, rule, entry)), why=rule.why)
        names = [] if rule.ratios else [name for name in entry.metrics if rule.refuses(name)]
        parts += [rows.assign(metric=name) for name in names]
    if not parts:
        return framed((), [*keys, "metric", "why", "instead", "trials", "of"], found)
    # Several rules may have one reason, and a trial is refused once.
    by = [*keys, "metric", "why"]
    once = pd.concat(parts).groupby(["trial", *by], sort=False, dropna=False, observed=True)["gone"].any().reset_index()
    groups = once.groupby(by, sort=False, dropna=False, observed=True)["gone"]
    every = groups.agg(trials="sum", of="size").reset_index()
    return every[every["trials"] > 0].reset_index(drop=True).assign(instead="")


def _about(found: pd.DataFrame, rule: Refusal) -> pd.Series:
    names = [name for name in found["metric"].unique() if rule.refuses(str(name))]
    return found["metric"].isin(names)


def _matching(column: pd.Series, globs: list[str]) -> pd.Series:
    return column.isin([one for one in column.unique() if any(fnmatchcase(str(one), glob) for glob in globs)])
