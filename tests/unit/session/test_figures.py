"""A notebook names a figure's words and its rows: what is drawn, what is said where nothing was measured."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from pipeline.analyse.estimates import ENOUGH
from pipeline.analyse.timeline import Course
from pipeline.ground.errors import LabError
from pipeline.host.topology import Place, Topology
from pipeline.plan.placement import SHARED
from pipeline.session import captions, figures
from pipeline.session.figures import TitledFigure
from pipeline.session.ratios import selected
from pipeline.session.session import Session

ENTRY = SimpleNamespace(
    metrics={name: SimpleNamespace(label=name.capitalize()) for name in ("cost", "p50", "p99")},
    axes={"threads": "int", "pairs": "int", "outside_law": "str", "placement": "str"},
    parameters={},
    imported=False,
)
LAB = SimpleNamespace(
    labels=lambda: {"a": "Way A"},
    cpus=2,
    steps=[],
    seed=1,
    entry=ENTRY,
    derived={"half"},
    left_out=["Left out: b.", SHARED],
    nothing="Nothing of this was measured in this run.",
)
OTHER = pd.DataFrame({"metric": ["rate"], "value": [1.0]})
EMPTY = pd.DataFrame()
SAID = "Title: nothing of this was measured in this run. Left out: b."


@pytest.mark.parametrize(
    "drawn",
    [
        lambda one: one.scaling("n", "cost", "ns", (EMPTY, EMPTY)),
        lambda one: one.levels("n", "cost", "ns", (EMPTY, EMPTY)),
        lambda one: one.response("n", ["p50", "p99"], "ns", (pd.DataFrame({"metric": ["p50"]}), EMPTY)),
        lambda one: one.agreement("n", "ns", EMPTY),
        lambda one: one.stacked("n", "ns", EMPTY, parts={}),
        lambda one: one.histograms("n", "ns", (EMPTY, EMPTY)),
        lambda one: one.levels("n", ["cost", "half"], "ns", (OTHER, EMPTY)),
        lambda one: one.scaling("n", "half", "ns", (OTHER, EMPTY)),
        lambda one: one.line("n", "ns", EMPTY, x="size", x_label="bytes", unit="ns"),
        lambda one: one.timeline("n", "ns", Course(EMPTY, EMPTY, EMPTY, EMPTY, "", "cost"), unit="ns"),
        lambda one: one.matrix("n", "ns", EMPTY, row="a", column="b", row_label="A", column_label="B"),
        lambda one: one.ratios("n", "times", (EMPTY, EMPTY)),
        lambda one: one.percentiles("n", "*", "ns", EMPTY),
    ],
)
def test_where_nothing_was_measured_a_sentence_says_so(drawn):
    assert drawn(TitledFigure(LAB, "Title", "Caption")) == SAID


def test_values_without_a_place_on_the_axis_are_nothing_to_draw_either():
    rows = pd.DataFrame({"metric": ["cost"], "value": [1.0], "estimate": [1.0], "threads": [np.nan]})
    assert TitledFigure(LAB, "Title", "Caption").scaling("n", "cost", "ns", (rows, rows)) == SAID


def test_trials_without_a_histogram_are_nothing_to_draw_either():
    columns = ["trial", "series", "phase", "low_ns", "width_ns", "count"]
    lab = SimpleNamespace(**vars(LAB), measured_buckets=lambda series, phase: pd.DataFrame(columns=columns))
    trials = pd.DataFrame({"trial": ["t"], "runtime": ["c"], "variant": ["a"]})
    assert TitledFigure(lab, "Title", "Caption").percentiles("n", "*", "ns", trials) == SAID


@pytest.mark.parametrize("kind", [TitledFigure.levels, TitledFigure.scaling, TitledFigure.response])
def test_a_metric_that_there_is_none_of_is_an_error(kind):
    rows = OTHER.assign(estimate=1.0, threads=1, load=10)
    with pytest.raises(LabError, match="no value of the metric 'csot'"):
        kind(TitledFigure(LAB, "Title", "Caption"), "n", "csot", "ns", (rows, rows))


def test_a_response_by_another_metric_says_that_ones_label_and_unit(monkeypatch):
    drawn = SimpleNamespace(
        metrics={"cost": SimpleNamespace(label="Cost", unit="ns")}
        | ENTRY.metrics
        | {"rate": SimpleNamespace(label="Rate", unit="ops/s")}
    )
    monkeypatch.setattr(figures, "response_curve", lambda metrics, estimates, **how: how)
    monkeypatch.setattr(TitledFigure, "show", lambda self, how, *_: (how.get("x_label"), how.get("x_unit")))
    rows = pd.DataFrame({"metric": ["p50", "rate"]}), EMPTY
    one = TitledFigure(SimpleNamespace(**vars(LAB) | {"entry": drawn}), "T", "C")
    assert one.response("n", "p50", "ns", rows, x="rate") == ("Rate", "ops/s")
    assert one.response("n", "p50", "ns", rows, x="rate", x_label="Throughput") == ("Throughput", "ops/s")
    assert one.response("n", "p50", "ns", rows) == (None, None)


def test_a_response_leaves_its_callers_words_alone(monkeypatch):
    monkeypatch.setattr(figures, "response_curve", lambda metrics, estimates, **how: how["names"])
    monkeypatch.setattr(TitledFigure, "show", lambda self, figure, numbers, marks: figure)
    how = {"names": {"work": {0: "none"}}}
    rows = (OTHER.assign(metric="p50"), EMPTY)
    assert TitledFigure(LAB, "T", "C").response("n", "p50", "ns", rows, **how) == {
        "variant": LAB.labels(),
        **how["names"],
    }
    assert how == {"names": {"work": {0: "none"}}}


@pytest.fixture
def scaled(monkeypatch):
    """What the kind is given for a curve of trials that have these columns, and the sentences of its caption."""
    taken = {}
    monkeypatch.setattr(figures, "scaling_curve", lambda metrics, estimates, **how: taken.update(how))
    monkeypatch.setattr(TitledFigure, "show", lambda self, figure, numbers, marks: marks)

    def draw(lab=LAB, axis="threads", columns=None, **how):
        rows = pd.DataFrame({"metric": "cost", "value": 1.0, axis: [1, 4]} | (columns or {})), pd.DataFrame()
        marks = TitledFigure(lab, "Title", "Caption").scaling("n", "cost", "ns", rows, axis=axis, **how)
        return taken, marks

    return draw


@pytest.mark.parametrize(("axis", "cpus"), [("threads", 2), ("pairs", None)])
def test_more_threads_than_cpus_are_shaded_by_threads_only(scaled, axis, cpus):
    taken, marks = scaled(axis=axis)
    assert (taken["cpus"], taken["variants"], taken["axis"]) == (cpus, {"a": "Way A"}, axis)
    assert taken["axis_label"] == axis.capitalize()
    assert ("Shaded: more threads than CPUs." in marks) == (cpus is not None)


def test_the_lines_of_a_curve_are_told_apart_by_every_other_axis_of_the_experiment(scaled):
    taken, _ = scaled(others={"outside_law": "{} work"})
    assert taken["others"] == {"pairs": "pairs {}", "outside_law": "{} work", "placement": "placement {}"}


STEPS = [(3, "next cache"), (5, "hardware threads")]
BEGINS = "Thin lines: the next cache is used from 3 threads on."


@pytest.mark.parametrize(
    ("about", "columns", "axis", "shown"),
    [
        ({}, {}, "threads", True),
        ({}, {}, "pairs", False),
        ({}, {"placement": [None, "spread"]}, "threads", True),
        ({}, {"placement": ["spread", "free"]}, "threads", False),
        ({"parameters": {"placement": "free"}}, {"placement": [None, None]}, "threads", False),
        ({"parameters": {"placement": "free"}}, {}, "threads", False),
        ({"imported": True}, {}, "threads", False),
    ],
)
def test_steps_are_shown_where_threads_take_the_cpus_in_the_order_of_the_host(scaled, about, columns, axis, shown):
    entry = SimpleNamespace(**vars(ENTRY) | about)
    lab = SimpleNamespace(**vars(LAB) | {"steps": STEPS, "entry": entry})
    taken, marks = scaled(lab, axis, columns)
    assert taken["steps"] == (STEPS if shown else []) and (BEGINS in marks) == shown
    assert BEGINS not in scaled(lab, axis, columns, steps=())[1]


def test_a_matrix_of_cpus_is_parted_by_where_they_lie(monkeypatch):
    taken = {}
    monkeypatch.setattr(figures, "matrix", lambda estimates, **how: taken.update(how))
    monkeypatch.setattr(TitledFigure, "show", lambda self, figure, numbers, marks: marks)
    rows = pd.DataFrame({"unit": ["ns"]})
    TitledFigure(LAB, "T", "C").matrix("n", "ns", rows, row="a")
    assert "groups" not in taken
    places = Topology((Place(0, cache=0, package=0), Place(1, cache=1, package=0)), {})
    TitledFigure(LAB, "T", "C").matrix("n", "ns", rows, row="a", places=places)
    assert taken["groups"] == {
        "next package": {0: 0, 1: 0},
        "next node": {0: None, 1: None},
        "next cache": {0: 0, 1: 1},
    }


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, ["Lines join medians.", "Shaded: more readers than CPUs."]),
        ({"fits": EMPTY}, ["Shaded: more readers than CPUs."]),
        ({"cpus": 4}, ["Lines join medians."]),
        ({"cpus": None, "fits": EMPTY}, []),
        (
            {"cpus": 4, "steps": [(2, "next cache"), (4, "slower cores"), (5, "next package")]},
            ["Lines join medians.", "Thin lines: the next cache is used from 2 readers on, slower cores from 4."],
        ),
    ],
)
def test_a_caption_says_of_the_marks_of_a_curve_what_is_drawn(how, said):
    points = pd.DataFrame({"threads": [1, 4]})
    told = captions.curves(points, "threads", **{"cpus": 2, "axis_label": "Readers", "steps": [], "variants": {}} | how)
    assert told == " ".join([captions.TRIALS, *said])


def test_a_caption_of_lines_names_whose_trials_tell_none():
    points = pd.DataFrame({"variant": ["a", "a", "a", "b"], "runtime": ["jdk17", "jdk17", "c", "c"]})
    names = {"a": "Way A", "b": "Way B"}
    assert captions.lines(points, points, "bytes", names) == captions.LINE.format(x="size")
    told = captions.lines(points, points[:1], "ns", names)
    assert told.endswith("Without a line, for its trials do not tell one: Way A, C; Way B, C.")


def test_a_caption_of_ratios_says_where_noisy_blocks_are_left_out():
    assert f"where {ENOUGH} others are left" in captions.PAIRED


def test_a_ratio_to_nothing_is_named_and_the_others_are_drawn(monkeypatch):
    monkeypatch.setattr(TitledFigure, "show", lambda self, figure, numbers, marks: (figure, marks))
    one = {"low": 1.1, "high": 3.0, "level": 0.95, "trials": 6, "p": 0.01}
    ratios = pd.DataFrame(
        [one | {"label": name, "estimate": value} for name, value in zip("abc", (2, 0, np.inf), strict=True)]
    )
    points = pd.DataFrame([{"label": name, "block": 1, "value": 2.0, "noisy": False} for name in "abc"])
    figure, marks = TitledFigure(LAB, "T", "C").ratios("n", "times", (ratios, points.assign(value=[2.0, 0.0, np.inf])))
    assert set(figure.data["label"]) == {"a"} and marks.endswith("Not drawn, for a side is 0: b; c.")
    assert captions.without_place(ratios[1:].assign(panel=["p", "q"])).endswith(": p: b; q: c.")
    assert captions.without_place(ratios[:0]) == ""
    assert TitledFigure(LAB, "Title", "C").ratios("n", "times", (ratios.iloc[1:], points)) == SAID


def test_a_line_is_of_the_trials_that_count_and_all_are_drawn(monkeypatch):
    """A table beside the figure tells the same line: an unsettled trial far off moved only the drawn one once."""
    monkeypatch.setattr(TitledFigure, "show", lambda self, figure, marks: figure)
    size, noisy = [64, 128, 256, 512, 4096], [False] * 4 + [True]
    rows = pd.DataFrame({"size": size, "value": [30.0 + one for one in size], "noisy": noisy})
    rows = rows.assign(variant="a", runtime="c").astype({"size": float})
    rows.loc[4, "value"] = 1e6
    lab = SimpleNamespace(labels=LAB.labels, seed=1, nothing="", left_out=[], counted=lambda rows: rows[~rows["noisy"]])
    figure = TitledFigure(lab, "T", "C").line("n", "Time", rows, x="size", x_label="Size", unit="ns")
    assert figure.data.loc[figure.data["mark"] == "trial", "value"].max() == 1e6
    assert figure.data.loc[figure.data["mark"] == "fit", "value"].max() == pytest.approx(542)


def test_a_staircase_says_which_trial_is_shown_and_how_many_are_faint(monkeypatch):
    drawn = {}
    monkeypatch.setattr(figures, "timeline", lambda iterations, **how: drawn.update(how))
    monkeypatch.setattr(TitledFigure, "show", lambda self, figure, marks: marks)
    lab = SimpleNamespace(entry=SimpleNamespace(metrics={"last": SimpleNamespace(label="Last pass")}))
    trials, iterations = pd.DataFrame({"trial": ["t1", "t2"]}), pd.DataFrame({"trial": ["t1", "t2"]})
    told = TitledFigure(lab, "T", "C").timeline(
        "n", "Rate", Course(trials, iterations, EMPTY, EMPTY, "t2", "last"), unit="ops/s"
    )
    assert "that with the median last pass" in told and told.endswith("Faint: the other 1 trial.")
    assert (drawn["representative"], drawn["unit"]) == ("t2", "ops/s")


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ([0.95, 0.95], ""),
        ([0.95, 0.875, float("nan")], "down to 87.5 %."),
        ([float("nan")] * 2, "There are too few trials for an interval."),
        ([], ""),
    ],
)
def test_a_caption_tells_the_least_level_of_its_intervals(levels, said):
    sentence = captions.shortfall(pd.DataFrame({"level": levels}))
    assert sentence.endswith(said) and bool(sentence) == bool(said)


def test_a_side_may_be_a_variants_name():
    assert selected("monitor") == {"variant": "monitor"}
    assert selected({"threads": 2}) == {"threads": 2}


def test_a_percentile_figure_may_leave_out_a_phase_that_is_warm_up():
    rows = pd.DataFrame(
        {
            "trial": "a",
            "series": ["write.t0", "write.t0", "read.t0", "write.t0"],
            "phase": ["pass1", "pass2", "pass2", "pass3"],
            "low_ns": range(4),
        }
    )
    lab = SimpleNamespace(tables=SimpleNamespace(trial_buckets=rows))
    assert list(Session.measured_buckets(lab, "write*")["low_ns"]) == [0, 1, 3]
    assert list(Session.measured_buckets(lab, "write*", "pass[2-9]*")["low_ns"]) == [1, 3]
