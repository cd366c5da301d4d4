"""Choosing hosts on a page that opens from disk: rows of tables hide, rows of a figure are covered.

A figure of one row per host is a picture, and its rows lie where its ticks are: a strip over each, with what the filter
looks at, covers those that are not chosen. Other figures hold sums over hosts or lines that cross, and stay as they
are; the page names the command that draws them of the chosen hosts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from pipeline.catalogue.selectors import runtime_label
from pipeline.collection.hosts import Host
from pipeline.draw.hosts import ROOM
from pipeline.render.html import attributes

FILTER = Path(__file__).with_name("filter.html")
QUIET = 5  # per cent of a host's trials that may be noisy
HEIGHT = re.compile(r'viewBox="0 0 \S+ ([\d.]+)"')
AXIS = re.compile(r'<g id="matplotlib\.axis_\d*[02468]">.*?(?=<g id="patch_|<g id="axes_)', re.DOTALL)
TICK = re.compile(r'<g id="ytick_\d+">\s*<g id="line2d_\d+">\s*<path d="M \S+ ([\d.]+)')


def data(host: Host) -> dict[str, str]:
    """What the filter looks at."""
    return {
        "host": host.label,
        "vendor": host.vendor,
        "virtualised": "virtualised" if host.virtualised else "bare",
        "noise": "quiet" if host.noisy_pct <= QUIET else "noisy",
        "jdk": " ".join(host.jdks),
        "origin": host.origin.replace(" ", "-"),
    }


def choices(hosts: Sequence[Host]) -> str:
    """The filter's choices, and the script that follows them."""
    told = [data(host) for host in hosts]
    found = []
    for name in ("vendor", "virtualised", "noise", "jdk", "origin"):
        values = sorted({value for one in told for value in one[name].split()})
        options = "".join(f'<option value="{escape(value)}">{escape(_word(value))}</option>' for value in values)
        found.append(f'<label>{name} <select name="{name}"><option value="">any</option>{options}</select></label>')
    return FILTER.read_text(encoding="utf-8").replace("{choices}", "\n".join(found))


def _word(value: str) -> str:
    return runtime_label(value) if value.startswith("jdk") else value.replace("-", " ")


def strips(svg: str, rows: Sequence[str], hosts: Sequence[Host]) -> str:
    """A strip over each row of each panel of a figure of hosts (`pipeline.draw.hosts`), as HTML. rows: labels of the
    hosts from the top; none where the figure has no row for each."""
    if not 0 < len(rows) <= ROOM:
        return ""
    height, by_label = float(HEIGHT.search(svg)[1]), {host.label: host for host in hosts}
    found = []
    for axis in AXIS.findall(svg):
        ticks = [float(one) for one in TICK.findall(axis)]
        if len(ticks) != len(rows):
            continue
        row = (ticks[-1] - ticks[0]) / (len(ticks) - 1) if len(ticks) > 1 else 0.2 * 72
        for label, at in zip(rows, ticks, strict=True):
            told = attributes(data(by_label[label]))
            top, tall = (round(100 * part / height, 3) for part in (at - row / 2, row))
            found.append(f'<span class="strip" style="top:{top}%;height:{tall}%"{told} hidden></span>')
    return "".join(found)
