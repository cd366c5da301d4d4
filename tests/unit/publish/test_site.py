"""The report opens from disk without a network, says what failed, and is rebuilt only when something changed."""

import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import browser_check
import pandas as pd
import pytest
import yaml
from publish_toy import entry, isolate
from rich.console import Console

from pipeline.catalogue import catalogue
from pipeline import paths, publish
from pipeline.errors import LabError
from pipeline.publish import first_page, html_tables, notebooks, site
from pipeline.publish.notebooks import Result

needs_browser = pytest.mark.skipif(browser_check.browser() is None, reason="no Chromium found")
BROKEN = {"raising": "ValueError: no such toy", "damaged": "06_damaged.ipynb: not a notebook"}


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
    told = publish.report("toys", "quick", ["toy", "raising", "undeclared", "damaged"], False, console=console)
    assert [line.split(":")[0] for line in told.failed] == ["raising", "undeclared", "damaged"]
    assert told.index_path == paths.report() / "index.html"
    assert (paths.build() / "toys" / "site" / "warnings.txt").read_text().strip() == ""
    index = text("index.html")
    assert "3 notebooks failed" in index
    for name, reason in BROKEN.items():
        assert reason in index and reason in text(f"{name}.html")
    assert "failed: ValueError: no such toy" in console.file.getvalue()
    assert 'costs: <a href="raising.html">The raising</a>' in text("toy.html")
    assert "What the measuring itself costs" not in text("raising.html")
    assert "Traceback" in text("raising.html") and "never" in text("raising.html")
    _the_good_page(index)
    assert site.external_resources(paths.report()) == []
    if browser_check.browser():
        assert browser_check.check(paths.report()) == []
    again = publish.report("toys", "quick", ["toy"], False, console=quiet())
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
    result = notebooks.execute(toy, "toys", "quick", measuring=False)

    def built(result: Result = result) -> int:
        return site.build("toys", [toy], [result], quiet()).stat().st_mtime_ns

    first = built()
    assert built() == first
    summary = paths.tables("toys", "toy") / "summary.json"
    summary.write_text('{"how_it_ended": "another end", "found": ["Twice as fast: **C** 2 times [1.9, 2.1]."]}')
    second = built()
    assert second > first and "another end" in text("index.html")
    assert "<strong>C</strong> 2 times [1.9, 2.1]" in text("index.html")
    assert built(replace(result, failed="it broke")) > second
    summary.write_text(json.dumps({"how_it_ended": "an end", "found": [f"finding {n}." for n in range(6)]}))
    built()
    assert "finding 3." in text("index.html") and "finding 4." not in text("index.html")
    assert re.search(r'href="toy.html">(<span[^>]*>)?2 more<', text("index.html"))


def test_a_run_that_does_not_exist_is_named(folder):
    with pytest.raises(LabError, match="run 'nothing' does not exist"):
        publish.report("nothing", "quick", ["toy"], False, console=quiet())


def test_a_wrong_parameter_stops_the_report_before_anything_runs(folder):
    with pytest.raises(LabError, match="unknown parameter 'thread'"):
        publish.report("toys", "quick", ["toy"], False, parameters={"thread": 1}, console=quiet())
    assert not paths.report().exists() and not (paths.build() / "toys").exists()


@pytest.mark.parametrize(
    ("html", "external"),
    [
        ('<script src="https://x.org/a.js"></script>', True),
        ('<img alt="" src="//x.org/a.png">', True),
        ('<link rel="stylesheet" href="http://x.org/a.css">', True),
        ("<style>a{background:url(https://x.org/a.png)}</style>", True),
        ('<a href="https://x.org">a source</a>', False),
        ('<img src="figures/a.svg"><svg xmlns="http://www.w3.org/2000/svg"/>', False),
    ],
)
def test_resources_from_the_network_are_found(tmp_path, html, external):
    (tmp_path / "p.html").write_text(html)
    assert bool(site.external_resources(tmp_path)) == external


def test_numbers_have_three_digits_and_a_missing_one_is_empty():
    values = [0.0, 0.25, 2.3456, 23.456, 1234567.8, 1.2e-9, math.nan, math.inf]
    assert [first_page.number(v) for v in values] == ["0", "0.250", "2.35", "23.5", "1,234,568", "1.20e-09", "", ""]


def test_verdicts_are_counted_by_topic():
    frame = pd.DataFrame({"topic": ["locks", "locks", "io"], "verdict": ["reproduced", "inconclusive", "reproduced"]})
    rows = first_page._by_topic(frame).split("<tr>")[2:]
    assert ["<td>io</td><td>1</td><td>0</td>" in rows[0], "<td>locks</td><td>1</td><td>1</td>" in rows[1]] == [True] * 2


def test_text_columns_of_a_table_are_marked():
    head = "<tr><th></th><th>name</th><th>ns</th></tr>"
    body = f"<tr><th>0</th><td>none</td><td>1,200.5</td></tr><tr><th>1</th><td>{'long ' * 9}</td><td>NaN</td></tr>"
    aligned = html_tables.align(f"<table>{head}{body}</table>")
    assert '<th class="text">name</th><th>ns</th>' in aligned
    assert '<td class="text">none</td><td>1,200.5</td>' in aligned and '<td class="text long">' in aligned
    uneven = "<table><tr><th>a</th></tr><tr><td>b</td><td>c</td></tr></table>"
    assert html_tables.align(uneven) == uneven


BROKEN_PAGES = {
    '<img src="missing.png" alt="a">': "cannot load",
    '<img src="picture.svg" alt=" ">': "has no alternative text",
    '<img src="blank.svg" alt="a">': "is blank",
    '<script src="http://127.0.0.1:9/a.js"></script>': "asks the network for http://127.0.0.1:9/a.js",
    "<script>toy.play()</script>": "script error: ReferenceError",
    '<script>console.error("broken toy")</script>': "console error: broken toy",
    '<div class="lab-card"><img src="picture.svg" alt="a"><img src="picture.svg" alt="b"></div>': "one picture",
    '<img src="picture.svg" alt="a circle">': "",
}


@needs_browser
def test_the_browser_check_finds_what_is_broken(tmp_path):
    circle = '<circle cx="30" cy="30" r="20" fill="red"/>'
    for name, inside in (("picture.svg", circle), ("blank.svg", "")):
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="99" height="60">{inside}</svg>'
        (tmp_path / name).write_text(svg)
    for number, html in enumerate(BROKEN_PAGES):
        (tmp_path / f"page{number}.html").write_text(f'<meta charset="utf-8"><link rel="icon" href="data:,">{html}')
    found = browser_check.check(tmp_path)
    for number, problem in enumerate(BROKEN_PAGES.values()):
        told = [line for line in found if line.startswith(f"page{number}.html: ")]
        assert any(problem in line for line in told) if problem else not told, (number, problem, told)


def test_a_folder_without_pages_is_no_report(tmp_path):
    assert browser_check.check(tmp_path, "unused") == [f"{tmp_path}: there is no page"]


def test_recall_survives_a_damaged_stamp(folder):
    toy = entry(1, "toy")
    stamp = Path(notebooks.executed(toy, "toys")).with_suffix(".stamp.json")
    stamp.parent.mkdir(parents=True)
    for damaged in ("", "{", json.dumps({"key": ""}), json.dumps({"result": {"what": 1}})):
        stamp.write_text(damaged)
        assert notebooks.recall(toy, "toys") is None
