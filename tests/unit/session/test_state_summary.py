"""What a page says of the states of its trials, and what a figure draws of those that do not count."""

from __future__ import annotations

from types import SimpleNamespace

import analyse_tables
import numpy as np
import pandas as pd

from pipeline.analyse import state_labels
from pipeline.analyse.source import Source
from pipeline.draw.marks import ELSEWHERE
from pipeline.measure import states
from pipeline.session import captions, state_summary
from pipeline.session.answer import Answer, Clause, Fact
from pipeline.session.choices import Choices


def lab(ranks: list[tuple[int, int]]):
    """Trials with these ranks, in a run whose CPUs were near or far and whose cores were at times shared."""
    chance = np.random.default_rng(1)

    def quartiles(level: float) -> list[float]:
        return sorted(level * np.exp(chance.normal(0, 0.02, 3)))

    kinds = [(110, 2.0), (250, 2.0), (110, 3.9)] * 20
    lines = [
        {"trial": str(at), "readings": {"word_ns": quartiles(way), "width": quartiles(core)}}
        for at, (way, core) in enumerate(kinds)
    ]
    trials = analyse_tables.trials([{"way": way, "core": core} for way, core in ranks])
    moved = state_labels.several(trials)
    return SimpleNamespace(tables=SimpleNamespace(measured=trials), moved=moved, states=states.of(lines))


def test_a_run_in_one_state_says_nothing_of_it():
    for ranks in ([(-1, -1)] * 3, [(0, 0), (-1, 0)]):
        assert state_summary.counted(lab(ranks)) == "" and not lab(ranks).moved


def test_the_state_that_is_meant_comes_first_and_what_moved_last():
    said = state_summary.counted(lab([(-2, -2), (1, 0), (0, 0), (0, 0), (0, 1), (-1, 1), (-1, -1)]))
    parts = said.split("Of the trials here ")[1].split(". A number")[0]
    assert parts.startswith("2 had CPUs near each other and cores of their own, ")
    assert parts.endswith("1 do not tell and 1 had CPUs that moved too often")
    assert "1 had CPUs far apart and cores of their own" in parts and "1 had a core that others worked on" in parts


def test_every_group_has_words_of_its_own_and_none_is_a_name():
    kinds = [states.NEAR, *(f"{states.FAR}{more}" for more in ("", " 2", " 3")), states.NEARER, f"{states.CORE} 2"]
    found = states.States(
        states.Groups((1.0,) * 5, tuple(kinds), tuple(range(6))),
        states.Groups((1.0,) * 2, (states.ALONE, states.SHARED, f"{states.SHARED} 2"), (0, 1, 2)),
    )
    said = [state_labels.named(found, way, -1) for way in range(6)] + [state_labels.named(found, -2, 2)]
    assert said == [
        "CPUs near each other",
        "CPUs far apart",
        "CPUs farther apart",
        "CPUs farther apart (3)",
        "CPUs nearer than otherwise",
        "both CPUs on one core (2)",
        "a core that others worked on (2)",
    ]
    assert state_labels.named(found, 2, 0) == "CPUs farther apart and cores of their own"
    assert state_labels.named(states.States(), 0, -1) == "", "all are alike"


def test_what_an_estimate_leaves_out_for_its_state_is_drawn_so():
    rows = pd.DataFrame({"way": [0] * 6 + [1] * 3, "core": 0, "noisy": False, "steady": True, "value": 1.0})
    rows = rows.assign(trial=range(9), variant="a", runtime="c", threads=2, metric="cost", block=range(9))
    entry = SimpleNamespace(axes={"threads": "int"})
    session = SimpleNamespace(metrics=rows, estimates=rows[:0], entry=entry)
    drawn, _ = Choices.chosen(session, metric="cost")
    assert drawn["noisy"].tolist() == [False] * 6 + [ELSEWHERE] * 3 and not rows["noisy"].any()
    told = SimpleNamespace(metrics=rows.assign(way=-1, core=-1), estimates=rows[:0], entry=entry)
    assert Choices.chosen(told, metric="cost")[0] is not None and not Choices.chosen(told)[0]["noisy"].any()


def answered(ranks: dict[str, list[tuple[int, int]]]) -> Answer:
    """The answer of two numbers, levels of variants a and b whose trials have these ranks."""
    made = lab([rank for several in ranks.values() for rank in several])
    rows = [(name, way, core) for name, several in ranks.items() for way, core in several]
    made.metrics = pd.DataFrame(rows, columns=["variant", "way", "core"]).assign(metric="cost")
    clauses = {
        name: Clause({}, {"": [Source("level", ({"metric": "cost", "variant": name},), 6, 6)]}) for name in ranks
    }
    told = Answer("It takes 1 to 2 ns (C).", [Fact(name, "1 ns") for name in ranks])
    return state_summary.told_of(made, told, clauses)


def test_an_answer_says_the_state_that_its_numbers_are_of():
    both = answered({"a": [(0, 0)] * 6 + [(1, 0)] * 3, "b": [(0, 0)] * 9})
    assert both.text == "It takes 1 to 2 ns (C; CPUs near each other and cores of their own)."
    assert [fact.label for fact in both.facts] == ["a", "b"]
    one = answered({"a": [(-1, 0)] * 6 + [(-1, 1)] * 3, "b": [(-1, -1)] * 3})
    assert one.text == "It takes 1 to 2 ns (C; cores of their own)."
    apart = answered({"a": [(0, 0)] * 9, "b": [(1, 0)] * 9})
    assert apart.text == "It takes 1 to 2 ns (C)."
    assert [fact.label for fact in apart.facts] == [
        "a, CPUs near each other and cores of their own",
        "b, CPUs far apart and cores of their own",
    ]
    of_one = answered({"a": [(0, 0)] * 9, "b": [(-1, 0)] * 9, "c": [(-1, -1)] * 3})
    assert of_one.text == "It takes 1 to 2 ns (C)." and [fact.label for fact in of_one.facts] == ["a", "b", "c"]


def test_every_caption_of_trials_that_may_be_hollow_can_say_so_of_other_states():
    hollow = [text for text in vars(captions).values() if isinstance(text, str) and "hollow" in text]
    assert len(hollow) > 3 and all(captions.NOISY in text for text in hollow if text != captions.NOISY_OR_ELSEWHERE)
