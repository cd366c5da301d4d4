"""What comes with the Lab is verified and says its host: archived runs, the gallery, the figure of the README."""

from __future__ import annotations

import re

import pytest

from pipeline.bundle.bundle import Bundle
from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.host import fingerprint
from pipeline.kit import verify as kits
from pipeline.publish import gallery, notebooks, verify

SECTION = re.compile(r"^## \[[^]]+\]\(\.\./notebooks/(\S+)\)$", re.M)
SAID = re.compile(r"\*([^*]+): `make figures RUN=(\w+)`\.\*")


def cpus(run: str) -> int:
    return Bundle.open(run).info["host"]["cpu"]["cpus"]


def holding(experiment: str) -> list[str]:
    """The archived runs that hold an experiment."""
    return [run for run in paths.archived() if Bundle.packed(experiment, paths.archive(run)).exists()]


@pytest.mark.parametrize("run", paths.archived())
def test_every_archived_run_is_verified(run):
    figures = verify.committed(verify.numbers_file(run)).keys()
    assert figures and figures == verify.committed(kits.hashes_file(run)).keys()
    assert {f"{name}.svg" for name in figures} <= verify.committed(verify.hashes_file(run)).keys()


def test_every_figure_of_the_gallery_says_its_host_which_has_the_most_cpus():
    _, *parts = SECTION.split((paths.docs() / gallery.PAGE).read_text(encoding="utf-8"))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    entries = {notebooks.source(entry).name: entry.name for entry in catalogue.load().values()}
    assert sections.keys() == entries.keys()
    for name, text in sections.items():
        ((host, run),) = SAID.findall(text)
        runs = holding(entries[name])
        assert run in runs and cpus(run) == max(map(cpus, runs)), name
        info = Bundle.open(run).info
        assert host == f"{fingerprint.sentence(info['host'])}, {info['created'][:10]}"


def test_the_figure_of_the_readme_says_its_host():
    run = max(holding("lock_scaling"), key=cpus)
    text = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    (words,) = re.findall(r"!\[([^]]+)\]\(docs/gallery/lock_scaling\.svg\)", text)
    assert f"with {cpus(run)} CPUs" in words and Bundle.open(run).info["created"][:4] in words
