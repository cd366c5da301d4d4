"""Where the explorer puts things along an axis, by hand: percentiles in nines, iterations in ms since the first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from explored import opened

from pipeline.explore import data, times

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def run():
    return opened()


def test_percentiles_and_the_limits_asked_for_lie_on_one_axis(run):
    state = replace(run.choices.default, view="percentiles", limits="50: 1 us, 90: 2 us, 99: 3 us, 99.9: 4 us")
    tables = data.percentile_curves([run], state).tables
    wanted = tables["wanted"]
    assert wanted["nines"].tolist() == pytest.approx([0.30103, 1, 2, 3], abs=1e-5)
    assert wanted["value"].tolist() == [1000, 2000, 3000, 4000]
    drawn = tables["curves"].drop_duplicates("percentile").set_index("percentile")["nines"]
    assert [drawn.loc[percent] for percent in (90.0, 99.0)] == pytest.approx([1, 2])


def test_a_time_line_begins_with_the_first_iteration_of_its_trial(run):
    """The iterations begin at 1, 2, ... 6 ms, and the runtime compiles at 1.5 ms of the same clock."""
    state = replace(run.choices.default, view="timeline", variants=("early",), runtimes=("jdk17",))
    tables = times.timeline([run], state).tables
    assert tables["points"]["time"].tolist() == [0, 1, 2, 3, 4, 5]
    assert sorted(tables["buckets"]["time"].unique()) == [1, 2, 3, 4, 5], "the first one warms up"
    assert tables["events"]["time"].tolist() == [0.5]


def test_the_cost_of_an_iteration_is_its_time_by_its_operations(run):
    """One thread does 400 operations in 40 us; two do 800 in 80 us."""
    for threads in (1, 2):
        state = replace(run.choices.default, view="timeline", variants=("early",), axes={"threads": threads})
        points = times.timeline([run], state).tables["points"]
        assert points["value"].tolist() == pytest.approx([100.0] * 12), "six iterations on two runtimes"
