"""The numbers of an answer's facts: those of the newest runtime, in the measure that its words are in."""

from __future__ import annotations

import re

import pytest

from pipeline.session.answer import Clause, answer
from pipeline.words.comparisons import NAN, TIME, Amount, Comparison


def fact(**told: Comparison):
    (found,) = answer("r", "toy", "It is {a}.", {"a": Clause(told)}).facts
    return found


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"[\d.]+", text)]


@pytest.mark.parametrize(
    ("ratio", "sure", "interval"),
    [
        ((3.0, 1.2, 8.0), [20], [20, 700]),  # sure is the near end, 20 %: the interval is in per cent too
        ((6.0, 2.0, 10.0), [2], [2, 10]),
        ((3.0, 2.5, 3.5), [3], [2.5, 3.5]),
        ((1 / 3, 1 / 8, 1 / 1.2), [20], [20, 700]),
        ((1.1, 1.05, 1.2), [10], [5, 20]),
    ],
)
def test_the_interval_of_a_fact_is_in_the_measure_of_its_number(ratio, sure, interval):
    found = fact(jdk17=Comparison(*ratio, way=TIME))
    assert numbers(found.head) == sure and numbers(found.bracket) == interval


def test_the_fact_is_the_last_runtimes():
    found = fact(jdk17=Comparison(3, 2.5, 3.5, way=TIME), jdk25=Comparison(5, 4.5, 5.5, way=TIME))
    assert (found.who, numbers(found.head), numbers(found.bracket)) == ("jdk25", [5], [4.5, 5.5])


def test_three_facts_at_most_in_the_order_of_the_clauses():
    clauses = {name: Clause({"C": Comparison(2, 1.9, 2.1, way=TIME)}) for name in "abcd"}
    found = answer("r", "toy", "{d} {c} {b} {a}", clauses)
    assert [one.label for one in found.facts] == ["a", "b", "c"]


def test_what_no_comparison_has_is_said_once():
    few = {"JDK 17": Comparison(3.0, NAN, NAN, way=TIME)}
    clauses = {"first": Clause(few), "second": Clause(few), "cost": Clause({"JDK 17": Amount(2.0, NAN, NAN, "ns")})}
    found = answer("r", "toy", "One is {first}; another is {second}", clauses)
    assert found.text == "One is 3x slower; another is 3x slower (JDK 17; too few trials for intervals)."
    assert [one.bracket for one in found.facts] == ["", "", ""]
    one_has = clauses | {"second": Clause({"JDK 17": Comparison(3.0, 2.9, 3.1, way=TIME)})}
    found = answer("r", "toy", "One is {first}; another is {second}", one_has)
    assert "3x slower (too few trials for an interval)" in found.text and "intervals" not in found.text
    assert found.facts[0].bracket == "(too few trials for an interval)"


def test_a_single_comparison_says_itself_that_it_has_no_interval():
    found = answer("r", "toy", "It is {first}", {"first": Clause({"C": Comparison(3.0, NAN, NAN, way=TIME)})})
    assert found.text == "It is 3x slower (too few trials for an interval; C)."
