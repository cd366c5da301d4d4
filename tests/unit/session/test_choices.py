"""What a notebook chooses by itself: variants by their names, values that were measured, what stands in for what."""

from __future__ import annotations

from dataclasses import replace

import pytest
from analyse_tables import costs_to_iterations, entry, tables

from pipeline.session.choices import NO_JDK, Choices


def session(*trials: dict) -> Choices:
    chosen = Choices.__new__(Choices)
    declared = entry({"cost": {"kind": "cost"}, "rate": {"kind": "rate", "unit": "ops/s"}})
    chosen.entry = replace(declared, axes={"threads": "int", "file_size": "int"})
    rows = [row for n in range(len(trials)) for row in costs_to_iterations(f"t{n}", [n + 1])]
    chosen.tables = tables([{"file_size": 4096} | one for one in trials], iterations=rows)
    return chosen


def test_usual_values_of_axes_are_the_experiments_parameters():
    chosen = session()
    chosen.entry = replace(chosen.entry, parameters={"threads": 2, "file-size": 4096, "other": 1})
    assert chosen.usual() == {"threads": 2, "file_size": 4096}
    assert chosen.usual("file_size") == {"file_size": 4096}
    with pytest.raises(KeyError):
        chosen.usual("pairs")


@pytest.mark.parametrize(
    ("patterns", "but", "found"),
    [
        ([], [], ["fast", "slow", "native"]),
        (["*a*"], [], ["fast", "native"]),
        (["slow", "fast"], [], ["fast", "slow"]),
        ([], ["*s*", "none"], ["native"]),
        (["*a*"], (name for name in ["nat*"]), ["fast"]),
        (["a"], [], []),
    ],
)
def test_variants_are_named_by_patterns_in_the_catalogues_order(patterns, but, found):
    assert session().variants(*patterns, but=but) == found


def test_values_are_those_of_the_measured_trials_of_a_selection():
    at = [("fast", 4, "measured"), ("fast", 1, "measured"), ("fast", 4, "measured"), ("fast", 9, "failed")]
    at += [("slow", 2, "measured"), ("slow", None, "measured")]
    chosen = session(*({"variant": name, "threads": n, "status": status} for name, n, status in at))
    assert chosen.values("threads") == [1, 2, 4] and chosen.values("threads", variant="fast") == [1, 4]
    assert chosen.values("threads", variant="native") == []


def test_along_an_axis_of_one_value_nothing_was_swept():
    rows = [{"variant": name, "threads": n} for name, several in (("fast", (1, 2)), ("slow", (1,))) for n in several]
    assert session(*rows).along("threads", {"threads": 1, "file_size": 5}) == {"variant": ["fast"], "file_size": 5}
    one = session(*(row for row in rows if row["threads"] == 1))
    assert one.along("threads", {"threads": 1})["variant"] == [] and one.chosen(**one.along("threads", {}))[0].empty


def test_the_oldest_and_the_newest_jdk_are_named_where_there_are_any():
    several = session(*({"runtime": name} for name in ("jdk25", "c", "jdk17", "jdk21")))
    assert (several.oldest, several.newest) == ("jdk17", "jdk25")
    none = session({"runtime": "c"})
    assert none.oldest == none.newest == NO_JDK and none.chosen(runtime=none.newest)[0].empty


def test_the_value_at_which_most_was_measured_is_the_greatest_of_several_and_above_zero():
    """Of sizes 0, 1, 2 and 4 with 3, 2, 2 and 1 numbers of threads, as a sweep with and without work has them."""
    swept = {0: (1, 2, 4), 1: (1, 2), 2: (1, 2), 4: (8,)}
    at = [{"variant": "fast", "file_size": size, "threads": n} for size, several in swept.items() for n in several]
    chosen = session(*at)
    assert chosen.best_swept("file_size", "threads") == 2
    assert chosen.best_swept("file_size", "threads", threads=8) == 4
    assert chosen.best_swept("file_size", "threads", variant="slow") == 0
    assert session(at[0]).best_swept("file_size", "threads") == 0
