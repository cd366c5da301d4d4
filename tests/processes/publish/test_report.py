"""The report opens from disk without a network, says what failed, and is rebuilt only when something changed."""

import io
import json
from dataclasses import replace

import browser_check
import pytest
import yaml
from publish_toy import entry, isolate
from rich.console import Console

from pipeline.catalogue import catalogue
from pipeline.catalogue.declared import plain
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.publish import notebooks, page, site
from pipeline.publish.notebooks import Result
from pipeline.publish.report import report

BROKEN = {"raising": "its code met what it was not written for", "damaged": "06_damaged.ipynb: not a notebook"}


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A laboratory with a catalogue of one good and three broken notebooks."""
    isolate(monkeypatch, tmp_path)
    (tmp_path / "catalogue").mkdir()
    for number, name in ((1, "toy"), (2, "raising"), (4, "undeclared"), (6, "damaged")):
        data = plain(entry(number, name), with_defaults=False) | {"instrument": name == "raising"}
        (tmp_path / "catalogue" / f"{name}.yaml").write_text(yaml.safe_dump(data))
    monkeypatch.setenv("LAB_CATALOGUE", str(tmp_path / "catalogue"))
    catalogue.load.cache_clear()
    yield tmp_path
    catalogue.load.cache_clear()


def quiet() -> Console:
    return Console(file=io.StringIO(), width=200)


def text(page: str) -> str:
    return (paths.report() / page).read_text(encoding="utf-8")


def test_a_report_with_failures_is_complete_and_says_so(folder):
    console = quiet()
    told = report("toys", "quick", ["toy", "raising", "undeclared", "damaged"], False, console=console)
    assert [line.split(":")[0] for line in told.failed] == ["raising", "undeclared", "damaged"]
    assert told.index_path == paths.report() / "index.html"
    assert (paths.build() / "toys" / "site" / "warnings.txt").read_text().strip() == ""
    index = text("index.html")
    assert "3 notebooks failed" in index
    for name, reason in BROKEN.items():
        assert reason in index and reason in text(f"{name}.html")
    assert "failed: its code met what it was not written for" in console.file.getvalue()
    assert 'costs: <a href="raising.html">The raising</a>' in text("toy.html")
    assert "What the measuring itself costs" not in text("raising.html")
    assert "Traceback" not in text("raising.html") and "never" in text("raising.html")
    _the_good_page(index)
    assert site.external_resources(paths.report()) == []
    if browser_check.browser():
        assert browser_check.check(paths.report()) == []
    again = report("toys", "quick", ["toy"], False, console=quiet())
    assert again.results[0].up_to_date and again.failed == []
    assert "1 notebook failed" in text("index.html"), "what was executed before keeps its page"


def _the_good_page(index: str) -> None:
    assert "Toys scale &lt;badly&gt;" in index and "✓ reproduced" in index and "? inconclusive" in index
    assert "<b>1 of the 86 published claims holds here</b>" in index and "84 it does not test" in index
    assert "A toy gets 4x slower." in index and "<b>4x slower</b>" in index
    assert 'aria-label="0.25 [0.2, 0.3]; the claim holds where it is a ratio of below 0.5"' in index
    assert 'src="figures/toy-scaling.svg"' in index and 'src="figures/toy-scaling-dark.svg"' in index
    assert (
        "15 trials in 5 blocks.<details><summary>more</summary>The toy was put away." in index and "1 (50 %)" in index
    )
    assert (
        "Toy GNU/Linux 12" in index and "frequency, kernel settings" in index and "which may take a CPU away" in index
    )
    page = text("toy.html")
    told = [
        page.index(part) for part in ("Does it scale?", "A toy gets 4x slower.", "figures/toy-scaling.svg", "<math")
    ]
    assert told == sorted(told), "the question, the answer and its figure stand first"
    assert "<math" in page and "MathJax" not in page
    assert "<p>3 points &amp; no &lt;more&gt;</p>" in page
    assert page.count("<details") == 6, (
        "code is folded, one fold per output, the description of the figure, and the host"
    )
    assert (paths.report() / "figures" / "toy-scaling.csv").exists()
    assert (paths.report() / "notebooks" / "01_toy.ipynb").exists()


FOCUS = """
() => {
  const kinds = { warning: ".lab-doubt > summary", card: ".lab-card h3 a", search: ".lab-filter [type=search]" };
  const more = { verdict: ".lab-filter [type=checkbox]", fold: ".lab-filter button", topic: ".lab-topic > summary" };
  const focused = document.activeElement;
  return Object.entries({ ...kinds, ...more }).find(([, selector]) => focused.matches(selector))?.[0] ?? "";
}
"""
STOPS = ["warning", "card", "search", "verdict", "fold", "topic"]
SHOWN = "[...document.querySelectorAll('.lab-claim:not([hidden]) b a')].map((claim) => claim.textContent)"


@pytest.mark.skipif(browser_check.browser() is None, reason=browser_check.MISSING)
def test_the_first_page_is_read_by_keyboard_alone(folder):
    report("toys", "quick", ["toy"], False, console=quiet())
    with browser_check.opened(paths.report() / "index.html") as page:

        def until(kind: str) -> None:
            for _ in range(60):
                page.keyboard.press("Tab")
                stops.append(page.evaluate(FOCUS))
                if stops[-1] == kind:
                    return
            raise AssertionError(f"no {kind} after {stops}")

        stops: list[str] = []
        until("search")
        page.keyboard.type("toys t02")
        assert page.evaluate(SHOWN) == ["T02"], "only what has all the words"
        assert page.locator(".lab-filter output").inner_text().startswith("1 of ")
        page.keyboard.press("Control+a")
        page.keyboard.type("scale badly")
        until("verdict")
        page.keyboard.press("Space")  # those that are reproduced
        assert page.evaluate(SHOWN) == ["T02"] and page.locator(".lab-topic:visible").count() == 1
        until("topic")
        page.keyboard.press("Enter")
        assert not page.locator(".lab-claim").filter(visible=True).count(), "a topic folds"
        assert [kind for kind in dict.fromkeys(stops) if kind] == STOPS, "the order in which they are read"


@pytest.mark.skipif(browser_check.browser() is None, reason=browser_check.MISSING)
def test_what_matters_is_above_the_fold_of_a_laptop(folder):
    report("toys", "quick", ["toy"], False, console=quiet())
    for theme in ("light", "dark"):
        with browser_check.opened(paths.report() / "index.html", 1280, theme) as page:
            for part in (".lab-host", ".lab-standing", ".lab-bar", ".lab-card h3", ".lab-card .lab-answer"):
                box = page.locator(part).first.bounding_box()
                assert box["y"] + box["height"] < 800, (theme, part)


def test_the_site_is_rebuilt_only_when_something_changed(folder):
    toy = entry(1, "toy")
    result = notebooks.execute(toy, "toys", "quick")

    def built(result: Result = result) -> int:
        return site.build("toys", [page.of("toys", toy, result)], quiet()).stat().st_mtime_ns

    first = built()
    assert built() == first
    summary = paths.tables("toys", "toy") / "summary.json"
    fact = {"label": "two compared with one", "head": "2x faster", "bracket": "[1.9, 2.1]", "who": "C"}
    fact |= {"source": "ratio of cost", "command": "lab analyse"}
    answer = {"text": "It is twice as fast.", "facts": [fact], "figure": ""}
    summary.write_text(json.dumps({"how_it_ended": "another end", "found": [], "answer": answer}))
    second = built()
    assert second > first and "another end" in text("index.html") and "It is twice as fast." in text("index.html")
    assert "<code>lab analyse</code>" in text("toy.html")
    assert built(replace(result, failed="it broke")) > second and "It is twice as fast." not in text("index.html")


def test_a_run_that_does_not_exist_is_named(folder):
    with pytest.raises(LabError, match="run 'nothing' does not exist"):
        report("nothing", "quick", ["toy"], False, console=quiet())
