"""The parts of a page in the syntaxes that platforms take: Markdown, HTML (in WordPress in blocks) and plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Protocol

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.dollarmath import dollarmath_plugin

from pipeline.kit import escapes, tables
from pipeline.kit.tables import Rows
from pipeline.kit.targets import Target
from pipeline.publish.mathml import mathml


class Syntax(Protocol):
    """Each method gives the text of a part; words are plain and escaped here, prose is the notebook's own Markdown."""

    def prose(self, source: str) -> str: ...
    def said(self, words: str) -> str: ...
    def listed(self, items: Sequence[str]) -> str: ...
    def table(self, columns: Sequence[str], rows: Rows) -> str: ...


class Markdown:
    def prose(self, source: str) -> str:
        return source.strip()

    def said(self, words: str) -> str:
        return escapes.markdown(words)

    def listed(self, items: Sequence[str]) -> str:
        return "\n".join(f"- {escapes.markdown(one)}" for one in items)

    def table(self, columns: Sequence[str], rows: Rows) -> str:
        return tables.pipe(columns, rows)


class Html:
    """Plain elements; formulas are MathML."""

    def prose(self, source: str) -> str:
        return "\n".join(self.block(node.type, _rendered(node), node) for node in _tree(source).children)

    def said(self, words: str) -> str:
        return self.block("paragraph", f"<p>{escapes.html(words)}</p>")

    def listed(self, items: Sequence[str]) -> str:
        inside = "\n".join(f"<li>{escapes.html(one)}</li>" for one in items)
        return self.block("bullet_list", f"<ul>\n{inside}\n</ul>")

    def table(self, columns: Sequence[str], rows: Rows) -> str:
        return self.block("table", tables.html(columns, rows))

    def block(self, kind: str, html: str, node: SyntaxTreeNode | None = None) -> str:
        """An element of the page's first level; kind: as markdown-it calls it."""
        return html


class Blocks(Html):
    """As WordPress keeps a post: each element in the block that the editor knows it as, what it does not know in one of
    custom HTML."""

    def block(self, kind: str, html: str, node: SyntaxTreeNode | None = None) -> str:
        name, about = {"heading": "heading", "paragraph": "paragraph", "table": "table"}.get(kind, "html"), {}
        if kind == "heading" and node is not None:
            about = {"level": int(node.tag[1:])}
            html = html.replace(f"<{node.tag}>", f'<{node.tag} class="wp-block-heading">', 1)
        elif kind == "table":
            html = f'<figure class="wp-block-table">{html.replace(chr(10), "")}</figure>'
        elif kind in ("fence", "code_block"):
            name, html = "code", html.replace("<pre>", '<pre class="wp-block-code">', 1)
        elif kind in ("bullet_list", "ordered_list") and len(re.findall(r"<[uo]l\b", html)) == 1:
            name, about = "list", {"ordered": True} if kind == "ordered_list" else {}
            html = html.replace("<ul>", '<ul class="wp-block-list">').replace("<ol>", '<ol class="wp-block-list">')
            html = html.replace("<li>", "<!-- wp:list-item -->\n<li>").replace("</li>", "</li>\n<!-- /wp:list-item -->")
        told = f" {json.dumps(about, separators=(',', ':'))}" if about else ""
        return f"<!-- wp:{name}{told} -->\n{html}\n<!-- /wp:{name} -->\n"


class Text:
    """For editors that take neither markup nor tables: a line per paragraph, item and row."""

    def prose(self, source: str) -> str:
        return "\n\n".join(_plain(node) for node in _tree(source).children)

    def said(self, words: str) -> str:
        return escapes.plain(words)

    def listed(self, items: Sequence[str]) -> str:
        return "\n".join(f"- {escapes.plain(one)}" for one in items)

    def table(self, columns: Sequence[str], rows: Rows) -> str:
        told = [[self.said(f"{head} {cell}") for head, cell in zip(columns, row, strict=False) if cell] for row in rows]
        return "\n".join(f"- {'; '.join(cells)}" for cells in told)


def of(to: Target) -> Syntax:
    """The syntax of a target."""
    return Blocks() if to.blocks else {"md": Markdown, "html": Html, "txt": Text}[to.ending]()


@cache
def _reader(math: Callable[[str, bool], str]) -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    return made.use(dollarmath_plugin, allow_labels=False, renderer=lambda tex, how: math(tex, how["display_mode"]))


def _tree(source: str) -> SyntaxTreeNode:
    return SyntaxTreeNode(_reader(mathml).parse(source))


def _rendered(node: SyntaxTreeNode) -> str:
    """An element as HTML in which nothing is a template's or a shortcode's."""
    made = _reader(mathml)
    return escapes.inert(made.renderer.render(node.to_tokens(), made.options, {}).strip())


def _plain(node: SyntaxTreeNode) -> str:
    if node.type in ("bullet_list", "ordered_list"):
        return "\n".join(f"- {' '.join(_plain(one) for one in item.children)}" for item in node.children)
    if node.type == "table":
        return "\n".join(f"- {'; '.join(map(_plain, row.children))}" for part in node.children for row in part.children)
    inline = [token for token in node.to_tokens() if token.type == "inline"]
    return " ".join("".join(_words(token)) for token in inline) if inline else node.content.strip()


def _words(inline: Token) -> Iterator[str]:
    for one in inline.children or []:
        yield " " if one.type in ("softbreak", "hardbreak") else one.content
