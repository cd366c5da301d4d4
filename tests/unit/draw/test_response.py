"""What stands in the figures of queues under load: marks, places, what is pale, what a legend and a text say."""

import numpy as np
import pandas as pd
import pytest
from figures import draw
from response_figures import LOADS, NAMES, QUEUES, agree, by_rate, j_curve, loads, model_lines, parts, predictions

from pipeline.draw.agreement import agreement
from pipeline.draw.response import response_curve
from pipeline.draw.response_panels import DASHES, FAINT
from pipeline.draw.stacked import stacked
from pipeline.draw.style import LIGHT
from pipeline.ground.errors import LabError

pytestmark = pytest.mark.thorough


def labelled(axes, label):
    found = [*axes.lines, *(one for container in axes.containers for one in container.get_children())]
    return [line for line in found if line.get_label() == label]


def legend(canvas) -> list[str]:
    return [text.get_text() for text in canvas.legends[0].get_texts()]


@pytest.fixture(scope="module")
def curve():
    figure = j_curve()
    return figure, draw(figure)


def test_every_trial_and_median_of_both_metrics_is_drawn(curve):
    figure, canvas = curve
    metrics, medians = loads()
    counted = figure.data["mark"].value_counts()
    wanted = ["latency_p50", "latency_p99"]
    assert counted["trial"] == metrics["metric"].isin(wanted).sum()
    assert counted["estimate"] == medians["metric"].isin(wanted).sum()
    assert counted["line"] == len(model_lines())
    assert [ax.get_title(loc="left") for ax in canvas.axes] == list(NAMES.values())
    drawn = sum(
        len(line.get_xdata()) for ax in canvas.axes for line in (*labelled(ax, "trial"), *labelled(ax, "noisy"))
    )
    assert drawn == counted["trial"]


def test_the_load_axis_is_linear_and_reaches_from_nothing_to_capacity(curve):
    for ax in curve[1].axes:
        assert ax.get_xscale() == "linear" and ax.get_xlim() == (0, 100) and ax.get_yscale() == "log"


def test_what_is_beyond_the_bound_is_pale_and_the_rest_is_not(curve):
    figure, canvas = curve
    assert set(figure.data.loc[figure.data["faint"].eq(True) & (figure.data["mark"] == "trial"), "x"]) == {95}
    for ax in canvas.axes:
        for line in (*labelled(ax, "trial"), *labelled(ax, "noisy")):
            assert ((line.get_xdata() > 91).all() and line.get_alpha() < FAINT) or (line.get_xdata() < 91).all()
        joined, faint = labelled(ax, "joined"), labelled(ax, "faint")
        assert len(joined) == len(faint) and all(line.get_xdata()[-1] == pytest.approx(90, abs=1) for line in joined)
        assert all(line.get_alpha() == FAINT for line in faint)
    plain = draw(j_curve(faint=None))
    assert not any(labelled(ax, "faint") for ax in plain.axes) and "above 90 %" not in legend(plain)
    assert "above 90 %" in legend(canvas)


def test_the_tail_is_thinner_than_the_middle(curve):
    for ax in curve[1].axes:
        widths = sorted({line.get_linewidth() for line in labelled(ax, "joined")})
        assert widths == [0.8, 1.6]
    assert {"median", "99th percentile"} <= set(legend(curve[1]))
    assert "median" not in legend(draw(j_curve(metric="latency_p50")))


def test_models_from_the_capacity_alone_are_dashed_and_those_of_measured_parts_broad(curve):
    canvas = curve[1]
    for ax, variant in zip(canvas.axes, QUEUES, strict=True):
        runtimes = 1 if variant.startswith("c_") else 2
        assert len(labelled(ax, "capacity alone")) == 2 * runtimes and len(labelled(ax, "measured parts")) == runtimes
        assert {line._unscaled_dash_pattern[1] for line in labelled(ax, "capacity alone")} == {
            DASHES[0][1],
            DASHES[1][1],
        }
        bands = [one for one in ax.collections if one.get_label() == "band"]
        assert len(bands) == runtimes
    words = {"M/M/1, from the capacity alone", "M/G/1 with wake-up, from measured parts"}
    assert words <= set(legend(canvas))


def test_knees_are_marked_in_the_panel_and_the_legend(curve):
    canvas = curve[1]
    assert [len(labelled(ax, "knee")) for ax in canvas.axes] == [2, 0, 1, 1]
    assert any(words.startswith("knee: twice") for words in legend(canvas))
    assert not any(words.startswith("knee") for words in legend(draw(j_curve(knees=None))))


def test_against_a_rate_every_trial_stands_at_its_own():
    figure = by_rate(panels=None)
    metrics, _ = loads()
    wide = metrics.pivot(index="trial", columns="metric", values="value")
    trials = figure.data[figure.data["mark"] == "trial"].set_index("trial")
    assert trials["x"].sort_index().to_numpy() == pytest.approx(wide["throughput"].sort_index().to_numpy())
    canvas = draw(figure)
    assert len(canvas.axes) == 1 and canvas.axes[0].get_xscale() == "log"
    assert canvas.axes[0].get_xlabel() == "Rate (events/s)" and canvas.axes[0].get_title(loc="left") == ""
    assert " at 12.8 M events/s" in figure.alt


def test_an_axis_may_be_the_series():
    metrics, medians = loads()
    two = [pd.concat([frame.assign(work=work) for work in (0, 200)]) for frame in (metrics, medians)]
    two = [frame[(frame["variant"] == "c_sequenced") & (frame["metric"] == "latency_p50")] for frame in two]
    figure = response_curve(*two, name="work", metric="latency_p50", label="Median latency", series="work")
    assert {"work 0", "work 200"} <= set(legend(draw(figure)))
    assert figure.data.loc[figure.data["mark"] == "estimate", "series"].value_counts().to_dict() == {
        "0": len(LOADS),
        "200": len(LOADS),
    }


def test_a_value_without_a_name_is_refused_and_not_left_out():
    few = {"variant": {name: label for name, label in NAMES.items() if name != "abq_spin"}}
    with pytest.raises(LabError, match="no label for 'abq_spin'"):
        j_curve(names=few, alt="told")


def test_loads_beyond_capacity_have_room():
    metrics, medians = (frame.assign(load=frame["load"] + 25) for frame in loads())
    figure = response_curve(
        metrics, medians, name="over", metric="latency_p50", label="Latency", names={"variant": NAMES}
    )
    assert draw(figure).axes[0].get_xlim()[1] == 122


# Agreement


def test_agreement_has_a_mark_per_configuration_and_stars_for_controls():
    figure = agree()
    rows = predictions()
    assert (figure.data["mark"] == "trial").sum() == len(rows)
    medians = figure.data[figure.data["mark"] == "estimate"]
    assert len(medians) == rows.groupby(["variant", "load", "statistic"]).ngroups
    canvas = draw(figure)
    for ax in canvas.axes:
        assert ax.get_xlim() == ax.get_ylim() and (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
        stars = [line for line in labelled(ax, "estimate") if line.get_marker() == "*"]
        assert len(stars) == 2 and len(labelled(ax, "estimate")) == 2 + len(QUEUES)
    assert {"Constant service (control)", "within a factor 1.25", "predicted = measured"} <= set(legend(canvas))


def test_a_control_whose_name_says_so_is_not_called_one_twice():
    rows = predictions().assign(variant="control")
    figure = agreement(
        rows, name="one", unit="ns", label="Mean", names={"control": "control, 1 µs (C)"}, controls=["control"]
    )
    assert "control, 1 µs (C)" in legend(draw(figure))


def test_the_text_counts_those_within_the_band():
    rows = pd.DataFrame({"variant": ["a", "b"], "measured": [100.0, 100.0], "predicted": [120.0, 130.0]})
    rows = rows.assign(trial=["t0", "t1"], runtime="c", noisy=False, load=80)
    figure = agreement(rows, name="two", unit="ns", label="Mean", by=["load"])
    assert "1 of 2 configurations are within a factor 1.25" in figure.alt
    assert "a, C, load 80: 120 ns for 100 ns" in figure.alt
    assert "2 of 2" in agreement(rows, name="two", unit="ns", label="Mean", within=0.5).alt


def test_predictions_that_are_missing_are_left_out_and_none_at_all_is_refused():
    rows = predictions().assign(predicted=np.nan)
    with pytest.raises(LabError, match="figure none: no trial with both measured and predicted"):
        agreement(rows, name="none", unit="ns", label="Mean")


# Stacked bars


def test_parts_stand_on_each_other_and_their_whole_is_marked():
    figure = parts()
    bars = figure.data[figure.data["mark"] == "part"]
    for _, rows in bars.groupby(["panel", "row"]):
        rows = rows.sort_values("start")
        assert rows["start"].tolist() == pytest.approx([0, *rows["value"].cumsum().tolist()[:-1]])
        assert rows["part"].tolist() == ["fixed", "waiting", "service"]
    canvas = draw(figure)
    assert [ax.get_title(loc="left") for ax in canvas.axes] == ["10 % load", "80 % load"]
    assert [label.get_text() for label in canvas.axes[0].get_yticklabels()] == list(NAMES.values())
    assert legend(canvas) == ["hop or wake-up", "waiting", "service", "measured as a whole"]
    totals = [one for ax in canvas.axes for one in ax.containers if one.get_label() == "total"]
    reached = bars.groupby(["panel", "row"])["value"].sum()
    assert [line.get_xdata().tolist() for line, *_ in totals] == [
        pytest.approx([reached[panel, row] for row in rows["row"]])
        for panel, rows in figure.data[figure.data["mark"] == "total"].groupby("panel")
    ]
    assert len(totals) == 2


def test_shares_are_of_every_bar():
    figure = parts(shares=True, totals=None)
    assert figure.data.groupby(["panel", "row"])["value"].sum().to_numpy() == pytest.approx(100)
    assert "%" in draw(figure).axes[0].get_xlabel()


def test_an_interval_that_is_not_drawn_takes_no_room():
    rows = pd.DataFrame([{"label": "a", "part": part, "value": 2.0, "high": 90.0} for part in ("late", "service")])
    names = {"late": "late", "service": "service"}
    assert draw(stacked(rows, name="x", unit="ns", label="Latency", parts=names)).axes[0].get_xlim()[1] < 5


@pytest.mark.parametrize("wrong", [{"value": -1.0}, {"value": float("nan")}, {"part": "other"}])
def test_a_part_that_is_none_is_refused(wrong):
    rows = pd.DataFrame([{"label": "a", "part": "service", "value": 1.0} | wrong])
    with pytest.raises(LabError, match="figure no: every part must be one of service"):
        stacked(rows, name="no", unit="ns", label="Latency", parts={"service": "service"})


def test_ink_is_that_of_the_theme(curve):
    assert curve[1].axes[0].lines[0].get_color() in LIGHT.series


def test_a_model_of_what_was_not_measured_makes_no_panel():
    without = [rows[rows["variant"] != "c_sequenced"] for rows in loads()]
    how = {"name": "few", "metric": "latency_p50", "label": "Latency", "names": {"variant": NAMES}}
    figure = response_curve(*without, lines=model_lines(), **how)
    assert set(figure.data["panel"]) == set(QUEUES) - {"c_sequenced"}
    assert NAMES["c_sequenced"] not in [ax.get_title(loc="left") for ax in draw(figure).axes]
