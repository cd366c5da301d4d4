"""The report's first page: what a verdict rests on, effects with and without a number, and a host that changed."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pandas as pd
import pytest
from publish_toy import entry, isolate

from pipeline.analyse.source import Source
from pipeline.bundle.bundle import Bundle
from pipeline.publish import claims_table, first_page
from pipeline.publish.notebooks import Result
from pipeline.publish.page import Page
from pipeline.session.findings import Finding, Part
from pipeline.session.results import Results

SOURCE = Source("ratio", ({"metric": "cost", "variant": "a<b"}, {"metric": "cost", "variant": "c"}), 5, 5)
NUMBERS = {"effect": 1.85, "low": 1.8, "high": 1.9, "level": 0.95, "unit": "ratio"}
CHANGED = {
    "event": "host_changed",
    "at": "2026-02-03T04:05:06+00:00",
    "changes": {"frequency governor": ["powersave", "performance"], "microcode": ["<1>", "2"]},
}
TOLD = (
    "The host changed while this run was paused (2026-02-03): frequency governor from powersave to performance; "
    "microcode from &lt;1&gt; to 2."
)


def verdict(**more) -> dict:
    told = {"claim": "T01", "topic": "locks", "text": "It scales", "scope": "jdk17", "verdict": "reproduced"}
    return told | NUMBERS | {"trials": 5, "reason": "ratio 1.85", "sources": json.dumps([SOURCE.to_dict()])} | more


def test_a_verdict_rests_on_its_sources_and_on_a_command_that_prints_it():
    assert claims_table.rests_on("r", verdict()) == (
        '<details class="lab-rests"><summary>rests on</summary><ul>'
        "<li>ratio of cost: variant a&lt;b / variant c; 5 trials in 5 blocks</li>"
        "<li><code>lab claims --run r --claim T01</code></li></ul></details>"
    )
    several = verdict(sources=json.dumps([SOURCE.to_dict(), SOURCE.to_dict() | {"what": "level"}]))
    assert claims_table.rests_on("r", several).count("<li>") == 3


def test_a_verdict_that_rests_on_nothing_says_nothing():
    assert claims_table.rests_on("r", verdict(sources="[]")) == ""


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({}, "<b>1.85 [1.8, 1.9]</b>"),
        ({"unit": "ns", "effect": 1850, "low": 1800, "high": 1900}, "<b>1.85 [1.8, 1.9] µs</b>"),
        ({"low": float("nan"), "high": float("nan")}, "<b>1.85</b>"),
        ({"low": None, "high": None}, "<b>1.85</b>"),
        ({"unit": "yes/no", "effect": 1.0, "low": 1.0, "high": 1.0}, "<b>yes</b>"),
        ({"effect": None}, ""),
        ({"effect": float("nan")}, ""),
        ({"effect": float("inf")}, ""),
    ],
)
def test_an_effect_without_a_number_is_empty(numbers, said):
    assert claims_table.effect(verdict(**numbers)) == said


def test_the_page_tells_how_many_intervals_miss_by_chance():
    levels = [0.95] * 90 + [0.75] * 2 + [float("nan")]
    kept = Results(pd.DataFrame({"level": levels}), pd.DataFrame([verdict(), verdict()]))
    said = first_page.by_chance([SimpleNamespace(kept=kept), SimpleNamespace(kept=Results())])
    assert "of 95 % (lower where trials are few" in said and "It has 94, of which about 5.1 miss" in said
    assert first_page.by_chance([SimpleNamespace(kept=Results())]) == ""


def changed(*lines: dict) -> SimpleNamespace:
    return SimpleNamespace(journal=lambda: list(lines))


def test_a_host_that_changed_is_a_warning_and_one_that_did_not_is_not_mentioned():
    assert first_page._changes(changed({"event": "planned"})) == ""
    warning = first_page._changes(changed(CHANGED, CHANGED | {"at": "2026-03-04T00:00:00+00:00"}))
    assert 'class="admonition warning"' in warning and warning.count("<li>") == 2 and f"<li>{TOLD}</li>" in warning


@pytest.fixture
def page(monkeypatch, tmp_path) -> str:
    """The whole page of the toy run."""
    run = isolate(monkeypatch, tmp_path)
    journal = tmp_path / "runs" / run / "journal.jsonl"
    journal.write_text(journal.read_text() + json.dumps(CHANGED) + "\n")
    found = [Finding(f"Sentence {n}", [Part("C", "2 ns", ["level of cost"], ["lab analyse"])]) for n in range(6)]
    kept = Results(None, pd.DataFrame([verdict(), verdict(claim="T02", effect=None, sources="[]")]), "by budget", found)
    untested = pd.DataFrame([{"claim": "T03", "topic": "io", "text": "Not <yet>"}])
    pages = [
        Page(entry(1, "toy"), Result("toy", tmp_path / "01_toy.ipynb"), [], kept),
        Page(entry(2, "bad"), Result("bad", tmp_path / "02_bad.ipynb", "it <raised>"), [], Results(found=found)),
    ]
    return first_page.write(Bundle.open(run), pages, untested, tmp_path)


def test_the_page_says_all_of_it(page):
    assert (
        page.index("1 notebook failed") < page.index(TOLD) < page.index("What was found") < page.index("## Experiments")
    )
    assert "it &lt;raised&gt;" in page and "<raised>" not in page
    assert "Verdicts on published claims: 2 reproduced here, 0 not, 0 that this host" in page
    assert "lab claims --run toys --claim T01" in page and "lab claims --run toys --claim T02" not in page
    assert "1 published claims are not yet tested" in page and "Not &lt;yet&gt;" in page


def test_the_first_sentences_of_a_page_are_repeated_those_of_a_failed_one_are_not(page):
    assert page.count("Sentence 0") == page.count("Sentence 3") == 1 and "Sentence 4" not in page
    assert '<a href="toy.html">2 more</a>' in page and "summary>rests on</summary>" in page


def test_noise_is_told_by_experiment(page):
    assert "<td>2</td><td>1 (50 %)</td><td>by budget</td>" in page
    assert "<td>0</td><td></td><td>failed: it &lt;raised&gt;</td>" in page
