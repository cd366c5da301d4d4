"""What a run comes to, in five small files: made once, when a run is imported or first looked at.

`host.json` says which host, how quiet it was and what was measured; the tables hold the estimates, the ratios of the
newest to the oldest JDK (paired by block), the verdicts on claims, and percentiles of what the headlines are about. The
same run makes the same bytes, on every machine and under every name: pages of many hosts read nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.analyse import effects, estimates
from pipeline.analyse.selection import Missing
from pipeline.analyse.states import chosen
from pipeline.analyse.states import told as told_ranks
from pipeline.analyse.time_in_state import time_in_state
from pipeline.analyse.trials import Trials
from pipeline.bundle import content_id, journal
from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.catalogue.metric import Metric
from pipeline.collection import redaction
from pipeline.ground import durable, parallel
from pipeline.hdr import percentiles
from pipeline.hdr.counts import Counts
from pipeline.hdr.merge import merge
from pipeline.measure.states import MOVED
from pipeline.session.session import Session

FORMAT = 1
HOST = "host.json"
PERCENTS = (1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.99, 99.999)
KEY = {"experiment": pa.string(), "variant": pa.string(), "runtime": pa.string(), "axes": pa.string()}
KEY |= {"metric": pa.string()}
NUMBERS = {"estimate": pa.float64(), "low": pa.float64(), "high": pa.float64(), "level": pa.float64()}
TABLES = {
    "estimates": {**KEY, "unit": pa.string(), **NUMBERS, "trials": pa.int32(), "noisy": pa.int32()}
    | {"headline": pa.bool_()},
    "ratios": {**KEY, "over": pa.string(), **NUMBERS, "trials": pa.int32()},
    "verdicts": {
        "experiment": pa.string(),
        "claim": pa.string(),
        "scope": pa.string(),
        "verdict": pa.string(),
        "why": pa.string(),
        "effect": pa.float64(),
        "low": pa.float64(),
        "high": pa.float64(),
        "level": pa.float64(),
        "unit": pa.string(),
        "trials": pa.int32(),
        "rule": pa.string(),
    },
    "curves": {**KEY, "percentile": pa.float64(), "value": pa.float64(), "least": pa.float64(), "most": pa.float64()},
}
Rows = dict[str, list[dict[str, Any]]]


def write(run: str, folder: Path, processes: int = 1) -> dict[str, Any]:
    """Summarise a run into `folder`, a new one, by so many processes; what `host.json` says. Raises as reading its raw
    files does."""
    bundle = Bundle.open(run)
    held = journal.experiments(bundle.journal())
    names = [name for name in catalogue.load() if name in held]
    summed = partial(_of_experiment, bundle=bundle)
    several = parallel.each(summed, names, processes, bundle.raw_bytes)
    rows = {table: [row for own, _, _ in several for row in own[table]] for table in TABLES}
    about = {name: told for name, (_, told, _) in zip(names, several, strict=True)}
    noise = [measured for _, _, measured in several]
    told = _host(bundle, about, pd.concat(noise, ignore_index=True))
    folder.mkdir(parents=True)
    for name, columns in TABLES.items():
        schema = pa.schema(list(columns.items()))
        table = pa.Table.from_pylist(rows[name], schema)
        pq.write_table(table, folder / f"{name}.parquet", compression="zstd", store_schema=False)
    durable.write(folder / HOST, json.dumps(told, indent=1, sort_keys=True) + "\n")
    return told


_NOISE = ["noisy", "cycle_ns", "hiccup_p99_ns", "hiccup_max_ns", "steal_pct", "foreign_pct"]


def _host(bundle: Bundle, about: Mapping[str, Any], noise: pd.DataFrame) -> dict[str, Any]:
    info = redaction.of_run(bundle.info)
    medians = {name: _number(noise[name].median()) for name in _NOISE[1:]}
    shares = time_in_state(bundle.journal()).shares()
    return {
        "format": FORMAT,
        "id": content_id.content_id(bundle),
        **{name: info[name] for name in ("created", "profile", "git", "harness", "host", "runtimes") if name in info},
        "shared": bundle.info.get("shared", {}),
        "trials": len(noise),
        "noisy": int(noise["noisy"].sum()),
        "noise": medians | {"hiccup_worst_ns": _number(noise["hiccup_max_ns"].max())},
        "experiments": about,
        **({"states": shares} if shares else {}),
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _of_experiment(name: str, bundle: Bundle) -> tuple[Rows, dict[str, Any], pd.DataFrame]:
    """An experiment's rows; how it was measured; how quiet each of its trials was."""
    lab = Session(name, bundle.name, bundle.info["profile"], measuring=False)
    lab.bundle = bundle  # whose journal is in memory
    rows: Rows = {table: [] for table in TABLES}
    away = _elsewhere(lab)
    heads = {identity: row for identity, row in _headlines(lab).items() if identity not in away}
    for row in lab.estimates.to_dict("records"):
        key = _key(lab, row)
        if _identity(key) in away:
            continue
        numbers = {name: float(row[name]) for name in NUMBERS}
        counts = {name: int(row[name]) for name in ("trials", "noisy")}
        rows["estimates"].append(key | {"unit": row["unit"], **numbers, **counts, "headline": _identity(key) in heads})
    rows["ratios"] += _ratios(lab, heads)
    for row in lab.verdicts.to_dict("records"):
        kept = {name: row[name] for name in TABLES["verdicts"] if name in row}
        rows["verdicts"].append(kept | {"experiment": lab.entry.name, "trials": int(row["trials"])})
    rows["curves"] += _curves(lab, heads)
    ended = journal.finished(bundle.journal(), name) or {}
    measured = lab.tables.measured
    about = {
        "trials": len(measured),
        "noisy": int(measured["noisy"].sum()),
        "blocks": int(measured["block"].nunique()),
        "ended_by": ended.get("ended_by", ""),
        **({"elsewhere": len(away)} if away else {}),
    }
    return rows, about, measured[_NOISE]


def _elsewhere(lab: Session) -> set[tuple]:
    """Identities of the estimates that are of another state of the CPUs than is meant: not to be held against other
    hosts."""
    if not lab.moved:
        return set()
    ranks, found = told_ranks(lab.metrics), set()
    for key, rows in estimates.configurations(lab.metrics, ["variant", "runtime", *lab.entry.axes, "metric"]):
        (keep,) = chosen([ranks[rows]])
        if (ranks[rows][keep] > 0).any():
            found.add(_identity(_key(lab, key)))
    return found


def _headlines(lab: Session) -> dict[tuple, dict[str, Any]]:
    """Identity -> row of the estimates that the entry's headlines select, in their order."""
    found = {}
    for headline in lab.entry.headlines:
        selected = estimates.select(lab.estimates, headline.where | {"metric": headline.metric})
        found |= {_identity(_key(lab, row)): row for row in selected.to_dict("records")}
    return found


def _key(lab: Session, row: Mapping[str, Any]) -> dict[str, str]:
    axes = {axis: row[axis] for axis in lab.entry.axes if pd.notna(row[axis])}
    axes = {axis: int(value) if lab.entry.axes[axis] == "int" else value for axis, value in axes.items()}
    told = {"axes": json.dumps(axes, separators=(",", ":")), "experiment": lab.entry.name}
    return {"variant": row["variant"], "runtime": row["runtime"], "metric": row["metric"], **told}


def _identity(key: Mapping[str, str]) -> tuple:
    return tuple(key[name] for name in KEY)


def _ratios(lab: Session, heads: Mapping[tuple, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The headlines on the newest JDK over those on the oldest, paired by block."""
    oldest, newest = lab.oldest, lab.newest
    if oldest == newest:
        return
    for row in heads.values():
        if row["runtime"] != newest:
            continue
        where = {name: row[name] if pd.notna(row[name]) else None for name in ("metric", "variant", *lab.entry.axes)}
        try:
            found = effects.ratio(lab.data(), where | {"runtime": newest}, where | {"runtime": oldest})
        except Missing:
            continue
        numbers = {name: float(getattr(found, name)) for name in NUMBERS}
        yield _key(lab, row) | {"over": oldest, **numbers, "trials": int(found.trials)}


def _curves(lab: Session, heads: Mapping[tuple, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Percentiles of what a headline's histograms hold, merged over its trials, with the least and greatest trial's."""
    chosen = {}
    for row in heads.values():
        metric = lab.entry.metrics.get(row["metric"])
        place = (row["variant"], row["runtime"], *(str(row[axis]) for axis in lab.entry.axes))
        if metric is not None and not metric.of and metric.unit == "ns":
            chosen.setdefault(place, (row, metric))
    sums, own = {}, {place: [] for place in chosen}
    for trials in lab.parts if chosen else ():
        trials.merge(metric for _, metric in chosen.values())
        for place, (row, metric) in chosen.items():
            each = _histograms(trials, row, metric)
            if each:
                sums[place] = merge([*([sums[place]] if place in sums else []), *each])
                own[place] += [[percentiles.percentile(one, percent) for percent in PERCENTS] for one in each]
    for place in (place for place in chosen if place in sums):
        every = sums[place]
        least, most = np.min(own[place], axis=0), np.max(own[place], axis=0)
        for at, percent in enumerate(PERCENTS):
            if percentiles.supported(every.total, percent):
                numbers = {"value": percentiles.percentile(every, percent), "least": least[at], "most": most[at]}
                told = {name: float(value) for name, value in numbers.items()}
                yield _key(lab, chosen[place][0]) | {"percentile": percent, **told}


def _histograms(trials: Trials, row: Mapping[str, Any], metric: Metric) -> list[Counts]:
    """Of each trial of a row's configuration the sum of the histograms that a metric is about."""
    mine = np.ones(len(trials.table), bool)
    for name in ("variant", "runtime", *trials.entry.axes):
        mine &= (trials.table[name] == row[name]) | (trials.table[name].isna() & pd.isna(row[name]))
    ranks = told_ranks(trials.table)
    mine &= ((ranks <= 0) & (ranks != MOVED)).all(axis=1)  # of the state that is meant: rows of others are no heads
    merged = trials.merged(metric)
    return [merged[at] for at in np.flatnonzero(mine) if at in merged and merged[at].total]


def rows(folder: Path, name: str, where: Mapping[str, Any]) -> pa.Table:
    """The rows of a table of a summary whose columns have these values; text as numbers of a list of words, so that
    the rows of many hosts take little room."""
    text = [column for column, kind in TABLES[name].items() if kind == pa.string()]
    filters = [(key, "=", one) for key, one in where.items()] or None
    return pq.read_table(folder / f"{name}.parquet", filters=filters, read_dictionary=text)


def told(folder: Path) -> dict[str, Any]:
    """What `host.json` of a summary says; empty where there is none, or one of another format."""
    try:
        found = json.loads((folder / HOST).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return found if found.get("format") == FORMAT else {}
