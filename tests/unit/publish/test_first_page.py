"""The report's first page: what a verdict rests on, effects with and without a number, and a host that changed."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from types import SimpleNamespace

import pandas as pd
import pytest
from publish_toy import entry, isolate

from pipeline.analyse import verdicts
from pipeline.analyse.source import Source
from pipeline.analyse.undecided import Undecided
from pipeline.bundle.bundle import Bundle
from pipeline.ground import paths
from pipeline.publish import cards, claims_table, first_page
from pipeline.publish.notebooks import Result
from pipeline.publish.page import Page
from pipeline.session.answer import Answer, Fact
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


BETWEEN = Undecided("between", "its interval lies between the two rules; more measuring decides nothing")
OPEN = Undecided("open", "too wide: an even chance in about 3 more minutes", (0.1, 0.3) + (0.5,) * 58, ("one", "two"))


def verdict(**more) -> dict:
    told = {"claim": "T01", "topic": "locks", "text": "It scales", "scope": "jdk17", "verdict": "reproduced"}
    rests = {"trials": 5, "reason": "ratio 1.85", "sources": json.dumps([SOURCE.to_dict()]), "rule": "[]"}
    return told | NUMBERS | rests | Undecided().columns() | more


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
    assert (
        '<details class="admonition warning lab-doubt">' in warning
        and warning.count("<li>") == 2
        and f"<li>{TOLD}</li>" in warning
    )


def test_what_ended_the_measuring_of_every_experiment_is_said_once(tmp_path):
    def told(*endings: str) -> str:
        keeps = [partial(Results, how_it_ended=f"{one}. 6 trials in 3 blocks.") for one in endings]
        named = [entry(number, f"e{number}") for number in range(len(keeps))]
        pages = [
            Page(one, Result(one.name, tmp_path / "x.ipynb"), [], of) for one, of in zip(named, keeps, strict=True)
        ]
        return first_page._noise(changed(), pages)[0]

    same = told("It ended", "It ended")
    assert "<p>It ended, in every experiment.</p>" in same and same.count("It ended") == 1
    assert same.count("6 trials in 3 blocks.") == 2
    assert "in every experiment" not in told("It ended", "It goes on") + told("It ended")


@pytest.fixture
def page(monkeypatch, tmp_path) -> str:
    """The whole page of the toy run."""
    run = isolate(monkeypatch, tmp_path)
    journal = tmp_path / "runs" / run / "journal.jsonl"
    journal.write_text(journal.read_text() + json.dumps(CHANGED) + "\n")
    answer = Answer("It is <3>x faster.", [Fact("fast & slow", "3x faster", "[2, 4]", "JDK 25", "ratio", "lab")])
    told = [
        verdict(),
        verdict(scope="jdk25"),
        verdict(claim="T02", effect=None, low=None, high=None, sources="[]", verdict="not reproduced"),
        verdict(claim="T04", verdict="not reproduced"),
        verdict(claim="T04", scope="jdk25"),
        verdict(claim="T05", verdict="inconclusive") | BETWEEN.columns(),
        verdict(claim="T06", verdict="inconclusive") | OPEN.columns(),
    ]
    kept = Results(None, pd.DataFrame(told), "by budget", [], answer)
    untested = pd.DataFrame(
        [verdict(claim="T03", topic="io", text="Not <yet>", verdict="not yet tested", reason="none")]
    )
    pages = [
        Page(entry(1, "toy"), Result("toy", tmp_path / "01_toy.ipynb"), [], lambda: kept),
        Page(
            entry(2, "bad"),
            Result("bad", tmp_path / "02_bad.ipynb", "it <raised>"),
            [],
            partial(Results, answer=answer),
        ),
        Page(entry(3, "new"), Result("new", tmp_path / "03_new.ipynb"), []),
    ]
    return first_page.write(Bundle.open(run), pages, untested, tmp_path)


def test_the_page_says_all_of_it(page):
    assert page.index("1 notebook failed") < page.index(TOLD) < page.index("lab-cards") < page.index("## Trials")
    assert "it &lt;raised&gt;" in page and "<raised>" not in page
    assert "lab claims --run toys --claim T01" in page and "lab claims --run toys --claim T02" not in page
    assert "Not &lt;yet&gt;" in page


def test_host_noise_and_claims_stand_first(page):
    head = page[: page.index("lab-cards")]
    assert "<b>Toy 2.00GHz, 2 CPUs, KVM guest, Linux 6.1</b>" in head
    assert "▲ noisy host</span> 1 of 2 trials (50 %) were disturbed" in head
    told = "1 on some JDKs only, 1 does not, 1 lies between its rules, 1 this run cannot decide, 1 it does not test."
    assert f"<b>1 of the 6 published claims holds here</b>; {told}" in head


def test_a_card_has_the_answer_and_its_numbers(page):
    card = page[page.index('<article class="lab-card">') : page.index("</article>")]
    assert '<p class="lab-answer">It is &lt;3&gt;x faster.</p>' in card and "Does it scale?" in card
    assert "<span>fast &amp; slow</span> <b>3x faster</b> <small>[2, 4] · JDK 25</small>" in card
    assert "✓ 1 holds" in card and "✗ 1 does not hold" in card and "± 1 holds on some JDKs only" in card
    assert cards.UNANSWERED in page[page.index("The new") :]


def test_a_card_of_a_failed_notebook_has_no_answer_of_another_day(page):
    failed = page[page.index('<article class="lab-card failed">') :]
    assert "Its notebook failed: it &lt;raised&gt;" in failed[: failed.index("</article>")]
    assert "3x faster" not in failed[: failed.index("</article>")]


def test_claims_are_folded_by_topic_and_can_be_filtered(page):
    assert page.count('<details class="lab-topic">') == 2 and page.count('<li class="lab-claim"') == 6
    assert 'data-verdict="differs" data-text="t04 locks it scales"' in page
    assert page.count('<input type="checkbox"') == 6, "one for each standing that there is"


def test_what_is_undecided_says_why_and_what_to_do(page):
    head = page[: page.index("lab-cards")]
    assert "1 lies between its rules" in head and "1 this run cannot decide" in head
    assert "Of the undecided claims 1 is open." in head and "between" not in head[head.index("Of the undecided") :]
    command = "make report RUN=toys MORE=10"
    assert f"10 more minutes would decide hardly any of them</b>: <code>{command}</code>" in head
    assert "Its interval lies between the two rules; more measuring decides nothing." in page
    assert 'class="lab-badge between">≈ between its rules' in page


def test_an_archived_run_is_measured_no_further(monkeypatch, tmp_path):
    run = isolate(monkeypatch, tmp_path)
    monkeypatch.setattr(paths, "archives", lambda: tmp_path / "runs")
    rows = pd.DataFrame([verdict(verdict="inconclusive", experiment="toy") | OPEN.columns()])
    told = first_page._undecided(Bundle.open(run), [], rows)
    assert "<b>More measuring can change 1 verdict; 10 more minutes" in told and told.endswith("of them</b>.</p>")


def test_where_every_notebook_failed_the_page_says_so(monkeypatch, tmp_path):
    run = isolate(monkeypatch, tmp_path)
    failed = [Page(entry(1, "toy"), Result("toy", tmp_path / "01_toy.ipynb", "it <raised>"), [])]
    untested = pd.DataFrame([verdict(verdict="not yet tested")])
    page = first_page.write(Bundle.open(run), failed, untested, tmp_path)
    assert "1 notebook failed" in page and "0 of the 1 published claims hold here" in page


def test_noise_is_told_by_experiment(page):
    assert "<td>2</td><td>1 (50 %)</td><td>by budget</td>" in page
    assert "<td>0</td><td></td><td>failed: it &lt;raised&gt;</td>" in page


@pytest.mark.parametrize(
    ("verdicts", "kind"),
    [
        (["reproduced", "reproduced"], "reproduced"),
        (["not reproduced"], "not reproduced"),
        (["reproduced", "not reproduced", "inconclusive"], "differs"),
        (["reproduced", "inconclusive"], "inconclusive"),
        (["not yet tested"], "not yet tested"),
        (["not yet judged", "not yet judged"], "not yet judged"),
    ],
)
def test_a_doubt_about_one_runtime_is_a_doubt_about_the_claim(verdicts, kind):
    assert claims_table.standing(verdicts) == kind


SO_FAR = "so far, 1 of at least 6 blocks"


def unfinished(monkeypatch, tmp_path, *told: str) -> str:
    """The first page of as many experiments as are told how far they came; none is judged."""
    run = isolate(monkeypatch, tmp_path)
    later = verdicts.later(pd.DataFrame([verdict()]), "judged when the run is complete")
    pages = [
        Page(entry(1, "toy"), Result("toy", tmp_path / "01_toy.ipynb"), [], partial(Results, None, later, so_far=one))
        for one in told
    ]
    return first_page.write(Bundle.open(run), pages, pd.DataFrame(), tmp_path)


def test_a_run_that_is_not_complete_says_how_far_it_came_and_judges_nothing(monkeypatch, tmp_path):
    page = unfinished(monkeypatch, tmp_path, SO_FAR)
    assert f"# Mechanical Sympathy Lab: {SO_FAR}\n" in page and '"lab-so-far">So far, 1 of at least 6 blocks' in page
    assert "1 published claim: judged when the run is complete." in page and "lab-bar" not in page
    assert "… 1 not judged so far" in page and "1.85" not in page
    assert "<summary><b>All 1 published claim</b>" in page and "lab-filter" not in page


def test_how_far_experiments_came_that_differ_stands_on_their_cards(monkeypatch, tmp_path):
    page = unfinished(monkeypatch, tmp_path, SO_FAR, "")
    assert "# Mechanical Sympathy Lab: so far\n" in page and page.count("lab-so-far") == 1


def test_runtimes_that_say_the_same_are_told_once():
    silent = {"effect": None, "low": None, "high": None, "sources": "[]"}
    rows = [verdict(**silent), verdict(scope="jdk25", **silent)]
    told = claims_table.claim("r", rows)
    assert told.count("ratio 1.85") == 1 and "<b>JDK 17, JDK 25</b>" in told
    rows[1]["reason"] = "another"
    assert claims_table.claim("r", rows).count('class="lab-told"') == 2


def test_an_alternative_text_is_brief():
    assert cards.brief({"alt": "word " * 100, "brief": "short"}) == "short"
    assert len(cards.brief({"alt": "word " * 100})) <= cards.BRIEF and cards.brief({"alt": "word " * 100}).endswith(
        "word …"
    )


def test_the_cpus_of_the_host_are_drawn_below_its_sentence(monkeypatch, tmp_path):
    run = isolate(monkeypatch, tmp_path)
    file = tmp_path / "runs" / run / "run.json"
    info = json.loads(file.read_text())
    info["host"]["cpu"]["topology"] = {"cpu": [0, 1], "core": [0, None], "usable": [True, False]}
    file.write_text(json.dumps(info))
    head = first_page._head(Bundle.open(run), [], Counter(), pd.DataFrame(columns=["claim", "verdict", "why"]))
    parts = ['<p class="lab-host">', '<figure class="lab-machine"><svg role="img"', '<p class="lab-standing">']
    assert sorted(parts, key=head.index) == parts
