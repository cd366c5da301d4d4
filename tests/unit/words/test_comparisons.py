"""Comparisons as people say them: the interval chooses the words, and the other way round says the opposite."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.words.comparisons import (
    AS_GOOD_AS,
    COUNT,
    DONE,
    LENGTH,
    LEVELS,
    NO_DIFFERENCE,
    RATE,
    TIME,
    Amount,
    Comparison,
    Name,
    way,
)
from pipeline.words.phrases import named, together

NAN = math.nan
WAYS = st.sampled_from([TIME, RATE, LENGTH, COUNT, LEVELS])
NUMBER = r"[\d,]*\.?\d+(?: [MG])?"


@st.composite
def comparisons(draw) -> Comparison:
    low, estimate, high = sorted(math.exp(draw(st.floats(-7, 7))) for _ in range(3))
    return Comparison(estimate, low, high, draw(st.sampled_from([0.95, 0.875])), draw(WAYS))


@pytest.mark.parametrize(
    ("numbers", "direction", "said"),
    [
        ((3.1, 2.9, 3.3), TIME, "3.1x slower [2.9, 3.3]"),
        ((0.32, 0.3, 0.35), TIME, "3.12x faster [2.86, 3.33]"),
        ((0.325, 0.3, 0.35), RATE, "3.08x slower [2.86, 3.33]"),
        ((1.12, 1.09, 1.15), TIME, "12 % slower [9, 15]"),
        ((0.8, 0.625, 0.9), RATE, "25 % slower [11.1, 60]"),
        ((0.8, 0.7, 0.9), COUNT, "20 % fewer [10, 30]"),
        ((1.2, 1.1, 1.3), LENGTH, "20 % longer [10, 30]"),
        ((0.5, 0.4, 0.6, 0.875), LEVELS, "2x lower [1.67, 2.5; 87.5 %]"),
        ((1.5, 1.4, 1.6), TIME, "1.5x slower [1.4, 1.6]"),
        ((1.49, 1.4, 1.6), TIME, "49 % slower [40, 60]"),
        ((0.98, 0.95, 1.07), TIME, "no difference shown (a difference of 7 % would have shown)"),
        ((1.1, 1.0, 1.2), TIME, "no difference shown (a difference of 20 % would have shown)"),
        ((0.9, 0.8, 1.0), COUNT, "no difference shown (a difference of 20 % would have shown)"),
        ((1.2, 0.9, 1.5), TIME, "no difference shown (a difference of 1.5x would have shown)"),
        ((0.98, 0.5, 1.07), TIME, "no difference shown (a difference of 2x would have shown)"),
        ((0.98, 0.2, 1.07), TIME, "no difference shown (only a difference of 5x would have shown)"),
        ((2e6, 1e6, 3e6), TIME, "2 M times slower [1 M, 3 M]"),
        ((1.0, 0.0, 2.0), TIME, "no difference shown (a difference of any size is possible)"),
        ((1.0, 1.0, 1.0), COUNT, "the same"),
        ((2.0, NAN, NAN), TIME, "2x slower (too few trials for an interval)"),
        ((0.0, 0.0, 0.5), COUNT, "fewer (none, compared with some)"),
        ((math.inf, 3.0, math.inf), COUNT, "more (some, compared with none)"),
        ((3.0, 2.0, math.inf), COUNT, "3x more [2, unbounded]"),
        ((NAN, NAN, NAN), TIME, "no number"),
    ],
)
def test_a_ratio_is_said_as_people_say_it(numbers, direction, said):
    assert Comparison(*numbers[:3], *numbers[3:] or (0.95,), way=direction).words() == said


@given(comparisons())
def test_no_ratio_is_told_below_1(one):
    said = one.words()
    assert not re.search(r"(?<![\d.,])0(?:\.\d+)?(?:x| times)", said), said
    assert "-" not in said


@given(comparisons())
def test_the_interval_chooses_the_words(one):
    none = NO_DIFFERENCE in one.words() or AS_GOOD_AS in one.words()
    assert none == (one.low <= 1 <= one.high) or one.low == one.high == 1
    assert (AS_GOOD_AS in one.words()) == (1 / 1.05 <= one.low <= 1 <= one.high <= 1.05 and one.low < one.high)
    assert (one.way.more in one.words().split()) == (one.low > 1)
    assert (one.way.less in one.words().split()) == (one.high < 1)


@given(comparisons())
def test_the_other_way_round_is_the_opposite_word(one):
    other = Comparison(1 / one.estimate, 1 / one.high, 1 / one.low, one.level, one.way)
    assert other.side == -one.side
    if "x " in one.head() or one.way.speed:  # per cent of another whole are another number
        opposite = {one.way.more: one.way.less, one.way.less: one.way.more}
        turned = " ".join(opposite.get(word, word) for word in one.words().split())
        numbers = [
            [float(n.replace(",", "")) for n in re.findall(r"[\d,]*\.?\d+", said)] for said in (turned, other.words())
        ]
        assert re.sub(NUMBER, "#", turned) == re.sub(NUMBER, "#", other.words())
        assert numbers[0] == pytest.approx(numbers[1], rel=2e-3)


@given(comparisons())
def test_what_is_bracketed_holds_the_number_before_it(one):
    found = re.fullmatch(rf"({NUMBER}) ?(?:x|%) \w+ \[({NUMBER}), ({NUMBER})(?:; 87.5 %)?\]", one.words())
    if one.side:
        said, low, high = (float(value.replace(",", "")) for value in found.groups())
        assert low <= said <= high


@given(comparisons())
def test_the_difference_that_would_have_been_seen_is_excluded_by_the_interval(one):
    if one.side or not (bound := one.excluded()):
        return
    value = float(bound.rstrip("x %").replace(",", ""))
    factor = value if bound.endswith("x") else 1 + value / 100
    assert factor * 1.006 >= one.high
    least = 1 / factor if bound.endswith("x") or one.way.speed else 1 - value / 100
    assert least <= one.low * 1.006 + 1e-9


@given(st.lists(comparisons(), min_size=1, max_size=3))
def test_one_phrase_of_several_has_the_words_of_each(several):
    way = several[0].way
    told = {f"JDK {n}": Comparison(one.estimate, one.low, one.high, way=way) for n, one in enumerate(several)}
    said = together(told).replace("the same", f"neither measurably {way.more} nor {way.less}")
    said = said.replace(
        f"neither {way.more} nor {way.less} by more than 5 %", f"neither measurably {way.more} nor {way.less}"
    )
    assert not re.search(r"(?<![\d.,])0(?:\.\d+)?(?:x| times)", said), said
    sides = {one.side for one in told.values()}
    assert (f"neither measurably {way.more} nor {way.less}" in said) == (0 in sides)
    alone = re.sub(r"neither measurably \w+ nor \w+", "", said).split()
    assert (way.more in alone, way.less in alone) == (1 in sides, -1 in sides)


@pytest.mark.parametrize(
    ("unit", "better", "kind", "words"),
    [
        ("ns", "lower", "cost", TIME),
        ("cycles", "lower", "cost", TIME),
        ("ns", "lower", "percentile", LENGTH),
        ("ns", None, "cost", LENGTH),
        ("ops/s", "higher", "rate", RATE),
        ("bytes/s", "higher", "rate", RATE),
        ("events/s", None, "measure", LEVELS),
        ("switches", "lower", "measure_ratio", COUNT),
        ("1", "lower", "measure", LEVELS),
        ("%", "lower", "measure_ratio", LEVELS),
        ("per 1e6 ops", "lower", "measure_ratio", LEVELS),
    ],
)
def test_the_words_are_those_of_the_metric(unit, better, kind, words):
    assert way(unit, better, kind) == words


def slower(estimate: float, spread: float = 1.1) -> Comparison:
    return Comparison(estimate, estimate / spread, estimate * spread, way=TIME)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"JDK 17": slower(10.1), "JDK 25": slower(9.96)}, "10x slower on JDK 17 and 25"),
        ({"JDK 17": slower(12.2), "JDK 25": slower(9.8)}, "9.8–12x slower on JDK 17 and 25"),
        ({"JDK 17": slower(1.3), "JDK 25": slower(2)}, "1.3–2x slower on JDK 17 and 25"),
        (
            {"JDK 17": slower(1.3), "JDK 25": slower(1.02)},
            "30 % slower on JDK 17 and neither measurably slower nor faster (a difference of 12 % would have shown) on "
            "JDK 25",
        ),
        ({"JDK 17": slower(3), "JDK 25": slower(9)}, "3x slower on JDK 17 and 9x slower on JDK 25"),
        ({"JDK 17": slower(3), "JDK 25": slower(6)}, "3–6x slower on JDK 17 and 25"),
        ({"JDK 17": slower(3), "JDK 25": slower(1 / 3)}, "3x slower on JDK 17 and 3x faster on JDK 25"),
        ({"C": slower(3)}, "3x slower in C"),
        ({"JDK 17": slower(3), "C": slower(3)}, "3x slower on JDK 17 and in C"),
        ({"JDK 17": slower(16, 3), "JDK 25": slower(25, 2)}, "at least 5.3x slower on JDK 17 and 25"),
        ({"C": Comparison(0.5, 0.1, 0.8, way=TIME)}, "at least 25 % faster in C"),
        ({"C": Comparison(math.inf, 3.0, math.inf, way=COUNT)}, "at least 3x more in C"),
        ({"C": Comparison(0.0, 0.0, 0.5, way=COUNT)}, "at least 2x fewer in C"),
        ({"C": Comparison(0.0, 0.0, 0.0, way=COUNT)}, "fewer (none, compared with some) in C"),
        (
            {"JDK 17": Comparison(1, 0, math.inf, way=TIME)},
            "neither measurably slower nor faster (a difference of any size is possible) on JDK 17",
        ),
        ({"JDK 17": Amount(33.9, 33, 35, "ns"), "JDK 25": Amount(34.2, 33, 35, "ns")}, "34 ns on JDK 17 and 25"),
        ({"JDK 17": Amount(79.4, 0, 1, "ns"), "JDK 25": Amount(71, 0, 1, "ns")}, "71–79 ns on JDK 17 and 25"),
        ({"JDK 17": Amount(950, 0, 1, "ns"), "C": Amount(1100, 0, 1, "ns")}, "950 ns–1.1 µs on JDK 17 and in C"),
        ({"JDK 17": Amount(2, 0, 1, "ns"), "C": Amount(3, 0, 1, "ns")}, "2 ns on JDK 17 and 3 ns in C"),
        ({"JDK 17": Amount(0, 0, 1, "ns"), "C": Amount(NAN, 0, 1, "ns")}, "0 ns on JDK 17 and – in C"),
        ({"JDK 17": Amount(33, 33, 35, "ns"), "C": Amount(1500, 1, 2, "ns")}, "33 ns on JDK 17 and 1.5 µs in C"),
        ({f"JDK {n}": Name("A", Amount(1, 1, 1, "ns"), ("B",)) for n in (17, 21, 25)}, "A or B on JDK 17, 21 and 25"),
    ],
)
def test_several_are_told_in_one_phrase(told, said):
    assert together(told) == said


TWO = {"JDK 17": slower(1.3), "JDK 25": slower(1.02)}


@pytest.mark.parametrize(
    ("told", "where", "said"),
    [
        ({"JDK 17": slower(3)}, True, "3x slower than one on JDK 17"),
        ({"JDK 17": slower(3)}, False, "3x slower than one"),
        (
            {"JDK 17": slower(1)},
            False,
            "neither measurably slower nor faster than one (a difference of 10 % would have shown)",
        ),
        (
            TWO,
            False,
            "30 % slower than one on JDK 17 and neither measurably slower nor faster (a difference of 12 % would have "
            "shown) on JDK 25",
        ),
        ({"C": Comparison(1, 1, 1, way=COUNT)}, False, "the same as one"),
        ({"C": Comparison(3, NAN, NAN, way=TIME)}, False, "3x slower than one (too few trials for an interval)"),
        (
            {"C": Comparison(3, NAN, NAN, way=TIME), "JDK 17": slower(3)},
            False,
            "3x slower than one (too few trials for an interval) in C and 3x slower on JDK 17",
        ),
    ],
)
def test_what_is_compared_with_follows_the_first_comparison(told, where, said):
    assert together(told, where, "than one") == said


def test_an_amount_done_is_more_or_less_in_per_cent_of_the_whole():
    assert together({"C": Comparison(0.8, 0.7, 0.9, way=DONE)}, False, "done than one") == "20 % less done than one"
    same = {"C": Comparison(1, 1, 1, way=DONE)}
    assert together(same, False, "done than one") == "the same done as one"


def test_those_of_whom_something_is_said_are_named_once():
    assert named(["JDK 17", "C", "JDK 25"]) == "JDK 17 and 25, C"
    assert (named(["JDK 17"]), named(["C"])) == ("JDK 17", "C")


def test_a_number_that_stands_alone_is_what_is_sure():
    assert (slower(3).surely(), slower(16, 3).surely()) == ("3x slower", "at least 5.3x slower")
    assert Amount(1850, 1800, 1900, "ns").surely() == "1.85 µs"


def test_the_bracket_is_in_the_measure_of_what_is_sure():
    wide = Comparison(2, 1.25, 8, way=TIME)
    assert (wide.surely(), wide.bracket(surely=True)) == ("at least 25 % slower", "[25, 700]")
    assert (wide.head(), wide.bracket()) == ("2x slower", "[1.25, 8]")
    # No wider than a factor of four: its middle is said.
    assert [Comparison(2, 1.1, high, way=TIME).surely() for high in (4.4, 4.41)] == [
        "2x slower",
        "at least 10 % slower",
    ]


def test_a_median_outside_of_what_the_looks_have_in_common_is_told_as_that():
    """Of all blocks 27.6 % slower, and by both looks 31.6 to 39.5: on a card that is read as a slip of the pen."""
    assert Comparison(1.276, 1.316, 1.395, 0.9125).words() == "27.6 % higher [31.6, 39.5; 91.25 %; its looks differ]"
    assert Amount(28.0, 30.0, 40.0, "ns").words() == "28 [30, 40; its looks differ] ns"
    assert Amount(28.0, 30.0, 40.0, "ns").bracket() == "[30, 40; its looks differ]"


def test_an_amount_and_a_name_have_a_head_and_a_bracket():
    amount = Amount(1850, 1800, 1900, "ns")
    assert (amount.head(), amount.bracket(), amount.words()) == ("1.85 µs", "[1.8, 1.9]", "1.85 [1.8, 1.9] µs")
    assert Amount(2, NAN, NAN, "ns").bracket() == ""
    name = Name("A", amount, ("B", "C"))
    assert (name.head(), name.words()) == ("A, B or C", "A, 1.85 [1.8, 1.9] µs, not told apart from B, C")
