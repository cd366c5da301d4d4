"""The pages of a collection: hosts, claims by host, and a page for each experiment; they open from disk."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from pipeline.catalogue import catalogue
from pipeline.catalogue.entry import Experiment
from pipeline.catalogue.selectors import runtime_label
from pipeline.collection import claims, experiment_page, export, filtering, html_parts
from pipeline.collection.claims import FAILS, HOLDS, SIGNS, STATES
from pipeline.collection.hosts import CONTRIBUTED, HERE, WITH_THE_LAB, Host, machines
from pipeline.ground import paths
from pipeline.host import fingerprint
from pipeline.render import html
from pipeline.words.numbers import counted, interval, number

TURNING = 12  # claims that turn around, in the first list
FIRST = 200  # hosts of the list that are laid out at once (page.css): a browser needs most of its time for the others
CONSISTENT = (
    "Contributed runs were sent in by their owners and checked for consistency: every file compared with its checksum, "
    "every trial read anew. Nobody here saw the machine."
)


def write(
    hosts: Sequence[Host], marked: Sequence[str] = (), folder: Path | None = None, above: Sequence[str] = ()
) -> Path:
    """Write build/collection/, or another folder, anew: pages, figures, and all tables as CSV and Parquet; the path of
    the first page.

    marked: labels of hosts to point out; above: HTML that comes before the hosts.
    """
    folder = folder or paths.build() / "collection"
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
            experiment_page.text(entry, hosts, alone, across, marked, folder), encoding="utf-8"
        )
    (folder / "index.html").write_text(_first(hosts, alone, table, across, held, marked, above), encoding="utf-8")
    return folder / "index.html"


def _first(
    hosts: Sequence[Host],
    alone: Sequence[Host],
    table: Any,
    across: Sequence[dict[str, Any]],
    held: Sequence[Experiment],
    marked: Sequence[str],
    above: Sequence[str],
) -> str:
    turns = claims.turning(across)
    asked = counted(sum(claims.asked(row) > 0 for row in across), "claim")
    answer = f"{len(turns)} of {asked} that could be asked of a runtime hold on one host and do not on another."
    if len(alone) < 2:
        answer = "One host has no answer for others: import theirs with lab import."
    items = "".join(f'<li><a href="{entry.name}.html">{escape(entry.title)}</a></li>' for entry in held)
    body = [
        f"<h1>{counted(len(alone), 'host')}, {counted(sum(host.told['trials'] for host in hosts), 'trial')}</h1>",
        f'<p class="answer">{answer}</p>',
        _badges(hosts),
        f"<nav><ul>{items}</ul></nav>",
        *above,
        "<h2>Hosts</h2>",
        filtering.choices(hosts),
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
    return html_parts.page(f"{counted(len(alone), 'host')}: a collection", body)


def _badges(hosts: Sequence[Host]) -> str:
    several = {WITH_THE_LAB: "come with the Lab"}  # the others are said of one as of many
    counts = sorted(Counter(host.origin for host in hosts).items())
    return html.badges((count, several.get(name, name) if count > 1 else name, "") for name, count in counts)


HEAD = ("host", "origin", "CPU", "CPUs", "virtualised", "kernel", "governor", "JDKs")
HEAD += ("trials", "noisy", "moved", "measured", "by")
NOWRAP = {"host", "JDKs", "noisy", "measured"}


def _hosts(hosts: Sequence[Host], marked: Sequence[str]) -> str:
    """The list of hosts, without columns that tell nothing of any of them."""
    rows = [_host_row(host, host.label in marked) for host in hosts]
    kept = [at for at in range(len(HEAD)) if any(row[at] for row in rows)]
    names = {at for at in range(len(kept)) if HEAD[kept[at]] in NOWRAP}
    cells = ([row[at] for at in kept] for row in rows)
    data = [filtering.data(host) for host in hosts]
    table = html.table([HEAD[at] for at in kept], cells, data, dict.fromkeys(names, "name"))
    told = f'<input type="checkbox" class="whole"> all {counted(len(hosts), "host")}, not the first {FIRST} alone'
    more = f'<label class="quiet">{told}</label>' if len(hosts) > FIRST else ""
    return f'{more}<div class="hosts">{table}</div>'


def _host_row(host: Host, marked: bool) -> list[str]:
    told, cpu = host.told, host.told["host"]["cpu"]
    name = escape(host.label)
    governor = "" if cpu["governor"] == fingerprint.UNKNOWN else cpu["governor"]
    return [
        f"<b>{name}</b>" if marked else name,
        _origin(host),
        escape(fingerprint.model(cpu)),
        str(cpu["cpus"]),
        escape(cpu["hypervisor"]) if host.virtualised else "no",
        escape(
            " ".join(told["host"]["kernel"].split(".")[:2]).replace(" ", " ", 1).replace("Linux ", "").replace(" ", ".")
        ),
        escape(governor),
        escape(", ".join(runtime_label(name).removeprefix("JDK ") for name in host.jdks)),
        f"{told['trials']:,}",
        f"{number(host.noisy_pct)} %",
        f"{number(100 * max(host.moved.values()))} %" if host.moved else "",
        escape(told["created"][:10]),
        escape(told["shared"].get("by", "")),
    ]


def _origin(host: Host) -> str:
    kind = {CONTRIBUTED: "contributed", HERE: "here"}.get(host.origin, "")
    return f'<span class="origin {kind}">{escape(host.origin)}</span>'


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
    few = len(hosts) <= experiment_page.COLUMNS
    cells = {(row.claim, row.scope, row.host): row for row in table.itertuples()} if few else {}
    signs = [host.label for host in hosts] if few else [SIGNS[name] for name in STATES]
    head = ["claim", "on", *signs, "across hosts"]
    rows = []
    across = [row for row in across if claims.asked(row)]
    for row in across:
        link = _link(row)
        if few:
            signs = [_sign(cells.get((row["claim"], row["scope"], host.label))) for host in hosts]
        else:
            signs = [f"{row['counts'][name]:,}" if row["counts"][name] else "" for name in STATES]
        rows.append([link, escape(claims.scope_label(row["scope"])), *signs, escape(row["sentence"])])
    classes = {1: "name"} | dict.fromkeys(range(2, len(head) - 1), "sign")
    return html.table(head, rows, classes=classes, shaded=[row["turns"] for row in across])


def _not_asked(across: Sequence[dict[str, Any]]) -> str:
    """The claims that no host could be asked, by their ids."""
    ids = {row["claim"]: _link(row) for row in across if not claims.asked(row)}
    asked = {row["claim"] for row in across if claims.asked(row)}
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
