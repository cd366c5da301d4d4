"""The content of an executed notebook, in order and without its code: prose, figures, tables, lists and words."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bs4 import BeautifulSoup, Tag

from pipeline.publish.page import FIGURE_LINK


@dataclass(frozen=True)
class Prose:
    """A cell of Markdown, with formulas between dollars."""

    source: str


@dataclass(frozen=True)
class Shown:
    """A figure, by its name."""

    figure: str


@dataclass(frozen=True)
class Table:
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Listed:
    items: Sequence[str]


@dataclass(frozen=True)
class Said:
    """A paragraph of plain words."""

    words: str


Part = Prose | Shown | Table | Listed | Said


def parts(notebook: Any) -> Iterator[Part]:
    """Of a notebook as nbformat reads it."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield Prose(cell.source)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if html := data.get("text/html"):
                yield from _of_html(html)
            elif text := data.get("text/plain"):
                yield Said(_sentence(text))


def _of_html(html: str) -> Iterator[Part]:
    if figure := FIGURE_LINK.search(html):
        yield Shown(figure[1])
        return
    tree = BeautifulSoup(html, "html.parser")
    for folded in tree.find_all(["details", "style"]):
        folded.decompose()
    found = [part for one in tree.find_all(["p", "ul", "ol", "table"]) if (part := _of_element(one))]
    yield from found or ([Said(tree.get_text(" "))] if tree.get_text().strip() else [])


def _of_element(element: Tag) -> Part | None:
    if element.find_parent(["ul", "ol", "table"]):
        return None  # it is said by what it is in
    if element.name == "table":
        rows = [[cell.get_text(" ") for cell in row.find_all(["th", "td"])] for row in element.find_all("tr")]
        return Table(rows[0], rows[1:]) if rows else None
    if element.name == "p":
        return Said(element.get_text())
    return Listed([item.get_text() for item in element.find_all("li")])


def _sentence(text: str) -> str:
    """The string that a cell ended with, which a notebook shows in quotes; any other text as it is."""
    try:
        return str(ast.literal_eval(text)) if text[:1] in ("'", '"') else text
    except (ValueError, SyntaxError):
        return text
