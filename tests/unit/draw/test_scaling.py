"""Curves by threads on hosts of many CPUs, and curves of experiments with several axes."""

from __future__ import annotations

import itertools

import figures as made
import numpy as np
import pandas as pd
import pytest
from figures import LADDER, draw, ladder, lock_figure, locks, many_cpus, several, several_axes
from hypothesis import example, given
from hypothesis import strategies as st
from matplotlib.figure import Figure as MatplotlibFigure

from pipeline.draw import steps, style, units
from pipeline.draw.scaling_panels import SHADE
from pipeline.draw.style import LIGHT
from pipeline.ground.errors import LabError

pytestmark = pytest.mark.thorough  # whole figures


def drawn(figure):
    with style.context(LIGHT, figure.name):
        canvas = draw(figure)
        canvas.draw_without_rendering()
    return canvas


def labelled(axes, label):
    return [artist for artist in axes.get_children() if artist.get_label() == label]


def joined(axes) -> list[np.ndarray]:
    """The x values of every line that joins medians or is a prediction."""
    lines = [line for line in axes.lines if line.get_linestyle() != "None" and len(line.get_xdata()) > 1]
    return [np.asarray(line.get_xdata(), float) for line in lines if line.get_label() != steps.LABEL]


# The axis


@pytest.mark.parametrize(("cpus", "log"), [(7, False), (8, True), (16, True), (192, True)])
def test_from_eight_cpus_on_the_axis_of_threads_doubles_and_has_a_tick_at_each_measured_number(cpus, log):
    metrics, medians = ladder(6, 12)
    figure = many_cpus("ticks", cpus, [], metrics=metrics, estimates=medians)
    for axes in drawn(figure).axes:
        assert axes.get_xscale() == ("log" if log else "linear")
        assert list(axes.get_xticks()) == ([1, 2, 3, 4, 6, 12] if log else [1, 3, 5, 7, 9, 11])


def test_a_published_number_of_threads_has_its_place_but_no_tick():
    metrics, medians, seen = locks()
    few = [frame[frame["threads"].isin([1, 2, 4])] for frame in (metrics, medians)]
    axes = drawn(lock_figure("few", metrics=few[0], estimates=few[1], published=seen, cpus=8)).axes[0]
    assert list(axes.get_xticks()) == [1, 2, 4] and axes.get_xlim()[1] > seen["threads"].max()


numbers = st.lists(st.integers(1, 512), min_size=1, max_size=16, unique=True)


@given(numbers, st.sampled_from([1.9, 2.9, 5.8]))
@example([*LADDER], 1.9)
@example([127, 128], 1.9)
def test_labels_of_ticks_do_not_touch_and_both_ends_have_one(places, inches):
    axis = MatplotlibFigure().subplots().xaxis
    ends = units.around(places)
    units.measured(axis, places, "Threads", ends, inches)
    assert list(axis.get_majorticklocs()) == sorted(places) and axis.get_view_interval().tolist() == list(ends)
    octave = inches / np.log2(ends[1] / ends[0])
    told = [(place, axis.get_major_formatter()(place)) for place in axis.get_majorticklocs()]
    told = [(np.log2(place) * octave, len(text) * units.DIGIT_INCHES / 2) for place, text in told if text]
    assert all(a + wide < b - other for (a, wide), (b, other) in itertools.pairwise(told))
    texts = {place for place in places if axis.get_major_formatter()(place)}
    assert min(places) in texts and (max(places) in texts or octave * np.log2(max(places) / min(places)) < 0.3)


def test_every_measured_number_is_labelled_where_there_is_room():
    assert units._that_fit([*LADDER], 0.75) == set(LADDER)
    assert units._that_fit([*LADDER], 0.22) == {1, 2, 4, 8, 16, 32, 64, 192}


def test_the_shade_begins_between_the_last_number_of_cpus_and_the_next():
    shade = labelled(drawn(many_cpus("shade", steps=[])).axes[0], SHADE)[0]
    left, right = shade.get_x(), shade.get_x() + shade.get_width()
    assert 192 < left < 193 and right == pytest.approx(units.around([1, 384])[1])


# Steps


def test_a_line_lies_between_the_number_before_and_that_with_which_something_begins():
    for cpus, begin in ((192, made.STEPS), (6, [(2, "next cache"), (4, "hardware threads")])):
        figure = many_cpus("lines", cpus, begin)
        for axes in drawn(figure).axes:
            lines = sorted({line.get_xdata()[0] for line in labelled(axes, steps.LABEL)})
            assert len(lines) == len(begin)
            assert all(number - 1 < at < number for at, (number, _) in zip(lines, begin, strict=True))
            assert [text.get_text().removesuffix(steps.ON) for text in axes.texts] == [word for _, word in begin]


def test_lines_are_drawn_and_told_only_within_what_was_measured():
    begin = [(1, "zero"), (2, "next cache"), (3, "next node"), (8, "next package"), (9, "hardware threads")]
    metrics, medians = ladder(8, 8)
    middle = [frame[frame["threads"].isin([2, 3, 4, 6, 8])] for frame in (metrics, medians.drop_duplicates())]
    figure = many_cpus("within", 16, begin, metrics=middle[0], estimates=middle[1])
    assert {text.get_text().removesuffix(steps.ON) for text in drawn(figure).axes[0].texts} == {
        "next node",
        "next package",
    }
    assert " The next node is used from 3 threads on, the next package from 8." in figure.alt
    assert "hardware" not in figure.alt and "used from" not in many_cpus("none", steps=[]).alt


def test_published_panels_have_no_lines_of_the_host():
    canvas = drawn(lock_figure("host", steps=[(2, "hardware threads")]))
    assert [len(axes.texts) for axes in canvas.axes] == [1, 1, 1, 0, 0, 0]  # three runtimes, two machines, no panel


def test_what_begins_is_told_in_plain_words():
    assert steps.told([], "threads") == ""
    assert steps.told([(5, "hardware threads")], "readers") == "hardware threads are used from 5 readers on"
    told = steps.told(made.STEPS, "threads")
    assert told == "the next cache is used from 17 threads on, the next package from 49, hardware threads from 97"


words = st.sampled_from(["next cache", "next node", "next package", "hardware threads", "slower cores"])
some = st.lists(st.tuples(st.integers(2, 256), words), max_size=6, unique_by=(lambda one: one[0], lambda one: one[1]))


@given(some, st.sampled_from([1.93, 2.9, 5.8]), st.booleans())
@example([(2, "next cache"), (3, "next node"), (4, "next package"), (5, "hardware threads")], 1.93, True)
def test_words_of_steps_never_touch_and_stay_at_their_panel(begin, width, log):
    ends = units.around([1, 256]) if log else (0.5, 256.5)
    strip = steps.Strip(sorted(begin), ends, log, width)
    assert len(strip.words) == len(begin) and strip.height >= steps.ROW_INCHES * bool(begin)
    for word, at in zip(strip.words, strip.lines, strict=True):
        assert -steps.MARGIN_INCHES - 1e-9 <= word.left and word.right <= width + steps.MARGIN_INCHES + 1e-9
        assert word.left - 2 * steps.GAP_INCHES <= at <= word.right + 2 * steps.GAP_INCHES
    for one, other in itertools.combinations(strip.words, 2):
        assert one.row != other.row or not one.touches(other)


@pytest.mark.parametrize(
    "begin",
    [
        made.STEPS,
        [(5, "hardware threads")],
        [(9, "next cache"), (33, "next package")],
        [(9, "next cache"), (13, "hardware threads"), (17, "slower cores")],
        [(9, "next cache"), (17, "next node"), (65, "next package"), (97, "hardware threads")],
        [(2, "hardware threads"), (3, "next cache")],
    ],
)
@pytest.mark.parametrize("width", [1.93, 2.9, 5.8])
def test_on_usual_hosts_no_word_lies_across_a_line(begin, width):
    strip = steps.Strip(begin, units.around([1, 2 * begin[-1][0]]), True, width)
    assert not steps.crossed(strip.lines, strip.words)


# Several axes


def test_no_line_joins_points_that_differ_in_another_axis():
    figure = several_axes()
    estimates = figure.data[figure.data["mark"] == "estimate"]
    assert set(estimates["series"]) == {"2 threads", "4 threads", "16 threads"}
    assert not estimates.duplicated(["panel", "series", "x"]).any()
    canvas = drawn(figure)
    heads = {axes.get_title(loc="left") for axes in canvas.axes}
    assert heads == {"MCS, C", "synchronized, JDK 17", "synchronized, JDK 25"}
    for axes in canvas.axes:
        lines = joined(axes)
        assert lines and all((np.diff(xs) > 0).all() for xs in lines if len(set(xs)) > 1)
        assert len(labelled(axes, "knee")) == 3
    told = [text.get_text() for text in canvas.legends[0].get_texts()]
    assert told[:3] == ["2 threads", "4 threads", "16 threads"]
    assert "16 threads, MCS, C: " in figure.alt


def test_the_lines_by_threads_are_those_of_the_work_when_threads_are_the_axis():
    how = {"axis": "threads", "axis_label": "Threads", "axis_unit": None, "fits": None, "knees": None}
    figure = several_axes("by_threads", panels="runtime", cpus=16, others={"outside": "{ns} outside"}, **how)
    canvas = drawn(figure)
    assert len(canvas.axes) == 3
    lines = [xs for axes in canvas.axes for xs in joined(axes)]
    assert len(lines) == 9 and all(len(xs) == 3 and (np.diff(xs) > 0).all() for xs in lines)
    assert [text.get_text() for text in canvas.legends[0].get_texts()][:3] == [
        "50 ns outside",
        "300 ns outside",
        "10 µs outside",
    ]


def test_a_quantity_of_nothing_has_a_place_on_its_axis():
    canvas = drawn(several_axes("none_outside", knees=several()["knees"].assign(outside=0)))
    assert {axes.get_xscale() for axes in canvas.axes} == {"linear"}
    assert all(axes.get_xlim()[0] < 0 for axes in canvas.axes)
    assert {axes.get_xscale() for axes in drawn(several_axes()).axes} == {"log"}


def test_one_value_of_another_axis_divides_nothing():
    whole = several_axes()
    one = {name: frame[frame["threads"] == 2] for name, frame in several().items()}
    figure = several_axes("two_threads", **one)
    assert set(figure.data["panel"]) == {"monitor", "mcs"} and set(figure.data["series"]) == {"jdk17", "jdk25", "c"}
    assert set(whole.data["panel"]) == {"monitor, jdk17", "monitor, jdk25", "mcs, c"}


def test_a_configuration_without_the_axis_is_a_line_of_its_own():
    metrics, medians, _ = locks()
    both = [pd.concat([frame.assign(outside=at) for at in (None, 300)]) for frame in (metrics, medians)]
    figure = lock_figure(
        "unset", metrics=both[0], estimates=both[1], others={"outside": "outside {}"}, panels="variant"
    )
    estimates = figure.data[figure.data["mark"] == "estimate"]
    assert set(estimates["series"]) == {"no outside", "outside 300"}
    published = figure.data[figure.data["mark"] == "published"]
    assert set(published["panel"]) <= set(estimates["panel"]) and len(published)
    drawn(figure)


def test_published_machines_keep_their_panels_where_the_others_are_divided():
    metrics, medians, seen = locks()
    both = [pd.concat([frame.assign(outside=at) for at in (50, 300)]) for frame in (metrics, medians)]
    figure = lock_figure("machines", metrics=both[0], estimates=both[1], others={"outside": "outside {}"})
    canvas = drawn(figure)
    panels = [axes for axes in canvas.axes if axes.get_title(loc="left")]
    assert [axes.get_title(loc="left") for axes in panels[-2:]] == [
        "Nehalem 2.8 GHz, 2011",
        "Sandy Bridge 2.0 GHz, 2011",
    ]
    lines = [line for axes in panels[-2:] for line in labelled(axes, "published")]
    assert sorted(np.concatenate([line.get_ydata() for line in lines])) == sorted(seen["value"])


@pytest.mark.parametrize("table", ["fits", "knees"])
def test_what_does_not_say_of_which_line_it_is_is_refused(table):
    bare = several()[table].drop(columns="threads")
    with pytest.raises(LabError, match="its lines differ in threads; give every table of it that column"):
        several_axes(**{table: bare})


def test_two_estimates_of_one_line_at_one_place_are_refused():
    with pytest.raises(LabError, match=r"c in mcs has two estimates at outside 50; .*\(others\)"):
        several_axes(others=None)
