"""The filter of a page in a reader's browser: rows of lists and of figures follow it, and a command says the same."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import browser_check
import many_hosts
import pytest
from playwright.sync_api import Page, sync_playwright

from pipeline.catalogue import catalogue
from pipeline.collection import filtering, hosts, html_parts, pages
from pipeline.ground import paths

EXPERIMENT = "atomic_increment"
SIMULATED = 8
EVERY = SIMULATED + len(list((paths.ROOT / "data" / "collection").glob("*/host.json")))
pytestmark = pytest.mark.skipif(browser_check.browser() is None, reason=browser_check.MISSING)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_RUNS", str(place / "runs"))
        patch.setenv("LAB_BUILD", str(place / "build"))
        patch.setattr(pages, "catalogue", SimpleNamespace(load=lambda: {EXPERIMENT: catalogue.experiment(EXPERIMENT)}))
        many_hosts.write(place / "runs", SIMULATED)
        folder = pages.write(found := hosts.every()).parent
    rows = pages._hosts(found * (pages.FIRST // len(found) + 1), [found[pages.FIRST % len(found)].label])
    (folder / "long.html").write_text(html_parts.page("long", [filtering.choices(found), rows]), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def page():
    with sync_playwright() as playwright:
        program = browser_check.browser()
        browser = playwright.chromium.launch(
            executable_path=program, args=browser_check.FLAGS, timeout=browser_check.PATIENCE_MS
        )
        yield browser.new_page(viewport={"width": 760, "height": 1000})
        browser.close()


def shown(page: Page, rows: str) -> set[str]:
    return set(page.eval_on_selector_all(rows, "rows => rows.filter(one => !one.hidden).map(one => one.dataset.host)"))


def test_a_choice_hides_rows_of_the_list_and_says_the_command(folder: Path, page: Page):
    page.goto((folder / "index.html").as_uri())
    assert len(shown(page, "tr[data-host]")) == EVERY
    page.select_option("select[name=vendor]", "AMD")
    page.select_option("select[name=virtualised]", "bare")
    assert shown(page, "tr[data-host]") == {"AMD EPYC 7763 no. 5", "AMD Ryzen 9 7950X no. 2"}
    assert page.inner_text("#filter output") == f"2 of {EVERY} shown"
    assert page.inner_text("#filter code") == "lab collection --where vendor=AMD --where virtualised=no"
    page.select_option("select[name=noise]", "noisy")  # which no --where selects
    assert not page.is_visible("#filter code")


def test_a_long_list_is_laid_out_when_it_is_asked_for_or_chosen_from(folder: Path, page: Page):
    laid_out = "rows => rows.filter(one => one.checkVisibility()).length"
    for ask in (lambda: page.check(".whole"), lambda: page.select_option("select[name=jdk]", "jdk25")):
        page.goto((folder / "long.html").as_uri())
        # Beyond the first are more, of which one is pointed out.
        assert page.eval_on_selector_all("tr[data-host]", laid_out) == pages.FIRST + 1
        ask()
        assert page.eval_on_selector_all("tr[data-host]", laid_out) > pages.FIRST + 1
    page.goto((folder / "index.html").as_uri())
    assert not page.query_selector(".whole")


def test_the_same_choice_covers_the_other_rows_of_the_figure(folder: Path, page: Page):
    page.goto((folder / f"{EXPERIMENT}.html").as_uri())
    assert not shown(page, ".strip")
    page.select_option("select[name=vendor]", "AMD")
    page.select_option("select[name=virtualised]", "bare")
    covered = shown(page, ".strip")
    assert len(covered) == EVERY - 2 and not covered & {"AMD EPYC 7763 no. 5", "AMD Ryzen 9 7950X no. 2"}
    box = page.query_selector(".rows img").bounding_box()
    strips = [one.bounding_box() for one in page.query_selector_all(".strip:not([hidden])")]
    assert all(box["y"] < one["y"] < one["y"] + one["height"] < box["y"] + box["height"] for one in strips)
    tops = sorted(one["y"] for one in strips)
    assert all(below - above > 0.9 * strips[0]["height"] for above, below in zip(tops, tops[1:], strict=False))
