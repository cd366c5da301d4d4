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

RUN, WIDE = paths.REFERENCE, "wide"  # archived runs; the second has one of the figures


def draw(name: str, content: str = "<svg/>", run: str = RUN) -> None:
    """The figure's files, as far as they are asked."""
    folder = paths.figures(run)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.svg").write_text(content)
    (folder / f"{name}.json").write_text(json.dumps({"title": f"Title of {name}", "caption": f"Caption of {name}."}))


@pytest.fixture
def drawn(tmp_path, monkeypatch) -> gallery.Pages:
    """Two pages, one with two figures and one with none, and all that is committed in accord with them."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    monkeypatch.setenv("LAB_NOTEBOOKS", str(tmp_path / "notebooks"))
    write_run(paths.archive(RUN))
    draw("first")
    draw("second")
    found = [
        Page(entry(1, "toy"), Result("toy", tmp_path / "01_toy.ipynb"), ["second", "first"]),
        Page(entry(2, "bare"), Result("bare", tmp_path / "02_bare.ipynb")),
    ]
    accept({RUN: found})
    return {RUN: found}


def accept(drawn: gallery.Pages) -> None:
    for run in drawn:
        verify.accept(run)
    verify.accept_documents(drawn)


def compare(drawn: gallery.Pages) -> list[str]:
    return [*(line for run in drawn for line in verify.compare(run)), *verify.compare_documents(drawn)]


def figures() -> Path:
    return paths.figures(RUN)


def test_what_was_accepted_does_not_differ(drawn):
    assert compare(drawn) == [] and verify.count(RUN) == 4
    assert (paths.docs() / "gallery" / "second.svg").read_text() == "<svg/>"
    assert not (paths.docs() / "gallery" / "first.svg").exists(), "the gallery shows the first figure of a page only"
    digest = hashlib.sha256(b"<svg/>").hexdigest()
    assert f"{digest}  first.svg\n" in verify.hashes_file(RUN).read_text()


def test_of_some_figures_none_is_missing_and_a_difference_is_told(drawn):
    for file in figures().glob("first.*"):
        file.unlink()
    assert verify.compare(RUN, partly=True) == [] and verify.count(RUN) == 2
    draw("second", "<svg>other</svg>")
    draw("third")
    told = verify.compare(RUN, partly=True)
    assert [line for line in told if "first" in line] == [] and len(told) == 3
    assert any("reference/second.svg" in line for line in told) and "new: reference/third.svg" in told


def test_each_figure_that_differs_is_missing_or_is_new_is_named(drawn):
    (figures() / "first.json").write_text("{}")
    (figures() / "second.json").rename(figures() / "third.json")
    draw("second")
    (figures() / "second.json").rename(figures() / "fourth.json")
    assert verify.compare(RUN) == [
        "differs: reference/first.json",
        "missing: reference/second.json",
        "new: reference/fourth.json",
        "new: reference/third.json",
    ]


def test_a_figure_of_the_gallery_differs_from_the_drawn_one(drawn):
    file = paths.docs() / "gallery" / "second.svg"
    file.write_text("<svg>old</svg>")
    assert compare(drawn) == ["differs: docs/gallery/second.svg"]
    accept(drawn)
    assert compare(drawn) == [] and file.read_text() == "<svg/>"


def test_a_figure_of_the_gallery_that_is_drawn_no_more_differs_and_is_removed(drawn):
    gone = paths.docs() / "gallery" / "gone.svg"
    gone.write_text("<svg/>")
    assert compare(drawn) == ["differs: docs/gallery/gone.svg"]
    accept(drawn)
    assert compare(drawn) == [] and not gone.exists()


def test_a_figure_that_the_gallery_lacks_differs(drawn):
    (paths.docs() / "gallery" / "second.svg").unlink()
    assert compare(drawn) == ["differs: docs/gallery/second.svg"]
    accept(drawn)
    assert compare(drawn) == []


@pytest.mark.parametrize("stale", [None, "# Gallery\n"])
def test_a_gallery_that_is_stale_or_missing_differs(drawn, stale):
    page = paths.docs() / gallery.PAGE
    if stale is None:
        page.unlink()
    else:
        page.write_text(stale)
    assert compare(drawn) == ["differs: docs/gallery.md"]
    accept(drawn)
    assert compare(drawn) == []


def test_a_caption_that_changed_makes_its_file_and_the_gallery_differ(drawn):
    words = {"title": "Title of second", "caption": "Another caption."}
    (figures() / "second.json").write_text(json.dumps(words))
    assert compare(drawn) == ["differs: reference/second.json", "differs: docs/gallery.md"]


def test_another_headline_is_another_gallery(drawn):
    first, bare = drawn[RUN]
    changed = {RUN: [replace(first, figures=["first", "second"]), bare]}
    files = ("gallery/first.svg", "gallery/second.svg", "gallery.md")
    assert compare(changed) == [f"differs: docs/{file}" for file in files]
    accept(changed)
    assert compare(changed) == [] and not (paths.docs() / "gallery" / "second.svg").exists(), "it is shown no more"


def test_figures_of_the_gallery_are_of_the_run_that_it_shows(drawn):
    write_run(paths.archive(WIDE))
    file = paths.archive(WIDE) / "run.json"
    file.write_text(file.read_text().replace('"cpus": 2', '"cpus": 16'))
    draw("first", "<svg>wide</svg>", WIDE)
    both = drawn | {WIDE: [replace(drawn[RUN][0], figures=["first"])]}
    verify.accept(WIDE)
    files = ("gallery/first.svg", "gallery/second.svg", "gallery.md")
    assert compare(both) == [f"differs: docs/{file}" for file in files]
    accept(both)
    assert compare(both) == [] and paths.archived() == [RUN, WIDE]
    assert (paths.docs() / "gallery" / "first.svg").read_text() == "<svg>wide</svg>"
    assert "16 CPUs" in (paths.docs() / gallery.PAGE).read_text()
    draw("first", "<svg>other</svg>", WIDE)
    assert verify.compare(RUN) == [] and verify.compare(WIDE) == ["other last digits: wide/first.svg"]


def test_without_committed_hashes_there_is_nothing_to_compare_with(drawn):
    verify.hashes_file(RUN).unlink()
    with pytest.raises(LabError, match="figures.sha256; restore data/reference, or lab verify --accept"):
        compare(drawn)


def test_other_last_digits_are_told_from_another_figure(drawn):
    for name, number in (("first", "0.30000000000000004"), ("second", "1.5")):
        (figures() / f"{name}.csv").write_text(f"x\n{number}\n")
    accept(drawn)
    (figures() / "first.csv").write_text("x\n0.3\n")
    (figures() / "first-dark.svg").write_bytes(b"a shade")
    (figures() / "second.csv").write_text("x\n1.51\n")
    assert compare(drawn)[:2] == ["other last digits: reference/first.csv", "differs: reference/second.csv"]
    accept(drawn)
    (figures() / "first-dark.svg").write_bytes(b"another shade")
    assert compare(drawn) == ["other last digits: reference/first-dark.svg"], (
        "a picture goes with the data of its figure"
    )
