"""The part of docs/hosts.md that is made of the committed summaries: which claims turn around between those hosts.

Per claim its words, a figure of its effect by host with the region in which it holds, what the hosts say, and a
paragraph of explanation from data/collection/explanations.yaml, whose numbers are looked up. `lab verify` compares the
document, its figures and the summaries of the archived runs with what is made anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from pipeline.analyse.verdicts import published_claims
from pipeline.collection import claims, hosts, summary
from pipeline.collection.hosts import Host
from pipeline.draw.figure import Figure
from pipeline.draw.hosts import host_levels
from pipeline.draw.style import LIGHT
from pipeline.ground import durable, paths
from pipeline.ground.errors import LabError
from pipeline.words.numbers import counted, estimated, quantity

PAGE, FOLDER = "hosts.md", "hosts"
SUMMARY_FILES = [summary.HOST, *(f"{name}.parquet" for name in summary.TABLES)]
BEGIN, END = "<!-- made by lab verify --accept from data/collection -->", "<!-- end of what is made -->"
INTERVAL = "interval of "  # before a host: not its estimate alone
NUMBER = re.compile(r"\[\[([^\]]+)\]\]")


def explanations() -> dict[str, str]:
    """Claim -> why it turns around."""
    return yaml.safe_load((hosts.committed() / "explanations.yaml").read_text(encoding="utf-8"))


def text() -> str:
    """The generated part of the page."""
    found = _committed()
    turns = _turning(found)
    quiet = "; ".join(
        f"{host.label}, {host.told['noisy']:,} of {counted(host.told['trials'], 'trial')} noisy" for host in found
    )
    lines = [
        BEGIN,
        "## What turns around between hosts",
        f"{counted(len(turns), 'claim')} of the posts hold on one of these hosts and do not on another ({quiet}). One "
        "run of each host says what was measured there on that day; it decides nothing about two makes of CPU. "
        "`lab collection` shows all claims, and your host next to these.",
    ]
    explained: dict[str, str] = {}  # words -> the claim that has them first
    for name, rows in turns.items():
        lines += [
            "",
            f"### {name}: {published_claims()['claim'][name]}",
            f"![{name} by host]({FOLDER}/{name.lower()}.svg)",
            "",
        ]
        lines += [f"- {claims.scope_label(row['scope'])}: {row['sentence']}" for row in rows]
        words = filled(explanations().get(name, "Not explained yet."), found)
        first = explained.setdefault(words, name)
        lines += ["", words if first == name else f"As for {first}."]
    return "\n".join([*lines, "", END])


def figures() -> dict[str, Figure]:
    """File name -> figure of each claim that turns around."""
    found = _committed()
    table = claims.table(found)
    return {f"{name.lower()}.svg": _figure(name, table, found) for name in _turning(found)}


def _committed() -> list[Host]:
    return hosts.every_committed()


def _turning(found: Sequence[Host]) -> dict[str, list[dict[str, Any]]]:
    """Claim -> its rows over hosts, a runtime each, where one of them turns."""
    across = claims.across(claims.table(found))
    names = sorted({row["claim"] for row in claims.turning(across)})
    return {name: [row for row in across if row["claim"] == name] for name in names}


def _figure(name: str, table: pd.DataFrame, found: Sequence[Host]) -> Figure:
    rows = table[(table["claim"] == name) & table["effect"].notna()]
    rule = hosts.table(found, "verdicts").set_index("claim")["rule"][name].iloc[0]
    title = published_claims()["claim"][name]
    data = rows.rename(columns={"scope": "runtime", "effect": "value"}).assign(panel="")
    unit = rows["unit"].iloc[0]
    label = "Ratio" if unit == "ratio" else "What the claim is about"
    figure = host_levels(data, name=f"hosts_{name.lower()}", labels={"": label}, regions={"": json.loads(rule)})
    caption = "Bars: 95 % intervals over trials. Shaded: where the claim holds."
    asked = [host for host in found if host.label in set(rows["host"])]
    date = max(host.told["created"][:10] for host in asked)
    return figure.titled(f"{name}: {title}", caption, {"host": counted(len(asked), "host"), "date": date})


def filled(words: str, found: Sequence[Host]) -> str:
    """A paragraph with its numbers looked up; LabError names a place that no summary has."""
    return NUMBER.sub(lambda one: _number([part.strip() for part in one[1].split("|")], found), " ".join(words.split()))


def _number(place: Sequence[str], found: Sequence[Host]) -> str:
    label, experiment, metric, variant, runtime, *axes = place
    label, whole = label.removeprefix(INTERVAL), label.startswith(INTERVAL)
    wanted = dict(one.split("=") for one in " ".join(axes).split())
    where = {"experiment": experiment, "metric": metric, "variant": variant, "runtime": runtime}
    rows = hosts.table([host for host in found if host.label == label], "estimates", **where)
    fitting = [row for row in rows.to_dict("records") if _axes(row) == wanted]
    if len(fitting) != 1:
        raise LabError(
            f"data/collection/explanations.yaml: {' | '.join(place)} is no number of these hosts; correct it"
        )
    row = fitting[0]
    return estimated(row) if whole else quantity(row["estimate"], row["unit"])


def _axes(row: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in json.loads(row["axes"]).items()}


def compare() -> list[str]:
    """A line per file that differs from what is made of the summaries, and of the archived runs; none where all do."""
    files = _files()
    differing = [file for file, content in files.items() if not file.exists() or file.read_bytes() != content]
    differing += [file for file in sorted((paths.docs() / FOLDER).glob("*.svg")) if file not in files]
    page = paths.docs() / PAGE
    if _replaced(page.read_text(encoding="utf-8")) != page.read_text(encoding="utf-8"):
        differing.append(page)
    for file, content in _summaries().items():
        if not file.exists() or file.read_bytes() != content:
            differing.append(file)
    return [f"differs: {file.relative_to(paths.ROOT)}" for file in differing]


def accept() -> None:
    """Write what `compare` expects."""
    for file, content in _summaries().items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    folder = paths.docs() / FOLDER
    folder.mkdir(exist_ok=True)
    for file in folder.glob("*.svg"):
        file.unlink()
    for file, content in _files().items():
        file.write_bytes(content)
    page = paths.docs() / PAGE
    durable.write(page, _replaced(page.read_text(encoding="utf-8")))


def _files() -> dict[Path, bytes]:
    return {paths.docs() / FOLDER / name: figure.svg(LIGHT) for name, figure in figures().items()}


def _summaries() -> dict[Path, bytes]:
    """File of data/collection -> its content, of every archived run: a folder that is called as the run."""
    made = {run: hosts.of_run(run).folder for run in paths.archived()}
    return {
        hosts.committed() / run / name: (folder / name).read_bytes()
        for run, folder in made.items()
        for name in SUMMARY_FILES
    }


def _replaced(page: str) -> str:
    """The page with its generated part made anew; at its end where it has none."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head.rstrip()}\n\n{text()}\n{tail.lstrip() and chr(10) + tail.lstrip()}"
