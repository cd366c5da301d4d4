"""Two threads by how far apart their CPUs are: the nearest, where everything else is measured, and elsewhere."""

from __future__ import annotations

import pandas as pd

from pipeline.analyse import estimates
from pipeline.bundle import journal
from pipeline.catalogue.placement import AXIS, ELSEWHERE, SPREAD
from pipeline.host import order
from pipeline.session.computed import Computed

KINDS = "kinds"  # no distance, but of cores that are not alike
WORDS = {
    order.CORE: "threads of one core",
    order.CACHE: "cores of one cache",
    order.CACHES: "cores of two caches",
    order.NODES: "cores of two nodes",
    order.PACKAGES: "cores of two packages",
    order.UNTOLD: "how far apart is not told",
    KINDS: "a fast and a slow core",
}


def by_distance(lab: Computed, **where) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, str]]:
    """The metrics and estimates of a selection of two threads, wherever these were, with a column `apart`, and the
    distances that it has, near ones first, in words. Of several distances only variants that were measured at more than
    one; empty frames where nothing of the selection was measured."""
    asked = where | {AXIS: [lab.entry.parameters.get(AXIS), *ELSEWHERE]}
    metrics, found = estimates.select(lab.metrics, asked), estimates.select(lab.estimates, asked)
    elsewhere = {*metrics.loc[metrics[AXIS].isin(ELSEWHERE), "variant"]}
    metrics, found = (rows[rows["variant"].isin(elsewhere) | (not elsewhere)] for rows in (metrics, found))
    told = lab.tables.trials.set_index("trial")["apart"]
    ran = dict(zip(_words(metrics), metrics["trial"].map(told), strict=True))
    at = {word: word if word == KINDS else distance for word, distance in ran.items()}
    both = [rows.assign(apart=[at[word] for word in _words(rows)]) for rows in (metrics, found)]
    return *both, {name: words for name, words in WORDS.items() if name in {*at.values()}}


def _words(rows: pd.DataFrame) -> list[str]:
    """The placement of each row; empty where it has none."""
    return rows[AXIS].astype(object).where(rows[AXIS].notna(), "").tolist()


def nearest(lab: Computed) -> str:
    """Where two threads ran that were put nowhere else on purpose, as claims are judged by them; empty without any."""
    trials = lab.tables.measured
    placed = trials[AXIS] if AXIS in trials else pd.Series(None, trials.index, dtype=object)
    usual = trials[placed.isna() | (placed == SPREAD)]
    distances = usual.loc[usual["cpus"].str.count(",") == 1, "apart"].unique()
    told = " or ".join(words for name, words in WORDS.items() if name in distances)
    if not told:
        return ""
    nodes = {
        line["node"] for line in journal.trials(lab.bundle.journal(), lab.entry.name) if line.get("node") is not None
    }
    lay = f" What they share lay on NUMA node {', '.join(map(str, sorted(nodes)))}, the first one's." if nodes else ""
    return f"Claims about two threads are judged by the nearest CPUs of this host: {told}.{lay}"
