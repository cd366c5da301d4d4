"""A whole page to paste: the executed notebook as Markdown, each figure as its target wants it, and pipe tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from nbconvert import MarkdownExporter
from nbconvert.preprocessors import Preprocessor

from pipeline import paths
from pipeline.catalogue import catalogue
from pipeline.errors import LabError
from pipeline.kit import escapes, tables, targets
from pipeline.kit.kit import Kit
from pipeline.kit.settings import Settings
from pipeline.kit.targets import TARGETS, Target
from pipeline.publish import notebooks
from pipeline.publish.page import FIGURE_LINK


class Pasted(Preprocessor):
    """Replaces what a notebook shows by Markdown; code is left out. show: figure's name -> its text."""

    def __init__(self, show: Callable[[str], str], **how: Any) -> None:
        super().__init__(**how)
        self.show = show

    def preprocess_cell(self, cell: Any, resources: dict, index: int) -> tuple[Any, dict]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if html := data.get("text/html"):
                output["data"] = {"text/markdown": self._markdown(html)}
            elif text := data.get("text/plain"):
                output["data"] = {"text/markdown": escapes.markdown(text.strip("'\""))}
        return cell, resources

    def _markdown(self, html: str) -> str:
        if figure := FIGURE_LINK.search(html):
            return self.show(figure[1])
        tree = BeautifulSoup(html, "html.parser")
        for folded in tree.find_all(["details", "style"]):
            folded.decompose()
        if table := tree.find("table"):
            rows = [[cell.get_text(" ") for cell in row.find_all(["th", "td"])] for row in table.find_all("tr")]
            return tables.pipe(rows[0], rows[1:]) if rows else ""
        lines = [f"- {escapes.markdown(item.get_text())}" for item in tree.find_all("li")]
        told = [escapes.markdown(one.get_text()) for one in tree.find_all("p")]
        return "\n\n".join(part for part in ("\n".join(lines), *told) if part) or escapes.markdown(tree.get_text(" "))


def write(run: str, experiment: str, to: Target, settings: Settings, width: int) -> Path:
    """Write the page of an experiment and the files that it names; the page's path.

    Raises LabError where the target's syntax is no Markdown, or the notebook has not been executed for the run.
    """
    if not to.pages:
        able = ", ".join(target.name for target in TARGETS.values() if target.pages)
        raise LabError(f"a whole page is Markdown, which {to.name} does not take; pages are for: {able}")
    entry = catalogue.experiment(experiment)
    executed = notebooks.executed(entry, run)
    if not executed.exists():
        raise LabError(f"run {run!r} has no page of {experiment} yet; draw it with: make figures RUN={run}")
    folder = paths.build() / run / "kit" / f"{experiment}-page"
    folder.mkdir(parents=True, exist_ok=True)

    def show(name: str) -> str:
        kit = Kit.of(run, name, settings, width)
        text = targets.text(to, kit.words())
        for file, content in kit.files().items():
            if file in text:
                (folder / file).write_bytes(content)
        return re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)  # a post has one front matter

    exporter = MarkdownExporter(exclude_input=True)
    exporter.register_preprocessor(Pasted(show), enabled=True)
    body, _ = exporter.from_notebook_node(notebooks.read(executed))
    page = folder / f"{to.name}.md"
    page.write_text(re.sub(r"\n{3,}", "\n\n", body).strip() + "\n", encoding="utf-8")
    return page
