"""The explorer without a browser: what its controls choose is what is drawn, with the pipeline's own numbers."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest
from explored import ENTRY, opened, rows_of, schema, without_rows

from pipeline.analyse import bins as bins_of
from pipeline.analyse.limits import limits
from pipeline.catalogue import catalogue
from pipeline.explore import captions, charts, data, explorer, rendering, selection, times
from pipeline.explore.code import cell, drawings
from pipeline.explore.explorer import Explorer
from pipeline.explore.state import VIEWS, State, span
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.hdr import percentiles
from pipeline.hdr.merge import merge

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def run() -> selection.Opened:
    return opened()


@pytest.fixture
def explored(monkeypatch: pytest.MonkeyPatch, run: selection.Opened) -> Explorer:
    """An explorer of the made-up run, `two` being a slower one beside it."""
    runs = {"one": run, "two": opened("two", slower=2.0)}
    monkeypatch.setattr(catalogue, "load", lambda folder=None: {"toy": ENTRY})
    monkeypatch.setattr(explorer, "Opened", lambda name, _: runs[name])
    monkeypatch.setattr(explorer, "_runs", lambda *_: list(runs))
    return Explorer("one", "toy")


def spec(explored: Explorer) -> dict:
    (output,) = explored.chart.outputs
    return output["data"][charts.MIME]


# --- charts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", VIEWS[:-1])
@pytest.mark.parametrize("change", [{}, {"by": ""}, {"unit": "cycles"}, {"limits": "99: 2 us", "log_height": True}])
def test_every_view_is_valid_names_no_address_and_says_what_it_shows(run, view, change):
    drawn, _ = rendering.view([run], replace(run.choices.default, view=view, **change))
    assert [str(one.message)[:200] for one in schema().iter_errors(without_rows(drawn))] == []
    assert json.dumps(drawn).count("http") == 1 and drawn["$schema"] == charts.SCHEMA
    assert 0 < rows_of(drawn) <= times.MOST_ROWS
    assert 20 < len(drawn["description"]) <= 250


def test_the_schema_would_find_a_fault(run):
    drawn, _ = rendering.view([run], run.choices.default)
    drawn["layer"][0]["encoding"]["x"]["type"] = "numeric"
    assert list(schema().iter_errors(without_rows(drawn)))


def test_a_chart_is_json_with_neither_nan_nor_numpy(run):
    for view in VIEWS[:-1]:
        drawn, _ = rendering.view([run], replace(run.choices.default, view=view))
        json.dumps(drawn, allow_nan=False)


# --- numbers -------------------------------------------------------------------------------------------------


def test_estimates_are_those_of_the_session(run):
    found = data.estimates([run], replace(run.choices.default, by="threads"))
    drawn = found.tables["points"].set_index(["curve", "x"])["estimate"]
    for row in run.lab.estimates.query("metric == 'cost'").itertuples():
        curve = f"{ENTRY.variants[row.variant].label}, JDK {row.runtime[3:]}"
        assert drawn[curve, row.threads] == row.estimate
    assert len(drawn) == 8


def test_percentiles_are_those_of_the_merged_histograms(run):
    state = replace(run.choices.default, view="percentiles")
    found = data.percentile_curves([run], state)
    table = found.tables["nines"].set_index("curve")
    for curve in found.curves:
        merged = merge(curve.histograms(state))
        assert table.loc[curve.label, "samples"] == merged.total == 3 * 2 * 5 * 400
        assert table.loc[curve.label, "p99"] == percentiles.percentile(merged, 99)
        assert np.isnan(table.loc[curve.label, "p99.99"])


def test_a_histogram_has_all_samples_in_bins_of_one_width(run):
    found = data.histogram([run], replace(run.choices.default, height="count"))
    bins = found.tables["bins"]
    assert bins.groupby("curve")["count"].sum().eq(12_000).all()
    ratios = np.log(bins["high"] / bins["low"])
    assert ratios.max() - ratios.min() < 1e-9 and len(bins) <= 4 * 2 * bins_of.BINS
    share = data.histogram([run], run.choices.default).tables["bins"].groupby("curve")["height"].sum()
    assert share.to_numpy() == pytest.approx(1)


def test_the_whole_stretch_of_a_timeline_holds_the_samples_of_its_trial(run):
    state = replace(run.choices.default, view="timeline", variants=("early",), runtimes=("jdk17",))
    found = times.timeline([run], state)
    (curve,) = found.curves
    trial = times.shown_trial(curve, state)
    merged = run.histograms(state.series, state.phase)[trial]
    summed = found.tables["buckets"].groupby("high")["count"].sum()
    assert summed.index.tolist() == (merged.low + merged.width - 1).tolist()
    assert summed.tolist() == merged.count.tolist()
    assert found.tables["points"]["warm"].tolist() == [True, *[False] * 5]


def test_joined_iterations_keep_every_sample(run, monkeypatch):
    state = replace(run.choices.default, view="timeline")
    every = times.timeline([run], state).tables["buckets"]
    monkeypatch.setattr(times, "MOST_ROWS", len(every) // 2 + times.MOST_EVENTS)
    found = times.timeline([run], state)
    assert len(found.tables["buckets"]) < len(every) and "joined" in found.notes[0]
    assert found.tables["buckets"]["count"].sum() == every["count"].sum()


def test_cycles_are_nanoseconds_by_the_trials_own_cycle(run):
    state = replace(run.choices.default, view="percentiles")
    ns, cycles = (
        data.percentile_curves([run], replace(state, unit=unit)).tables["nines"]["p50"] for unit in ("ns", "cycles")
    )
    assert (cycles / ns).to_numpy() == pytest.approx(2.0)


# --- choices and limits --------------------------------------------------------------------------------------------


def test_what_is_left_out_is_said(run, monkeypatch):
    monkeypatch.setattr(selection, "MOST_CURVES", 3)
    found = data.percentile_curves([run], run.choices.default)
    assert len(found.curves) == 3 and found.notes == ["The first 3 of 4 curves are shown: choose at most 3."]


def test_noisy_trials_are_left_out_where_that_is_asked(run):
    state = replace(run.choices.default, settled=True)
    trials = data.estimates([run], state).tables["trials"]
    assert not trials["doubt"].any() and len(trials) == 4 * (3 + 2)
    trials = data.estimates([run], run.choices.default).tables["trials"]
    assert (trials["doubt"] == "noisy").sum() == 4


def test_nothing_chosen_is_a_sentence(run):
    for view in VIEWS:
        drawn, below = rendering.view([run], replace(run.choices.default, view=view, variants=()))
        assert drawn is None and "Nothing was measured of this choice" in below


def test_limits_are_read_and_judged(run):
    assert limits("99.9: 2 us, 50:500 ns") == [(99.9, 2000.0), (50.0, 500.0)]
    for wrong in ("99.9", "99.9: 2", "99.9: 2 parsecs", "100: 1 us", "x: 1 us", "99: -1 us"):
        with pytest.raises(LabError, match="limit"):
            limits(wrong)
    state = replace(run.choices.default, view="percentiles", limits="99: 100 ns, 50: 1 s")
    kept = data.percentile_curves([run], state).tables["nines"]["kept"]
    assert list(kept) == [[False, True]] * 4
    assert "✗ missed" in rendering.view([run], state)[1]


def test_a_state_that_the_experiment_does_not_have_is_refused(run):
    for told, word in (
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"variants": ["never"]}, "no variant 'never'"),
        ({"axes": {"threads": 9}}, "threads was not measured at 9"),
        ({"axes": {"size": 9}}, "no axis 'size'"),
        ({"metric": "joy"}, "no metric 'joy'"),
        ({"variants": "late"}, "variants cannot be 'late'"),
        ({"axes": 2}, "axes cannot be 2"),
    ):
        with pytest.raises(LabError, match=word):
            run.choices.checked(State.of(told, run.choices.default))


def test_a_state_comes_back_from_its_own_words(run):
    state = replace(run.choices.default, view="percentiles", variants=("late",), limits="99: 1 us")
    assert State.of(json.loads(json.dumps(state.told())), run.choices.default) == state
    for bare in (replace(state, by="", variants=(), axes={}), replace(state, x="10, 99")):
        assert State.of(json.loads(json.dumps(bare.told())), replace(state, by="threads")) == bare


# --- the range of x ---------------------------------------------------------------------------------------------------


def domains(drawn) -> list:
    """Of the x scales of a chart, wherever it has them."""
    if isinstance(drawn, list):
        return [one for part in drawn for one in domains(part)]
    if not isinstance(drawn, dict):
        return []
    own = [drawn["x"]["scale"].get("domain")] if isinstance(drawn.get("x"), dict) and "scale" in drawn["x"] else []
    return own + [one for part in drawn.values() for one in domains(part)]


@pytest.mark.parametrize(
    ("view", "given", "seen"),
    [
        ("estimates", [1, 1.5], [1.0, 1.5]),
        ("histogram", [10, 1e5], [10.0, 1e5]),
        ("percentiles", "90, 99", [1.0, 2.0]),
        ("timeline", "0, 2.5", [0.0, 2.5]),
    ],
)
def test_a_range_is_where_the_x_axis_begins_and_ends(run, view, given, seen):
    state = State.of({"view": view, "x": given, "by": "threads"}, run.choices.default)
    drawn, _ = rendering.view([run], state)
    assert [round(one, 9) for one in domains(drawn)[0]] == seen
    assert [str(one.message)[:200] for one in schema().iter_errors(without_rows(drawn))] == []
    assert ("threads=[1]" in cell(run, state)) == (view == "estimates")
    assert ("# the whole range" in cell(run, state)) == (view != "estimates")


def test_a_range_that_is_none_is_told(run):
    default = run.choices.default
    for view, x, word in (
        ("histogram", "10", "is not FROM, TO"),
        ("histogram", "a, b", "is not FROM, TO"),
        ("histogram", "9, 2", "its beginning lies below its end"),
        ("histogram", "1, inf", "its beginning lies below its end"),
        ("histogram", "0, 10", "the axis is logarithmic"),
        ("percentiles", "50, 100", "percentiles lie between 0 and 100"),
    ):
        with pytest.raises(LabError, match=word):
            rendering.view([run], replace(default, view=view, x=x))
    assert span(default) is None
    with pytest.raises(LabError, match="no value of threads lies in it"):
        cell(run, replace(default, by="threads", x="3, 4"))


def test_a_range_ends_with_what_it_was_of(explored):
    explored.tabs.value = "histogram"
    explored.controls["x"].value = "10, 20000"
    assert explored.state.x == "10, 20000" and domains(spec(explored))[0] == [10.0, 20000.0]
    explored.controls["unit"].value = "cycles"
    assert explored.state.x == explored.controls["x"].value == ""
    explored.controls["x"].value = "1, 2"
    explored.tabs.value = "percentiles"
    assert explored.state.x == "" and spec(explored)
    explored.controls["x"].value = "2, 1"
    assert "its beginning lies below its end" in explored.below.value


# --- keep -------------------------------------------------------------------------------------------------------------


def test_keep_says_where_or_why_not_and_leaves_the_chart(explored, monkeypatch):
    before, below = spec(explored), explored.below.value
    asked = []
    folder = paths.ROOT / "build" / "one" / "kit" / "explored"
    monkeypatch.setattr(explorer, "keep", lambda *what: asked.append(what) or [folder])
    explored.keep.click()
    assert asked == [(explored.opened[0], explored.state)] and explored.below.value.endswith(below)
    assert "<code>build/one/kit/explored/index.html</code>" in explored.below.value
    assert explored.below.value.startswith('<div role="status"')

    def full(*_):
        raise PermissionError(13, "Permission denied", "build/<one>")

    monkeypatch.setattr(explorer, "keep", full)
    explored.keep.click()
    assert "nothing was kept: build/&lt;one&gt;: Permission denied" in explored.below.value
    assert explored.below.value.count("<div") == 1 and spec(explored) == before and not explored.keep.disabled


def test_a_table_has_no_figure_to_keep(explored):
    explored.tabs.value = "trials"
    explored.keep.click()
    told = captions.box("trials are a table: there is no figure to keep; choose another view")
    assert explored.below.value.startswith(told)


def test_figures_of_two_choices_have_two_names(run):
    default = run.choices.default
    states = [default, replace(default, variants=("late",)), replace(default, by="")]
    names = [one.name for state in states for one in drawings(run, state)]
    assert len(set(names)) == len(names) >= 3 and all(one.startswith("explored_toy_cost_") for one in names)


# --- controls -------------------------------------------------------------------------------------------------


def test_controls_change_what_is_drawn(explored):
    assert explored.state.axes == {"threads": 2} and explored.state.variants == ("early", "late")
    explored.tabs.value = "percentiles"
    before = spec(explored)
    explored.controls["variants"].value = ("late",)
    after = spec(explored)
    assert "Early" in before["description"] and "Early" not in after["description"]
    explored.controls["threads"].value = 1
    assert spec(explored) != after
    explored.controls["limits"].value = "nonsense"
    assert explored.chart.outputs == () and "limit &#x27;nonsense&#x27;" in explored.below.value
    explored.controls["limits"].value = ""
    assert spec(explored)


def test_only_the_controls_of_a_view_are_seen(explored):
    seen = {name: one.layout.display != "none" for name, one in explored.controls._of.items()}
    assert seen["metric"] and seen["by"] and not seen["limits"] and not seen["height"]
    explored.tabs.value = "percentiles"
    assert explored.controls["limits"].layout.display != "none"


def test_labels_are_words_not_markup(explored):
    explored.tabs.value = "percentiles"
    assert "Early &amp; &lt;bold&gt;" in explored.below.value and "<bold>" not in explored.below.value


def test_two_runs_are_told_apart_and_the_statistics_speak(explored, monkeypatch):
    monkeypatch.setattr(explorer.Overlaid, "sentences", lambda self, state, by="": ["Late: slower.", "Early: same."])
    explored.against.value = "two"
    explored.tabs.value = "percentiles"
    drawn = spec(explored)
    assert drawn["title"]["text"] == ["Cost per operation: Late: slower."] and "Early: same." in explored.below.value
    assert "one: Late, JDK 17" in drawn["description"]
    explored.against.value = ""
    assert "title" not in spec(explored)


def test_a_run_that_is_missing_is_told_in_a_box(explored, monkeypatch):
    def gone(*_):
        raise LabError("run 'three' does not exist; measure it with: make report RUN=three")

    monkeypatch.setattr(explorer, "Opened", gone)
    explored.run.value = "two"
    assert explored.chart.outputs == () and 'role="alert"' in explored.below.value and "three" in explored.below.value


def test_outside_of_a_notebook_it_says_so(explored):
    with pytest.raises(LabError, match="make lab"):
        explored._ipython_display_()


@pytest.mark.parametrize("view", VIEWS)
def test_the_code_of_a_state_is_python_that_names_its_choice(run, view):
    text = cell(run, replace(run.choices.default, view=view, variants=("late",)))
    compile(text, "cell", "exec")
    assert "'late'" in text and "threads=2" in text or view == "estimates"


def test_another_run_keeps_what_is_looked_at(explored):
    explored.tabs.value = "percentiles"
    explored.controls["variants"].value, explored.controls["threads"].value = ("late",), 1
    explored.run.value = "two"
    assert (explored.state.view, explored.state.variants, explored.state.axes) == (
        "percentiles",
        ("late",),
        {"threads": 1},
    )
    assert explored.controls["variants"].value == ("late",) and "Late, JDK 17" in spec(explored)["description"]


def test_only_the_trials_of_the_choice_are_offered(explored):
    explored.controls["threads"].value = 1
    offered = [name for _, name in explored.controls["trial"].options]
    assert offered[0] == "" and len(offered) == 1 + 12 and all("threads=1" in name for name in offered[1:])


def test_several_changes_are_drawn_once_and_the_last_wins(explored, monkeypatch):
    drawn = []
    monkeypatch.setattr(explorer.rendering, "view", lambda opened, state, *_: drawn.append(state) or (None, ""))

    async def choose() -> None:
        for threads in (1, 2, 1):
            explored.controls["threads"].value = threads
        explored.tabs.value = "trials"
        while not drawn:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0)

    asyncio.run(choose())
    assert [(one.view, one.axes) for one in drawn] == [("trials", {"threads": 1})]


def test_what_keep_says_is_not_wiped_away_by_what_was_chosen_just_before(explored, monkeypatch):
    monkeypatch.setattr(explorer, "keep", lambda opened, state: [paths.ROOT / state.variants[0]])

    async def choose() -> None:
        explored.controls["variants"].value = ("late",)
        explored.keep.click()
        await asyncio.sleep(2 * explorer.DEBOUNCE_S)

    asyncio.run(choose())
    assert "<code>late/index.html</code>" in explored.below.value and "Early" not in spec(explored)["description"]


def test_a_run_that_cannot_be_read_leaves_the_controls_at_work(explored, monkeypatch):
    def gone(*_):
        raise LabError("run 'two': run.json is damaged")

    monkeypatch.setattr(explorer, "Opened", gone)
    explored.run.value = "two"
    explored.controls["threads"].value = 1
    assert "run.json is damaged" in explored.below.value
    explored.run.value = "one"
    assert spec(explored)
