"""What a number is made of: by the first class that holds it, and what an entry cannot say."""

from __future__ import annotations

import pytest

from pipeline.catalogue import catalogue, classes

CLASSES = {"uncontended": [{"threads": 1, "variant": ["a", "b"]}, {"metric": "alone"}], "woken": [{"variant": "a"}]}


@pytest.mark.parametrize(
    ("number", "made_of"),
    [
        ({"variant": "a", "metric": "cost", "threads": 1}, "uncontended"),
        ({"variant": "c", "metric": "cost", "threads": 1}, "contended"),
        ({"variant": "c", "metric": "alone", "threads": 2}, "uncontended"),
        ({"variant": "a", "metric": "cost", "threads": 2}, "woken"),
        ({"variant": "b", "metric": "cost"}, "contended"),
    ],
)
def test_the_first_class_that_holds_a_number_has_it(number, made_of):
    assert classes.of(CLASSES, number) == made_of
    assert classes.of({}, number) == "contended"


@pytest.mark.parametrize(
    ("selection", "where", "what"),
    [
        ({"sheep": 1}, "sheep", "'sheep' is neither metric, variant nor an axis (threads)"),
        ({"variant": ["a", "z"]}, "variant", "unknown variant 'z'"),
        ({"metric": "z"}, "metric", "unknown metric 'z'"),
    ],
)
def test_a_class_names_what_the_entry_has(selection, where, what):
    known = {"metric": ["cost"], "variant": ["a"]}
    found = list(classes.problems({"io": [{"threads": 1}, selection]}, known, ["threads"]))
    assert found == [(("classes", "io", 1, where), what)]


def test_every_experiment_says_what_its_numbers_are_made_of():
    assert [name for name, entry in catalogue.load().items() if not entry.classes] == []
