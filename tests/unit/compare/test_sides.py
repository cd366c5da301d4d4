"""How the sides of a comparison are written, and what cannot be compared."""

import pytest

from pipeline.compare import sides
from pipeline.compare.sides import Side
from pipeline.ground.errors import LabError


@pytest.mark.parametrize(
    ("before", "after", "way", "runtimes"),
    [
        ("a", "b", "single", None),
        ("a:jdk17", "b:jdk17", "single", ("jdk17", "jdk17")),
        ("a:jdk17", "a:jdk25", "paired", ("jdk17", "jdk25")),
        ("a1,a2", "b1, b2,b3", "repeated", None),
        ("a1:jdk17,a2:jdk17", "a1:jdk25,a2:jdk25", "repeated", ("jdk17", "jdk25")),
    ],
)
def test_what_is_written_decides_the_way(before, after, way, runtimes):
    found = sides.parse(before, after)
    assert (found.way, found.runtimes) == (way, runtimes)


def test_a_side_is_its_runs_and_a_runtime():
    assert sides.parse("a1, a2", "b1,b2").before == Side(("a1", "a2"), None)
    assert sides.parse("r:jdk17", "r:jdk25").after == Side(("r",), "jdk25")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("a", "a", "both sides are a; give two runs, or two runtimes of one"),
        ("a:jdk17", "b", "on both sides or on neither"),
        ("a,b", "b,c", "run b is on both sides"),
        ("a", "b,c", "a is one run, the other side has 2"),
        ("a,a", "b,c", "run a is named twice"),
        ("a:jdk17,b:jdk25", "c,d", "a side has one runtime, here it has: jdk17, jdk25"),
        ("", "b", "no side of a comparison"),
        ("a:", "b", "no side of a comparison"),
        ("a,", "b,c", "no side of a comparison"),
    ],
)
def test_what_cannot_be_compared_is_told(before, after, words):
    with pytest.raises(LabError, match=words) as error:
        sides.parse(before, after)
    assert error.value.status == 2 and "\n" not in str(error.value)
