"""A page's first sentences: every number computed, a doubt said."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from types import SimpleNamespace

import pandas as pd
import pytest
from analyse_tables import costs_to_iterations, entry, tables

from pipeline.analyse.metrics import compute
from pipeline.analyse.selection import Data
from pipeline.analyse.source import Source
from pipeline.catalogue import claims
from pipeline.ground.errors import LabError
from pipeline.session.answer import Answer, Clause
from pipeline.session.finding import Finding, Part
from pipeline.session.findings import BRACKETS, Findings
from pipeline.words.comparisons import DONE, RATE, TIME, Comparison

SOURCE = Source("ratio", ({"metric": "write", "variant": "b"}, {"metric": "write", "variant": "a"}), 5, 5)
CLAIMED = {
    "metric": "write",
    "of": {"variant": "b"},
    "to": {"variant": "a"},
    "reproduced": {"low": 2},
    "published": 4.5,
}
EFFECT = claims.Ratio(kind="ratio", **CLAIMED)
COLUMNS = ["label", "estimate", "low", "high", "level", "rests_on"]


def text(finding: Finding) -> str:
    """A finding as a line: `sentence: words (who); words (who).`"""
    return f"{finding.sentence}: {'; '.join(f'{part.words} ({part.who})' for part in finding.parts)}."


class Toy:
    """What Findings asks of a session: two runtimes, on the second of which b cannot be told from the best."""

    run, bare, moved, so_far = "r", False, False, ""
    entry = SimpleNamespace(name="toy", claims={"T01": SimpleNamespace(effects=[EFFECT])})

    def way(self, metric: str):
        return {"cost": TIME, "write": RATE}[metric]

    def why_missing(self, *selections) -> str:
        return f"no {' and '.join(one['metric'] for one in selections)}"

    def labels(self) -> dict[str, str]:
        return {"a": "Way A", "b": "Way B", "c": "Way C"}

    def source(self, row) -> Source:
        return Source("level", ({"metric": "write", "variant": row["variant"], "runtime": row["runtime"]},), 7, 7)

    def chosen(self, **where) -> tuple[None, pd.DataFrame]:
        rows = [("jdk17", "a", 3e9), ("jdk17", "b", 1e9), ("jdk25", "a", 1e9), ("jdk25", "b", 2e9), ("jdk25", "c", 9e8)]
        frame = pd.DataFrame(rows, columns=["runtime", "variant", "estimate"])
        return None, frame.assign(low=frame["estimate"] / 2, high=frame["estimate"] * 2, level=0.95, unit="bytes/s")

    def ratios(self, metric, pairs, *, runtime=None, **where) -> tuple[pd.DataFrame, None]:
        rows = []
        for label in pairs:
            rows += [
                (f"{label}, JDK 17", 0.5, 0.4, 0.6, 0.95, SOURCE),
                (f"{label}, JDK 25", 0.9, 0.7, 0.95 if label == "c" else 1.1, 0.95, SOURCE),
            ]
        frame = pd.DataFrame(rows, columns=COLUMNS)
        return frame if runtime is None else frame[frame["label"].str.endswith(runtime[-2:])], None


def test_a_difference_is_paired_by_block_and_told_by_runtime():
    toy = entry({"cost": {"kind": "cost"}})
    rows, iterations = [], []
    for block in (1, 2, 3):
        for variant, cost in (("fast", block), ("slow", block + 5)):
            iterations += costs_to_iterations(f"t{len(rows)}", [cost] * 5)
            rows.append({"variant": variant, "block": block})
    found = tables([*rows, {"variant": "native", "runtime": "c"}], iterations=iterations)
    metrics = compute(toy, found)
    lab = SimpleNamespace(tables=found, run="r", entry=toy, data=lambda runtime: Data(toy, found, metrics, runtime))
    answer = Findings(lab)
    answer.difference("Slow costs more by", "cost", "slow", "fast")
    (part,) = answer.found[0].parts
    assert part.who == "JDK 17" and part.words == "5 [5, 5; 75 %] ns", part.words
    assert part.sources[0].startswith("difference of cost: variant slow / variant fast")


def test_the_best_names_those_that_cannot_be_told_from_it():
    answer = Findings(Toy())
    answer.best("Fastest", "write", ["a", "b", "c"])
    (found,) = answer.found
    assert (
        text(found)
        == "Fastest: Way A, 3 [1.5, 6] GB/s (JDK 17); Way B, 2 [1, 4] GB/s, not told apart from Way A (JDK 25)."
    )
    level = "level of write: variant {}, runtime {}; 7 trials in 7 blocks"
    assert [part.sources for part in found.parts] == [
        [level.format("a", "jdk17"), SOURCE.words()],
        [level.format("b", "jdk25"), SOURCE.words(), SOURCE.words()],
    ]


def test_rivals_of_the_best_are_asked_of_its_own_runtime_only():
    asked = []
    lab = Toy()
    lab.ratios = lambda metric, pairs, **where: (
        asked.append((set(pairs), where)) or Toy().ratios(metric, pairs, **where)
    )
    Findings(lab).best("Fastest", "write", ["a", "b", "c"], threads=2)
    assert asked == [({"b"}, {"runtime": "jdk17", "threads": 2}), ({"a", "c"}, {"runtime": "jdk25", "threads": 2})]


def test_a_ratio_within_each_of_several_variants_names_them_in_its_sentence():
    asked, lab = [], Toy()
    lab.ratios = lambda metric, pairs, **where: asked.append(where) or Toy().ratios(metric, pairs, **where)
    answer = Findings(lab)
    found = answer.each("2 threads over 1, {}, alone", "cost", ["b", "a"], {"threads": 2}, {"threads": 1}, size=3)
    assert list(found) == ["b", "a"] and all(one.known for one in found.values())
    assert [one.sentence for one in answer.found] == [
        "2 threads over 1, Way B, alone",
        "2 threads over 1, Way A, alone",
    ]
    assert asked == [{"variant": "b", "size": 3}, {"variant": "a", "size": 3}]


def test_published_ratios_are_said_by_source_where_both_places_were_published():
    rows = [("Post", "b", 1, 4.0), ("Post", "b", 2, 1.0), ("Post", "a", 1, 3.0), ("Post", "a", 2, 2.0)]
    rows += [("Other", "a", 1, 3.0), ("Other", "b", 2, 3.0)]
    told = pd.DataFrame(rows, columns=["source", "variant", "threads", "value"])
    answer = Findings(Toy())
    answer.published("2 over 1", "write", told, "threads", 2, 1)
    answer.published("8 over 1", "write", told, "threads", 8, 1)
    (found,) = answer.found
    assert text(found) == "2 over 1 (no intervals were given): Way A 1.5x slower, Way B 4x slower (Post)."


def test_what_was_not_measured_is_not_said():
    lab = Toy()
    lab.ratios = lambda *_, **__: (pd.DataFrame(columns=COLUMNS).astype({"label": str}), None)
    answer = Findings(lab)
    answer.ratio("Second over first", "cost", {}, {})
    assert answer.found == []
    assert answer.ratio("Second over first", "cost", {}, {}).why == "no cost and cost"
    lab.ratios = Toy().ratios
    answer.ratio("Second over first", "cost", {}, {})
    (found,) = answer.found
    assert text(found) == (
        "Second over first: 2x faster [1.67, 2.5] (JDK 17); "
        "no difference shown (a difference of 42.9 % would have shown) (JDK 25)."
    )
    assert [part.sources for part in found.parts] == [[SOURCE.words()]] * 2
    assert [part.commands for part in found.parts] == [[SOURCE.command("r", "toy")]] * 2
    assert found.html() in answer._repr_html_() and BRACKETS in answer._repr_html_()


def test_a_level_is_said_by_runtime():
    lab = Toy()
    rows = Toy().chosen()[1]
    lab.chosen = lambda **where: (None, rows[rows["variant"] == "b"].iloc[::-1])
    answer = Findings(lab)
    answer.level("Written", "write", variant="b")
    assert text(answer.found[0]) == "Written: 1 [0.5, 2] GB/s (JDK 17); 2 [1, 4] GB/s (JDK 25)."
    assert answer.found[0].parts[0].commands == [
        "lab analyse --run r --experiments toy --where metric=write --where variant=b --where runtime=jdk17"
    ]


def test_a_level_of_each_of_several_variants_names_them_in_its_sentence():
    lab, rows = Toy(), Toy().chosen()[1]
    lab.chosen = lambda variant, **where: (None, rows[rows["variant"] == variant])
    answer = Findings(lab)
    found = answer.levels("Written by {}'s own", "write", ["b", "c"], size=3)
    assert [one.sentence for one in answer.found] == ["Written by Way B's own", "Written by Way C's own"]
    assert list(found) == ["b", "c"] and list(found["c"].told) == ["JDK 25"]


def test_what_a_fit_comes_to_is_said_by_runtime_of_the_trials_that_count():
    lab, estimates = Toy(), Toy().chosen()[1].query("variant == 'b'")
    asked: list[dict] = []
    lab.counted = lambda frame: frame[frame["good"]]
    lab.chosen = lambda **where: asked.append(where) or (None, estimates)
    frame = pd.DataFrame({"runtime": ["jdk17", "jdk17", "jdk25", "jdk25"], "y": [1, 2, 3, 4]})
    frame["good"] = [True, True, True, False]
    frame = pd.concat([frame.assign(variant="b"), frame.assign(variant="a")])
    answer = Findings(lab)
    answer.fitted(
        "Late, {}", frame, lambda g: SimpleNamespace(sentence=f"The sum is {g['y'].sum()}."), "write", variant="b"
    )
    assert text(answer.found[0]) == "Late, Way B: the sum is 3 (JDK 17); the sum is 3 (JDK 25)."
    assert asked == [{"metric": "write", "variant": "b"}]
    rests = [[lab.source(row).words()] for row in estimates.to_dict("records")]
    assert [part.sources for part in answer.found[0].parts] == rests


def test_a_claim_is_said_beside_the_published_number_and_without_a_number_not_at_all():
    row = {"claim": "T01", "unit": "ratio", "effect": 4.0, "low": 3.0, "high": 5.0, "level": 0.95, "scope": "jdk17"}
    sources = json.dumps([SOURCE.to_dict()])
    rows = [row, row | {"scope": "jdk25", "unit": "ns"}, row | {"scope": "c", "low": None}, row | {"claim": "T02"}]
    lab = Toy()
    lab.verdicts = pd.DataFrame(rows).assign(sources=sources, verdict="inconclusive")
    answer = Findings(lab)
    answer.claim("Slower", "T01")
    (found,) = answer.found
    assert text(found) == "Slower (published: 4.5): 4x faster [3, 5] (JDK 17); 4 [3, 5] ns (JDK 25)."
    assert [part.sources for part in found.parts] == [[SOURCE.words()]] * 2
    lab.verdicts = lab.verdicts.assign(verdict="not yet judged")
    answer.claim("Slower", "T01")
    assert "4x faster (too few trials for an interval) (C)" in text(answer.found[-1])


def test_a_finding_is_html_with_its_sources_folded_below():
    plain = Finding("A <b>", [Part("C & co", "1 < 2")])
    assert plain.html() == "A &lt;b&gt;: 1 &lt; 2 (<b>C &amp; co</b>)."
    rests = Finding("A", [Part("C", "2 ns", ["level <of> cost"], ["lab analyse --where 'a<b'"])]).html()
    assert rests == (
        'A: 2 ns (<b>C</b>).<details class="lab-rests"><summary>rests on</summary><ul><li><b>C</b>: level &lt;of&gt; '
        "cost<br><code>lab analyse --where &#x27;a&lt;b&#x27;</code></li></ul></details>"
    )


def test_a_finding_is_the_same_after_it_was_kept():
    answer = Findings(Toy())
    answer.best("Fastest", "write", ["a", "b", "c"])
    assert Finding.of(json.loads(json.dumps(asdict(answer.found[0])))) == answer.found[0]


def test_two_answers_of_one_session_have_sentences_of_their_own():
    lab = Toy()
    first, second = Findings(lab), Findings(lab)
    first.values("Said", {"C": "once"})
    first.values("Nothing", {})
    assert first.found == [Finding("Said", [Part("C", "once")])] and second.found == []


def test_the_answer_follows_the_intervals_and_stands_before_the_sentences():
    lab, answer = Toy(), Findings(Toy())
    told = {"second": answer.ratio("S", "cost", {}, {}), "best": answer.best("B", "write", ["a", "b", "c"])}
    lab.ratios = lambda *_, **__: (pd.DataFrame(columns=COLUMNS).astype({"label": str}), None)
    told["missing"] = Findings(lab).ratio("M", "cost", {}, {})
    said = ["it is {second:than the first}", "{best} is best", "gone is {missing:than ever}"]
    assert answer.in_short(said, told, "toy_figure") is answer, "which a notebook shows"
    found = answer.answer
    assert found.text == (
        "It is 2x faster than the first on JDK 17 and neither measurably slower nor faster (a difference of 43 % would "
        "have shown) on JDK 25; Way A on JDK 17 and Way B or Way A on JDK 25 is best; missing: not measured here (no "
        "cost and cost)."
    )
    assert [(fact.label, fact.head, fact.bracket, fact.who) for fact in found.facts] == [
        ("second", "no difference shown", "(a difference of 42.9 % would have shown)", "JDK 25"),
        ("best", "Way B or Way A", "2 [1, 4] GB/s", "JDK 25"),
        ("missing", "not measured here", "no cost and cost", ""),
    ]
    assert found.facts[0].source == SOURCE.words() and found.facts[0].command == SOURCE.command("r", "toy")
    assert Answer.of(json.loads(json.dumps(asdict(found)))) == found
    assert answer._repr_html_().index(found.text) < answer._repr_html_().index("lab-found")


def test_the_answer_of_a_host_that_leaves_nothing_says_why():
    lab = Toy()
    lab.bare, lab.left_out = True, ["Not measured: all of it, which needs 2 CPUs; this process may use 1."]
    answer = Findings(lab)
    assert answer.in_short(["it is {a}"], {"a": Clause({}, why="so")}, "toy_figure") is answer
    assert answer.answer == Answer(lab.left_out[0], [], "toy_figure")


def slower(estimate: float, *who: str) -> Clause:
    return Clause({one: Comparison(estimate, 0.9 * estimate, 1.1 * estimate, way=TIME) for one in who})


SHOWN = "neither measurably slower nor faster"
BOTH = ("JDK 17", "JDK 25")
FEW = "(a difference of 11 % would have shown"


@pytest.mark.parametrize(
    ("sentences", "clauses", "said"),
    [
        ("A is {a}, B {b}.", (slower(3, *BOTH), slower(4, *BOTH)), "A is 3x slower, B 4x slower (JDK 17 and 25)."),
        (["A is {a}", "B {b}"], (slower(3, *BOTH), slower(4, *BOTH)), "A is 3x slower; B 4x slower (JDK 17 and 25)."),
        (["A is {a}", "B {b}"], (slower(3, *BOTH), slower(4, "C")), "A is 3x slower (JDK 17 and 25); B 4x slower (C)."),
        ("A is {a}, B {b}", (slower(3, *BOTH), slower(4, "C")), "A is 3x slower on JDK 17 and 25, B 4x slower in C."),
        ("A is {a:than B}", (slower(3, "JDK 21"), slower(4, "C")), "A is 3x slower than B (JDK 21)."),
        ("A is {a:than B}", (slower(1, *BOTH), slower(4, "C")), f"A is {SHOWN} than B {FEW}; JDK 17 and 25)."),
        (
            ["A {a}", "B {b}"],
            (Clause({}, why="one CPU"), slower(3, "C")),
            "A: not measured here (one CPU); B 3x slower (C).",
        ),
        ("A {a}, B {b}", (Clause({}), slower(3, "C")), "A: not measured here; b: 3x slower in C."),
        (
            "A {a}, B {b}",
            (slower(3, *BOTH), Clause({}, why="one CPU")),
            "A: 3x slower on JDK 17 and 25; b: not measured here (one CPU).",
        ),
        ("A {a:than B}", (slower(math.nan, "C"), slower(3, "C")), "A: no number in C."),
        ("A {a:than B}", (Clause({}), Clause({})), "A: not measured here."),
        (
            "A {a:than B}",
            (Clause(slower(3, "JDK 17").told | slower(9, "C").told), slower(3, "C")),
            "A 3x slower than B on JDK 17 and 9x slower in C.",
        ),
        (
            "{a} and {b}",
            (
                Clause({}, why="A cannot be measured here: one CPU"),
                Clause({}, why="B cannot be measured here: one CPU"),
            ),
            "Not measured here: a; b (A cannot be measured here: one CPU).",
        ),
        ("{a} and {b}", (Clause({}), Clause({})), "Not measured here: a; b."),
        (["A {a}", "B {b}"], (Clause({}), Clause({}, why="one CPU")), "Not measured here: a; b (one CPU)."),
        ("Nothing at all", (slower(3, "C"), slower(3, "C")), "Nothing at all."),
    ],
)
def test_an_answer_reads_as_a_sentence_whatever_was_measured(sentences, clauses, said):
    answer = Findings(Toy())
    answer.in_short(sentences, dict(zip("ab", clauses, strict=True)))
    assert answer.answer.text == said


def test_what_several_sentences_lack_is_said_once_at_the_end():
    answer = Findings(Toy())
    told = {"a": slower(3, *BOTH), "b": Clause({}), "c": Clause({}), "d": slower(4, "C")}
    answer.in_short(["A {a}, B {b}", "C {c}", "D is {d:than E}"], told)
    assert answer.answer.text == ("A: 3x slower on JDK 17 and 25; D is 4x slower than E (C); not measured here: b; c.")


def test_a_clause_can_be_said_in_other_words():
    told = Clause({"C": Comparison(0.5, 0.4, 0.6, way=RATE)}, {"C": [SOURCE]})
    assert (told.phrase(), told.said(DONE).phrase(than="done than one")) == (
        "2x slower in C",
        "2x less done than one in C",
    )
    assert told.said(DONE).sources == told.sources


def test_those_that_say_the_same_are_named_together():
    found = Finding("A", [Part("JDK 17", "2 ns"), Part("C", "3 ns"), Part("JDK 25", "2 ns")])
    assert found.texts() == ["A: 2 ns (JDK 17 and 25); 3 ns (C).", "A: 2 ns (JDK 17 and 25)."]
    assert found.html() == "A: 2 ns (<b>JDK 17 and 25</b>); 3 ns (<b>C</b>)."


def test_an_answer_that_names_no_clause_of_its_own_says_so():
    with pytest.raises(LabError, match="names the clause 'b'; there are: a"):
        Findings(Toy()).in_short("A {b}.", {"a": Clause({}, why="so")})
