"""The sources of the report's pages: executed notebooks with their code folded and their tables aligned."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

import nbformat

from pipeline.bundle.bundle import Bundle
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.publish import cards, claims_table, host_facts, html_tables, notebooks
from pipeline.publish.page import Page, raw
from pipeline.session.results import VERDICTS_SHOWN


def write(page: Page, bundle: Bundle, folder: Path, instruments: Sequence[Page] = ()) -> None:
    """Write the page's source: the answer and its figure, then the executed notebook with its code folded, and the
    host; a few words when there is no notebook.

    instruments: the pages that tell how far this one's numbers can be trusted; it links to them.
    """
    failure = f"This notebook failed: {page.result.failed}"
    try:
        notebook = notebooks.read(page.result.notebook)
    except LabError as error:
        reason = failure if page.result.failed else str(error)
        text = f"# {page.entry.title}\n\n{page.entry.question}\n\n" + _admonition(reason)
        (folder / f"{page.entry.name}.md").write_text(text, encoding="utf-8")
        return
    cells = [c for c in notebook.cells if "papermill-error-cell-tag" not in c.metadata.get("tags", [])]
    if not (cells and cells[0].cell_type == "markdown" and cells[0].source.lstrip().startswith("# ")):
        cells.insert(0, nbformat.v4.new_markdown_cell(f"# {page.entry.title}"))
    for cell in cells:
        if cell.cell_type == "code":
            _fold(cell, page, bundle.name)
    cells = _merge_silent(cells)
    heading, _, introduction = cells[0].source.lstrip().partition("\n")
    cells[0].source = f"# {_plain(page.entry.title)}" if page.entry.imported else heading
    told = [raw(cards.top(page, paths.figures(bundle.name))) if not page.result.failed else "", introduction.strip()]
    cells[1:1] = [nbformat.v4.new_markdown_cell(text) for text in told if text]
    if page.result.failed:
        cells.insert(1, nbformat.v4.new_markdown_cell(_admonition(failure)))
    links = [f'<a href="notebooks/{page.result.notebook.name}" download>This page as a notebook</a>']
    links += [
        f'What the measuring itself costs: <a href="{one.href}">{escape(one.entry.title)}</a>'
        for one in instruments
        if one is not page
    ]
    last = ("" if page.entry.measured_elsewhere else host_facts.folded(bundle)) + raw(
        f'<p class="lab-source">{" · ".join(links)}</p>'
    )
    cells.append(nbformat.v4.new_markdown_cell(last))
    notebook.cells = cells
    notebook.metadata.pop("widgets", None)
    (folder / f"{page.entry.name}.ipynb").write_text(nbformat.writes(notebook), encoding="utf-8")


def _fold(cell: nbformat.NotebookNode, page: Page, run: str) -> None:
    """Hide a cell's code behind a click, align its tables, and show verdicts as the first page does; why a cell failed
    is told above, its trace is dropped."""
    cell.metadata["tags"] = [*cell.metadata.get("tags", []), "hide-input" if cell.source.strip() else "remove-cell"]
    cell.outputs = [output for output in cell.outputs if output.output_type != "error"]
    for output in cell.outputs:
        if (sentence := _sentence(output)) is not None:
            output.data["text/html"] = f"<p>{escape(sentence)}</p>"
        text = output.get("data", {}).get("text/html", "")
        if VERDICTS_SHOWN in text and page.kept.verdicts is not None:
            output.data["text/html"] = claims_table.listed(run, page.kept.verdicts)
        elif "<table" in text:
            output.data["text/html"] = html_tables.align(text)


def _plain(title: str) -> str:
    """Somebody's title as Markdown that shows it as it is."""
    return re.sub(r"([^\w\s,.-])", r"\\\1", " ".join(title.split()))


def _sentence(output: nbformat.NotebookNode) -> str | None:
    """The string a cell ended with, which a notebook shows in quotes and a report as a sentence; else None."""
    data = output.get("data", {})
    if set(data) != {"text/plain"} or data["text/plain"][:1] not in ("'", '"'):
        return None
    try:
        return str(ast.literal_eval(data["text/plain"]))
    except (ValueError, SyntaxError):
        return None


def _merge_silent(cells: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Join code cells without output to the code cell that follows: one fold per output, not a ladder of them."""
    merged: list[nbformat.NotebookNode] = []
    for cell in cells:
        before = merged[-1] if merged else None
        if before and cell.cell_type == before.cell_type == "code" and not before.outputs:
            cell.source = f"{before.source}\n\n{cell.source}"
            merged[-1] = cell
        else:
            merged.append(cell)
    return merged


def _admonition(message: str) -> str:
    title = '<p class="admonition-title">Failed</p>'
    return raw(f'<div class="admonition error">{title}<p>{escape(message)}</p></div>')
