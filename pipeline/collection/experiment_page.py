"""The page of an experiment on all hosts: its figures, its headlines as a table, and what its claims come to."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.selectors import runtime_label
from pipeline.collection import claims, export, figures, filtering, headlines, html_parts
from pipeline.collection.hosts import Host
from pipeline.draw.figure import Figure
from pipeline.render import html
from pipeline.words.numbers import counted, estimated, scale

COLUMNS = 12  # hosts that get a column of their own in a table


def text(
    entry: Experiment,
    hosts: Sequence[Host],
    alone: Sequence[Host],
    across: Sequence[dict[str, Any]],
    marked: Sequence[str],
    folder: Path,
) -> str:
    """`hosts`: all, `alone`: one for each machine, `across`: rows of `claims.across`, `marked`: labels to point out,
    `folder`: where `export.write` wrote the tables, and the figures go."""
    own, machines = ([host for host in some if entry.name in host.told["experiments"]] for some in (hosts, alone))
    levels_ = export.table(folder, "estimates", entry.name, headline=True)
    first = figures.by_host(own, entry, levels_, marked)
    drawn = [
        figures.by_jdk(machines, entry, export.table(folder, "ratios", entry.name, machines)),
        figures.curves(machines, entry, export.table(folder, "curves", entry.name, machines)),
    ]
    if metric := figures.paired(entry):
        drawn += figures.pairs(machines, entry, export.table(folder, "estimates", entry.name, machines, metric=metric))
    body = [
        f'<p class="quiet"><a href="index.html">All hosts</a> · <a href="#{entry.name}">{escape(entry.title)}</a></p>',
        f'<h1 id="{entry.name}">{escape(entry.title)}</h1>',
        f'<p class="answer">{escape(entry.question)}</p>',
        _by_host(first, own, folder),
        *(html.figure(one, folder / "figures") for one in drawn if one is not None),
        _levels(own, entry, levels_),
        _said([row for row in across if row["experiment"] == entry.name]),
        f'<p class="files">On all hosts: the headlines as <a href="estimates/{entry.name}.csv">CSV</a>, all metrics as '
        f'<a href="estimates/{entry.name}.parquet">Parquet</a>.</p>',
    ]
    return html_parts.page(f"{entry.title} on {counted(len(own), 'host')}", body)


def _by_host(figure: Figure | None, hosts: Sequence[Host], folder: Path) -> str:
    """The figure of hosts, and the filter where it has a row for each."""
    if figure is None:
        return ""
    rows = list(dict.fromkeys(figure.data.sort_values("position", kind="stable")["host"]))
    shown = html.figure(figure, folder / "figures", lambda svg: filtering.strips(svg, rows, hosts))
    return f"{filtering.choices(hosts)}\n{shown}" if 'class="strip"' in shown else shown


def _levels(hosts: Sequence[Host], entry: Experiment, rows: pd.DataFrame) -> str:
    """All headlines, a row per configuration and runtime, those first that differ most; of many hosts the ends."""
    if rows.empty:
        return ""
    few, found = len(hosts) <= COLUMNS, []
    columns = [host.label for host in hosts] if few else ["least", "median", "greatest"]
    head = ["configuration", "metric", "on", *columns]
    for one in headlines.spread(rows).itertuples():
        place = headlines.Place(one.metric, one.variant, one.axes)
        metric = entry.metrics.get(place.metric)
        for runtime, part in headlines.of(rows, place).groupby("runtime", sort=True):
            power = scale(part["estimate"], part["unit"].iloc[0])
            said = {row["host"]: _number(row, power) for row in part.to_dict("records")}
            if few:
                cells = [said.get(host.label, "") for host in hosts]
            else:
                order = part.sort_values(["estimate", "host"], kind="stable").to_dict("records")
                ends = [order[0], order[len(order) // 2], order[-1]]
                cells = [f"{_number(row, power)}<br>{escape(row['host'])}" for row in ends]
            label = metric.label if metric else place.metric
            found.append([escape(place.title(entry)), escape(label), escape(runtime_label(str(runtime))), *cells])
    table = html.table(head, found, classes={2: "name"})
    return (
        f"<details open><summary>All headlines, those first that differ most between hosts</summary>{table}</details>"
    )


def _number(row: dict[str, Any], power: int | None) -> str:
    told = estimated(row, power)
    return f'<span title="{row["trials"]} trials">{escape(told)}</span>'


def _said(rows: Sequence[dict[str, Any]]) -> str:
    """Every claim of an experiment with its sentence across hosts, which the first page links to."""
    if not rows:
        return ""
    seen, items = set(), []
    for row in rows:
        anchor = "" if row["claim"] in seen else f' id="{row["claim"]}"'
        seen.add(row["claim"])
        told = (claims.scope_label(row["scope"]), row["text"], row["sentence"])
        items.append([f"<b{anchor}>{row['claim']}</b>", *map(escape, told)])
    head = ("claim", "on", "what it says", "across hosts")
    return f"<h2>Claims</h2>{html.table(head, items, classes={1: 'name'})}"
