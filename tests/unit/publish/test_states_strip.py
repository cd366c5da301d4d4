"""The strip of states on the first page: what it says, and where it is left out."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.publish import states_strip

BEGAN = datetime(2026, 11, 27, tzinfo=UTC)


def lines(kinds, seconds: float = 0.5) -> list[dict]:
    """A trial for each (way, width), one after the other."""
    chance, found = np.random.default_rng(1), []
    for at, (way, width) in enumerate(kinds):
        read = {"word_ns": way, "width": width} if way else {"width": width}
        scattered = {name: sorted(level * np.exp(chance.normal(0, 0.02, 3))) for name, level in read.items()}
        started = (BEGAN + timedelta(seconds=seconds * at)).isoformat()
        found.append(
            {"trial": str(at), "experiment": "x", "started": started, "wall_s": seconds, "readings": scattered}
        )
    return found


def test_a_run_in_one_state_has_no_strip():
    assert states_strip.strip(lines([(110, 2)] * 40)) == "" and states_strip.strip([]) == ""
    assert states_strip.strip([{"trial": "1", "wall_s": 1.0}] * 40) == ""


def test_the_sentence_tells_shares_of_the_time_and_ways():
    drawn = states_strip.strip(lines([(110, 2)] * 60 + [(250, 2)] * 20 + [(None, 2)] * 10 + [(None, 3.9)] * 10))
    said = re.sub("<[^>]+>", "", re.search("<figcaption>(.*)</figcaption>", drawn)[1])
    assert "near each other for 75 % of the time (110 ns" in said and "far apart for 25 % of the time" in said
    assert "Somebody else worked on a core of ours for 10 % of the time" in said
    assert drawn.count("<rect") == 4


def test_groups_that_lie_farther_still_have_words():
    kinds = [((110, 2), 40), ((250, 2), 30), ((600, 2), 20), ((1500, 2), 20)]
    drawn = states_strip.strip(lines([one for one, many in kinds for _ in range(many)]))
    said = re.sub("<[^>]+>", "", re.search("<figcaption>(.*)</figcaption>", drawn)[1])
    for words in ("far apart for 27 %", "farther apart for 18 %", "farther apart (3) for 18 %"):
        assert words in said, said


def test_what_was_seldom_is_not_told_of_the_kind_of_which_the_rest_is_alike():
    drawn = states_strip.strip(lines([(110, 2)] * 399 + [(18, 2)] + [(110, 3.9)] * 100))
    assert "near each other" not in drawn and "a core of ours for" in drawn and "20 % of the time" in drawn
    assert states_strip.strip(lines([(110, 2)] * 399 + [(18, 2)])) == ""


@given(
    st.lists(st.sampled_from([(110, 2.0), (250, 2.0), (24, 3.9), (None, 2.0), (None, 3.9)]), min_size=1, max_size=80)
)
def test_rectangles_lie_in_the_picture_and_do_not_overlap(kinds):
    drawn = states_strip.strip(lines(kinds))
    rows: dict[float, float] = {}
    for x, y, width in re.findall(r'<rect class="state\d" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"', drawn):
        assert float(x) >= rows.get(float(y), 0) - 1e-9 and float(width) > 0
        rows[float(y)] = float(x) + float(width)
        assert rows[float(y)] <= states_strip.WIDTH + 1e-9
