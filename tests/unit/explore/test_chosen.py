"""What a choice comes to: its curves and their looks, its limits, its thinning, and what two runs say of it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from explored import opened

from pipeline.analyse.limits import limits
from pipeline.explore import captions, data, overlay, selection, times
from pipeline.explore.state import State
from pipeline.ground.errors import LabError
from pipeline.words.comparisons import TIME

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def run():
    return opened()


# --- curves -----------------------------------------------------------------------------------------------------------


def test_a_variant_has_one_colour_in_every_choice_and_its_lines_have_dashes_of_their_own(run):
    both = replace(run.choices.default, axes={})
    found, _ = selection.curves([run], both)
    assert [(one.variant, one.number, one.dash) for one in found] == [
        (variant, number, dash) for number, variant in enumerate(("early", "late")) for dash in range(4)
    ]
    late, _ = selection.curves([run], replace(both, variants=("late",), axes={"threads": 1}))
    assert [(one.number, one.dash) for one in late] == [(0, 0), (1, 0)], "one variant alone: a colour for each curve"


def test_what_is_not_set_comes_after_what_is():
    keys = [{"threads": None, "size": 3}, {"threads": 2, "size": None}, {"threads": 2, "size": 1}]
    assert sorted(keys, key=selection._sortable) == keys[::-1]
    assert sorted([{"size": 3}, {"size": 1}, {"size": 2}], key=selection._sortable)[0] == {"size": 1}


def test_as_many_curves_as_there_may_be_leave_none_out(run, monkeypatch):
    monkeypatch.setattr(selection, "MOST_CURVES", 4)
    found, notes = selection.curves([run], run.choices.default)
    assert (len(found), notes) == (4, [])


# --- limits -----------------------------------------------------------------------------------------------------------


def test_limits_are_drawn_where_some_are_asked_for_in_their_unit(run):
    state = replace(run.choices.default, view="percentiles")
    asked = replace(state, limits="99: 1 us")
    drawn = [data.percentile_curves([run], one).tables for one in (asked, state, replace(asked, unit="cycles"))]
    assert ["wanted" in tables for tables in drawn] == [True, False, False]
    assert [len(kept) for kept in drawn[0]["nines"]["kept"]] == [1] * 4


@pytest.mark.parametrize("limit", ["0: 1 us", "100: 1 us", "99: 0 us", "-1: 1 us", "99: inf s"])
def test_a_limit_at_an_end_of_its_range_is_none(limit):
    with pytest.raises(LabError, match="between 0 and 100"):
        limits(limit)


def test_units_of_limits_are_powers_of_a_thousand():
    asked = limits("1: 1 ns, 2: 1 us, 3: 1 µs, 4: 1 ms, 5: 1 s")
    assert asked == [(1, 1), (2, 1_000), (3, 1_000), (4, 1_000_000), (5, 1_000_000_000)]


def test_the_first_unknown_key_of_a_state_is_named(run):
    with pytest.raises(LabError, match="unknown key 'colour'"):
        State.of({"colour": 1, "taste": 2}, run.choices.default)


# --- time lines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "most", "kept"), [(10, 4, [0, 4, 5, 9]), (10, 5, [0, 3, 4, 7, 8, 9]), (3, 8, [0, 1, 2])]
)
def test_a_thinned_line_keeps_the_least_and_the_greatest_of_every_stretch(rows, most, kept):
    """Of rising values these are the ends of the stretches, of 5 values, of 4, and of one."""
    line = pd.DataFrame({"value": np.arange(rows, dtype=float)})
    assert times._thinned(line, most).index.tolist() == kept


def test_what_cannot_be_shown_is_left_out_by_name(run, monkeypatch):
    state = replace(run.choices.default, view="timeline", variants=("early",))
    whole = times.timeline([run], state)
    first, last = whole.labels
    mine = whole.tables["buckets"].query("curve == @first")
    # Room for the first curve with all of its iterations joined, and for nothing more.
    rows = mine["high"].nunique() + len(whole.tables["points"])
    monkeypatch.setattr(times, "MOST_ROWS", rows + times.MOST_EVENTS)
    found = times.timeline([run], state)
    assert found.labels == [first] and found.notes[-1] == f"Not shown, for there are too many values: {last}."
    assert set(found.tables["points"]["curve"]) == set(found.tables["buckets"]["curve"]) == {first}
    assert found.tables["buckets"]["count"].sum() == mine["count"].sum()


def test_of_too_many_events_those_that_tell_most_are_drawn(run, monkeypatch):
    state = replace(run.choices.default, view="timeline")
    monkeypatch.setattr(times, "MOST_EVENTS", 4)
    assert len(times.timeline([run], state).tables["events"]) == 4 and not times.timeline([run], state).notes
    monkeypatch.setattr(times, "MOST_EVENTS", 3)
    found = times.timeline([run], state)
    assert len(found.tables["events"]) == 3 and found.notes == ["3 of 4 events are drawn, those that tell most first."]


def test_without_a_metric_the_first_trial_is_shown(run):
    state = replace(run.choices.default, metric="none", trial="")
    (curve, *_), _ = selection.curves([run], state)
    assert times.shown_trial(curve, state) == curve.trials["trial"].iloc[0] == "early-jdk17-threads=2-b01"


# --- tables and sentences ---------------------------------------------------------------------------------------------


def test_a_table_of_trials_names_the_run_where_there_are_several_and_what_is_missing(run, monkeypatch):
    rows = data.trials([run], run.choices.default)
    alone, both = (
        captions.trials_table(one, "ns", "Cost") for one in (rows, pd.concat([rows, rows.assign(run="two")]))
    )
    assert "<th>run</th>" not in alone and "<th>run</th>" in both
    assert alone.count("<tr>") == len(rows) + 1 and "The first" not in alone
    monkeypatch.setattr(captions, "MOST_ROWS", len(rows))
    assert "The first" not in captions.trials_table(rows, "ns", "Cost")
    monkeypatch.setattr(captions, "MOST_ROWS", 5)
    cut = captions.trials_table(rows, "ns", "Cost")
    assert cut.count("<tr>") == 6 and f"The first 5 of {len(rows)} trials" in cut


def row(variant="late", runtime="jdk17", threads=2, verdict="slower"):
    numbers = {"ratio": 2.0, "low": 1.9, "high": 2.1, "level": 0.95, "way": TIME}
    sides = {"runtime_before": runtime, "runtime_after": runtime, "trials_before": 3, "trials_after": 4}
    place = {"variant": variant, "label": variant, "runtime": runtime, "axes": {"threads": threads}}
    return place | numbers | sides | {"kind": "ratio", "verdict": verdict, "reason": "", "unit": "ns"}


def told(monkeypatch, rows, **state) -> list[str]:
    found = SimpleNamespace(table=pd.DataFrame(rows), margin=0.05)
    monkeypatch.setattr(overlay, "Comparison", lambda *_, **__: found)
    asked = State(**{"metric": "cost", "variants": ("early", "late"), "runtimes": ("jdk17", "jdk25")} | state)
    return overlay.Overlaid("one", "two", "toy").sentences(asked)


def test_two_runs_are_compared_in_what_is_shown_alone(monkeypatch):
    rows = [row(), row("early"), row(runtime="jdk25"), row(threads=1)]
    assert len(told(monkeypatch, rows)) == 4
    assert [one[:4] for one in told(monkeypatch, rows, variants=("late",))] == ["late"] * 3
    assert len(told(monkeypatch, rows, runtimes=("jdk17",))) == 3
    assert len(told(monkeypatch, rows, axes={"threads": 1})) == 1
    (none,) = told(monkeypatch, rows, axes={"threads": 7})
    assert "no configuration of this choice in common" in none
    (said,) = told(monkeypatch, rows[:1])
    assert said.startswith("late, threads 2, jdk17: 2x slower [1.9, 2.1] (3 + 4 trials)")


def test_what_is_not_said_in_full_is_counted_by_its_verdict(monkeypatch):
    rows = [row(threads=n) for n in range(4)] + [row(verdict="same")] * 2 + [row(verdict="undecided")]
    *_, last = told(monkeypatch, rows)
    assert last == "3 others: 2 same, 1 undecided." and len(told(monkeypatch, rows)) == 5
    assert len(told(monkeypatch, rows[:4])) == 4
