"""What a page says of the states of its trials, and what a figure draws of those that do not count."""

from __future__ import annotations

from types import SimpleNamespace

import analyse_tables
import numpy as np
import pandas as pd

from pipeline.session import captions, states_said
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
    return SimpleNamespace(tables=SimpleNamespace(measured=trials), bundle=SimpleNamespace(journal=lambda: lines))


def test_a_run_in_one_state_says_nothing_of_it():
    for ranks in ([(-1, -1)] * 3, [(0, 0), (-1, 0)]):
        assert states_said.counted(lab(ranks)) == "" and not states_said.several(lab(ranks))


def test_the_state_that_is_meant_comes_first_and_what_moved_last():
    said = states_said.counted(lab([(-2, -2), (1, 0), (0, 0), (0, 0), (0, 1), (-1, 1), (-1, -1)]))
    parts = said.split("Of the trials here ")[1].split(". A number")[0]
    assert parts.startswith("2 had CPUs near each other and cores of their own, ")
    assert parts.endswith("1 do not tell and 1 had CPUs that moved too often")
    assert "1 had CPUs far apart and cores of their own" in parts and "1 had a core that others worked on" in parts


def test_what_an_estimate_leaves_out_for_its_state_is_drawn_as_noisy():
    rows = pd.DataFrame({"way": [0] * 6 + [1] * 3, "core": 0, "noisy": False, "steady": True, "value": 1.0})
    rows = rows.assign(trial=range(9), variant="a", runtime="c", threads=2, metric="cost", block=range(9))
    entry = SimpleNamespace(axes={"threads": "int"})
    session = SimpleNamespace(metrics=rows, estimates=rows[:0], entry=entry)
    drawn, _ = Choices.chosen(session, metric="cost")
    assert drawn["noisy"].tolist() == [False] * 6 + [True] * 3 and not rows["noisy"].any()
    told = SimpleNamespace(metrics=rows.assign(way=-1, core=-1), estimates=rows[:0], entry=entry)
    assert Choices.chosen(told, metric="cost")[0] is not None and not Choices.chosen(told)[0]["noisy"].any()


def test_every_caption_of_trials_that_may_be_hollow_can_say_so_of_other_states():
    hollow = [text for text in vars(captions).values() if isinstance(text, str) and "hollow" in text]
    assert len(hollow) > 3 and all(captions.NOISY in text for text in hollow if text != captions.NOISY_OR_ELSEWHERE)
