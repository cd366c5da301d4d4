"""The report opens from disk without a network, says what failed, and is rebuilt only when something changed."""

import io
import json
import re
from dataclasses import replace

import browser_check
import pytest
import yaml
from publish_toy import entry, isolate
from rich.console import Console

from pipeline import paths
from pipeline.catalogue import catalogue
from pipeline.errors import LabError
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
        data = entry(number, name).model_dump(exclude={"claims"}) | {"instrument": name == "raising"}
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
    assert "published claims are not yet tested by this report" in index
    assert 'src="figures/toy-scaling.svg"' in index and 'src="figures/toy-scaling-dark.svg"' in index
    assert "15 trials in 5 blocks; the toy was put away." in index and "1 (50 %)" in index
    assert "Toy GNU/Linux 12" in index and "microcode, frequency governor, turbo disabled" in index
    page = text("toy.html")
    assert "<math" in page and "MathJax" not in page
    assert "<p>3 points &amp; no &lt;more&gt;</p>" in page
    assert page.count("<details") == 4, "code is folded, one fold per output"
    assert (paths.report() / "figures" / "toy-scaling.csv").exists()
    assert (paths.report() / "notebooks" / "01_toy.ipynb").exists()


def test_the_site_is_rebuilt_only_when_something_changed(folder):
    toy = entry(1, "toy")
    result = notebooks.execute(toy, "toys", "quick")

    def built(result: Result = result) -> int:
        return site.build("toys", [page.of("toys", toy, result)], quiet()).stat().st_mtime_ns

    first = built()
    assert built() == first
    summary = paths.tables("toys", "toy") / "summary.json"
    part = {"who": "C", "words": "2 times [1.9, 2.1]", "sources": ["ratio of cost"], "commands": ["lab analyse"]}
    found = [{"sentence": "Twice as fast", "parts": [part]}]
    summary.write_text(json.dumps({"how_it_ended": "another end", "found": found}))
    second = built()
    assert second > first and "another end" in text("index.html")
    assert "<b>C</b> 2 times [1.9, 2.1]" in text("index.html") and "<code>lab analyse</code>" in text("index.html")
    assert built(replace(result, failed="it broke")) > second
    summary.write_text(
        json.dumps(
            {"how_it_ended": "an end", "found": [{"sentence": f"finding {n}", "parts": [part]} for n in range(6)]}
        )
    )
    built()
    assert "finding 3:" in text("index.html") and "finding 4:" not in text("index.html")
    assert re.search(r'href="toy.html">(<span[^>]*>)?2 more<', text("index.html"))


def test_a_run_that_does_not_exist_is_named(folder):
    with pytest.raises(LabError, match="run 'nothing' does not exist"):
        report("nothing", "quick", ["toy"], False, console=quiet())
