"""docs/gallery.md: a section per experiment that has a figure, with that figure, its words and its notebook."""

from __future__ import annotations

import json

import pytest
from publish_toy import entry, write_run

from pipeline.ground import paths
from pipeline.publish import gallery
from pipeline.publish.notebooks import Result
from pipeline.publish.page import Page
from pipeline.session.answer import Answer
from pipeline.session.results import Results


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """An archived run with one drawn figure."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    write_run(tmp_path / "data" / "reference")
    folder = paths.figures(paths.REFERENCE)
    folder.mkdir(parents=True)
    (folder / "scaling.json").write_text(json.dumps({"title": "It scales", "caption": "As said."}))
    return tmp_path


def test_the_gallery_shows_the_first_figure_of_every_page_that_has_one(drawn):
    pages = [
        Page(entry(7, "toy"), Result("toy", drawn / "x.ipynb"), ["scaling", "other"]),
        Page(entry(8, "bare"), Result("bare", drawn / "y.ipynb")),
    ]
    assert gallery.text(pages) == (
        "# Gallery\n\nThe headline figure of every experiment, drawn from the archived run: "
        "Toy 2.00GHz, 2 CPUs, KVM guest, Linux 6.1, 2026-01-02. `lab verify --accept` writes this page, "
        "`lab verify` compares it.\n\n"
        "## [The toy](../notebooks/07_toy.ipynb)\n\nDoes it scale?\n\n![It scales](gallery/scaling.svg)\n\nAs said.\n"
    )
    assert gallery.file(pages[0]) == drawn / "docs" / "gallery" / "scaling.svg"


def test_the_gallery_shows_the_figure_that_the_answer_names(drawn):
    kept = Results(answer=Answer("It does.", [], "scaling"))
    page = Page(entry(7, "toy"), Result("toy", drawn / "x.ipynb"), ["other", "scaling"], kept)
    assert "![It scales](gallery/scaling.svg)" in gallery.text([page])
    assert gallery.file(page) == drawn / "docs" / "gallery" / "scaling.svg"


def test_a_gallery_without_figures_is_its_heading(drawn):
    text = gallery.text([Page(entry(8, "bare"), Result("bare", drawn / "y.ipynb"))])
    assert text.startswith("# Gallery\n") and "##" not in text
