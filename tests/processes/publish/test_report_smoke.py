"""A whole smoke report, from the harness to the page, as a reader gets it."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import browser_check
import forked
import pytest
import thin

from pipeline.catalogue import catalogue
from pipeline.ground import paths
from pipeline.host import cpus
from pipeline.session.completion import APART

RUN = "test-smoke"
FIGURES = {"dispatch_steps", "dispatch_receivers", "io_throughput", "io_latency", "io_block_size", "lock_scaling"}
TOGETHER = {"lock_handover", "lock_fairness"}  # of threads that ran together: not on one CPU, nor where all are busy


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a report measured here and now, in a laboratory of its own."""
    folder = tmp_path_factory.mktemp("smoke")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("RUNS", "BUILD", "IO_DIR"):
            patch.setenv(f"LAB_{name}", str(folder / name.lower()))
        words = ["report", "--profile", "smoke", "--run", RUN]
        ran, again = (forked.run(words, os.environ, paths.ROOT, timeout=None) for _ in range(2))
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert again.returncode == 0 and again.stdout.count("up to date") == len(catalogue.load()), again.stdout
    return folder / "build" / "report"


def test_there_is_a_first_page_and_a_page_per_experiment(report):
    for name in ["index", *catalogue.load()]:
        assert (report / f"{name}.html").stat().st_size > 5000


def test_every_figure_leaves_as_a_complete_set_of_files(report):
    folder = report / "figures"
    names = {p.stem for p in folder.glob("*.json")}
    assert names >= FIGURES
    if len(cpus.usable()) > 1 and not names >= TOGETHER:
        assert APART in (report / "lock_scaling.html").read_text()
    for name in names:
        words = json.loads((folder / f"{name}.json").read_text())
        assert words["alt"] and words["caption"] and words["provenance"]["run"] == RUN
        assert (folder / f"{name}.csv").read_text().count("\n") > 1
        for theme in ("", "-dark"):
            ElementTree.parse(folder / f"{name}{theme}.svg")


def test_every_claim_of_the_catalogue_is_on_the_first_page(report):
    text = (report / "index.html").read_text()
    for entry in catalogue.load().values():
        for claim in entry.claims:
            assert f">{claim}<" in text, claim


@pytest.mark.prove
@pytest.mark.parametrize(("seed", "name"), list(enumerate(catalogue.load(), 1)))
def test_no_page_is_lost_to_thin_data(report, seed, name, tmp_path, monkeypatch):
    """Each experiment is thinned in a seed of its own, of trials as the harness measures them by now."""
    (tmp_path / RUN).symlink_to(report.parents[1] / "runs" / RUN)
    monkeypatch.setenv("LAB_RUNS", str(tmp_path))
    monkeypatch.setenv("LAB_BUILD", str(tmp_path / "build"))
    told = list(thin.pages(seed, [name], of=RUN))
    assert [one for one in told if one["lost"]] == []


@pytest.mark.skipif(browser_check.browser() is None, reason=browser_check.MISSING)
def test_every_page_opens_from_disk_without_a_failed_request(report):
    assert browser_check.check(report) == []
