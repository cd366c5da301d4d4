"""A change, its interval and its verdict, by hand."""

from __future__ import annotations

from math import sqrt
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from compared import EVERY, FakeRun, rows
from scipy import integrate, stats

from pipeline.compare import facts, figures, methods, missing, pages, text
from pipeline.compare.methods import Controls
from pipeline.words.comparisons import TIME

pytestmark = pytest.mark.thorough


def half_width(found) -> float:
    assert found.high - found.estimate == pytest.approx(found.estimate - found.low)
    return found.high - found.estimate


@pytest.mark.parametrize(
    ("before", "after", "change", "variance", "freedom"),
    [
        ([0.0, 0.2], [1.0, 1.2], 1.0, 0.04 / 2 * (1 / 2 + 1 / 2), 2),
        ([1.0, 2.0], [5.0, 6.0, 7.0], 4.5, 2.5 / 3 * (1 / 2 + 1 / 3), 3),
    ],
)
def test_repeated_runs_have_students_interval_with_the_pooled_deviation(before, after, change, variance, freedom):
    found = methods.repeated(before, after)
    assert found.estimate == pytest.approx(change)
    assert half_width(found) == pytest.approx(stats.t.ppf(0.975, freedom) * sqrt(variance))


def test_the_variance_of_a_median_of_three():
    """The bootstrap's median of 1, 2, 3 is 1 when two or three of three draws are: 3 / 9 * 2 / 3 + 1 / 27 = 7 / 27."""
    assert methods.variance_of_median([1.0, 2.0, 3.0]) == pytest.approx(14 / 27)
    assert methods.variance_of_median([[1.0, 5.0], [3.0, 5.0], [2.0, 5.0]]) == pytest.approx([14 / 27, 0])


@pytest.mark.parametrize(("controls", "reach"), [(19, 0.19), (38, 0.38), (39, 0.38), (60, 0.38)])
def test_a_change_of_nothing_reaches_as_far_as_95_percent_of_the_nearest_39_controls(controls, reach):
    """Of 19 moves the farthest, of 39 the second farthest; those beyond the 39 nearest in scatter tell nothing."""
    moves = np.array([*(0.01 * n for n in range(1, 40)), *[9.0] * 21])[:controls]
    variances = np.array([*[1e-4] * 39, *[1.0] * 21])[:controls]
    assert methods.reach(1e-4, Controls(moves, variances)) == pytest.approx(reach)
    assert methods.reach(1e-4, Controls(-moves, variances)) == pytest.approx(reach)


def test_what_scatters_more_than_all_its_controls_reaches_as_much_farther():
    controls = Controls(np.full(20, 0.1), np.full(20, 1e-4))
    assert methods.reach(4e-4, controls) == pytest.approx(0.2)
    assert methods.reach(1e-6, controls) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("before", "after", "middle"),
    [
        ([1.0, 2.0, 9.0], [2.0, 3.0, 10.0], 1.0),
        ([0.0, 0.0, 0.0, 50.0], [1.0, 1.0, 1.0, -50.0], 1.0),
        ([0.0], [2.0], 2.0),
    ],
)
def test_a_change_is_the_median_of_all_differences(before, after, middle):
    assert methods.shift(before, after) == middle == -methods.shift(after, before)


def test_one_run_per_side_is_told_around_the_median_of_all_differences():
    found = methods.single([1.0, 2.0, 9.0], [2.0, 3.0, 10.0], Controls(np.full(20, 0.5), np.full(20, 100.0)))
    assert found[:3] == (1.0, 0.5, 1.5)


@pytest.mark.parametrize(("half", "smallest"), [(0.01, 0.05 + 0.01 * 0.6539), (0.2, 0.2 * 1.6539)])
def test_the_smallest_change_is_beyond_the_margin_and_the_interval_in_nine_of_ten(half, smallest):
    found = methods.smallest(methods.Change(0.3, 0.3 - half, 0.3 + half), 0.05)
    assert found == pytest.approx(smallest, rel=1e-4)
    assert np.isnan(methods.smallest(methods.Change(0.3, np.nan, np.nan), 0.05))


def test_two_runs_alone_have_the_trials_variance_and_no_other():
    found = methods.alone([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    assert half_width(found) == pytest.approx(stats.t.ppf(0.975, 4) * sqrt(28 / 27))


@pytest.mark.parametrize(("controls", "left_out"), [(10, 1), (6, 1), (11, 2), (18, 2)])
def test_of_few_controls_the_mean_square_counts_but_for_the_farthest_tenth(controls, left_out):
    """Of squares of a normal law, the greatest tenth left out, the mean is less than 1: by so much it is corrected."""
    share = (controls - left_out) / controls
    most = stats.chi2.ppf(share, 1)
    mean = integrate.quad(lambda x: x * stats.norm.pdf(sqrt(x)) / sqrt(x), 0, most)[0] / share
    moved = np.array([0.1, -0.1] * (controls // 2) + [0.1] * (controls % 2))
    moved[:left_out] = 7.0
    expected = stats.t.ppf(0.975, controls - left_out) * 0.1 / sqrt(mean)
    assert methods.reach(1e-4, Controls(moved, np.full(controls, 1e-4))) == pytest.approx(expected, rel=1e-6)


def test_controls_that_never_moved_add_nothing():
    for count in (6, 39):
        assert methods.reach(0.0, Controls(np.zeros(count), np.zeros(count))) == 0


# --- rows -------------------------------------------------------------------------------------------------------------

ONE = (("fast", "jdk17", 1),)


def exactly(values, **how):
    """Metric rows of one configuration with these values, a block each."""
    return rows(1, ONE, blocks=len(values)).assign(value=[float(value) for value in values], **how)


def test_too_few_trials_have_a_change_and_no_interval(against):
    found = against("a", "b", [FakeRun("a", exactly([100, 100])), FakeRun("b", exactly([150, 150, 150]))])
    (row,) = found.table.to_dict("records")
    assert row["ratio"] == pytest.approx(1.5) and np.isnan([row["low"], row["high"]]).all()
    assert (row["verdict"], row["reason"], row["method"]) == ("undecided", "2 trials before", "alone")
    assert (row["trials_before"], row["trials_after"]) == (2, 3)


def test_where_one_value_is_none_a_difference_is_told(against):
    runs = [FakeRun("a", exactly([0, 0, 0, 0, 0])), FakeRun("b", exactly([3, 3, 3, 3, 3]))]
    (row,) = against("a", "b", runs).table.to_dict("records")
    assert (row["kind"], row["ratio"], row["low"], row["high"]) == ("difference", 3, 3, 3)
    assert (row["before"], row["after"], row["method"]) == (0, 3, "alone")


@pytest.mark.parametrize(("count", "reason"), [(4, "4 trials before; a verdict needs 5"), (5, "")])
def test_a_verdict_needs_five_trials(against, count, reason):
    values = [100.0 + n for n in range(count)]
    runs = [FakeRun("a", exactly(values)), FakeRun("b", exactly([2 * value for value in [*values, 103.0]]))]
    (row,) = against("a", "b", runs).table.to_dict("records")
    assert (row["reason"], row["verdict"] == "undecided") == (reason, bool(reason))


@pytest.mark.parametrize(("noisy", "doubted"), [(2, False), (3, True)])
def test_of_paired_blocks_more_than_a_third_noisy_are_in_doubt(against, noisy, doubted):
    """Six blocks of two runtimes; below six quiet ones the noisy count too."""
    both = (("fast", "jdk17", 1), ("fast", "jdk25", 1))
    frame = rows(1, both, blocks=6, scatter=0.001, times={"jdk25": 2.0})
    frame["noisy"] = frame["block"] <= noisy
    (row,) = against("a:jdk17", "a:jdk25", [FakeRun("a", frame)]).table.to_dict("records")
    assert row["ratio"] == pytest.approx(2, rel=0.01) and row["method"] == "paired"
    assert (row["reason"], row["verdict"]) == (("mostly noisy trials", "undecided") if doubted else ("", "slower"))


def test_geometric_means_are_of_one_metric_on_one_runtime_each():
    place = {"experiment": "e", "metric": "m", "kind": "ratio", "way": TIME}
    told = [place | {"runtime": "C", "ratio": ratio} for ratio in (2.0, 8.0)]
    told += [place | {"runtime": "JDK 17", "ratio": 3.0}, place | {"runtime": "C", "kind": "difference", "ratio": 7.0}]
    first, second = text.means(SimpleNamespace(table=pd.DataFrame(told)))
    assert first == "e  m  C  4x slower in the geometric mean of 2"
    assert second == "e  m  JDK 17  3x slower in the geometric mean of 1"


@pytest.mark.parametrize(("count", "more"), [(1, ""), (2, " and 1 others"), (3, " and 2 others")])
def test_an_example_says_how_many_others_there_are(count, more):
    row = {"experiment": "e", "variant": "v", "axes": {"threads": 2}, "runtime": "C", "side": "before", "reason": ""}
    found = missing.example(pd.DataFrame([row] * count), "before")
    assert found == f"before has e v, threads 2, C{more}"


def test_what_a_host_has_is_named_by_its_whole_path():
    assert dict(facts._leaves({"cpu": {"smt": "on", "cache": {"l1": 32}}, "kernel": "6"})) == {
        "cpu.smt": "on",
        "cpu.cache.l1": "32",
        "kernel": "6",
    }


# --- words ------------------------------------------------------------------------------------------------------------


def test_an_axis_is_told_where_it_has_several_values(against):
    one, two = ([FakeRun(name, rows(seed, EVERY[:count])) for seed, name in ((1, "a"), (2, "b"))] for count in (1, 2))
    alone, several = against("a", "b", one), against("a", "b", two)
    assert "threads" not in alone.place(alone.table.to_dict("records")[0])
    told = [several.place(row) for row in several.table.to_dict("records")]
    assert sorted("threads 1" in one for one in told) == [False, True] and all("threads" in one for one in told)


@pytest.mark.parametrize(("sides", "heading"), [(("a", "b"), "Controls"), (("a:jdk17", "a:jdk25"), "Method")])
def test_a_page_says_what_two_single_runs_are_controlled_by_or_else_the_method(against, sides, heading):
    both = (*EVERY[:1], ("fast", "jdk25", 1))
    found = against(*sides, [FakeRun("a", rows(1, both)), FakeRun("b", rows(2, both))])
    told = pages._sides(found)
    assert f"<dt>{heading}</dt>" in told and (("Method" in told) != ("Controls" in told))


def test_the_answer_counts_what_is_the_same_within_the_margin(against):
    many = [FakeRun(name, rows(seed)) for seed, name in ((1, "a"), (2, "b"))]
    found = against("a", "b", many)
    assert f"{found.counts['same']} the same within 5 %" in text.answer(found)


def test_what_is_not_one_configuration_has_no_shift(against, monkeypatch):
    monkeypatch.setattr(figures, "shifts", lambda found, entry, rows: (entry.name, [row["variant"] for row in rows]))
    found = against("a", "b", [FakeRun("a", rows(1)), FakeRun("b", rows(2))])
    assert found.shift(variant="fast") == "Not one configuration that both sides measured."
    assert found.shift(variant="fast", threads=2) == ("example", ["fast"])


def test_the_first_rows_with_histograms_are_shown_percentile_by_percentile(monkeypatch):
    monkeypatch.setattr(figures, "_shift", lambda found, row: pd.DataFrame({"n": [row["n"]] * row["samples"]}))
    monkeypatch.setattr(figures, "shift_curve", lambda rows, **how: rows)
    monkeypatch.setattr(figures, "_titled", lambda found, drawn, about, caption: (drawn["n"].tolist(), caption))
    found = SimpleNamespace(place=lambda row: "p", margin=0.05)
    entry = SimpleNamespace(name="e", title="E", value="Time of one operation")
    many = [{"n": n, "samples": 1} for n in range(figures.SHIFTS + 2)]
    shown, caption = figures.shifts(found, entry, [{"n": -1, "samples": 0}, *many])
    assert shown == list(range(figures.SHIFTS)) and caption.endswith("a value is time of one operation.")
    assert figures.shifts(found, entry, [{"n": 1, "samples": 0}]).startswith("None of these configurations")
