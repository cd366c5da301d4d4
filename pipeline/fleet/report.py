"""The pages of a fleet: how its hosts ended, what differs between them, and what a collection says of its hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from pipeline.catalogue.selectors import runtime_label
from pipeline.collection import hosts, pages, redaction
from pipeline.collection.hosts import Host
from pipeline.fleet import config, gather
from pipeline.fleet.rows import DONE
from pipeline.ground import parallel, paths
from pipeline.ground.errors import LabError
from pipeline.host import cpus
from pipeline.host.kernel_file import UNKNOWN
from pipeline.render import html
from pipeline.words.numbers import counted

ORIGIN = "measured by this fleet"
# What one looks at first; other facts of the host follow in the order of their names.
FIRST = ("cpu.model", "cpu.cpus", "kernel", "cpu.hypervisor", "cpu.governor", "cpu.turbo_disabled", "cpu.microcode")
# Long, and no cause of its own.
SAME_KIND = ("cpu.thread_siblings", "cpu.topology", "cpu.mitigations", "kernel_command_line")


def write(name: str) -> Path:
    """Write build/fleet/<name>/ of what was gathered; the path of the first page. LabError where there is nothing."""
    known = gather.remembered(config.state_file(name)).get("hosts", {})
    held = {host: told for host, told in known.items() if (paths.bundle(told["run"]) / "run.json").exists()}
    if not held:
        raise LabError(f"nothing of fleet {name!r} was gathered here; measure it with: lab fleet run fleet.yaml")
    found = summarised(held)
    above = [_ended(known), _differs(found)]
    return pages.write(found, folder=paths.build() / "fleet" / name, above=above)


def summarised(held: Mapping[str, Mapping[str, Any]]) -> list[Host]:
    """The hosts of these runs by the names that the fleet gives them, summarised side by side."""
    runs = [told["run"] for told in held.values()]
    usable = len(cpus.usable())
    one_host = partial(hosts.of_run, processes=usable if len(runs) == 1 else 1)  # side by side once, not within it too
    each = parallel.each(one_host, runs, usable)
    # Machines that were bought together have the same facts; the fleet knows that they are several.
    return [replace(one, label=name, origin=ORIGIN, apart=name) for name, one in zip(held, each, strict=True)]


def _ended(known: Mapping[str, Mapping[str, Any]]) -> str:
    """The hosts of which there is something to say: not measured, resumed, a worker that died."""
    items = []
    for name, told in known.items():
        words = [] if told["state"] == DONE else [told["state"]]
        if told["resumed"]:
            words.append(f"resumed after trial {', '.join(map(str, told['resumed']))}")
        if told["deaths"]:
            words.append(f"{counted(told['deaths'], 'death')} of what measures there")
        words += [told["note"]] if told["note"] else []
        if words:
            items.append(f"<li><b>{escape(name)}</b>: {escape('; '.join(words))}</li>")
    whole = sum(told["state"] == DONE for told in known.values())
    lead = f"<p>{whole} of {counted(len(known), 'host')} measured all that was asked.</p>"
    return lead + (f"<ul>{''.join(items)}</ul>" if items else "")


def differences(found: Sequence[Host]) -> list[tuple[str, dict[str, list[str]]]]:
    """Facts that are not the same on all hosts: name, and the hosts of each value; the most telling first."""
    facts = {host.label: _facts(host) for host in found}
    names = sorted(set().union(*facts.values()))
    order = [name for name in (*FIRST, *sorted(n for n in names if n.startswith("JDK"))) if name in names]
    rows = []
    for name in dict.fromkeys([*order, *names]):
        values: dict[str, list[str]] = {}
        for label, told in facts.items():
            values.setdefault(told.get(name, "none"), []).append(label)
        if len(values) > 1:
            rows.append((name, values))
    return rows


def _facts(host: Host) -> dict[str, str]:
    facts = {name: str(value) for name, value in redaction.leaves(host.told["host"]) if not name.startswith(SAME_KIND)}
    for name, told in host.told["runtimes"].items():
        facts[runtime_label(name)] = " ".join(dict.fromkeys((told.get("build") or told["version"], told["vendor"])))
    return {name: value for name, value in facts.items() if value not in ("", UNKNOWN)}


def _differs(found: Sequence[Host]) -> str:
    rows = [
        [
            escape(name.replace("cpu.", "").replace(".", " ").replace("_", " ")),
            "<br>".join(escape(value) for value in values),
            "<br>".join(escape(", ".join(labels)) for labels in values.values()),
        ]
        for name, values in differences(found)
    ]
    head = "<h2>What differs between the hosts</h2>"
    if not rows:
        return f"{head}<p>Nothing that the Lab looks at.</p>"
    return head + html.table(("fact", "value", "hosts"), rows, classes=dict.fromkeys(range(3), "name"))
