"""What a kit cuts, refuses and keeps at the edges: lines of a card, sizes of files, parts of a notebook."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from pipeline.kit import card, parts, provenance
from pipeline.kit.parts import Listed, Prose, Said, Shown, Table


@pytest.fixture
def canvas() -> Figure:
    made = Figure(figsize=(12, 6.3), dpi=100)
    FigureCanvasAgg(made)
    return made


# --- the card ---------------------------------------------------------------------------------------------------------


def test_the_title_can_be_read_where_a_feed_shows_it_small():
    """54 pt are 75 px at 100 dpi; capitals are 0.729 of that, and a card of 1200 px is shown 200 px wide: 9.1 px."""
    assert card.capital_px(200) == pytest.approx(75 * 0.729 / 6)
    assert card.capital_px(1200) == pytest.approx(75 * 0.729)


def test_text_is_cut_at_a_word_where_its_lines_end(canvas):
    words = "one two three four five six seven eight"
    whole = card._wrapped(canvas, words, 20, 200, 9)
    assert " ".join(whole) == words and len(whole) == 3
    assert all(card._width(canvas, line, 20) <= 200 for line in whole)
    cut = card._wrapped(canvas, words, 20, 200, 2)
    assert len(cut) == 2 and cut[0] == whole[0] and cut[1].endswith(" …")
    assert card._width(canvas, cut[1], 20) <= 200 and whole[1].startswith(cut[1].removesuffix(" …"))
    assert card._wrapped(canvas, words, 20, 200, len(whole)) == whole
    assert card._wrapped(canvas, "x" * 100, 20, 200, 2) == [f"{'x' * 100} …"], "a word alone is never lost"


def test_lines_stand_below_each_other_from_the_top(canvas):
    below = card._write(canvas, "one two", card.TEXT_PT, 48, 63, 60, 5, "black")
    first, second = canvas.texts
    line = card.TEXT_PT * 100 / 72 * card.LEADING
    assert (first.get_text(), second.get_text()) == ("one", "two")
    assert first.get_position() == pytest.approx((48 / 1200, 0.9))
    assert second.get_position()[1] == pytest.approx(0.9 - line / 630)
    assert below == pytest.approx(63 + 2 * line)


def test_text_is_never_read_as_a_formula(canvas):
    card._write(canvas, "$x$", 20, 0, 0, 500, 1, "black")
    assert canvas.texts[0].get_text() == "$x$" and not canvas.texts[0].get_parse_math()
    assert card._width(canvas, "$x$", 20) > 2 * card._width(canvas, "x", 20)


# --- provenance -------------------------------------------------------------------------------------------------------


def test_a_file_of_the_greatest_size_is_read_and_a_longer_one_is_not(tmp_path, monkeypatch):
    record = dict.fromkeys(provenance.NEEDED, "x")
    file = tmp_path / "one.json"
    file.write_text(json.dumps({"lab": record}))
    monkeypatch.setattr(provenance, "MOST_BYTES", file.stat().st_size)
    assert provenance.read(file) == record
    monkeypatch.setattr(provenance, "MOST_BYTES", file.stat().st_size - 1)
    assert provenance.read(file) is None


@pytest.mark.parametrize("missing", provenance.NEEDED)
def test_a_record_has_all_that_is_needed(tmp_path, missing):
    file = tmp_path / "one.json"
    file.write_text(json.dumps({"lab": {name: "x" for name in provenance.NEEDED if name != missing}}))
    assert provenance.read(file) is None


@pytest.mark.parametrize("content", [b"", b"text", b"[1]", b"{}", b'{"lab": 3}', b"\x89PNG", b"[" * 100_000])
def test_what_is_none_of_ours_has_no_record(tmp_path, content):
    file = tmp_path / "one"
    file.write_bytes(content)
    assert provenance.read(file) is None


# --- parts ------------------------------------------------------------------------------------------------------------


def test_the_parts_of_a_notebook_are_what_it_shows_in_order():
    html = (
        "<style>p{}</style><p>First.</p><ul><li>a</li><li>b <p>inner</p></li></ul><details><p>folded</p></details>"
        "<table><tr><th>h</th></tr><tr><td>1</td></tr><tr><td>2</td></tr></table>"
    )
    code = {"cell_type": "code", "outputs": [{"data": {"text/html": html}}, {"data": {"text/plain": "'it\\'s'"}}]}
    bare = {"cell_type": "code", "outputs": [{"data": {"text/html": "<div>bare</div>"}}, {"text": "no data"}]}
    cells = [{"cell_type": "markdown", "source": "Prose."}, code, bare, {"cell_type": "code"}]
    made = [SimpleNamespace(**one, get=one.get) for one in cells]
    assert list(parts.parts(SimpleNamespace(cells=made))) == [
        Prose("Prose."),
        Said("First."),
        Listed(["a", "b inner"]),
        Table(["h"], [["1"], ["2"]]),
        Said("it's"),
        Said("bare"),
    ]


def test_a_linked_figure_is_shown_by_its_name():
    html = '<a href="figures/near_one.svg"><img src="figures/near_one.png"></a><p>x</p>'
    assert list(parts._of_html(html)) == [Shown("near_one")]


@pytest.mark.parametrize("title", range(0, 40, 8))
def test_sentences_of_a_card_end_above_its_foot(monkeypatch, title):
    """Of a long sentence so many lines are asked for as there is room for above two lines of the foot."""
    written = []

    def write(made, words, size, x, y, width, most, colour):
        written.append((y, most))
        assert x == card.MARGIN and (width <= card.WIDTH - 2 * card.MARGIN if size == card.TEXT_PT else width == 1104)
        return y + title

    monkeypatch.setattr(card, "_write", write)
    out = io.BytesIO()
    Image.new("RGB", (400, 300)).save(out, "png")
    card.draw("Title", ["word " * 500], "foot", out.getvalue())
    (top, lines), (below, most), (foot, one) = written
    line, room = card._line(card.TEXT_PT), card.HEIGHT - card.MARGIN - 2 * card._line(card.FOOT_PT)
    assert (top, lines, below, one) == (card.MARGIN, card.TITLE_LINES, card.MARGIN + title, 1)
    assert foot == pytest.approx(room + card._line(card.FOOT_PT))
    assert below + most * line <= room < below + (most + 1) * line
