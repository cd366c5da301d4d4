"""What to paste where: one row per platform, one template each. Platforms differ in nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline.ground.errors import LabError
from pipeline.kit import escapes, tables

TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class Target:
    """ending: of its syntax (md, html, txt); paste: what to do with the text; blocks, card: how its HTML is held."""

    name: str
    family: str
    ending: str
    paste: str
    blocks: bool = False
    card: bool = False

    @property
    def template(self) -> str:
        return f"{self.name}.{self.ending}"


BESIDE = "Put the files it names next to the page."
UPLOAD = "Upload the PNG it names first, then put its address in place of the name (or set a site, and it has one)."
CLIPBOARD = "Paste the text, then the copied image where it says so."
TARGETS = {
    target.name: target
    for target in (
        Target("github", "markdown", "md", BESIDE),
        Target("jekyll", "markdown", "md", BESIDE),
        Target("myst", "markdown", "md", BESIDE),
        Target("quarto", "markdown", "md", BESIDE),
        Target("hugo", "hugo", "md", "Put the files it names into the page's bundle."),
        Target("html", "html", "html", "Paste it into the page's body."),
        Target("wordpress", "cms", "html", UPLOAD, blocks=True),
        Target("ghost", "cms", "html", UPLOAD, card=True),
        Target("medium", "image", "txt", CLIPBOARD),
        Target("substack", "image", "txt", CLIPBOARD),
        Target("devto", "image", "md", UPLOAD),
    )
}


@dataclass(frozen=True)
class Words:
    """What every text is made of, in plain words; templates escape it.

    base: what stands before the names of files, an absolute address or nothing; adaptive: the SVG for the middle of a
    page, empty where there is none; columns, rows, more: the short table and how many rows it leaves out.
    """

    name: str
    title: str
    brief: str
    alt: str
    caption: str
    measured: str
    citation: str
    licence: str
    base: str = ""
    adaptive: str = ""
    found: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = field(default_factory=list)
    more: int = 0
    width: int = 700
    linked: dict | None = None  # JSON-LD

    @property
    def heading(self) -> str:
        """The title as a sentence."""
        return self.title if self.title[-1:] in ".?!" else f"{self.title}."


def target(name: str) -> Target:
    """The target of a name; LabError that lists all for another one."""
    if name not in TARGETS:
        raise LabError(f"there is no target {name[:40]!r}; there are: {', '.join(TARGETS)}")
    return TARGETS[name]


def text(to: Target, words: Words) -> str:
    """What to paste."""
    return _templates().get_template(to.template).render(w=words).strip() + "\n"


def preview(**about: object) -> str:
    """The preview page."""
    return _templates().get_template("preview.html").render(about)


@cache
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters |= {
        "md": escapes.markdown,
        "h": escapes.html,
        "plain": escapes.plain,
        "quoted": escapes.quoted,
        "attribute": escapes.attribute,
        "yaml": escapes.yaml,
        "script": escapes.script,
    }
    made.globals |= {
        "pipe": tables.pipe,
        "html_table": tables.html,
        "directive": tables.directive,
        "listed": tables.listed,
    }
    return made
