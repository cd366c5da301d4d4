"""The page of a comparison: one file that opens from disk, its figures beside it; light and dark as the system is."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from pipeline.catalogue.entry import Experiment
from pipeline.compare import export, figures, sure, text, verdicts
from pipeline.compare.comparison import Comparison
from pipeline.draw.figure import Figure
from pipeline.ground import paths

STYLE = Path(__file__).with_name("page.css")
LISTED = 12  # changes in the first table
CURVES = 2  # figures of both sides on one axis, per experiment


def write(found: Comparison) -> Path:
    """Write build/compare/<BEFORE>..<AFTER>/ anew; the path of its page."""
    names = (_plain(side) for side in (found.sides.before, found.sides.after))
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
        f"<h1>{escape(found.title)}</h1>",
        f'<p class="answer">{escape(text.answer(found))}</p>',
        _badges(found),
        _sides(found),
        _what(found),
        _figure(figures.overview(found), folder),
        _classes(found),
        *(_experiment(found, entry, changed[entry.name], folder) for entry in entries),
        _missing(found),
        _facts(found),
        f"<p>{escape(sure.chance(found))}</p>",
        '<p class="files">This comparison as <a href="comparison.json">JSON</a>, <a href="comparison.csv">CSV</a>, '
        '<a href="comparison.md">Markdown</a>.</p>',
    ]
    head = f"<title>{escape(found.title)}</title><style>{STYLE.read_text(encoding='utf-8')}</style>"
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
    inside = "\n".join(part for part in body if part)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{meta}{head}</head>\n<body><main>\n{inside}\n</main></body></html>\n'
    )


def _badges(found: Comparison) -> str:
    counts = dict.fromkeys((verdicts.SLOWER, verdicts.FASTER), 0) | found.counts
    items = "".join(
        f'<li class="{name}"><b>{counts[name]:,}</b> {escape(text.heading(name, found.margin))}</li>'
        for name in verdicts.ORDER
        if name in counts
    )
    return f'<ul class="badges">{items}</ul>'


def _classes(found: Comparison) -> str:
    table = _table(sure.HEAD, ([escape(cell) for cell in row] for row in sure.classes(found)))
    return f"<section><h2>What it could see</h2>{table}</section>"


def _sides(found: Comparison) -> str:
    hosts = zip(("Before", "After"), (found.sides.before, found.sides.after), text.hosts(found), strict=True)
    rows = [(name, f"{side.words()}: {host}") for name, side, host in hosts]
    rows += [(name.capitalize(), words) for name, words in text.about(found)]
    cells = "".join(f"<dt>{escape(name)}</dt><dd>{escape(words)}</dd>" for name, words in rows)
    return f'<dl class="sides">{cells}</dl>'


def _what(found: Comparison) -> str:
    """The rows that changed, farthest first, above everything that explains them."""
    rows = found.table[found.table["verdict"].isin((*verdicts.CHANGED, verdicts.DIFFERS))][:LISTED]
    if rows.empty:
        return ""
    told = []
    for row in rows.to_dict("records"):
        verdict, *_ = _cells(found, row)[::-1]
        link = f'<a href="#{row["experiment"]}">{escape(row["experiment"])}</a>'
        told.append([verdict, link, escape(found.place(row)), escape(row["metric"]), escape(verdicts.numbers(row))])
    table = _table(("verdict", "experiment", "configuration", "metric", "after compared with before"), told)
    return f'<div class="what">{table}</div>'


def _changed(found: Comparison, experiment: str) -> list[dict[str, Any]]:
    rows = found.table[found.table["experiment"] == experiment]
    return rows[rows["verdict"].isin((*verdicts.CHANGED, verdicts.DIFFERS))].to_dict("records")


def _experiment(found: Comparison, entry: Experiment, changed: Sequence[dict[str, Any]], folder: Path) -> str:
    rows = found.table[found.table["experiment"] == entry.name]
    if rows.empty:
        return ""
    told = rows["verdict"].value_counts()
    counts = ", ".join(f"{told[name]} {name}" for name in verdicts.ORDER if name in told)
    shown = [_figure(figures.experiment(found, entry), folder)] if changed else []
    for metric in list(dict.fromkeys(row["metric"] for row in changed))[:CURVES]:
        shown.append(_figure(figures.curves(found, entry, metric), folder, quiet=True))
    if changed:
        shown.append(_figure(figures.shifts(found, entry, changed), folder, quiet=True))
    table = _table(text.HEAD[1:] + ("verdict",), (_cells(found, row) for row in rows.to_dict("records")))
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
        for fact in found.facts
        for words in [(fact.group, fact.name, fact.before, fact.after)]
    )
    table = _table(("group", "fact", "before", "after"), rows)
    return f"<details><summary>All facts of both sides</summary>{table}</details>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>\n{body}</tbody></table></div>'


def _figure(shown: Figure | str, folder: Path, quiet: bool = False) -> str:
    """A figure in the theme of the system, with links to its files; a sentence where there is none, unless `quiet`."""
    if isinstance(shown, str):
        return "" if quiet else f"<p>{escape(shown)}</p>"
    shown.save(folder)
    words = json.loads((folder / f"{shown.name}.json").read_text(encoding="utf-8"))
    alt, caption = escape(words["alt"], quote=True), escape(words["caption"])
    picture = (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="figures/{shown.name}-dark.svg">'
        f'<img src="figures/{shown.name}.svg" alt="{alt}"></picture>'
    )
    links = " · ".join(f'<a href="figures/{shown.name}.{kind}">{kind.upper()}</a>' for kind in ("svg", "csv"))
    return f"<figure>{picture}<figcaption>{caption} <span>{links}</span></figcaption></figure>"
