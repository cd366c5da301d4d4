"""Whole pages: what a notebook shows, in each target's syntax, read back by that syntax's parser."""

from __future__ import annotations

import html
import json
import re

import nbformat
import pytest
from bs4 import BeautifulSoup, Comment
from hypothesis import example, given
from hypothesis import strategies as st
from kit_toy import SITE, draw
from markdown_it import MarkdownIt

from pipeline.kit import escapes, page
from pipeline.kit.kit import Kit
from pipeline.kit.notebook_content import Listed, Prose, Said, Shown, Table, parts
from pipeline.kit.settings import Settings
from pipeline.kit.targets import TARGETS

pytestmark = pytest.mark.thorough

PROSE = """## A *toy* & its law

It costs `a[b] {{x}}` and $a < b$ [gallery], {% raw %} <b>not bold</b>.

- one **bold**
- two

1. first
2. second

$$X = \\frac{a}{b}$$

```
f(x) {{ y }} <z>
```

| head | other |
|---|---|
| a | b |
"""
NASTY = """" ' | [ ](x) {{ {{< >}} {%raw%} --> -- <!-- <script> </p> </li> <!--_/wp:list_--> &amp; & ` \\ ** *
~~ ::: --- $x$ @x # 1._ +_ -_ >_ [gallery] [9,_8]""".split()
HOSTILE = st.lists(st.sampled_from([one.replace("_", " ") for one in NASTY] + ["\n", "\n\n"]) | st.text(max_size=4))
HOSTILE = HOSTILE.map("".join)


def shown(text: str) -> list:
    """The parts of a notebook that shows some HTML."""
    output = nbformat.v4.new_output("execute_result", {"text/html": text})
    return list(parts(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x", outputs=[output])])))


def test_a_notebook_is_told_in_its_order_without_code_and_what_is_folded():
    found = "<ul><li>one <b>JDK</b> 2<details><p>rests</p></details></li></ul>"
    assert shown(f"<p><b>So.</b></p>{found}<p>z</p>") == [Said("So."), Listed(["one JDK 2"]), Said("z")]
    table = "<style>a{}</style><table><tr><th>h</th><th>k</th></tr><tr><td>a</td><td>b</td></tr></table><p>note</p>"
    assert shown(table) == [Table(["h", "k"], [["a", "b"]]), Said("note")]
    assert shown('<figure><a href="figures/one.svg">SVG</a><p>x</p></figure>') == [Shown("one")]
    output = nbformat.v4.new_output("execute_result", {"text/plain": "'it\\'s'"})
    stream = nbformat.v4.new_output("stream", text="noise")
    cells = [nbformat.v4.new_markdown_cell("# t"), nbformat.v4.new_code_cell("secret", outputs=[stream, output])]
    assert list(parts(nbformat.v4.new_notebook(cells=cells))) == [Prose("# t"), Said("it's")]


# --- words ------------------------------------------------------------------------------------------------------------


def of_html(text: str) -> list[str]:
    """The words of a page of HTML, element by element; nothing in it but what the parts are made of."""
    tree = BeautifulSoup(text, "html.parser")
    allowed = {"p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "figure"}
    assert {one.name for one in tree.find_all(True)} <= allowed
    assert not re.search(r"[{}]|\[[a-zA-Z/\[]", re.sub(r"<!-- wp:\w+ \{.*?\} -->", "", text))
    return [one.get_text() for one in tree.find_all(["p", "li", "th", "td"])]


def of_blocks(text: str) -> list[str]:
    opened: list[str] = []
    for comment in BeautifulSoup(text, "html.parser").find_all(string=lambda one: isinstance(one, Comment)):
        end, name, about = re.fullmatch(r" (/?)wp:([\w-]+)(?: (\{.*\}))? ", comment).groups()
        assert isinstance(json.loads(about or "{}"), dict)
        assert not end or opened.pop() == name
        opened += [] if end else [name]
    assert opened == []
    return of_html(text)


def of_card(text: str) -> list[str]:
    comments = re.findall(r"<!--(.*?)-->", text)
    assert comments == ["kg-card-begin: html", "kg-card-end: html"]
    return of_html(text)


def of_markdown(text: str) -> list[str]:
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    allowed = {"paragraph", "bullet_list", "list_item", "table", "thead", "tbody", "tr", "th", "td", "inline"}
    assert {one.type.removesuffix("_open").removesuffix("_close") for one in tokens} <= allowed
    inline = [one for one in tokens if one.type == "inline"]
    assert all(child.type == "text" for one in inline for child in one.children)
    return ["".join(child.content for child in one.children) for one in inline]


def of_text(text: str) -> list[str]:
    said, item, row = text.rstrip("\n").split("\n\n")
    return [said, item.removeprefix("- "), row.removeprefix("- ")]


READ = {"md": of_markdown, "html": of_html, "txt": of_text}


@pytest.mark.parametrize("name", TARGETS)
@given(one=HOSTILE, two=HOSTILE)
@example(one="<!-- /wp:list --> {{ x }} [gallery]", two="1. | `a` *b*\n\n- c")
def test_words_come_back_from_the_parser_of_each_syntax(name, one, two):
    to, words = TARGETS[name], [f"a{one}", f"b{two}", f"c{one}", f"d{two}", f"e{one}", f"f{two}"]
    said = [Said(words[0]), Listed(words[1:2]), Table([words[2], words[3]], [[words[4], words[5]]])]
    text = page.joined([page.text(part, to) for part in said], to)
    read = of_blocks if to.blocks else of_card if to.card else READ[to.ending]
    plain = [escapes.plain(word) for word in words]
    cells = plain[2:] if to.ending != "txt" else [f"{plain[2]} {plain[4]}; {plain[3]} {plain[5]}"]
    assert read(text) == [*plain[:2], *cells]


# --- prose ------------------------------------------------------------------------------------------------------------


def test_prose_stays_as_it_is_in_markdown():
    assert page.text(Prose(PROSE), TARGETS["hugo"]) == PROSE.strip()


def test_prose_is_html_with_its_formulas_and_nothing_is_a_template():
    text = page.text(Prose(PROSE), TARGETS["html"])
    tree = BeautifulSoup(text, "html.parser")
    assert tree.h2.get_text() == "A toy & its law" and tree.em.get_text() == "toy" and not tree.find("b")
    assert [one.get_text() for one in tree.find_all("li")] == ["one bold", "two", "first", "second"]
    assert tree.code.get_text() == "a[b] {{x}}" and tree.pre.get_text() == "f(x) {{ y }} <z>\n"
    assert len(tree.find_all("math")) == 2 and tree.find("mfrac")
    assert [one.get_text() for one in tree.find_all("td")] == ["a", "b"]
    assert not re.search(r"[{}]|\[[a-z]", text) and "[gallery]" in html.unescape(text)


def test_prose_is_in_the_blocks_that_the_editor_knows():
    text = page.text(Prose(PROSE), TARGETS["wordpress"])
    names = re.findall(r"<!-- wp:([\w-]+)", text)
    items = ["list-item"] * 2
    assert names == ["heading", "paragraph", "list", *items, "list", *items, "html", "code", "table"]
    assert '<!-- wp:heading {"level":2} -->' in text and '<!-- wp:list {"ordered":true} -->' in text
    assert sorted(names) == sorted(re.findall(r"<!-- /wp:([\w-]+) -->", text))
    nested = page.text(Prose("- one\n  - two\n"), TARGETS["wordpress"])
    assert re.findall(r"wp:([\w-]+)", nested) == ["html", "html"]


def test_prose_is_lines_where_there_is_no_markup():
    said = page.text(Prose(PROSE), TARGETS["medium"])
    assert said.startswith("A toy & its law\n\nIt costs a[b] {{x}} and a < b [gallery]")
    assert "\n- one bold\n- two\n" in said
    assert "**" not in said and "X = \\frac{a}{b}" in said and "f(x) {{ y }} <z>" in said and "- a; b" in said


# --- figures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TARGETS)
def test_a_figure_stands_in_a_page_as_its_target_wants_it(name, monkeypatch, tmp_path):
    draw(monkeypatch, tmp_path)
    kit = Kit.of("toys", "near_one", Settings(site=SITE))
    text = page.joined([page.figure(kit, TARGETS[name])] * 2, TARGETS[name])
    assert not text.startswith("---\n") and text.count("kg-card-begin") == (name == "ghost")
    assert "near_one" in text and text.count(kit.citation.content_id) >= 2
