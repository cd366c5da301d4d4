"""A table to read: words only, escaped, numbers on the right, and where they come from on demand."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from pipeline.publish import html_tables
from pipeline.session.table import Table, commands


class Cells(HTMLParser):
    """Tag, attributes and text of every cell, as a browser reads them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.cells: list[tuple[str, dict[str, str], str]] = []
        self.tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list) -> None:
        self.tags.append(tag)
        if tag in ("td", "th"):
            self.cells.append((tag, dict(attributes), ""))

    def handle_data(self, data: str) -> None:
        if self.cells and self.tags[-1] in ("td", "th"):
            tag, attributes, text = self.cells[-1]
            self.cells[-1] = (tag, attributes, text + data)


def cells(table: Table) -> list[tuple[str, dict[str, str], str]]:
    return Cells(table._repr_html_()).cells


NASTY = "<b>\"a\" & 'b'</b>"


def test_everything_that_is_said_is_escaped():
    table = Table([NASTY], [[NASTY]], [[NASTY]], [NASTY], note=NASTY)
    assert cells(table) == [("th", {}, NASTY), ("td", {"title": NASTY}, NASTY)]
    assert "<b>" not in table._repr_html_() and table._repr_html_().count("&lt;b&gt;") == 5


def test_only_cells_that_rest_on_something_have_a_title():
    table = Table(["a", "b"], [["x", "1"], ["y", "2"]], [["", "rests on"], ["", ""]])
    assert [attributes for tag, attributes, _ in cells(table) if tag == "td"] == [{}, {"title": "rests on"}, {}, {}]
    assert all("title" not in attributes for _, attributes, _ in cells(Table(["a"], [["x"]])))


def test_numbers_stand_on_the_right_with_their_heading():
    table = Table(["a", "b"], [["x", "1.2 µs"], ["y", "–"]], numeric=[False, True])
    assert [attributes.get("class") for _, attributes, _ in cells(table)] == [None, "number"] * 3
    assert all("class" not in attributes for _, attributes, _ in cells(Table(["a"], [["1"]])))


def test_what_the_site_aligns_leaves_a_number_with_its_unit_on_the_right():
    table = Table(["a", "b"], [["x", "1.2 µs"]], [["", "why"]], numeric=[False, True])
    aligned = Cells(html_tables.align(table._repr_html_())).cells
    assert [attributes.get("class") for _, attributes, _ in aligned] == ["text", "number", "text", "number"]


def test_commands_are_folded_once_each_and_a_note_stands_below():
    html = Table(["a"], [["x"]], commands=["lab one", "lab two", "lab one"], note="A note.")._repr_html_()
    assert html.endswith(
        '</table><p>A note.</p><details class="lab-rests"><summary>print these numbers</summary>'
        "<ul><li><code>lab one</code></li><li><code>lab two</code></li></ul></details>"
    )
    assert commands([]) == "" and "<details" not in Table(["a"], [["x"]])._repr_html_()


def test_a_table_without_rows_has_its_headings():
    assert cells(Table(["a", "b"], [])) == [("th", {}, "a"), ("th", {}, "b")]


@pytest.mark.parametrize(
    ("columns", "rows", "more"),
    [
        (["a", "b"], [["x"]], {}),
        (["a"], [["x"]], {"titles": [["", "title"]]}),
        (["a"], [["x"], ["y"]], {"titles": [["title"]]}),
        (["a"], [["x"]], {"numeric": [True, False]}),
    ],
)
def test_a_table_whose_parts_do_not_fit_is_refused(columns, rows, more):
    with pytest.raises(ValueError, match="a table of"):
        Table(columns, rows, **more)


FITS = [
    ["a", "JDK 17", "none", "", "Too few."],
    ["a", "JDK 25", "none", "", "Too few."],
    ["b", "C", "line", "2", "Fits."],
]


def test_rows_that_differ_in_nothing_but_their_keys_are_one():
    told = [text for tag, _, text in cells(Table(["v", "r", "model", "a", "says"], FITS, keys=2)) if tag == "td"]
    assert told == ["a", "JDK 17, JDK 25", "none", "", "Too few.", "b", "C", "line", "2", "Fits."]
    uneven = [*FITS[:2], ["b", "C", "none", "", "Too few."]]
    html = Table(["v", "r", "model", "a", "says"], uneven, keys=2)._repr_html_()
    assert html.count("<tr>") == 3 and "<td>a</td><td>JDK 17, JDK 25</td>" in html and "<td>b</td><td>C</td>" in html
    assert html.count("Too few") == 1, "what all of them say stands above the table"
    same = [[name, jdk, "", "Too few."] for name in ("a, b", "c") for jdk in ("JDK 17", "JDK 25")]
    told = [
        text for tag, _, text in cells(Table(["v", "r", "a", "says"], [*same, FITS[2][:2] + ["2", "Fits."]], keys=2))
    ]
    assert told[4:8] == ["a, b; c", "JDK 17, JDK 25", "", "Too few."]
    assert len(cells(Table(["v", "r"], [["a", "1"], ["b", "1"]]))) == 6, "without keys rows are as they are"


def test_what_every_row_says_is_said_once():
    rows = [["a", "line", "1", "Fits."], ["b", "line", "2", "Fits."]]
    html = Table(["v", "model", "x", "says"], rows, keys=1, above="Read <so>.")
    above = '<p class="lab-same">Read &lt;so&gt;.</p><p class="lab-same">All rows: model line; Fits.</p>'
    assert above in html._repr_html_()
    assert [text for _, _, text in cells(html)] == ["v", "x", "a", "1", "b", "2"]


def test_in_jupyterlab_words_stand_on_the_left():
    assert ".jp-RenderedHTMLCommon table.dataframe" in Table(["a"], [["x"]])._repr_html_()


def test_in_place_of_a_table_without_a_row_a_sentence_stands():
    html = Table(["variant", "One way"], [], nothing="Nothing <here>.", note="Pairs: 0.")._repr_html_()
    assert html == "<p>Nothing &lt;here&gt;.</p><p>Pairs: 0.</p>"
    assert "<th>variant</th>" in Table(["variant"], [])._repr_html_()
