"""What a kit cuts, refuses and keeps at the edges: lines of a card, sizes of files, parts of a notebook."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from pydantic import ValidationError

from pipeline.ground.errors import LabError
from pipeline.kit import card, notebook_content, page, provenance, svg, syntaxes
from pipeline.kit.notebook_content import Listed, Prose, Said, Shown, Table
from pipeline.kit.settings import Settings
from pipeline.kit.targets import TARGETS

pytestmark = pytest.mark.thorough


@pytest.fixture
def canvas() -> Figure:
    made = Figure(figsize=(12, 6.3), dpi=100)
    FigureCanvasAgg(made)
    return made


# --- the card ---------------------------------------------------------------------------------------------------------


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


def picture(width: int, height: int, colour: str = "white") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(out, "png")
    return out.getvalue()


def test_a_long_title_has_three_lines(monkeypatch):
    """A fourth would leave the figure less than half of the card's height."""
    lines, written = [], card._wrapped
    monkeypatch.setattr(card, "_wrapped", lambda *given: lines.append(written(*given)) or lines[-1])
    card.draw("Throughput " * 40, [], "foot", picture(400, 300))
    title, foot = lines
    assert len(title) == 3 and title[-1].endswith(" …") and foot == ["foot"]


def test_the_figure_stands_below_the_title_at_the_right_margin():
    drawn = Image.open(io.BytesIO(card.draw("Title", [], "foot", picture(400, 300, "#ff0000"))))
    red = [(x, y) for x in range(0, 1200, 4) for y in range(0, 630, 2) if drawn.getpixel((x, y)) == (255, 0, 0)]
    top = card.MARGIN + card._line(card.TITLE_PT) + card.MARGIN / 3
    assert min(y for _, y in red) == pytest.approx(top, abs=3) and max(y for _, y in red) == pytest.approx(
        top + 300, abs=3
    )
    assert min(x for x, _ in red) == pytest.approx(1200 - 48 - 400, abs=4)
    assert max(x for x, _ in red) == pytest.approx(1200 - 48, abs=5)


# --- the other files --------------------------------------------------------------------------------------------------


def test_what_an_svg_shows_is_said_by_its_root_alone():
    nested = b"<svg width='1'><metadata></metadata><svg x='1'/></svg>"
    text = svg.dressed(nested, title="t", brief='a "b"', alt="words", fields={}).decode()
    assert text.startswith('<svg role="img" aria-label="a &quot;b&quot;" width=') and "<svg x='1'/>" in text
    assert text.count("role=") == 1 and "<title>t</title>" in text and "<desc>words</desc>" in text


def test_a_table_of_wordpress_is_one_line():
    text = syntaxes.of(TARGETS["wordpress"]).block("table", "<table>\n<tr>\n</tr>\n</table>")
    assert '\n<figure class="wp-block-table"><table><tr></tr></table></figure>\n' in text


def test_settings_stay_as_they_were_read():
    with pytest.raises(ValidationError):
        Settings(author="A").author = "B"


def test_a_page_has_every_part_of_the_notebook_in_order(monkeypatch, tmp_path):
    executed = tmp_path / "toy.ipynb"
    executed.touch()
    told = [Said("One."), Shown("fig"), Listed(["two"])]
    files = {"fig.png": b"picture", "other.png": b"not named"}
    monkeypatch.setattr(page.paths, "build", lambda: tmp_path)
    monkeypatch.setattr(page.entries, "experiment", lambda name, run: name)
    monkeypatch.setattr(page.notebooks, "executed", lambda entry, run: executed)
    monkeypatch.setattr(page.notebooks, "read", lambda file: file)
    monkeypatch.setattr(page, "parts", lambda read: told if read == executed else [])
    monkeypatch.setattr(page.Kit, "of", lambda *_: SimpleNamespace(files=lambda: files))
    monkeypatch.setattr(page, "figure", lambda kit, to: "![a figure](fig.png)")
    made = page.write("r", "toy", TARGETS["hugo"], Settings(), 700)
    assert made.read_text() == "One.\n\n![a figure](fig.png)\n\n- two\n"
    assert sorted(one.name for one in made.parent.iterdir()) == ["fig.png", made.name]
    executed.unlink()
    with pytest.raises(LabError, match="has no page of toy yet"):
        page.write("r", "toy", TARGETS["hugo"], Settings(), 700)


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
    assert list(notebook_content.parts(SimpleNamespace(cells=made))) == [
        Prose("Prose."),
        Said("First."),
        Listed(["a", "b inner"]),
        Table(["h"], [["1"], ["2"]]),
        Said("it's"),
        Said("bare"),
    ]


def test_a_linked_figure_is_shown_by_its_name():
    html = '<a href="figures/near_one.svg"><img src="figures/near_one.png"></a><p>x</p>'
    assert list(notebook_content._of_html(html)) == [Shown("near_one")]


@pytest.mark.parametrize("title", range(0, 40, 8))
def test_sentences_of_a_card_end_above_its_foot(monkeypatch, title):
    """Of a long sentence so many lines are asked for as there is room for above two lines of the foot."""
    written = []

    def write(made, words, size, x, y, width, most, colour):
        written.append((y, most))
        assert x == card.MARGIN and (width <= card.WIDTH - 2 * card.MARGIN if size == card.TEXT_PT else width == 1104)
        return y + title

    monkeypatch.setattr(card, "_write", write)
    card.draw("Title", ["word " * 500], "foot", picture(400, 300))
    (top, lines), (below, most), (foot, one) = written
    line, room = card._line(card.TEXT_PT), card.HEIGHT - card.MARGIN - 2 * card._line(card.FOOT_PT)
    assert (top, lines, below, one) == (card.MARGIN, card.TITLE_LINES, card.MARGIN + title, 1)
    assert foot == pytest.approx(room + card._line(card.FOOT_PT))
    assert below + most * line <= room < below + (most + 1) * line
