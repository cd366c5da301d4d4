"""What is pasted: one text per platform, kept as it was looked at, and read back by the parser of each syntax."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from kit_toy import SITE, words
from laboratory import DATA
from markdown_it import MarkdownIt
from mdit_py_plugins.attrs import attrs_plugin

from pipeline.ground.errors import LabError
from pipeline.kit import escapes, targets
from pipeline.kit.targets import TARGETS

pytestmark = pytest.mark.thorough

GOLDENS = DATA / "kit" / "goldens"
AT_SITE = {"base": f"{SITE}/0123456789ab/figures/", "linked": {"@type": "ImageObject"}, "adaptive": "<svg></svg>"}
# Whatever a syntax here takes for markup; _ stands for a space.
NASTY = """" ' | [ ](x) [1](x) {{ {{< >}} {%raw%} {:.x} --> -- <!-- <script> </figure> &amp; & ` `` \\ \\` ** _a_ * ~~
::: --- $x$ @x # 1._ 1)_ +_ -_ >_ = 🔒 👩‍🔧 :lock: ! ![1] [gallery] ^[a] [9,_8]""".split()
NASTY = [one.replace("_", " ") if one != "_a_" else one for one in NASTY] + ["\n", "\n\n", "\u2028", "\x00", "\ufffe"]
HOSTILE = st.lists(st.sampled_from(NASTY) | st.text(max_size=4), min_size=1, max_size=8).map("".join)


def dialect() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table").use(attrs_plugin)


class Html(HTMLParser):
    """The elements of a page with their attributes, its comments, and the text of what is asked for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.comments: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("figcaption", "p", "td", "th", "script"):
            self._open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data):
        for tag in self._open:
            self.texts[tag][-1] += data

    def handle_comment(self, data):
        self.comments.append(data.strip())


def said(inline) -> str:
    """The text of a paragraph; nothing in it but text, bold and links that the templates wrote."""
    assert {one.type for one in inline.children} <= {"text", "strong_open", "strong_close", "link_open", "link_close"}
    assert all(one.attrs["href"].endswith("toy_scaling.csv") for one in inline.children if one.type == "link_open")
    return "".join(one.content for one in inline.children)


def markdown(text: str) -> dict:
    """Paragraphs and cells of Markdown without HTML."""
    tokens = dialect().parse(text)
    kinds = {one.type for one in tokens}
    assert not kinds & {
        "html_block",
        "heading_open",
        "hr",
        "blockquote_open",
        "code_block",
        "fence",
        "ordered_list_open",
    }
    inline = {number: one for number, one in enumerate(tokens) if one.type == "inline"}
    cells = [said(one) for number, one in inline.items() if tokens[number - 1].type == "td_open"]
    paragraphs = [one for number, one in inline.items() if tokens[number - 1].type == "paragraph_open"]
    return {"cells": cells, "paragraphs": paragraphs}


def tail(text: str) -> dict:
    """What stands behind the image."""
    found = markdown(text)
    told = [said(one) for one in found["paragraphs"]]
    return {"measured": told[0], "cells": found["cells"], "citation": told[-1]}


def of_html(text: str) -> dict:
    page = Html(text)
    (image,) = [about for tag, about in page.tags if tag == "img"]
    allowed = {
        "figure",
        "picture",
        "source",
        "img",
        "figcaption",
        "b",
        "p",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "a",
    }
    assert {tag for tag, _ in page.tags} <= allowed | {"details", "summary"}
    paragraphs = page.texts.get("p", [])
    back = {"brief": image["alt"], "caption": page.texts["figcaption"][0], "cells": page.texts.get("td", [])}
    return back | ({"measured": paragraphs[0], "citation": paragraphs[-1]} if paragraphs else {})


def of_figure_and_markdown(text: str) -> dict:
    figure, behind = text.split("</figure>\n", 1)
    return of_html(figure + "</figure>") | tail(behind)


def of_jekyll(text: str) -> dict:
    assert not re.search(r"\{[{%:]", text)
    return of_figure_and_markdown(text)


def of_quarto(text: str) -> dict:
    first, behind = text.split("\n", 1)
    assert not re.search(r"\{\{|@", text)
    (paragraph,) = markdown(first)["paragraphs"]
    (image,) = paragraph.children
    assert image.type == "image" and image.attrs["id"] == "fig-toy-scaling"
    alt = html.unescape(image.attrs["fig-alt"])  # as Pandoc does
    return {"brief": alt, "caption": said(image)} | tail(behind)


def of_myst(text: str) -> dict:
    _, options, body = text.split("\n---\n", 2)
    assert not re.search(r"\{(?!list-table\})", body)
    caption, behind = body.split("\n:::\n", 1)
    (said_caption,) = markdown(caption)["paragraphs"]
    before, table, after = re.split(r"(?s):::\{list-table\}\n---\nheader-rows: 1\n---\n(.*?)\n:::\n", behind)
    cells = [said(one) for one in dialect().parse(table) if one.type == "inline"]
    told = [said(one) for one in markdown(f"{before}\n{after}")["paragraphs"]]
    back = {"brief": yaml.safe_load(options)["alt"], "caption": said(said_caption)}
    return back | {"measured": told[0], "cells": cells[2:], "citation": told[-1]}


def of_hugo(text: str) -> dict:
    """As Hugo's lexer reads a shortcode: a value in quotes has neither backslash nor quote, a raw one no backtick."""
    first, behind = text.split("\n", 1)
    shortcode = re.fullmatch(r'\{\{< figure ((?:\w+=(?:"[^"\\\n]*"|`[^`]*`) )+)>\}\}', first)
    assert shortcode and "{{" not in behind
    given = {name: value[1:-1] for name, value in re.findall(r'(\w+)=("[^"]*"|`[^`]*`)', shortcode[1])}
    (caption,) = markdown(given["caption"])["paragraphs"]
    return {"brief": given["alt"], "caption": said(caption)} | tail(behind)


def of_wordpress(text: str) -> dict:
    comments = Html(text).comments
    blocks = ["image", "paragraph", "table", "paragraph"]
    assert [re.sub(r" \{.*", "", one) for one in comments] == [f"{end}wp:{one}" for one in blocks for end in ("", "/")]
    assert json.loads(comments[0].removeprefix("wp:image ")) == {"sizeSlug": "large"}
    assert not re.search(r"\[[a-zA-Z/]", text)
    return of_html(text)


def of_ghost(text: str) -> dict:
    assert Html(text).comments == ["kg-card-begin: html", "kg-card-end: html"]
    return of_html(text)


def of_devto(text: str) -> dict:
    assert not re.search(r"\{[{%]", text)
    image, caption, *rest = text.split("\n\n", 2)
    (paragraph,) = markdown(image)["paragraphs"]
    (about,) = paragraph.children
    (words,) = markdown(caption)["paragraphs"]
    return {"brief": said(about), "caption": said(words)} | tail(rest[0])


def of_text(text: str) -> dict:
    image, caption, measured, found, citation = text.rstrip("\n").split("\n\n")
    cells = [found.removeprefix("- ")] if "\n" not in found else []
    brief = image.split("Its alternative text: ", 1)[1].removesuffix("]")
    return {"brief": brief, "caption": caption, "measured": measured, "found": cells[0], "citation": citation}


READ = {
    "github": of_figure_and_markdown,
    "jekyll": of_jekyll,
    "quarto": of_quarto,
    "myst": of_myst,
    "hugo": of_hugo,
    "html": of_html,
    "wordpress": of_wordpress,
    "ghost": of_ghost,
    "devto": of_devto,
    "medium": of_text,
    "substack": of_text,
}


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("site", [False, True])
def test_a_text_is_as_it_was_looked_at(name, site):
    told = targets.text(TARGETS[name], words(**AT_SITE if site else {"adaptive": "<svg></svg>"}))
    golden = GOLDENS / f"{name}{'-site' if site else ''}.{TARGETS[name].ending}"
    assert told == golden.read_text(encoding="utf-8"), f"look at it, then change {golden}:\n{told}"


@pytest.mark.parametrize("name", TARGETS)
@given(brief=HOSTILE, caption=HOSTILE, other=HOSTILE)
@example(brief='"\\`', caption="`[x](y)` {{< a >}} --> |", other="1. a | b\n\n:::")
def test_words_come_back_from_the_parser_of_each_syntax(name, brief, caption, other):
    table = {
        "columns": ["Variant", "Estimate"],
        "rows": [[f"x{other}", f"y{caption}"]],
        "more": 0,
        "found": [f"x{other}"],
    }
    told = words(brief=f"b{brief}", caption=f"c{caption}", measured=f"m{other}", **table, citation=f"z{other}")
    plain = {key: escapes.plain(getattr(told, key)) for key in ("brief", "measured", "citation")}
    expected = plain | {
        "caption": escapes.plain(f"{told.title}. {told.caption}"),
        "cells": [escapes.plain(cell) for cell in told.rows[0]],
        "found": escapes.plain(told.found[0]),
    }
    if name == "hugo" and {'"', "\\"} & set(expected["brief"]):
        expected["brief"] = expected["brief"].replace("`", "'")
    back = READ[name](targets.text(TARGETS[name], told))
    if name in ("ghost", "html", "wordpress"):  # the link to the data stands before the citation
        assert back["citation"].endswith(expected["citation"])
        back["citation"] = expected["citation"]
    assert back == {key: expected[key] for key in back}


@given(HOSTILE)
def test_json_for_machines_never_ends_its_script(nasty):
    text = targets.text(TARGETS["html"], words(linked={"name": nasty}))
    (script,) = Html(text).texts["script"]
    assert json.loads(script) == {"name": nasty}


def test_without_tables_a_figure_without_findings_lists_its_numbers():
    assert "- plain | piped: 101 [98, 104] ns" in targets.text(TARGETS["medium"], words(found=[]))


def test_an_unknown_target_lists_all():
    with pytest.raises(LabError, match=r"there is no target 'hogu'; there are: github, jekyll, .*, devto$"):
        targets.target("hogu")
