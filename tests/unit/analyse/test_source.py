"""What a number rests on: said in words, and printed again by a command that a shell and the Lab understand."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.analyse.source import MOST, Source

LEVEL = Source("level", ({"metric": "cost", "variant": "a", "runtime": "jdk17", "threads": 2},), 7, 7)
RATIO = Source(
    "ratio",
    (
        {"metric": "cost", "threads": 2, "variant": "a", "runtime": "jdk17"},
        {"metric": "cost", "threads": 2, "variant": "b", "runtime": "jdk17"},
    ),
    6,
    6,
)
CROSSED = Source("ratio", ({"variant": "a", "metric": "first"}, {"variant": "a", "metric": "last"}), 1, 1)
FIT = Source("fit", ({"metric": "rate", "variant": "a"}, {"metric": "latency", "variant": "a"}), 9, 3)
HEAD = "lab analyse --run r --experiments toy"


@pytest.mark.parametrize(
    ("source", "words", "command"),
    [
        (
            LEVEL,
            "level of cost: variant a, runtime jdk17, threads 2; 7 trials in 7 blocks",
            "--where metric=cost --where variant=a --where runtime=jdk17 --where threads=2",
        ),
        (
            RATIO,
            "ratio of cost: variant a / variant b, threads 2, runtime jdk17; 6 trials in 6 blocks",
            "--where metric=cost --where threads=2 --where runtime=jdk17 --of variant=a --to variant=b",
        ),
        (
            CROSSED,
            "ratio: metric first / metric last, variant a; 1 trial in 1 block",
            "--where variant=a --of metric=first --to metric=last",
        ),
        (
            FIT,
            "fit: metric rate / metric latency, variant a; 9 trials in 3 blocks",
            "--where variant=a --where metric=rate,latency",
        ),
        (
            Source("spread", tuple({"metric": "cost", "variant": one} for one in "abc"), 5, 5),
            "spread of cost: variant a / variant b / variant c; 5 trials in 5 blocks",
            "--where metric=cost --where variant=a,b,c",
        ),
        (Source("fact", ({"variant": "a"},), 4, 2), "fact: variant a; 4 trials in 2 blocks", "--where variant=a"),
    ],
)
def test_a_source_in_words_and_as_a_command(source, words, command):
    assert source.words() == words
    assert source.command("r", "toy") == f"{HEAD} {command}"


def test_an_axis_that_was_read_as_a_float_is_said_as_it_was_asked_for():
    source = Source("fit", ({"metric": "cost", "classes": 2.0}, {"metric": "cost", "classes": 1048576.0}), 2, 1)
    assert source.words() == "fit of cost: classes 2 / classes 1048576; 2 trials in 1 block"
    assert source.command("r", "toy").endswith(" --where classes=2,1048576")


def test_a_value_that_holds_a_comma_has_an_option_of_its_own():
    places = ("spread", "0,1", "free", "1,0")
    source = Source("levels", tuple({"metric": "hop", "placement": one} for one in places), 0, 0)
    assert source.command("r", "toy") == (
        f"{HEAD} --where metric=hop --where placement=spread,free --where placement=0,1 --where placement=1,0"
    )


def test_more_values_of_an_axis_than_anybody_types_are_all_printed():
    pairs = [{"metric": "hop", "placement": f"{one},{other}"} for one in range(6) for other in range(6)]
    told = [Source("levels", tuple(pairs[:count]), 0, 0).command("r", "toy") for count in (MOST, MOST + 1)]
    assert told[0].count("--where placement=") == MOST and told[1] == f"{HEAD} --where metric=hop"


def test_an_axis_that_some_do_not_have_excludes_none_of_them():
    source = Source("levels", ({"variant": "a", "distance": 8}, {"variant": "b"}), 0, 0)
    assert source.command("r", "toy") == f"{HEAD} --where variant=a,b"


def test_a_shell_reads_every_value_as_one_word():
    value = "two words; 'quoted' $HOME *"
    source = Source("ratio", ({"metric": "m", "variant": value}, {"metric": "m", "variant": "b"}), 3, 3)
    read = shlex.split(source.command("r", "toy"))
    assert read[6:] == ["--where", "metric=m", "--of", f"variant={value}", "--to", "variant=b"]


SELECTION = st.dictionaries(
    st.sampled_from(["metric", "variant", "runtime", "placement", "threads"]),
    st.integers(0, 99) | st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=5),
    min_size=1,
)


@given(st.sampled_from(["level", "ratio", "spread", "fit"]), st.lists(SELECTION, min_size=1, max_size=4))
def test_plain_values_and_back_say_the_same(what, selections):
    source = Source(what, tuple(selections), 3, 2)
    again = Source.of(json.loads(json.dumps(source.to_dict())))
    assert again.to_dict() == source.to_dict()
    assert (again.words(), again.command("r", "x")) == (source.words(), source.command("r", "x"))


@given(st.lists(SELECTION, min_size=1, max_size=4))
def test_the_command_excludes_nothing_that_was_selected(selections):
    """Read again as alternatives by name, the options let every selection pass."""
    read = shlex.split(Source("levels", tuple(selections), 0, 0).command("r", "toy"))[6:]
    asked: dict[str, set[str]] = {}
    for option, word in zip(read[::2], read[1::2], strict=True):
        name, _, text = word.partition("=")
        assert option == "--where"
        asked.setdefault(name, set()).update({text, *text.split(",")})
    for one in selections:
        assert all(str(one[name]) in texts for name, texts in asked.items())
