"""The figures of a collection: headlines by host, JDK compared with JDK inside hosts, and percentiles by host."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pipeline.analyse import distances
from pipeline.catalogue import placement
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.metric import Metric
from pipeline.catalogue.selectors import runtime_label
from pipeline.collection import headlines
from pipeline.collection.headlines import Place
from pipeline.collection.hosts import Host
from pipeline.compare import verdicts
from pipeline.compare.methods import Change
from pipeline.draw.figure import Figure
from pipeline.draw.forest import forest
from pipeline.draw.host_curves import host_curves
from pipeline.draw.hosts import host_levels
from pipeline.draw.matrix import matrix
from pipeline.words.numbers import counted

LINES = 24  # lines of a forest that name a host
CURVES, TITLE = 2, 44  # panels, and characters of the heading of each
PAIRS, HOSTS, MAPS = 12, 40, 6  # pairs and hosts of one map of all; else hosts that get a map of their own


def by_host(hosts: Sequence[Host], entry: Experiment, rows: pd.DataFrame, marked: Sequence[str] = ()) -> Figure | None:
    """The headlines (`rows`: estimates) that differ most between hosts; None where no host has any."""
    if rows.empty:
        return None
    shown = headlines.shown(rows, len(hosts))
    titles = {place: place.title(entry) for place in shown}
    parts = [headlines.of(rows, place).assign(panel=_panel(place, titles)) for place in shown]
    labels = {_panel(place, titles): _label(entry, place) for place in shown}
    data = pd.concat(parts, ignore_index=True).rename(columns={"estimate": "value"})
    figure = host_levels(data, name=f"hosts_{entry.name}", labels=labels, marked=marked)
    others = len(headlines.spread(rows)) - len(shown)
    rest = f" {counted(others, 'other headline')}: see the table." if others > 0 else ""
    caption = (
        f"{entry.question} The configurations that differ most between hosts. Bars: intervals over the trials of each "
        f"host, 95 % from six trials on.{rest}"
    )
    return _titled(figure, f"{entry.title} on {counted(len(hosts), 'host')}", caption, hosts)


def _panel(place: Place, titles: dict[Place, str]) -> str:
    """A panel's heading: with its metric where two panels would be called alike."""
    alone = list(titles.values()).count(titles[place]) == 1
    return titles[place] if alone else f"{titles[place]}: {place.metric.replace('_', ' ')}"


def _label(entry: Experiment, place: Place) -> str:
    metric = entry.metrics.get(place.metric)
    return metric.label if metric else place.metric.replace("_", " ").capitalize()


def by_jdk(hosts: Sequence[Host], entry: Experiment, rows: pd.DataFrame) -> Figure | None:
    """The newest JDK compared with the oldest inside each host (`rows`: ratios), paired by block; None where no host
    has two."""
    rows = rows[rows["estimate"] > 0]
    if rows.empty:
        return None
    order = headlines.spread(rows)[: headlines.MOST]
    parts = []
    for one in order.itertuples():
        place = Place(one.metric, one.variant, one.axes)
        own = headlines.of(rows, place)
        title = place.title(entry)
        line = own["host"] if own["host"].nunique() * len(order) <= LINES else "all hosts"
        parts.append(
            own.assign(panel=f"{title}: {_label(entry, place).lower()}", line=line, label=own["host"], title=title)
        )
    data = pd.concat(parts, ignore_index=True).rename(columns={"estimate": "value"})
    metrics = {name: entry.metrics.get(name) for name in set(data["metric"])}
    data["verdict"] = [_verdict(row, metrics[row["metric"]]) for row in data.to_dict("records")]
    pair = sorted({(row["runtime"], row["over"]) for row in data.to_dict("records")})
    newer, older = (" or ".join(dict.fromkeys(runtime_label(one[at]) for one in pair)) for at in (0, 1))
    figure = forest(
        data, name=f"hosts_{entry.name}_jdk", label=f"{newer} / {older}", margin=verdicts.MARGIN, noun="host"
    )
    caption = (
        f"{newer} compared with {older} inside each host, paired by block: of all comparisons between hosts the surest."
    )
    return _titled(figure, f"{entry.title}: {newer} compared with {older}", caption, hosts)


def _verdict(row: Mapping[str, Any], metric: Metric | None) -> str:
    """What `lab compare` calls such a ratio."""
    if metric is None or not row["low"] > 0:
        return verdicts.UNDECIDED
    change = Change(*(math.log(row[name]) for name in ("value", "low", "high")), level=row["level"])
    return verdicts.judge(change, math.log1p(verdicts.MARGIN), metric, alone=False)


def _titled(figure: Figure, title: str, caption: str, hosts: Sequence[Host]) -> Figure:
    dates = sorted(host.told["created"][:10] for host in hosts)
    date = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    origin = {"host": counted(len(hosts), "host"), "date": date}
    return figure.titled(title, caption, origin)


def curves(hosts: Sequence[Host], entry: Experiment, rows: pd.DataFrame) -> Figure | None:
    """Percentiles of what the headlines are about (`rows`: curves), by host, on the newest runtime that most hosts
    have; None where no host has any."""
    if rows.empty:
        return None
    seen = rows.groupby("runtime")["host"].nunique()
    runtime = max(seen.index, key=lambda name: (seen[name], len(name), name))
    rows = rows[rows["runtime"] == runtime]
    places = rows.groupby(headlines.PLACE, sort=True)["host"].nunique().sort_values(ascending=False, kind="stable")
    shown = [Place(*place) for place in places.index[:CURVES]]
    titles = {place: _fitting(place.title(entry)) for place in shown}
    parts = [headlines.of(rows, place).assign(panel=titles[place]) for place in shown]
    figure = host_curves(
        pd.concat(parts),
        name=f"hosts_{entry.name}_curves",
        unit="ns",
        label="Time",
        order=list(dict.fromkeys(titles.values())),
    )
    value = f"{entry.value[:1].upper()}{entry.value[1:]}".replace("`", "")
    caption = f"{value}. All trials of a host together, {runtime_label(runtime)}."
    return _titled(figure, f"{entry.title}: percentiles by host", caption, hosts)


def _fitting(title: str) -> str:
    return title if len(title) <= TITLE else f"{title[: TITLE - 1]}…"


def pairs(hosts: Sequence[Host], entry: Experiment, rows: pd.DataFrame) -> list[Figure]:
    """From which CPU to which (`rows`: estimates of `paired`): hosts by pairs where all have few, else a map for each
    of the first MAPS hosts."""
    rows = _pairs(rows)
    if rows.empty:
        return []
    metric = entry.metrics[rows["metric"].iloc[0]]
    about = {"value": "estimate", "unit": metric.unit, "label": metric.label}
    variant = entry.variants[rows["variant"].iloc[0]].label
    caption = f"{metric.label} of {variant}, from the CPU that is named first to the other."
    if rows.groupby("host").size().max() <= PAIRS:
        rows = rows.assign(pair=rows["from"].map(str) + " to " + rows["to"].map(str))
        order = [host.label for host in hosts if host.label in set(rows["host"])][:HOSTS]
        names = [*order, *sorted(set(rows["pair"]))]
        figure = matrix(
            rows[rows["host"].isin(order)],
            name=f"hosts_{entry.name}_pairs",
            row="host",
            column="pair",
            row_label="Host",
            column_label="CPUs",
            names=names,
            **about,
        )
        return [_titled(figure, f"{entry.title}: pairs of CPUs by host", caption, hosts)]
    found = []
    for number, (host, own) in enumerate(rows.groupby("host", sort=True)):
        if number < MAPS:
            name = f"hosts_{entry.name}_pairs_{number + 1}"
            figure = matrix(own, name=name, row="from", column="to", row_label="From", column_label="To", **about)
            found.append(_titled(figure, f"{entry.title}: pairs of CPUs of {host}", caption, hosts))
    return found


def paired(entry: Experiment) -> str:
    """The metric that `pairs` draws, that of the first headline; empty where the experiment names no pairs of CPUs."""
    return entry.headlines[0].metric if placement.AXIS in entry.axes and entry.headlines else ""


def _pairs(rows: pd.DataFrame) -> pd.DataFrame:
    """The estimates between named pairs of CPUs, of the variant and runtime that have most of them, with the columns
    from and to."""
    rows = distances.by_cpus(rows.assign(placement=rows["axes"].map(lambda axes: json.loads(axes).get(placement.AXIS))))
    rows = rows.rename(columns={"ping": "from", "pong": "to"})
    if rows.empty:
        return rows
    most = rows.groupby(["variant", "runtime"]).size().sort_values(ascending=False, kind="stable").index[0]
    rows = rows[(rows["variant"] == most[0]) & (rows["runtime"] == most[1])]
    return rows.drop_duplicates(["host", "from", "to"])
