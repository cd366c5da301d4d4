"""A whole page to paste: what the executed notebook shows in a target's syntax, each figure as the target wants it."""

from __future__ import annotations

import re
from pathlib import Path

from pipeline.bundle import entries
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.kit import syntaxes, targets
from pipeline.kit.kit import Kit
from pipeline.kit.notebook_content import Listed, Part, Prose, Said, Shown, Table, parts
from pipeline.kit.settings import Settings
from pipeline.kit.targets import Target
from pipeline.publish import notebooks

# What a post has once: a figure's front matter is left out, and its card of HTML opened.
ONCE = re.compile(r"\A---\n.*?\n---\n|<!--kg-card-(?:begin|end): html-->\n?", re.DOTALL)
CARD = "<!--kg-card-begin: html-->\n{}\n<!--kg-card-end: html-->"


def write(run: str, experiment: str, to: Target, settings: Settings, width: int) -> Path:
    """Write the page of an experiment and the files that it names; the page's path.

    Raises LabError where the notebook has not been executed for the run, or a figure of it is missing.
    """
    entry = entries.experiment(experiment, run)
    executed = notebooks.executed(entry, run)
    if not executed.exists():
        raise LabError(f"run {run!r} has no page of {experiment} yet; draw it with: make figures RUN={run}")
    folder = paths.build() / run / "kit" / f"{experiment}-page"
    folder.mkdir(parents=True, exist_ok=True)
    told = []
    for part in parts(notebooks.read(executed)):
        if isinstance(part, Shown):
            kit = Kit.of(run, part.figure, settings, width)
            told.append(figure(kit, to))
            for file, content in kit.files().items():
                if re.search(rf"(?<![\w-]){re.escape(file)}\b", told[-1]):  # it lies beside the page
                    (folder / file).write_bytes(content)
        else:
            told.append(text(part, to))
    page = folder / f"{to.name}.{to.ending}"
    page.write_text(joined(told, to), encoding="utf-8")
    return page


def text(part: Part, to: Target) -> str:
    """A part that is no figure."""
    syntax = syntaxes.of(to)
    match part:
        case Prose(source):
            return syntax.prose(source)
        case Table(columns, rows):
            return syntax.table(columns, rows)
        case Listed(items):
            return syntax.listed(items)
        case Said(words):
            return syntax.said(words)
    raise TypeError(part)


def figure(kit: Kit, to: Target) -> str:
    """A figure in the middle of a page."""
    return ONCE.sub("", targets.text(to, kit.words()))


def joined(told: list[str], to: Target) -> str:
    """The page of the texts of its parts."""
    body = re.sub(r"\n{3,}", "\n\n", "\n\n".join(part.strip() for part in told if part.strip()))
    return (CARD.format(body) if to.card else body) + "\n"
