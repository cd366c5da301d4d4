"""The page of a comparison: one file that opens from disk, its figures beside it; light and dark as the system is."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from pipeline.catalogue.entry import Experiment
from pipeline.compare import export, figures, text, uncertainty, verdicts
from pipeline.compare.comparison import Comparison
from pipeline.ground import paths
from pipeline.render import html

STYLE = Path(__file__).with_name("page.css")
LISTED = 12  # changes in the first table
CURVES = 2  # figures of both sides on one axis, per experiment


def write(found: Comparison) -> Path:
    """Write build/compare/<BEFORE>..<AFTER>/ anew; the path of its page."""
    names = (_plain(side) for side in found.sides.both)
    folder = paths.build() / "compare" / "..".join(names)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "comparison.json").write_text(export.as_json(found), encoding="utf-8")
    (folder / "comparison.csv").write_text(export.csv(found), encoding="utf-8")
    (folder / "comparison.md").write_text(text.markdown(found), encoding="utf-8")
    (folder / "index.html").write_text(_page(found, folder / "figures"), encoding="utf-8")
    return folder / "index.html"


def _plain(side) -> str:
    words = "+".join(side.runs) + (f"-{side.runtime}" if side.runtime else "")
    return re.sub(r"[^\w.+-]", "-", words)


def _page(found: Comparison, folder: Path) -> str:
    changed = {name: _changed(found, name) for name in (entry.name for entry in found.entries)}
    entries = sorted(found.entries, key=lambda entry: -len(changed[entry.name]))
    body = [
        f"<h1>{escape(found.sides.title)}</h1>",
        f'<p class="answer">{escape(text.answer(found))}</p>',
        _badges(found),
        _sides(found),
        _what(found),
        html.figure(figures.overview(found), folder),
        _classes(found),
        *(_experiment(found, entry, changed[entry.name], folder) for entry in entries),
        _missing(found),
        _facts(found),
        f"<p>{escape(uncertainty.chance(found))}</p>",
        '<p class="files">This comparison as <a href="comparison.json">JSON</a>, <a href="comparison.csv">CSV</a>, '
        '<a href="comparison.md">Markdown</a>.</p>',
    ]
    return html.page(found.sides.title, body, STYLE)


def _badges(found: Comparison) -> str:
    counts = dict.fromkeys((verdicts.SLOWER, verdicts.FASTER), 0) | found.counts
    told = [name for name in verdicts.ORDER if name in counts]
    return html.badges((counts[name], text.heading(name, found.margin), name) for name in told)


def _classes(found: Comparison) -> str:
    table = html.table(uncertainty.HEAD, ([escape(cell) for cell in row] for row in uncertainty.classes(found)))
    return f"<section><h2>What it could see</h2>{table}</section>"


def _sides(found: Comparison) -> str:
    rows = [(name, f"{side.words()}: {host}") for name, side, host in text.sides(found)]
    rows += text.about(found)
    cells = "".join(f"<dt>{escape(name.capitalize())}</dt><dd>{escape(words)}</dd>" for name, words in rows)
    return f'<dl class="sides">{cells}</dl>'


def _what(found: Comparison) -> str:
    """The rows that changed, farthest first, above everything that explains them."""
    rows = found.table[found.table["verdict"].isin(verdicts.MOVED)][:LISTED]
    if rows.empty:
        return ""
    told = []
    for row in rows.to_dict("records"):
        verdict, *_ = _cells(found, row)[::-1]
        link = f'<a href="#{row["experiment"]}">{escape(row["experiment"])}</a>'
        told.append([verdict, link, escape(found.place(row)), escape(row["metric"]), escape(verdicts.numbers(row))])
    table = html.table(("verdict", "experiment", "configuration", "metric", "after compared with before"), told)
    return f'<div class="what">{table}</div>'


def _changed(found: Comparison, experiment: str) -> list[dict[str, Any]]:
    rows = found.table[found.table["experiment"] == experiment]
    return rows[rows["verdict"].isin(verdicts.MOVED)].to_dict("records")


def _experiment(found: Comparison, entry: Experiment, changed: Sequence[dict[str, Any]], folder: Path) -> str:
    rows = found.table[found.table["experiment"] == entry.name]
    if rows.empty:
        return ""
    told = rows["verdict"].value_counts()
    counts = ", ".join(f"{told[name]} {name}" for name in verdicts.ORDER if name in told)
    shown = [html.figure(figures.experiment(found, entry), folder)] if changed else []
    metrics = list(dict.fromkeys(row["metric"] for row in changed))[:CURVES]
    further = [figures.curves(found, entry, metric) for metric in metrics]
    further += [figures.shifts(found, entry, changed)] if changed else []
    shown += [html.figure(one, folder) for one in further if not isinstance(one, str)]
    table = html.table(text.HEAD[1:] + ("verdict",), (_cells(found, row) for row in rows.to_dict("records")))
    heading = f"{escape(entry.title)} <small>{escape(counts)}</small>"
    question = "" if changed else f"<p>{escape(entry.question)}</p>"  # else the figure's caption asks it
    rest = f"<details><summary>All {len(rows)} configurations</summary>{table}</details>"
    return f'<section id="{entry.name}"><h2>{heading}</h2>{question}{"".join(shown)}{rest}</section>'


def _cells(found: Comparison, row: dict[str, Any]) -> list[str]:
    verdict = f'<span class="{row["verdict"]}">{escape(row["verdict"])}</span>'
    return [*(escape(cell) for cell in text.cells(found, row)[1:]), verdict]


def _missing(found: Comparison) -> str:
    if found.missing.empty:
        return ""
    items = "".join(f"<li>{escape(line)}</li>" for line in text.absent(found))
    summary = (
        f"<summary>Not compared: {len(found.missing):,} that only one side has, or has with other parameters</summary>"
    )
    return f"<details>{summary}<ul>{items}</ul></details>"


def _facts(found: Comparison) -> str:
    rows = (
        [f"<b>{escape(word)}</b>" if fact.differs else escape(word) for word in words]
        for fact, words in zip(found.facts, text.fact_rows(found), strict=True)
    )
    table = html.table(text.FACTS, rows)
    return f"<details><summary>All facts of both sides</summary>{table}</details>"
