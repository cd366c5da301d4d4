"""verify and the gallery: what of the committed figures and documents differs from the drawn ones, and accepting it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from publish_toy import entry, write_run

from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.publish import gallery, verify
from pipeline.publish.notebooks import Result
from pipeline.publish.page import Page


def draw(name: str, content: str = "<svg/>") -> None:
    """The figure's files, as far as they are asked."""
    folder = paths.figures(paths.REFERENCE)
    (folder / f"{name}.svg").write_text(content)
    (folder / f"{name}.json").write_text(json.dumps({"title": f"Title of {name}", "caption": f"Caption of {name}."}))


@pytest.fixture
def pages(tmp_path, monkeypatch) -> list[Page]:
    """Two pages, one with two figures and one with none, and all that is committed in accord with them."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    monkeypatch.setenv("LAB_NOTEBOOKS", str(tmp_path / "notebooks"))
    write_run(tmp_path / "data" / "reference")
    (tmp_path / "docs").mkdir()
    paths.figures(paths.REFERENCE).mkdir(parents=True)
    draw("first")
    draw("second")
    (paths.docs() / "first.svg").write_text("<svg/>")
    found = [
        Page(entry(1, "toy"), Result("toy", tmp_path / "01_toy.ipynb"), ["second", "first"]),
        Page(entry(2, "bare"), Result("bare", tmp_path / "02_bare.ipynb")),
    ]
    verify.accept(found)
    return found


def figures() -> Path:
    return paths.figures(paths.REFERENCE)


def test_what_was_accepted_does_not_differ(pages):
    assert verify.compare(pages) == [] and verify.count() == 4
    assert (paths.docs() / "gallery" / "second.svg").read_text() == "<svg/>"
    assert not (paths.docs() / "gallery" / "first.svg").exists(), "the gallery shows the first figure of a page only"
    digest = hashlib.sha256(b"<svg/>").hexdigest()
    assert f"{digest}  first.svg\n" in verify.hashes_file().read_text()


def test_each_figure_that_differs_is_missing_or_is_new_is_named(pages):
    (figures() / "first.json").write_text("{}")
    (figures() / "second.json").rename(figures() / "third.json")
    draw("second")
    (figures() / "second.json").rename(figures() / "fourth.json")
    assert verify.compare(pages[1:])[:4] == [
        "differs: first.json",
        "missing: second.json",
        "new: fourth.json",
        "new: third.json",
    ]


def test_a_figure_of_the_documents_differs_from_the_drawn_one(pages):
    (paths.docs() / "first.svg").write_text("<svg>old</svg>")
    assert verify.compare(pages) == ["differs: docs/first.svg"]
    verify.accept(pages)
    assert verify.compare(pages) == [] and (paths.docs() / "first.svg").read_text() == "<svg/>"


def test_a_figure_of_the_documents_that_is_drawn_no_more_differs_and_is_removed(pages):
    (paths.docs() / "gone.svg").write_text("<svg/>")
    assert verify.compare(pages) == ["differs: docs/gone.svg"]
    verify.accept(pages)
    assert verify.compare(pages) == [] and not (paths.docs() / "gone.svg").exists()


def test_a_figure_that_the_gallery_lacks_differs(pages):
    (paths.docs() / "gallery" / "second.svg").unlink()
    assert verify.compare(pages) == ["differs: docs/gallery/second.svg"]
    verify.accept(pages)
    assert verify.compare(pages) == []


@pytest.mark.parametrize("stale", [None, "# Gallery\n"])
def test_a_gallery_that_is_stale_or_missing_differs(pages, stale):
    page = paths.docs() / gallery.PAGE
    if stale is None:
        page.unlink()
    else:
        page.write_text(stale)
    assert verify.compare(pages) == ["differs: docs/gallery.md"]
    verify.accept(pages)
    assert verify.compare(pages) == []


def test_a_caption_that_changed_makes_its_file_and_the_gallery_differ(pages):
    words = {"title": "Title of second", "caption": "Another caption."}
    (figures() / "second.json").write_text(json.dumps(words))
    assert verify.compare(pages) == ["differs: second.json", "differs: docs/gallery.md"]


def test_another_headline_is_another_gallery(pages):
    changed = [replace(pages[0], figures=["first", "second"]), pages[1]]
    assert verify.compare(changed) == ["differs: docs/gallery/first.svg", "differs: docs/gallery.md"]
    verify.accept(changed)
    assert verify.compare(changed) == []


def test_without_committed_hashes_there_is_nothing_to_compare_with(pages):
    verify.hashes_file().unlink()
    with pytest.raises(LabError, match="figures.sha256; restore data/reference"):
        verify.compare(pages)


def test_other_last_digits_are_told_from_another_figure(pages):
    for name, number in (("first", "0.30000000000000004"), ("second", "1.5")):
        (figures() / f"{name}.csv").write_text(f"x\n{number}\n")
    verify.accept(pages)
    (figures() / "first.csv").write_text("x\n0.3\n")
    (figures() / "first-dark.png").write_bytes(b"a shade")
    (figures() / "second.csv").write_text("x\n1.51\n")
    assert verify.compare(pages)[:2] == ["other last digits: first.csv", "differs: second.csv"]
    verify.accept(pages)
    (figures() / "first-dark.png").write_bytes(b"another shade")
    assert verify.compare(pages) == ["other last digits: first-dark.png"], "a picture goes with the data of its figure"
