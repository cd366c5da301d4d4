"""What-ifs of a made-up lock without a browser: the model's own numbers are drawn, and what is prediction is said."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest
from explored import opened as without_locks
from explored import schema, without_rows
from made_up_lock import HANDOVER, SECTION
from made_up_lock import session as measured

from pipeline.explore import charts, what_if, what_if_panel
from pipeline.explore.what_if import Asked
from pipeline.explore.what_if_panel import OTHER, WhatIf
from pipeline.ground.errors import LabError
from pipeline.models.contention import BASE, curve, what_ifs
from pipeline.session import contention

pytestmark = pytest.mark.thorough  # draws every chart of the panel

CHANGES = ("section halved", "2 locks", "work outside doubled")


def session(**how):
    """The made-up lock with labels of its own variants, which its entry's profiles do not know."""
    lab = measured(**how)
    lab.labels = lambda names=None: {name: lab.entry.variants[name].label for name in names or lab.entry.variants}
    return lab


def asked(**how) -> Asked:
    return Asked(**{"variant": "kept_outside", "runtime": "jdk25", "outside": 1000.0, "threads": 16} | how)


@pytest.fixture
def panel(monkeypatch: pytest.MonkeyPatch) -> WhatIf:
    lab = session()
    monkeypatch.setattr(what_if, "opened", lambda run: lab)
    return WhatIf("r")


def spec(panel: WhatIf) -> dict:
    (output,) = panel.chart.outputs
    return output["data"][charts.MIME]


def tables(lab, of: Asked) -> dict:
    found = contention.measured(lab, of.variant, of.runtime, of.outside)
    return what_if.tables(what_if._curves(found, of, what_if._counts(of.threads, found.throughput)), found)


# --- numbers ----------------------------------------------------------------------------------------------------------


def test_what_is_drawn_is_the_models_curve_of_the_runs_own_times():
    lab, of = session(), asked(changes=CHANGES)
    shown, times = tables(lab, of), contention.measured(lab, of.variant, of.runtime, of.outside).times
    every = what_ifs(range(1, 17), times["outside"], times["section"], times["hand-over"], 2)
    for name, one in every.items():
        rows = shown["lines"][shown["lines"]["curve"] == name]
        assert rows["threads"].tolist() == one.threads.tolist()
        for column, part in (("throughput", "estimate"), ("low", "low"), ("high", "high")):
            assert rows[column].tolist() == [getattr(rate, part) for rate in one.throughput]
        bounds = shown["bounds"].query("curve == @name").set_index("threads")["bound"]
        assert bounds.loc[one.threads].tolist() == one.bound.tolist() and bounds[one.knee.estimate] == pytest.approx(
            one.limit.estimate
        )
        assert bounds.index.is_monotonic_increasing and (bounds.iloc[1:].diff().dropna() >= -1e-6).all()
    knees = shown["knees"].set_index("curve")
    assert knees.loc[BASE, "threads"] == pytest.approx((1100 + SECTION) / (SECTION + HANDOVER))
    assert knees.loc["2 locks", "threads"] == pytest.approx(2 * knees.loc[BASE, "threads"])
    assert shown["points"]["threads"].tolist() == [2, 4] and shown["beyond"]["threads"].tolist() == [4]


def test_only_the_changes_that_are_chosen_are_drawn():
    lab = session()
    assert tables(lab, asked())["lines"]["curve"].unique().tolist() == [BASE]
    some = tables(lab, asked(changes=("5 locks",), locks=5))["lines"]["curve"].unique()
    assert some.tolist() == [BASE, "5 locks"] and what_if.changes(5)[1] == "5 locks"


@pytest.mark.parametrize("most", [2, 16, 64, 100, 4096])
def test_many_threads_are_thinned_and_those_that_were_measured_stay(most):
    came = {2: None, 70: None, 333: None}
    counts = what_if._counts(most, came)
    assert counts == sorted(set(counts)) and counts[0] == 1 and counts[-1] == most
    assert {count for count in came if count <= most} <= set(counts) and len(counts) <= 2 * what_if.EACH + len(came)
    assert curve(counts, 100.0, 10.0).threads.tolist() == counts


# --- charts and words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "of", [asked(), asked(changes=CHANGES), asked(threads=2), asked(threads=4096), asked(outside=77.0, changes=CHANGES)]
)
def test_every_chart_is_valid_and_json_with_neither_nan_nor_numpy(of):
    drawn, _ = what_if.view(session(), of)
    assert [str(one.message)[:200] for one in schema().iter_errors(without_rows(drawn))] == []
    assert json.dumps(drawn, allow_nan=False).count("http") == 1 and 20 < len(drawn["description"]) <= 250


def said(of: Asked, lab=None) -> tuple[str, str]:
    """The chart as JSON, and the words below it."""
    drawn, below = what_if.view(lab or session(), of)
    return json.dumps(drawn, ensure_ascii=False), re.sub("<[^>]*>", " ", below)


def test_what_lies_beyond_the_measured_counts_is_called_a_prediction_and_from_what():
    drawn, below = said(asked(threads=16))
    assert what_if.PREDICTION in drawn and "Beyond 4 threads nothing was measured: there it is a prediction" in below
    assert "section 20 [" in below and "(2 threads, 1 µs outside asked" in below
    assert "Measured throughput is 1x what is predicted." in below
    drawn, below = said(asked(threads=4))
    assert what_if.PREDICTION not in drawn and "No thread count here lies beyond what was measured" in below
    drawn, below = said(asked(outside=77.0))
    assert what_if.PREDICTION in drawn and "All of it is a prediction from these times" in below
    assert "Measured throughput" not in below and "given; with so much nothing was measured" in below


def test_the_table_has_a_row_for_each_curve_and_its_numbers_are_those_of_the_last_count():
    _, below = said(asked(changes=CHANGES, threads=8))
    assert "with 8 threads" in below and all(name in below for name in (BASE, *CHANGES))
    assert below.count("M ops/s") == 2 * 4


# --- the panel --------------------------------------------------------------------------------------------------------


def test_the_panel_begins_with_a_lock_where_threads_meet_and_with_all_changes(panel):
    assert panel.asked == asked(changes=CHANGES, threads=64)
    assert [label for label, _ in panel.variant.options] == ["kept outside", "other outside"]
    assert [label for label, _ in panel.outside.options] == ["300 ns", "1 µs", "10 µs", OTHER]
    assert spec(panel) == what_if.view(panel.lab, panel.asked)[0] and panel.other.layout.display == "none"


def test_controls_change_what_is_drawn(panel):
    before = spec(panel)
    panel.outside.value = 300.0
    assert panel.asked.outside == 300 and spec(panel) != before
    panel.outside.value = OTHER
    panel.other.value = 55.0
    assert panel.asked.outside == 55 and panel.other.layout.display is None and "All of it" in panel.below.value
    panel.changes.value = ("2 locks",)
    panel.locks.value = 8
    assert panel.asked.changes == ("8 locks",) and "8 locks" in spec(panel)["description"]
    panel.threads.value = 9
    assert "with 9 threads" in panel.below.value


def test_another_lock_has_its_own_runtimes_and_keeps_the_work_outside(panel):
    panel.outside.value, panel.runtime.value = 300.0, "jdk17"
    panel.variant.value = "other_outside"
    assert panel.asked == asked(variant="other_outside", runtime="c", outside=300.0, threads=64, changes=CHANGES)
    assert [label for label, _ in panel.runtime.options] == ["C"] and "other outside" in spec(panel)["description"]


def test_a_time_that_the_run_lacks_is_told_in_a_box_and_the_controls_stay(panel):
    panel.lab.estimates = panel.lab.estimates.query("metric != 'service_free' or variant != 'other_outside'")
    panel.variant.value = "other_outside"
    assert panel.chart.outputs == () and "has no service_free of other_outside" in panel.below.value
    panel.variant.value = "kept_outside"
    assert spec(panel)


def test_without_such_a_lock_there_is_a_sentence_and_without_a_run_a_box(monkeypatch):
    monkeypatch.setattr(what_if, "opened", lambda run: None)
    assert "lab fit contention" in WhatIf("r").widget.value
    told = WhatIf.__new__(WhatIf)

    def gone(run):
        raise LabError("run 'r' does not exist")

    monkeypatch.setattr(what_if, "opened", gone)
    told = WhatIf("r")
    assert 'role="alert"' in told.widget.value and "does not exist" in told.widget.value


def test_it_opens_the_first_experiment_that_has_such_locks(monkeypatch):
    labs = {"plain": without_locks().lab, "bare": session(threads=()), "here": session(), "later": session()}
    held = ["plain", "bare", "here", "later"]
    monkeypatch.setattr(what_if.Bundle, "open", lambda run: SimpleNamespace(name=run, journal=lambda: held))
    monkeypatch.setattr(what_if.entries, "of", lambda bundle: {name: lab.entry for name, lab in labs.items()})
    monkeypatch.setattr(what_if.journal, "experiments", set)
    monkeypatch.setattr(what_if, "Session", lambda name, run, measuring: labs[name])
    assert what_if.opened("r") is labs["here"]
    held.remove("here")
    assert what_if.opened("r") is labs["later"]
    held.remove("later")
    assert what_if.opened("r") is None


def test_threads_reach_further_than_the_cpus(monkeypatch):
    lab = session()
    lab.bundle.info["host"]["cpu"]["cpus"] = 100
    monkeypatch.setattr(what_if, "opened", lambda run: lab)
    assert WhatIf("r").threads.value == 200 <= what_if_panel.MOST_THREADS
