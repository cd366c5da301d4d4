"""docs/gallery.md: a section per experiment that has a figure, with that figure, its words, notebook and host."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from publish_toy import HOST, entry, write_run

from pipeline.ground import paths
from pipeline.publish import gallery
from pipeline.publish.notebooks import Result
from pipeline.publish.page import Page
from pipeline.session.answer import Answer
from pipeline.session.results import Results

SMALL, LARGE = paths.REFERENCE, "wide"
INTRODUCED = (
    "# Gallery\n\nThe headline figure of every experiment, drawn from an archived run: of those that hold it the one "
    "with the most CPUs. Points are trials (hollow: noisy; crosses: in another state than counts), bars 95 % intervals "
    "over trials. `lab verify --accept` writes this page, `lab verify` compares it.\n"
)


def archived(run: str, cpus: int, *figures: str) -> None:
    """An archived run of a host with so many CPUs, and its drawn figures."""
    write_run(paths.archive(run))
    file = paths.archive(run) / "run.json"
    info = json.loads(file.read_text())
    file.write_text(json.dumps(info | {"host": HOST | {"cpu": HOST["cpu"] | {"cpus": cpus}}}))
    folder = paths.figures(run)
    folder.mkdir(parents=True)
    for name in figures:
        (folder / f"{name}.json").write_text(json.dumps({"title": f"It {name}s", "caption": f"As said by {run}."}))


def page(number: int, name: str, *figures: str, **more) -> Page:
    return Page(entry(number, name), Result(name, Path("x.ipynb")), [*figures], **more)


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """Two archived runs, each with drawn figures."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    archived(SMALL, 2, "scale", "bare")
    archived(LARGE, 16, "scale")
    return tmp_path


def test_the_gallery_shows_the_first_figure_of_every_page_that_has_one(drawn):
    pages = [page(7, "toy", "scale", "other"), page(8, "bare")]
    assert gallery.text({SMALL: pages}) == (
        f"{INTRODUCED}\n## [The toy](../notebooks/07_toy.ipynb)\n\nDoes it scale?\n\n"
        "![It scales](gallery/scale.svg)\n\nAs said by reference. "
        "*Toy 2.00GHz, 2 CPUs, KVM guest, Linux 6.1, 2026-01-02: `make figures RUN=reference`.*\n"
    )
    assert gallery.file(pages[0]) == drawn / "docs" / "gallery" / "scale.svg"


@pytest.mark.usefixtures("drawn")
def test_of_several_archived_runs_the_one_with_the_most_cpus_is_shown_and_each_says_its_host():
    small, large = [page(7, "toy", "scale"), page(8, "alone", "bare")], [page(7, "toy", "scale")]
    for every in ({SMALL: small, LARGE: large}, {LARGE: large, SMALL: small}):
        assert [(run, one.entry.name) for run, one in gallery.chosen(every)] == [(LARGE, "toy"), (SMALL, "alone")]
        text = gallery.text(every)
        assert text.index("As said by wide. *Toy 2.00GHz, 16 CPUs, ") < text.index(
            "by reference. *Toy 2.00GHz, 2 CPUs, "
        )
        assert text.count("![") == 2


@pytest.mark.usefixtures("drawn")
def test_a_run_without_a_figure_of_an_experiment_leaves_it_to_another():
    assert [run for run, _ in gallery.chosen({LARGE: [page(7, "toy")], SMALL: [page(7, "toy", "scale")]})] == [SMALL]


@pytest.mark.usefixtures("drawn")
def test_the_first_of_two_hosts_of_one_size_is_shown():
    every = {run: [page(7, "toy", "scale")] for run in (SMALL, "second")}
    archived("second", 2, "scale")
    assert [run for run, _ in gallery.chosen(every)] == [SMALL]


def test_the_gallery_shows_the_figure_that_the_answer_names(drawn):
    kept = Results(answer=Answer("It does.", [], "scale"))
    one = page(7, "toy", "other", "scale", keeps=lambda: kept)
    assert "![It scales](gallery/scale.svg)" in gallery.text({SMALL: [one]})
    assert gallery.file(one) == drawn / "docs" / "gallery" / "scale.svg"


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("marks", ["(hollow: noisy)", "(hollow: noisy; crosses: in another state than counts)"])
def test_what_the_marks_of_all_figures_are_is_said_once(marks):
    file = paths.figures(SMALL) / "scale.json"
    caption = f"By threads. Points are trials {marks}, bars 95 % intervals over trials. Lines join medians."
    file.write_text(json.dumps({"title": "It scales", "caption": caption}))
    assert "\nBy threads. Lines join medians. *Toy" in gallery.text({SMALL: [page(7, "toy", "scale")]})


@pytest.mark.usefixtures("drawn")
def test_a_gallery_without_figures_is_its_heading():
    assert gallery.text({SMALL: [page(8, "bare")]}) == INTRODUCED
