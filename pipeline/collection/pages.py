"""The pages of a collection: hosts, claims by host, and a page for each experiment; they open from disk."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.collection import claims, export, figures, levels
from pipeline.collection.claims import CANNOT, FAILS, HOLDS, SIGNS, STATES
from pipeline.collection.hosts import CONTRIBUTED, HERE, Host, machines
from pipeline.draw.figure import Figure
from pipeline.draw.style import runtime_label
from pipeline.ground import paths
from pipeline.host import fingerprint
from pipeline.words.numbers import counted, interval, number, scale

STYLE, FILTER = (Path(__file__).with_name(name) for name in ("page.css", "filter.html"))
COLUMNS = 12  # hosts that get a column of their own in the table of claims
TURNING = 12  # claims that turn around, in the first list
CONSISTENT = (
    "Contributed runs were sent in by their owners and checked for consistency: every file compared with its checksum, "
    "every trial read anew. Nobody here saw the machine."
)


def write(hosts: Sequence[Host], marked: Sequence[str] = ()) -> Path:
    """Write build/collection/ anew: pages, figures, and all tables as CSV and Parquet; the path of the first page.

    marked: labels of hosts to point out.
    """
    folder = paths.build() / "collection"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    alone = machines(hosts)
    table = claims.table(hosts)
    across = claims.across(table[table["host"].isin({host.label for host in alone})])
    export.write(hosts, table, across, folder)
    held = [
        entry for entry in catalogue.load().values() if any(entry.name in host.told["experiments"] for host in hosts)
    ]
    for entry in held:
        (folder / f"{entry.name}.html").write_text(
            _experiment(entry, hosts, alone, across, marked, folder), encoding="utf-8"
        )
    (folder / "index.html").write_text(_first(hosts, alone, table, across, held, marked), encoding="utf-8")
    return folder / "index.html"


def _first(
    hosts: Sequence[Host],
    alone: Sequence[Host],
    table: Any,
    across: Sequence[dict[str, Any]],
    held: Sequence[Experiment],
    marked: Sequence[str],
) -> str:
    turns = claims.turning(across)
    answer = f"{len(turns)} of {counted(len(across), 'claim')} on a runtime hold on one host and do not on another."
    if len(alone) < 2:
        answer = "One host has no answer for others: import theirs with lab import."
    items = "".join(f'<li><a href="{entry.name}.html">{escape(entry.title)}</a></li>' for entry in held)
    body = [
        f"<h1>{counted(len(alone), 'host')}, {counted(sum(host.told['trials'] for host in hosts), 'trial')}</h1>",
        f'<p class="answer">{answer}</p>',
        _badges(hosts),
        f"<nav><ul>{items}</ul></nav>",
        "<h2>Hosts</h2>",
        _filter(hosts),
        _hosts(hosts, marked),
        f'<p class="quiet">{escape(CONSISTENT)}</p>' if any(host.origin == CONTRIBUTED for host in hosts) else "",
        _turning(turns),
        "<h2>Claims by host</h2>",
        f'<p class="quiet">{" · ".join(f"{SIGNS[name]} {name}" for name in STATES)}</p>',
        _claims(hosts, table, across),
        _not_asked(across),
        '<p class="files">Tables: <a href="hosts.csv">hosts.csv</a>, <a href="claims.csv">claims.csv</a>, '
        '<a href="across.csv">across.csv</a>, and of each experiment on its page, as CSV and Parquet.</p>',
    ]
    return _page(f"{counted(len(alone), 'host')}: a collection", body)


def _badges(hosts: Sequence[Host]) -> str:
    counts: dict[str, int] = {}
    for host in hosts:
        counts[host.origin] = counts.get(host.origin, 0) + 1
    items = "".join(f"<li><b>{count:,}</b> {escape(name)}</li>" for name, count in sorted(counts.items()))
    return f'<ul class="badges">{items}</ul>'


HEAD = (
    "host",
    "origin",
    "CPU",
    "CPUs",
    "virtualised",
    "kernel",
    "governor",
    "JDKs",
    "trials",
    "noisy",
    "measured",
    "by",
)


def _hosts(hosts: Sequence[Host], marked: Sequence[str]) -> str:
    rows = (_host_row(host, host.label in marked) for host in hosts)
    table = _table(HEAD, rows, [_data(host) for host in hosts], dict.fromkeys((0, 7, 9, 10), "name"))
    return f'<div class="hosts">{table}</div>'


def _host_row(host: Host, marked: bool) -> list[str]:
    told, cpu = host.told, host.told["host"]["cpu"]
    name = escape(host.label)
    governor = "" if cpu["governor"] == fingerprint.UNKNOWN else cpu["governor"]
    return [
        f"<b>{name}</b>" if marked else name,
        _origin(host),
        escape(cpu["model"]),
        str(cpu["cpus"]),
        escape(cpu["hypervisor"]) if host.virtualised else "no",
        escape(
            " ".join(told["host"]["kernel"].split(".")[:2]).replace(" ", " ", 1).replace("Linux ", "").replace(" ", ".")
        ),
        escape(governor),
        escape(", ".join(runtime_label(name).removeprefix("JDK ") for name in host.jdks)),
        f"{told['trials']:,}",
        f"{number(host.noisy_pct)} %",
        escape(told["created"][:10]),
        escape(told["shared"].get("by", "")),
    ]


def _origin(host: Host) -> str:
    kind = {CONTRIBUTED: "contributed", HERE: "here"}.get(host.origin, "")
    return f'<span class="origin {kind}">{escape(host.origin)}</span>'


def _data(host: Host) -> dict[str, str]:
    """What the filter looks at."""
    noise = "quiet" if host.noisy_pct <= 5 else "noisy"
    return {
        "host": host.label,
        "vendor": host.vendor,
        "virtualised": "virtualised" if host.virtualised else "bare",
        "noise": noise,
        "jdk": " ".join(host.jdks),
        "origin": host.origin.replace(" ", "-"),
    }


def _filter(hosts: Sequence[Host]) -> str:
    told = [_data(host) for host in hosts]
    choices = []
    for name in ("vendor", "virtualised", "noise", "jdk", "origin"):
        values = sorted({value for one in told for value in one[name].split()})
        options = "".join(f'<option value="{escape(value)}">{escape(_word(value))}</option>' for value in values)
        choices.append(f'<label>{name} <select name="{name}"><option value="">any</option>{options}</select></label>')
    return FILTER.read_text(encoding="utf-8").replace("{choices}", "\n".join(choices))


def _word(value: str) -> str:
    return runtime_label(value) if value.startswith("jdk") else value.replace("-", " ")


def _turning(turns: Sequence[dict[str, Any]]) -> str:
    """The claims that hold on one host and fail on another, farthest apart first."""
    if not turns:
        return ""
    items = "".join(
        f"<li>{_link(row)} {escape(row['text'])} "
        f"({escape(claims.scope_label(row['scope']))}). {escape(row['sentence'])}</li>"
        for row in turns[:TURNING]
    )
    more = f'<p class="quiet">and {len(turns) - TURNING} more: the rows of the table that are shaded</p>'
    return f"<h2>What turns around</h2><ul>{items}</ul>{more if len(turns) > TURNING else ''}"


def _claims(hosts: Sequence[Host], table: Any, across: Sequence[dict[str, Any]]) -> str:
    """Signs by host where there are few hosts, counts of them otherwise."""
    few = len(hosts) <= COLUMNS
    cells = {(row.claim, row.scope, row.host): row for row in table.itertuples()} if few else {}
    head = [
        "claim",
        "on",
        *([host.label for host in hosts] if few else [SIGNS[name] for name in STATES]),
        "across hosts",
    ]
    rows = []
    across = [row for row in across if row["counts"][CANNOT] < sum(row["counts"].values())]
    for row in across:
        link = _link(row)
        if few:
            signs = [_sign(cells.get((row["claim"], row["scope"], host.label))) for host in hosts]
        else:
            signs = [f"{row['counts'][name]:,}" if row["counts"][name] else "" for name in STATES]
        rows.append([link, escape(claims.scope_label(row["scope"])), *signs, escape(row["sentence"])])
    classes = {1: "name"} | dict.fromkeys(range(2, len(head) - 1), "sign")
    return _table(head, rows, classes=classes, shaded=[row["turns"] for row in across])


def _not_asked(across: Sequence[dict[str, Any]]) -> str:
    """The claims that no host could be asked, by their ids."""
    ids = {row["claim"]: _link(row) for row in across if row["counts"][CANNOT] == sum(row["counts"].values())}
    asked = {row["claim"] for row in across if row["counts"][CANNOT] < sum(row["counts"].values())}
    links = ", ".join(link for name, link in ids.items() if name not in asked)
    told = "need more CPUs, have no rule, or were not measured"
    return f'<p class="quiet">Cannot be asked of any of these hosts ({told}): {links}</p>' if links else ""


def _sign(row: Any) -> str:
    if row is None:
        return ""
    kind = {HOLDS: "holds", FAILS: "fails"}.get(row.state, "")
    told = escape(f"{row.state}: {interval(row.effect, row.low, row.high, row.unit, row.level)}", quote=True)
    return f'<span class="{kind}" title="{told}" role="img" aria-label="{told}">{SIGNS[row.state]}</span>'


def _link(row: dict[str, Any]) -> str:
    """A claim's id, which leads to its words on the page of its experiment."""
    told = escape(row["text"], quote=True)
    return f'<a href="{row["experiment"]}.html#{row["claim"]}" title="{told}">{row["claim"]}</a>'


def _experiment(
    entry: Experiment,
    hosts: Sequence[Host],
    alone: Sequence[Host],
    across: Sequence[dict[str, Any]],
    marked: Sequence[str],
    folder: Path,
) -> str:
    own = [host for host in hosts if entry.name in host.told["experiments"]]
    rows = [row for row in across if row["experiment"] == entry.name]
    machines_ = [host for host in alone if host in own]
    levels_ = levels.table(own, entry.name)
    drawn = [
        figures.by_host(own, entry, levels_, marked),
        figures.by_jdk(machines_, entry),
        figures.curves(machines_, entry),
    ]
    drawn += figures.pairs(machines_, entry)
    body = [
        f'<p class="quiet"><a href="index.html">All hosts</a> · <a href="#{entry.name}">{escape(entry.title)}</a></p>',
        f'<h1 id="{entry.name}">{escape(entry.title)}</h1>',
        f'<p class="answer">{escape(entry.question)}</p>',
        *(_figure(one, folder / "figures") for one in drawn if one is not None),
        _levels(own, entry, levels_),
        _said(rows),
        f'<p class="files">On all hosts: the headlines as <a href="estimates/{entry.name}.csv">CSV</a>, all metrics as '
        f'<a href="estimates/{entry.name}.parquet">Parquet</a>.</p>',
    ]
    return _page(f"{entry.title} on {counted(len(own), 'host')}", body)


def _levels(hosts: Sequence[Host], entry: Experiment, rows: pd.DataFrame) -> str:
    """All headlines, a row per configuration and runtime, those first that differ most; of many hosts the ends."""
    if rows.empty:
        return ""
    few, found = len(hosts) <= COLUMNS, []
    head = [
        "configuration",
        "metric",
        "on",
        *([host.label for host in hosts] if few else ["least", "median", "greatest"]),
    ]
    for one in levels.spread(rows).itertuples():
        place = levels.Place(one.metric, one.variant, one.axes)
        metric = entry.metrics.get(place.metric)
        for runtime, part in levels.of(rows, place).groupby("runtime", sort=True):
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
    table = _table(head, found, classes={2: "name"})
    return (
        f"<details open><summary>All headlines, those first that differ most between hosts</summary>{table}</details>"
    )


def _number(row: dict[str, Any], power: int | None) -> str:
    told = interval(row["estimate"], row["low"], row["high"], row["unit"], row["level"], power)
    return f'<span title="{row["trials"]} trials">{escape(told)}</span>'


def _said(rows: Sequence[dict[str, Any]]) -> str:
    """Every claim of an experiment with its sentence across hosts, which the first page links to."""
    if not rows:
        return ""
    seen, items = set(), []
    for row in rows:
        anchor = "" if row["claim"] in seen else f' id="{row["claim"]}"'
        seen.add(row["claim"])
        items.append(
            [
                f"<b{anchor}>{row['claim']}</b>",
                escape(claims.scope_label(row["scope"])),
                escape(row["text"]),
                escape(row["sentence"]),
            ]
        )
    head = ("claim", "on", "what it says", "across hosts")
    return f"<h2>Claims</h2>{_table(head, items, classes={1: 'name'})}"


def _figure(shown: Figure, folder: Path) -> str:
    """A figure in the theme of the system, with links to its files."""
    shown.save(folder)
    words = json.loads((folder / f"{shown.name}.json").read_text(encoding="utf-8"))
    picture = (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="figures/{shown.name}-dark.svg">'
        f'<img src="figures/{shown.name}.svg" alt="{escape(words["alt"], quote=True)}"></picture>'
    )
    links = " · ".join(f'<a href="figures/{shown.name}.{kind}">{kind.upper()}</a>' for kind in ("svg", "png", "csv"))
    return f"<figure>{picture}<figcaption>{escape(words['caption'])} <span>{links}</span></figcaption></figure>"


def _table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    data: Sequence[dict[str, str]] = (),
    classes: dict[int, str] | None = None,
    shaded: Sequence[bool] = (),
) -> str:
    """`head` is text, cells are HTML; `data`: attributes of each row, `classes`: of each column."""
    own = {at: f' class="{name}"' for at, name in (classes or {}).items()}
    top = "".join(f'<th scope="col"{own.get(at, "")}>{escape(name)}</th>' for at, name in enumerate(head))
    lines = []
    for number_, row in enumerate(rows):
        told = (
            "".join(f' data-{key}="{escape(value, quote=True)}"' for key, value in data[number_].items())
            if data
            else ""
        )
        cells = "".join(f"<td{_class(own, at, shaded, number_)}>{cell}</td>" for at, cell in enumerate(row))
        lines.append(f"<tr{told}>{cells}</tr>\n")
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>\n{"".join(lines)}</tbody></table></div>'


def _class(own: dict[int, str], at: int, shaded: Sequence[bool], row: int) -> str:
    if shaded and shaded[row]:
        return f' class="turns {own[at][8:-1]}"' if at in own else ' class="turns"'
    return own.get(at, "")


def _page(title: str, body: Iterable[str]) -> str:
    head = f"<title>{escape(title)}</title><style>{STYLE.read_text(encoding='utf-8')}</style>"
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
    inside = "\n".join(part for part in body if part)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{meta}{head}</head>\n<body><main>\n{inside}\n</main></body></html>\n'
    )
