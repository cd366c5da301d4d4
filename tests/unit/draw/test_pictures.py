"""The files of every kind of figure.

Their bytes must not depend on the order of the rows or the user's own configuration, no text may be cut or touch
another, and a theme may change nothing but the ink. That another process writes the same bytes is tested among the
processes.
"""

import json
import re
import tempfile
from dataclasses import astuple
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
from figures import CASES, KINDS, PROVENANCE, case, draw
from matplotlib.text import Text

from pipeline.draw import files, layout, style
from pipeline.draw.style import DARK, LIGHT

pytestmark = pytest.mark.thorough

of_every_kind = pytest.mark.parametrize("name", KINDS, scope="module")  # all tests of a kind follow each other
NAMED = re.compile(rb"[a-z]?[0-9a-f]{10}\b")  # a shape is called by a digest of its coordinates and its ink
FILES = (".svg", "-dark.svg", ".csv", ".json")


class Kept:
    """A way to draw that keeps what it drew: a figure is drawn once, saved, and then looked at."""

    def __init__(self, way):
        self.way, self.canvas = way, None

    def __call__(self, theme):
        assert self.canvas is None, "a figure is drawn once"
        self.canvas, handles = self.way(theme)
        return self.canvas, handles


@cache
def drawn_once(name):
    """Of one case of a kind: name -> bytes of its files, and its canvas."""
    figure = case(name)
    figure.draw = kept = Kept(figure.draw)
    with tempfile.TemporaryDirectory() as folder:
        figure.save(Path(folder))
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}, kept.canvas


@pytest.fixture
def saved(name):
    return drawn_once(name)[0]


@of_every_kind
def test_every_figure_leaves_four_files(name, saved):
    assert set(saved) == {name + suffix for suffix in FILES}


@pytest.mark.parametrize("name", ["levels", "ratios", "percentiles", "steps", "j_curve", "agree", "forest", "shift"])
def test_the_order_of_the_rows_changes_no_byte(name, saved):
    with matplotlib.rc_context({"font.size": 30, "axes.grid": False}):  # nor does the user's own configuration
        figure = case(name, reverse=True)
        canvas = draw(figure)
        with style.context(LIGHT, name):
            assert files.svg(canvas) == saved[f"{name}.svg"]
    assert figure.data.to_csv(index=False, lineterminator="\n").encode() == saved[f"{name}.csv"]
    assert figure.alt == json.loads(saved[f"{name}.json"])["alt"]


@of_every_kind
def test_svg_is_xml_small_and_needs_nothing_from_outside(name, saved):
    for suffix in (".svg", "-dark.svg"):
        content = saved[name + suffix]
        assert len(content) < 300_000
        root = ElementTree.fromstring(content)
        assert not [element for element in root.iter() if element.tag.endswith("}text")]  # glyphs are paths
        links = [value for element in root.iter() for key, value in element.attrib.items() if key.endswith("href")]
        assert all(link.startswith(("#", "data:")) for link in links)
        assert b"<dc:date>" not in content and b"Matplotlib" not in content


@of_every_kind
def test_another_theme_is_the_same_drawing_in_other_ink(name, saved):
    with style.context(DARK, name):
        anew = files.svg(draw(case(name), DARK))
    assert NAMED.sub(b"", anew) == NAMED.sub(b"", saved[f"{name}-dark.svg"])
    light, dark = ({*re.findall(rb"#[0-9a-f]{6}\b", saved[name + suffix])} for suffix in (".svg", "-dark.svg"))
    of_light, of_dark = ({one.encode() for one in (*astuple(theme)[1:-1], *theme.series)} for theme in (LIGHT, DARK))
    assert light & of_light and dark & of_dark and not light & of_dark and not dark & of_light


def drawn_texts(figure):
    """Every text that is really drawn, with its box in pixels."""
    found = []
    draw = Text.draw

    def record(self, renderer, *args, **kwargs):
        if self.get_visible() and self.get_text().strip():
            found.append((self.get_text(), self.get_window_extent(renderer)))
        return draw(self, renderer, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", record)
        figure.draw_without_rendering()
    return found


@pytest.mark.parametrize("name", [*KINDS, *(name for name in CASES if name not in KINDS)], scope="module")
def test_no_text_is_cut_or_touches_another_and_legends_cover_no_data(name):
    with style.context(LIGHT, name):
        canvas = drawn_once(name)[1] if name in KINDS else draw(case(name))
        canvas.set_dpi(files.DPI)
        texts = drawn_texts(canvas)
    assert len(texts) > 5
    for words, box in texts:
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= canvas.bbox.x1 and box.y1 <= canvas.bbox.y1, words
    for at, (words, box) in enumerate(texts):
        for others, other in texts[at + 1 :]:
            apart = box.x1 <= other.x0 + 1 or other.x1 <= box.x0 + 1 or box.y1 <= other.y0 + 1 or other.y1 <= box.y0 + 1
            assert apart, f"{words!r} touches {others!r}"
    panels = [axes.get_window_extent() for axes in canvas.axes]
    assert not [1 for legend in canvas.legends for panel in panels if legend.get_window_extent().overlaps(panel)]


def test_footer_names_host_date_and_run():
    canvas = drawn_once("levels")[1]
    line = layout.footer(PROVENANCE)
    assert line == "Example CPU 2.8 GHz, 2 CPUs, Linux 6.1 · 2026-11-21 · run reference · profile quick · git 0123abc"
    assert line in [text.get_text() for text in canvas.texts]
