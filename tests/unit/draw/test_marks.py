"""What is said of figures: themes and looks, units, what is hollow, shaded and grey, captions, and clear refusals."""

import itertools
import json
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import figures as made
import numpy as np
import pandas as pd
import pytest
from figures import (
    PROVENANCE,
    case,
    draw,
    few_levels,
    fit_figure,
    histograms,
    io_levels,
    lock_figure,
    locks,
    matrix_figure,
    near_one,
    pairs,
    percentile_figure,
    ratio_figure,
    step_figure,
    steps,
)
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure as MatplotlibFigure

from pipeline.catalogue import catalogue
from pipeline.draw import bars, files, marks, published, style, units
from pipeline.draw.figure import BRIEF, Figure
from pipeline.draw.fit import line_fit
from pipeline.draw.matrix import matrix
from pipeline.draw.percentile import percentile_curve
from pipeline.draw.ratios import paired_ratios, ratio_ticks
from pipeline.draw.scaling import scaling_curve
from pipeline.draw.scaling_panels import SHADE
from pipeline.draw.style import DARK, LIGHT, THEMES, Look
from pipeline.draw.timeline import timeline
from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.hdr import percentiles
from pipeline.hdr.counts import Counts
from pipeline.words.numbers import quantity

pytestmark = pytest.mark.thorough


def drawn(figure, theme=LIGHT):
    with style.context(theme, figure.name):
        canvas = draw(figure, theme)
        canvas.draw_without_rendering()
    return canvas


@cache
def whole(make):
    """The drawing of a case as it is, for tests that only look at it."""
    return drawn(make())


def all_locks():
    return lock_figure("locks")


def svg(figure):
    """The light SVG, without the three other pictures of it."""
    with style.context(LIGHT, figure.name):
        return files.svg(draw(figure))


def labelled(axes, label):
    return [artist for artist in axes.get_children() if artist.get_label() == label]


# Themes and looks


def luminance(colour):
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_contrast_is_that_of_the_accessibility_guidelines(theme):
    def contrast(colour, background=theme.background):
        dark, light = sorted((luminance(colour), luminance(background)))
        return (light + 0.05) / (dark + 0.05)

    assert min(contrast(colour) for colour in theme.series) >= 3
    assert min(contrast(theme.text), contrast(theme.muted)) >= 4.5
    assert contrast(theme.text, theme.shade) >= 4.5


def test_a_variant_looks_the_same_in_every_figure_of_its_experiment():
    entry = catalogue.experiment("lock_scaling")
    order = style.variants(entry)
    assert set(order) == set(entry.variants)
    first = [style.looks(order)[name] for name in list(order)[:5]]
    for side in ("marker", "line"):
        assert len({getattr(look, side) for look in first}) == 5
    whole = [(look.colour(LIGHT), look.marker, look.line) for look in style.looks(order).values()]
    assert len(set(whole)) == len(order)


def test_runtimes_are_in_order_and_unknown_names_are_refused():
    found = style.labels(None, ["c", "fio", "jdk25", "jdk8", "jdk25-2"])
    assert list(found.values()) == ["JDK 8", "JDK 25", "JDK 25 (2)", "C", "fio"]
    with pytest.raises(LabError, match="no label for 'mcs'; add it to the names, which are: atomic"):
        style.labels(["atomic"], ["mcs"])


# Units


@given(st.floats(1e-3, 1e12), st.sampled_from(["ns", "ops/s", "bytes/s"]))
def test_a_tick_keeps_its_value(value, unit):
    number, _, rest = units.tick(value, unit).partition(" ")
    prefix = {text: exponent for exponent, text in units.PREFIXES.items()}[
        rest.removesuffix("s") if unit == "ns" else rest
    ]
    said = float(number.replace(",", "")) * 10.0**prefix
    assert said == pytest.approx(value * units.SYMBOLS.get(unit, (1,))[0], rel=6e-3)


def test_an_axis_with_a_nought_is_linear_also_where_a_logarithmic_one_is_asked_for():
    for values, scale in (([0.0, 5e6], "linear"), ([], "linear"), ([1.0, 5e6], "log")):
        axis = MatplotlibFigure().subplots().xaxis
        units.scale(axis, values, "ns", "Longest pause", log=True)
        assert axis.get_scale() == scale


@given(st.floats(1, 1e6), st.floats(20, 1e7), st.floats(0.8, 7))
def test_a_logarithmic_axis_however_short_has_two_ticks_from_which_its_scale_is_read(low, factor, inches):
    axis = MatplotlibFigure().subplots().xaxis
    units.scale(axis, [low, low * factor], "ns", "One way", inches=inches)
    axis.axes.set_xlim(low, low * factor)
    assert sum(low <= place <= low * factor for place in axis.get_majorticklocs()) >= 2


@pytest.mark.parametrize(
    ("top", "label", "last"),
    [(1.5e-6, "Failed (10⁻⁶ per op)", "1.5"), (2e-3, "Failed (per op)", "0.002"), (0, "Failed (per op)", "1")],
)
def test_a_linear_axis_of_next_to_nothing_has_its_power_of_ten_in_the_label(top, label, last):
    axis = MatplotlibFigure().subplots().xaxis
    units.scale(axis, [top, 0.0], "per op", "Failed", log=False)
    assert axis.get_label_text() == label
    assert last in [axis.get_major_formatter()(place) for place in axis.get_majorticklocs()]


def test_axes_are_logarithmic_beyond_a_factor_of_twenty():
    assert units.spans_decades([1, 20, float("nan")]) and not units.spans_decades([1, 19])
    assert not units.spans_decades([0, 1e9]) and not units.spans_decades([])
    assert whole(all_locks).axes[0].get_yscale() == "log"
    metrics, medians, _ = locks()
    few = [frame[(frame["variant"] == "reentrant_lock") & (frame["threads"] > 1)] for frame in (metrics, medians)]
    narrow = drawn(lock_figure("narrow", metrics=few[0], estimates=few[1], published=None)).axes[0]
    assert narrow.get_yscale() == "linear" and narrow.get_ylim()[0] == 0
    assert narrow.get_ylabel() == "Throughput (M ops/s)"
    forced = (lock_figure("linear", log=False), step_figure(log=False), io_levels(log=False))
    assert [drawn(figure).axes[0].get_yscale() for figure in forced] == ["linear"] * 3
    assert drawn(forced[2]).axes[0].get_xscale() == "linear"


@pytest.mark.parametrize(
    ("threads", "log", "ticks"),
    [
        ([3, 1], False, [1, 2, 3]),
        ([0, 20], False, list(range(21))),
        ([1, 16], False, list(range(1, 17))),
        ([1, 24], True, [1, 2, 4, 8, 16, 32]),
        ([1, 2, 128], True, [1, 2, 4, 8, 16, 32, 64, 128]),
        ([1, 129], True, [1, 4, 16, 64, 256]),
        ([3, 1024], True, [2, 8, 32, 128, 512]),
    ],
)
def test_counts_have_a_tick_each_then_at_powers_of_two_then_at_every_other(threads, log, ticks):
    axis = MatplotlibFigure().subplots().xaxis
    assert units.counts(axis, threads, "Threads") == log
    assert axis.get_scale() == ("log" if log else "linear") and axis.get_label_text() == "Threads"
    assert list(axis.get_majorticklocs()) == ticks and not len(axis.get_minorticklocs())
    assert axis.get_major_formatter()(ticks[-1], 0) == str(ticks[-1])


def test_sizes_are_binary():
    assert [units.binary(size) for size in (512, 4096, 1 << 20, 1 << 31)] == ["512 B", "4 KiB", "1 MiB", "2 GiB"]


# What the marks mean


def test_noisy_trials_are_hollow_and_all_trials_are_drawn():
    metrics, _, _ = locks()
    for axes, runtime in zip(whole(all_locks).axes, ("jdk17", "jdk25", "c"), strict=False):
        mine = metrics[metrics["runtime"] == runtime]
        for label, noisy in (("trial", False), ("noisy", True)):
            lines = labelled(axes, label)
            assert sorted(np.concatenate([line.get_ydata() for line in lines])) == sorted(
                mine[mine["noisy"] == noisy]["value"]
            )
            assert all((line.get_markerfacecolor() == "none") == noisy for line in lines)


def test_trials_in_another_state_are_crosses_and_named():
    metrics, _, _ = locks()
    marked = metrics.assign(noisy=metrics["noisy"].astype(object).mask(metrics["block"] == 1, marks.ELSEWHERE))
    figure = drawn(lock_figure("elsewhere", metrics=marked, published=None))
    for axes, runtime in zip(figure.axes, ("jdk17", "jdk25", "c"), strict=False):
        mine = marked[marked["runtime"] == runtime]
        lines = labelled(axes, marks.ELSEWHERE)
        assert {line.get_marker() for line in lines} == {marks.CROSS}
        for label, noisy in (("trial", False), ("noisy", True), (marks.ELSEWHERE, marks.ELSEWHERE)):
            found = [value for line in labelled(axes, label) for value in line.get_ydata()]
            assert sorted(found) == sorted(mine.loc[mine["noisy"].eq(noisy), "value"])
    named = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "trial in another state" in named and "trial on a noisy host" in named


def test_oversubscription_is_shaded_where_measured_and_nowhere_else():
    axes = whole(all_locks).axes
    shades = [labelled(one, SHADE) for one in axes]
    assert [len(found) for found in shades[:5]] == [1, 1, 1, 0, 0]  # the published machines have other CPUs
    assert shades[0][0].get_x() == 2.5 and shades[0][0].get_x() + shades[0][0].get_width() == 8.5
    for cpus in (8, None):
        assert not any(labelled(one, SHADE) for one in drawn(lock_figure("eight", cpus=cpus, published=None)).axes)


def test_many_threads_are_ticks_at_powers_of_two():
    metrics, medians, _ = locks()
    wide = [frame.assign(threads=2 ** (frame["threads"] - 1)) for frame in (metrics, medians)]
    axes = drawn(lock_figure("wide", metrics=wide[0], estimates=wide[1], published=None)).axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1", "2", "4", "8", "16", "32", "64", "128"]
    assert labelled(axes, SHADE)[0].get_x() == 2.5


def test_published_values_are_hollow_grey_and_named():
    _, _, seen = locks()
    canvas = drawn(lock_figure("grey"), DARK)
    lines = [line for axes in canvas.axes for line in labelled(axes, "published")]
    assert sorted(np.concatenate([line.get_ydata() for line in lines])) == sorted(seen["value"])
    assert {(line.get_color(), line.get_markerfacecolor()) for line in lines} == {(DARK.muted, "none")}
    assert [axes.get_title(loc="left") for axes in canvas.axes if labelled(axes, "published")] == [
        "Nehalem 2.8 GHz, 2011",
        "Sandy Bridge 2.0 GHz, 2011",
    ]
    legend = drawn(lock_figure("overlaid", panels="variant")).legends[0]
    assert "published: Nehalem 2.8 GHz, 2011" in [text.get_text() for text in legend.get_texts()]


def test_a_fit_replaces_the_joining_line():
    metrics, medians, _ = locks()
    one = [frame[frame["variant"] == "mcs"] for frame in (metrics, medians)]
    threads = np.linspace(1, 8, 20)
    fit = pd.DataFrame(
        {
            "variant": "mcs",
            "runtime": "c",
            "model": "USL",
            "threads": threads,
            "estimate": 5e7 / threads,
            "low": np.nan,
            "high": np.nan,
        }
    )
    given = {"metrics": one[0], "estimates": one[1], "published": None}
    plain, canvas = (drawn(lock_figure("f", **given, **more)) for more in ({}, {"fits": fit}))
    plain, fitted = plain.axes[0], canvas.axes[0]
    joined = [container.lines[0].get_linestyle() for axes in (plain, fitted) for container in axes.containers]
    assert joined[0] != "None" and joined[1] == "None"
    assert np.array_equal(labelled(fitted, "fit")[0].get_ydata(), 5e7 / threads)
    assert "fit (USL)" in [text.get_text() for text in canvas.legends[0].get_texts()]  # no band is named, none is drawn


def test_a_prediction_of_one_place_is_a_dash_and_what_was_measured_stays_joined():
    metrics, medians, _ = locks()
    one = [frame[frame["variant"] == "mcs"] for frame in (metrics, medians)]
    of = {"variant": "mcs", "runtime": "c", "model": "M/G/1//N", "threads": 2}
    fit = of | {"estimate": 3e7, "low": 2e7, "high": 4e7}
    canvas = drawn(lock_figure("f", metrics=one[0], estimates=one[1], published=None, fits=pd.DataFrame([fit])))
    axes = canvas.axes[0]
    assert [container.lines[0].get_linestyle() for container in axes.containers] != ["None"]
    (dash,) = labelled(axes, "fit")
    left, right = dash.get_xdata()
    assert left < 2 < right and list(dash.get_ydata()) == [3e7, 3e7]
    (band,) = axes.collections[-1].get_paths()
    assert (band.get_extents().y0, band.get_extents().y1) == (2e7, 4e7)


def test_an_axis_of_times_is_logarithmic_with_knees_and_a_prediction_named_so():
    figure = case("queue")
    canvas = drawn(figure)
    assert all(axes.get_xscale() == "log" for axes in canvas.axes)
    knees = [sorted(float(line.get_xdata()[0]) for line in labelled(axes, "knee")) for axes in canvas.axes]
    assert sorted(knees) == [[40], [60, 90]]
    fits = [line for axes in canvas.axes for line in labelled(axes, "fit")]
    assert len(fits) == 3 and all(list(line.get_xdata()) == [50, 300, 1000] for line in fits)
    ticks = {one.get_text() for each in canvas.axes for one in each.get_xticklabels()}
    assert {"100 ns", "1 µs", "10 µs"} <= ticks
    words = [text.get_text() for text in canvas.legends[0].get_texts()]
    assert "prediction (M/M/1//N) and 95 % band" in words and "knee" in words
    assert "at 50 ns" in figure.alt and "at 10 µs" in figure.alt


def test_dense_figures_stay_small_and_keep_every_value():
    metrics, medians, _ = locks()
    many = pd.concat(
        [metrics.assign(trial=metrics["trial"] + f"-{k}", value=metrics["value"] * (1 + k / 100)) for k in range(8)]
    )
    figure = lock_figure("dense", metrics=many)
    assert (figure.data["mark"] == "trial").sum() == len(many) > 4 * marks.RASTERISE_FROM
    assert len(svg(figure)) < 300_000


def test_a_variant_that_was_not_swept_over_the_axis_is_left_out():
    metrics, medians, _ = locks()
    metrics = pd.concat([metrics, metrics.head(3).assign(variant="no_lock", threads=np.nan)])
    assert "no_lock" not in set(lock_figure("axis", metrics=metrics).data["series"])


def test_an_interval_that_could_not_be_computed_leaves_the_mark_without_a_bar():
    metrics, medians, _ = locks()
    figure = lock_figure("unknown", estimates=medians.assign(low=np.nan, high=np.nan))
    assert drawn(figure).axes[0].containers


def test_the_series_of_levels_have_the_order_that_they_are_given():
    there = sorted(set(few_levels().data["series"]) - {""})
    for order in (there, there[::-1]):
        legend = drawn(few_levels(order=order)).legends[0]
        assert [text.get_text() for text in legend.get_texts()][: len(order)] == order


def test_what_decides_a_panel_and_was_not_measured_leaves_its_rows_out():
    """An interrupted run of the page on the test interface: whether its locks are inflated was not measured."""
    metrics, medians, _, _ = made.files()
    states = {"mapped": "inflated"}
    frames = [one.assign(state=one["variant"].map(states)) for one in (metrics, medians)]
    figure = bars.levels(*frames, name="few", metric="read_total", label="Read", across="state")
    assert set(figure.data["row"]) == {"mapped"} and drawn(figure).axes
    with pytest.raises(marks.Nothing, match="no value with value and state"):
        bare = [one.assign(state=np.nan) for one in frames]
        bars.levels(*bare, name="few", metric="read_total", label="Read", across="state")


def test_levels_call_numbers_by_their_axis_and_put_them_in_order():
    metrics, medians, _, _ = made.files()
    many = {name: number for number, name in enumerate(sorted(set(metrics["variant"])), start=9)}
    frames = [one.assign(block_kib=one["variant"].map(many)) for one in (metrics, medians)]
    figure = bars.levels(*frames, name="few", metric="read_total", label="Read", across="block_kib")
    titles = [axes.get_title(loc="left") for axes in drawn(figure).axes]
    assert titles[:2] == ["block kib 9", "block kib 10"], titles
    figure = bars.levels(*frames, name="few", metric="read_total", label="Read", rows="block_kib")
    assert "Read, median and interval of each block kib. " in figure.alt and "block kib 9, " in figure.alt
    labels = [text.get_text() for text in drawn(figure).axes[0].get_yticklabels()]
    assert labels[:2] == ["block kib 9", "block kib 10"], labels


def test_levels_show_each_referee_only_in_its_panel():
    figure = io_levels()
    referees = figure.data[figure.data["mark"] == "referee"]
    assert sorted(zip(referees["down"], referees["across"], referees["value"], strict=True)) == [
        ("cached", "read_total", 1.27e9),
        ("cached", "write_total", 5e8),
    ]
    titles = [axes.get_title(loc="left") for axes in whole(io_levels).axes]
    assert titles == ["Cached · Write", "Cached · Read", "Starved of cache · Write", "Starved of cache · Read"]


def test_ratios_are_told_apart_by_what_stands_among_them_all_also_in_black_and_white():
    axes = whole(ratio_figure).axes
    marks = [[one for one in axes[0].lines if one.get_marker() == shape] for shape in ("o", "s")]
    filled = [line.get_markerfacecolor() for line in marks[0] if line.get_markersize() > 6]
    # 0.002 is below 5 % of a quarter, 0.04 is not below 5 % of two quarters: one of four would come by chance.
    assert filled == [Look(0).colour(LIGHT), LIGHT.background] and len(marks[1]) == 1
    data = ratio_figure().data
    assert data.loc[data["mark"] == "estimate"].sort_values("position")["stands"].tolist() == [
        True,
        False,
        False,
        False,
    ]
    words = [text.get_text() for legend in whole(ratio_figure).legends for text in legend.get_texts()]
    assert "excludes 1, but among 4 ratios such a one may come by chance" in words


@given(st.floats(-4, 0), st.floats(0, 4))
def test_an_axis_of_ratios_has_three_ticks_at_least(low, high):
    axes = MatplotlibFigure().subplots()
    axes.set_xscale("log")
    ends = np.array([10**low, 10**high])
    ratio_ticks(axes, ends)
    least, most = axes.get_xlim()
    assert 3 <= sum(least <= tick <= most for tick in axes.get_xticks()) <= 10


@given(st.floats(-0.07, 0), st.floats(0, 0.07))
def test_ticks_close_to_one_leave_room_for_their_numbers(low, high):
    axes = MatplotlibFigure().subplots()
    axes.set_xscale("log")
    ratio_ticks(axes, np.array([10**low, 10**high]))
    assert np.diff(np.log(axes.get_xticks())).min() / np.ptp(np.log(axes.get_xlim())) > 0.11


def test_ratios_that_include_one_are_grey_and_their_numbers_are_written():
    axes = whole(ratio_figure).axes
    colours = [[line.get_color() for line in labelled(one, "estimate")] for one in axes]
    clear, unclear = Look(0).colour(LIGHT), LIGHT.muted
    assert colours == [[clear, unclear, clear], [unclear]]
    assert "0.97  [0.8, 1.15; 93.75 %]  n = 5" in [text.get_text() for text in axes[1].texts]
    assert whole(near_one).axes[0].get_xscale() == "log"


def test_a_ratio_without_an_interval_says_so_and_excludes_nothing():
    rows = pd.DataFrame({"label": ["a", "b"], "estimate": [2.0, 3.0], "low": np.nan, "high": np.nan, "trials": 2})
    figure = paired_ratios(rows.assign(level=np.nan, p=np.nan), name="x")
    told = [text.get_text() for text in drawn(figure).axes[0].texts]
    assert told == ["2  n = 2", "3  n = 2"] and "a: 2; b: 3." in figure.alt
    words = [text.get_text() for legend in drawn(figure).legends for text in legend.get_texts()]
    assert words == ["too few blocks for an interval"]


def test_a_ratio_that_is_not_one_is_never_written_as_one():
    rows = pd.DataFrame({"label": ["a"], "estimate": [1.0], "low": [1.0004], "high": [1.18], "trials": [7]})
    rows = rows.assign(level=0.95, p=0.02)
    told = [text.get_text() for text in drawn(paired_ratios(rows, name="x")).axes[0].texts]
    assert "1  [1.0004, 1.18]  n = 7" in told


def test_percentiles_are_of_the_merged_histogram_and_end_where_the_samples_do():
    buckets, trials = histograms()
    figure = percentile_figure()
    curve = figure.data[(figure.data["panel"] == "c") & (figure.data["series"] == "c_write_read")]
    assert set(curve["samples"]) == {160_000} and set(curve["trials"]) == {4}
    last = -np.log10(1 - curve["percentile"].max() / 100)
    assert last <= np.log10(160_000) < last + 0.06
    mine = buckets[buckets["trial"].isin(trials.loc[trials["variant"] == "c_write_read", "trial"])]
    samples = np.sort(np.repeat(mine["low_ns"] + mine["width_ns"] - 1, mine["count"]))
    pooled = curve[curve["mark"] == "curve"].set_index("percentile")
    for percent, rank in ((50.0, 80_000), (99.0, 158_400), (99.9, 159_840)):
        assert pooled["value"][percent] == samples[rank - 1]
    single = [percentiles.percentile(_counts(rows), 99) for _, rows in mine.groupby("trial", observed=True)]
    assert (pooled["low"][99.0], pooled["high"][99.0]) == (min(single), max(single))
    bar = curve[(curve["mark"] == "interval") & (curve["percentile"] == 99)].iloc[0]
    assert bar["value"] == np.median(single) and min(single) <= bar["low"] < bar["high"] <= max(single)


def test_a_percentile_with_fewer_than_ten_samples_beyond_is_drawn_apart_and_has_no_trials():
    """160,000 samples of four trials: ten lie beyond 99.99375 %; of a trial's 40,000 beyond 99.975 %."""
    figure = percentile_figure()
    rows = figure.data[(figure.data["panel"] == "c") & (figure.data["series"] == "c_write_read")]
    assert rows.loc[rows["mark"] == "curve", "percentile"].max() <= 99.99375
    assert rows.loc[rows["mark"] == "tail", "percentile"].min() > 99.99375
    assert rows.loc[rows["percentile"] > 99.975, "low"].isna().all()
    assert rows.loc[rows["percentile"] <= 99.97, "low"].notna().all()
    assert rows.loc[rows["mark"] == "interval", "percentile"].tolist() == [50.0, 90.0, 99.0, 99.9]
    axes = whole(percentile_figure).axes[0]
    tails = labelled(axes, "tail")
    assert len(tails) == len(labelled(axes, "curve"))
    for curve, tail in zip(labelled(axes, "curve"), tails, strict=True):
        assert tail.get_xdata()[0] == curve.get_xdata()[-1] and tail.get_linestyle() == "--"
    assert "99.99 %" in figure.alt.replace("99.999", "") and "99.999 %" not in figure.alt


def _counts(rows):
    rows = rows.sort_values("low_ns")
    return Counts(*(rows[c].to_numpy(np.int64) for c in ("low_ns", "width_ns", "count")), 3, 1, 2**40)


def test_timeline_shows_the_median_trial_its_events_and_levels():
    iterations, events = steps()
    value = iterations["operations"] / iterations["elapsed_ns"]
    order = value.groupby(iterations["trial"].astype(str)).median().sort_values()
    data = step_figure().data
    shown = set(data.loc[data["mark"] == "iteration", "trial"])
    assert shown == {order.index[1]}
    assert (data["mark"] == "other").sum() == 240
    found = data[data["mark"] == "event"].sort_values(["series", "x"])
    entrant = found[found["series"] == "made_not_entrant"]
    assert entrant["count"].tolist() == [2, 2, 2] and entrant["text"].tolist() == ["opRun"] * 3
    assert entrant["x"].tolist() == pytest.approx([10 + 1 / 3, 20 + 1 / 3, 30 + 1 / 3], abs=1e-6)
    level = data[data["mark"] == "level"].sort_values("x")
    assert list(zip(level["x"], level["end"], strict=True)) == [(0, 10), (10, 20), (20, 30), (30, 120)]
    seen = data[data["mark"] == "published"].sort_values("x")
    assert len(seen) == 120 and seen["series"].iloc[0] == "inc7" and seen["x"].iloc[:2].tolist() == [0.5, 1.5]


def test_timeline_of_time_and_of_costs():
    iterations, events = steps()
    one = iterations[iterations["trial"] == "steps-b0"]
    figure = timeline(one, name="cost", unit="ns", label="Cost per call", kind="cost", x="time", events=events)
    rows = figure.data[figure.data["mark"] == "iteration"].sort_values("x")
    assert rows["value"].to_numpy() == pytest.approx((one["elapsed_ns"] / one["operations"]).to_numpy())
    assert rows["x"].iloc[1] == pytest.approx(
        (one["start_ns"].iloc[1] - one["start_ns"].iloc[0] + one["elapsed_ns"].iloc[1] / 2) / 1e6
    )
    trials = pd.DataFrame({"trial": ["steps-b0"], "noisy": [True]})
    noisy = timeline(one, name="noisy", unit="ns", label="Cost", kind="cost", trials=trials)
    assert labelled(drawn(noisy).axes[0], "noisy") and not labelled(drawn(noisy).axes[0], "trial")


def test_other_trials_of_threads_are_a_line_per_thread_and_of_classes_one():
    iterations, _ = steps()
    assert len(labelled(whole(step_figure).axes[0], "other")) == 2
    threads = pd.concat([iterations.assign(series=one) for one in ("t0", "t1")])
    figure = timeline(threads, name="threads", unit="ops/s", label="Throughput")
    assert len(labelled(drawn(figure).axes[0], "other")) == 4


def test_many_events_at_once_are_marked_without_labels_rather_than_over_each_other():
    iterations, _ = steps()
    one = iterations[iterations["trial"] == "steps-b0"]
    begin, end = one["start_ns"].min(), one["start_ns"].max()
    at = begin + np.arange(40) * (end - begin) // 5000
    methods = [f"lab.Type::method{k}" for k in range(40)]
    events = pd.DataFrame({"trial": "steps-b0", "t_ns": at, "kind": "compile", "method": methods})
    lane = drawn(timeline(one, name="many", unit="ops/s", label="Throughput", events=events)).axes[1]
    assert len(labelled(lane, "compile")) == 40
    boxes = [text.get_window_extent() for text in lane.texts]
    assert 7 <= len(boxes) < 40
    assert not [1 for a, b in itertools.combinations(boxes, 2) if a.overlaps(b)]


def test_fit_parameters_are_in_the_legend_with_their_intervals():
    legend = [text.get_text() for text in whole(fit_figure).legends[0].get_texts()]
    assert "write/read (C) · C · a = 700 [630, 770] ns, 1/b = 4 [3.8, 4.24] GB/s" in legend
    assert "95 % band of the fit" in legend


def test_a_line_over_a_time_has_its_unit_on_both_axes():
    rows = {"variant": "a", "runtime": "c", "word": [100.0, 150, 180], "value": [130.0, 185, 209]}
    points = pd.DataFrame(rows | {"trial": ["t1", "t2", "t3"], "noisy": False})
    none = pd.DataFrame(columns=["variant", "runtime", "word", "estimate", "low", "high"])
    how = {"x": "word", "x_label": "Bare word", "x_unit": "ns", "unit": "ns", "label": "One way"}
    figure = drawn(line_fit(points, none, pd.DataFrame(columns=none.columns), name="word", **how))
    assert "95 % band of the fit" not in [text.get_text() for text in figure.legends[0].get_texts()], "there is no line"
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Bare word (ns)", "One way (ns)")


def test_matrix_writes_every_number():
    axes = whole(matrix_figure).axes[0]
    assert len(axes.texts) == 56 and {"100", "125", "144"} <= {text.get_text() for text in axes.texts}


@pytest.mark.parametrize(("from_zero", "least"), [(False, 100), (True, 0)])
def test_matrix_colours_can_begin_at_zero(from_zero, least):
    cells = pd.DataFrame({"from": [0, 1], "to": [1, 0], "value": [100.0, 104.0]})
    figure = matrix(
        cells,
        name="two",
        row="from",
        column="to",
        unit="ns",
        label="One way",
        row_label="From",
        column_label="To",
        from_zero=from_zero,
    )
    assert drawn(figure).axes[0].collections[0].get_clim() == (least, 104)


def partly(cpus: int):
    """Costs between CPU 0 and every other one, both ways, of a host with so many CPUs; the other pairs are missing."""
    pairs = [pair for cpu in range(1, cpus) for pair in ((0, cpu), (cpu, 0))]
    cells = pd.DataFrame([(a, b, 50.0 + a + b) for a, b in pairs], columns=["from", "to", "value"])
    return matrix(
        cells, name="partly", row="from", column="to", unit="ns", label="One way", row_label="From", column_label="To"
    )


def hatched(axes) -> int:
    """Cells under a hatch: each is a closed path of five points."""
    return sum(len(patch.get_path().vertices) // 5 for patch in axes.patches if patch.get_hatch())


@pytest.mark.parametrize(("cpus", "missing", "possible"), [(4, 6, 12), (16, 210, 240)])
def test_matrix_hatches_and_counts_what_was_not_measured(cpus, missing, possible):
    figure = partly(cpus)
    canvas = drawn(figure)
    assert hatched(canvas.axes[0]) == missing
    words = f"not measured ({missing:,} of {possible:,})"
    assert [text.get_text() for text in canvas.legends[0].get_texts()] == [words]
    assert f"{missing:,} of {possible:,} cells were not measured" in figure.alt


def test_a_whole_matrix_has_no_hatch_and_its_diagonal_is_no_gap():
    canvas = whole(matrix_figure)
    assert not hatched(canvas.axes[0]) and not canvas.legends and "not measured" not in matrix_figure().alt
    corner = pd.DataFrame({"threads": [1, 1, 2], "size": [8, 16, 8], "value": [1.0, 2.0, 3.0]})
    other = matrix(
        corner,
        name="corner",
        row="threads",
        column="size",
        unit="ns",
        label="Cost",
        row_label="Threads",
        column_label="Size",
    )
    assert hatched(drawn(other).axes[0]) == 1  # rows and columns are different things: no diagonal


def test_numbers_are_left_out_of_cells_too_small_for_them():
    assert len(drawn(partly(4)).axes[0].texts) == 6 and not drawn(partly(64)).axes[0].texts


# Published values


def test_overlay_and_sequence_take_values_as_published():
    table = pd.read_csv(paths.published() / "locks.csv")
    seen = published.overlay(table, {"ReentrantLock": "reentrant_lock"}, axis="threads")
    assert set(seen["variant"]) == {"reentrant_lock"} and len(seen) == 16
    assert seen[seen["threads"] == 8]["value"].max() == 19010725
    passes = published.sequence(pd.read_csv(paths.published() / "dispatch.csv"), {"IncOperation": "inc1"})
    assert set(passes["phase"]) == {"loop0", "loop1", "loop2"} and set(passes["series"]) == {"inc1"}
    assert set(passes["source"]) == {"Sandy Bridge 2.4 GHz, 2012"}
    hops = published.overlay(
        pd.read_csv(paths.published() / "condvar.csv"), {"pinned": "condition"}, metric="latency_one_way"
    )
    assert set(hops.loc[hops["value"] == 2082, "source"]) == {"Nehalem 2.8 GHz, Windows 7 Pro, 2011"}
    assert set(hops.loc[hops["value"] == 2023, "source"]) == {"Nehalem 2.8 GHz, Fedora Core 15, 2011"}
    with pytest.raises(LabError, match="published: no 'latency' of ReentrantLock"):
        published.overlay(table, {"ReentrantLock": "reentrant_lock"}, metric="latency")


def test_a_published_value_from_a_number_of_threads_on_is_drawn_at_the_first():
    table = pd.read_csv(paths.published() / "locks.csv").head(3).assign(threads_or_size=["2", ">=3", "16"])
    variant = table["variant"].iloc[0]
    seen = published.overlay(table.assign(variant=variant), {variant: "ours"}, axis="threads")
    assert seen["threads"].tolist() == [2, 3, 16] and seen["size"].tolist() == ["2", ">=3", "16"]
    told = pd.read_csv(paths.published() / "narrative.csv")
    assert set(published.overlay(told, {"LOCK XADD": "ours"}, axis="threads")["threads"]) == {3}
    assert "threads" not in published.overlay(table.assign(variant=variant), {variant: "ours"})


def test_published_percentiles_lie_beside_the_curve_of_their_variant():
    table = pd.read_csv(paths.published() / "notify_percentiles.csv")
    names = {name: "c_write_read" for name in table["variant"].unique()}
    seen = published.percentiles(table, names)
    linux = seen[(seen["source"] == "Linux, 2015") & (seen["size"] == "16")].set_index("percentile")["value"]
    assert linux.to_dict() == {50: 1532, 90: 1790, 95: 1888, 99: 2056, 99.9: 3175, 99.99375: 20906}
    with pytest.raises(LabError, match="published: no percentile of nothing"):
        published.percentiles(table, {"nothing": "c_write_read"})
    buckets, trials = histograms()
    for panels, titles in (("runtime", ["C"]), ("variant", ["C write + read"])):
        how = {"panels": panels, "names": {name: "C write + read" for name in trials["variant"].unique()}}
        canvas = drawn(percentile_curve(buckets, trials, name="told", label="Time", published=seen, **how))
        told = [axes for axes in canvas.axes if labelled(axes, "published")]
        assert [axes.get_title(loc="left") for axes in told] == titles
        lines = labelled(told[0], "published")
        assert [len(line.get_xdata()) for line in lines] == [12, 12]
        assert all(np.all(np.diff(line.get_xdata()) >= 0) for line in lines)
        legend = [text.get_text() for text in canvas.legends[0].get_texts()]
        assert {"published: Linux, 2015", "published: Windows, 2015"} <= set(legend)


# The figure and its page


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


def test_html_has_both_themes_alt_texts_and_downloads():
    figure = near_one().titled("", "Caption <b>", PROVENANCE, brief='Ratio "a" < 1 & more')
    figure.alt = "Ratio <i> of a"
    text = figure._repr_html_()
    tags = Page(text).tags
    images = [attributes for tag, attributes in tags if tag == "img"]
    assert [image["class"] for image in images] == ["only-light", "only-dark"]
    assert {image["alt"] for image in images} == {figure.brief}
    assert "<summary>Description</summary>Ratio &lt;i&gt; of a</details>" in text
    assert all(image["src"].startswith("data:image/svg+xml;base64,") for image in images)
    links = [attributes["href"] for tag, attributes in tags if tag == "a"]
    assert links == [f"figures/near_one.{kind}" for kind in ("svg", "csv", "json")]
    assert ("figure", {"class": "lab-figure"}) in tags and "Caption &lt;b&gt;" in text
    assert "!important" not in text  # the site's theme has the last word
    assert "lab kit" not in text  # there is none of a figure that lacks its table


def test_a_figure_that_has_a_kit_says_how_it_is_had():
    figure = near_one().titled("", "", PROVENANCE | {"run": "a&b"}, about={"table": {}})
    assert "<summary>Kit</summary><code>lab kit near_one --run a&amp;b --for hugo</code>" in figure._repr_html_()


def test_json_and_csv_say_what_is_drawn(tmp_path):
    figure = near_one().titled("Near one", "A ratio.", PROVENANCE)
    written = {path.suffix: path for path in figure.save(tmp_path / "new")}
    words = json.loads(written[".json"].read_text(encoding="utf-8"))
    assert words["provenance"] == PROVENANCE and (words["alt"], words["brief"]) == (figure.alt, figure.brief)
    assert (words["name"], words["title"], words["caption"]) == ("near_one", "Near one", "A ratio.")
    pd.testing.assert_frame_equal(
        pd.read_csv(written[".csv"])[["value", "low", "high"]], figure.data[["value", "low", "high"]]
    )


def test_a_brief_is_short_whether_it_is_given_or_not():
    figure = near_one()
    figure = replace(figure, alt="word " * 100, brief="")
    assert len(figure.brief) <= BRIEF and figure.brief.endswith("word …")
    assert figure.titled("", "", {}).brief == figure.brief
    with pytest.raises(LabError, match="near_one: brief has 251 characters"):
        figure.titled("", "", {}, brief="x" * 251)


def test_alt_texts_say_the_numbers():
    medians = locks()[1].set_index(["variant", "runtime", "threads"])["estimate"]
    first, last = (quantity(medians["mcs", "c", n], "ops/s") for n in (1, 8))
    words = lock_figure("words").alt
    assert f"MCS, C: {first} at 1, {last} at 8" in words
    assert "Beyond 2 threads there are more threads than CPUs." in words
    assert "0.97 [0.8, 1.15; 93.75 %]" in ratio_figure().alt
    assert "6 made not entrant" in step_figure().alt
    assert "(160,000 samples)" in percentile_figure().alt


# Refusals: one line that names the figure and what to do


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Figure("Bad name", "a", pd.DataFrame(), lambda theme: None), "figure name 'Bad name'"),
        (lambda: Figure("ok", " ", pd.DataFrame(), lambda theme: None), "figure ok: alt is empty"),
        (
            lambda: scaling_curve(*locks()[:2], name="no", metric="speed", label="", cpus=2),
            "figure no: no value of the metric 'speed'; the table has: throughput",
        ),
        (lambda: paired_ratios(pairs()[0].assign(estimate=0.0), name="no"), "figure no: every ratio must be positive"),
        (lambda: paired_ratios(pairs()[0].head(0), name="no"), "figure no: every ratio must be positive"),
        (
            lambda: percentile_curve(histograms()[0], histograms()[1].head(0), name="no", label=""),
            "figure no: no histogram",
        ),
        (lambda: timeline(steps()[0].head(0), name="no", unit="ns", label=""), "figure no: no iteration to draw"),
        (
            lambda: timeline(steps()[0], name="no", unit="ns", label="", representative="x"),
            "figure no: .* the trial 'x'",
        ),
        (
            lambda: matrix(
                pd.DataFrame({"a": [1, 1], "b": [2, 2], "value": [1.0, 2.0]}),
                name="no",
                row="a",
                column="b",
                unit="ns",
                label="",
                row_label="",
                column_label="",
            ),
            "figure no: every pair of a and b",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(make, words):
    with pytest.raises(LabError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


PLAIN = [(1000, "1,000"), (3000, "3,000"), (0.3, "0.3"), (30, "30"), (2e-6, "2·10⁻⁶"), (1e-12, "10⁻¹²")]


@pytest.mark.parametrize(("value", "words"), PLAIN)
def test_a_tick_of_a_plain_count_has_no_exponent(value, words):
    assert units.tick(value, "ops") == words


def test_what_the_clock_does_not_resolve_is_shaded_and_said():
    buckets, trials = histograms()
    plain = percentile_curve(buckets, trials, name="c", label="Duration")
    lowest = plain.data["value"].min()
    resolved = percentile_curve(buckets, trials, name="c", label="Duration", clock=lowest / 2)
    assert svg(resolved) == (before := svg(plain))
    unresolved = percentile_curve(buckets, trials, name="c", label="Duration", clock=lowest * 3)
    spans = [drawn(one).axes[0].get_ylim() for one in (resolved, unresolved)]
    assert spans[1][0] >= spans[0][0] / 3  # the shade does not stretch the axis
    assert "not resolved" in unresolved.alt and "not resolved" not in resolved.alt
    assert list(unresolved.data.loc[unresolved.data["mark"] == "clock", "value"]) == [lowest * 3]
    assert svg(unresolved) != before


def test_columns_of_numbers_are_numbers_also_where_none_has_one():
    parts = [pd.DataFrame({"mark": ["fit"], "value": [1.0], "low": [None], "source": [None]}, dtype=object)]
    found = marks.table([*parts, pd.DataFrame({"mark": ["trial"], "value": [2.0]})], ["mark", "value", "low", "source"])
    assert found["low"].dtype == found["value"].dtype == float and found["source"].dtype == object


def test_what_all_panels_have_in_common_is_not_said_over_each():
    names = {"a": "MCS, work outside", "b": "mutex, work outside", "c": "spin, pinned"}
    assert style.headings(["a", "b"], names) == {"a": "MCS", "b": "mutex"}
    assert style.headings(["a", "c"], names) == {one: names[one] for one in "ac"}
    assert style.headings(["a"], names) == {"a": "MCS, work outside"}
    assert style.headings(["x", "y"], None) == {"x": "x", "y": "y"}


@pytest.mark.parametrize("name", catalogue.load())
def test_every_published_source_of_a_figure_of_levels_has_a_sign_of_its_own(name):
    signs = bars.FOREIGN["published"]
    assert len(set(signs)) == len(signs)
    for file, names in catalogue.load()[name].published.items():
        table = pd.read_csv(paths.published() / file).dropna(subset=["machine"])
        for metric, rows in table[table["variant"].isin(list(names))].groupby("metric"):
            assert len(set(published.sources(rows))) <= len(signs), (file, metric)
