"""A figure in one breath: short, and it never says what it does not show."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from pipeline.analyse.source import Source
from pipeline.draw.figure import BRIEF
from pipeline.session.figure_summary import _table, brief, resting_on

TWO, ONE = ({"metric": "rate", "variant": "a", "runtime": "c", "threads": n} for n in (2, 1))
TOLD = [
    (["levels of both: C 1; JDK 17 2.", "levels of both: C 1."], [Source("level", (ONE,), 6, 6)]),
    (["two over one: C 2."], [Source("ratio", (TWO, ONE), 6, 6)]),
    (["published: 3."], []),
]
ROWS = pd.DataFrame([TWO | {"estimate": 2.0}, ONE | {"estimate": 1.0}])
ALT = "Rate by threads, one line per series. a, C: 1 ops/s at 1, 2 ops/s at 2; b, C: 3 ops/s at 1."


def texts(numbers) -> list[str]:
    return [one[0] for one in resting_on(TOLD, numbers)]


def test_a_sentence_is_about_a_figure_that_shows_all_its_numbers():
    assert texts(ROWS) == [TOLD[0][0][0], TOLD[1][0][0]]
    assert texts(ROWS[ROWS["threads"] == 1]) == [TOLD[0][0][0]]
    assert texts(ROWS.assign(metric="cost")) == texts(ROWS[:0]) == texts(None) == []


def test_a_figure_of_ratios_shows_those_of_its_sources():
    assert texts(pd.DataFrame({"rests_on": [Source("ratio", (TWO, ONE), 4, 4)]})) == [TOLD[1][0][0]]
    assert texts(pd.DataFrame({"rests_on": [Source("ratio", (ONE, TWO), 6, 6)]})) == []


def test_an_answer_that_is_declared_is_about_the_figures_that_show_it():
    """Its sources come from a table, and ask for the absence of an axis that the figure does not name."""
    told = [Source("ratio", tuple(side | {"outside": None} for side in (TWO, ONE)), 6, 6).to_dict()]
    declared = [(["two over one: C 2."], [Source.of(one) for one in told])]
    assert resting_on(declared, pd.DataFrame({"rests_on": [Source("ratio", (TWO, ONE), 6, 6)]})) == [declared[0][0]]
    assert resting_on(declared, ROWS.assign(outside=math.nan)) == [declared[0][0]]
    assert resting_on(declared, ROWS.assign(outside=50)) == []


def test_a_brief_says_what_is_shown_and_the_first_finding_or_the_first_numbers():
    found = [TOLD[0][0]]
    assert brief("Locks", ALT, found) == "Locks. Rate by threads, one line per series. levels of both: C 1; JDK 17 2."
    assert brief("Locks?", ALT, []) == f"Locks? {ALT}"
    assert brief("Locks", ALT, [["x" * BRIEF, "short."]]).endswith("per series. short.")
    many = f"{ALT[:-1]}; {'; '.join(f'series {n}: 1 ops/s' for n in range(40))}."
    assert brief("Locks", many, []).endswith("; series 6: 1 ops/s; …")
    assert brief("Empty", "A figure.", []) == "Empty. A figure."


@given(st.text(), st.text(min_size=1), st.lists(st.lists(st.text(), min_size=1)))
def test_a_brief_is_never_too_long(title, alt, found):
    assert len(brief(title, alt, found)) <= BRIEF


def test_the_estimates_of_a_metric_have_one_prefix_in_a_table():
    entry = SimpleNamespace(axes={}, metrics={})
    lab = SimpleNamespace(entry=entry, ordered=lambda rows, keys: rows, labels=lambda: {"a": "A", "b": "B"})
    numbers = pd.DataFrame(
        [
            {"metric": "rate", "variant": name, "estimate": rate, "low": rate / 2, "high": 2 * rate, "unit": "ops/s"}
            for name, rate in (("a", 794_033.0), ("b", 13e6))
        ]
    ).assign(level=0.95, trials=6)
    assert _table(lab, ALT, numbers)["rows"] == [
        ["A", "0.794 [0.397, 1.59] M ops/s", "6"],
        ["B", "13 [6.5, 26] M ops/s", "6"],
    ]
