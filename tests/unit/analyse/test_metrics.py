import pytest
from analyse_tables import costs_to_iterations, entry, tables

from pipeline.analyse import metrics, rates
from pipeline.analyse.too_few_samples import withheld
from pipeline.analyse.trials import Trials
from pipeline.ground.errors import LabError
from pipeline.models.littles import littles_law

pytestmark = pytest.mark.thorough


def value(metric: dict, rows=({},), **frames):
    """The values of one metric, by trial."""
    found = metrics.compute(entry({"m": metric}), tables(list(rows), **frames))
    return dict(zip(found["trial"], found["value"], strict=True))


TEN = costs_to_iterations("t0", [1, 2, 3, 4, 5])


@pytest.mark.parametrize(("estimator", "cost"), [("floor", 1), ("quartile", 2), ("median", 3), ("total", 3)])
def test_cost_and_rate_are_inverse(estimator, cost):
    assert value({"kind": "cost", "estimator": estimator}, iterations=TEN) == {"t0": cost}
    assert value({"kind": "rate", "estimator": estimator}, iterations=TEN) == {"t0": pytest.approx(1e9 / cost)}


def test_cost_in_cycles_divides_by_the_cycle_of_the_trial():
    assert value({"kind": "cost", "estimator": "floor", "in_cycles": True}, iterations=TEN) == {"t0": 2}


def test_total_weights_iterations_by_their_length():
    rows = [("t0", 0, "measured", "a", 0, 100, 100, 1), ("t0", 1, "measured", "a", 100, 900, 100, 1)]
    assert value({"kind": "cost", "estimator": "total"}, iterations=rows) == {"t0": 5}


def test_a_rate_is_the_sum_of_the_threads_rates_since_the_opening():
    # The second thread gets a CPU 20 ns after the opening, and is at work until 100.
    rows = [("t0", 0, "measured", "t0", 0, 80, 40, 1), ("t0", 0, "measured", "t1", 20, 80, 25, 1)]
    assert value({"kind": "cost"}, iterations=rows) == {"t0": pytest.approx(1 / (40 / 80 + 25 / 100))}
    assert value({"kind": "cost", "series": "t1"}, iterations=rows) == {"t0": 3.2}


MS = 1_000_000
# Two threads of one iteration of 4 ms whose deadlines count from their own starts; the second is preempted at its end.
ALONE = [("t0", 0, "measured", "t0", 0, 4 * MS, 250_000, 1), ("t0", 0, "measured", "t1", 2 * MS, 9 * MS, 250_000, 1)]


def of_iterations(*iterations):
    """The rows of a trial from those of its iterations, each of which was written down as number 0."""
    return [(*row[:1], number, *row[2:]) for number, rows in enumerate(iterations) for row in rows]


def test_an_iteration_whose_threads_ran_apart_is_no_measurement():
    # 11 ms long, of which 2 are common: a span would charge 22 ns per operation.
    both = [("t0", 0, "measured", name, 0, 4 * MS, 250_000, 1) for name in ("t0", "t1")]
    rows = of_iterations(ALONE, both, both, both)
    buckets = [("t0", 0, "t0", 900, 1, 90), ("t0", 1, "t0", 30, 1, 20)]
    for metric in ({"estimator": "total"}, {"estimator": "floor"}, {"estimator": "median"}):
        assert value({"kind": "cost"} | metric, iterations=rows) == {"t0": 8}
    assert value({"kind": "percentile", "percentile": 50}, iterations=rows, buckets=buckets) == {"t0": 30}


def test_a_trial_whose_threads_mostly_ran_apart_yields_nothing():
    both = [("t0", 0, "measured", name, 0, 4 * MS, 250_000, 1) for name in ("t0", "t1")]
    declared, half = entry({"m": {"kind": "rate"}}), of_iterations(ALONE, both)
    assert rates.apart(Trials(declared, tables([{}], iterations=half))).empty
    rows = of_iterations(ALONE, ALONE, both)
    assert value({"kind": "rate"}, iterations=rows) == {}
    assert value({"kind": "rate", "series": "t1"}, iterations=rows) != {}
    assert list(rates.apart(Trials(declared, tables([{}], iterations=rows)))["trial"]) == ["t0"]


def test_the_total_of_several_threads_adds_their_totals():
    rows = of_iterations(
        [("t0", 0, "measured", "a", 0, 100, 10, 1), ("t0", 0, "measured", "b", 0, 100, 30, 1)],
        [("t0", 0, "measured", "a", 0, 300, 10, 1), ("t0", 0, "measured", "b", 0, 300, 50, 1)],
    )
    assert value({"kind": "rate", "estimator": "total"}, iterations=rows) == {"t0": pytest.approx(1e9 * 100 / 400)}


def test_series_at_work_in_turn_share_the_time_of_all_iterations():
    """Blocks are written in 60 ns, then made durable in 40: 100 blocks in 100 ns, not in 60."""
    rows = [("t0", 0, "measured", "write", 0, 60, 100, 1), ("t0", 1, "measured", "sync", 60, 40, 1, 1)]
    assert value({"kind": "rate", "estimator": "total"}, iterations=rows) == {"t0": pytest.approx(1e9 * 101 / 100)}


def test_phases_are_globs_and_last_counts_from_the_end():
    rows = costs_to_iterations("t0", [9, 9, 9], "pass1") + costs_to_iterations("t0", [5, 2, 2], "pass2", first=3)
    assert value({"kind": "cost", "phase": "pass[2-9]"}, iterations=rows) == {"t0": 2}
    assert value({"kind": "cost", "phase": "pass*", "estimator": "total"}, iterations=rows) == {"t0": 6}
    assert value({"kind": "cost", "phase": "pass2", "estimator": "total", "last": 2}, iterations=rows) == {"t0": 2}


@pytest.mark.parametrize(("passes", "cost"), [([9, 5], 5), ([9, 4, 2], 3), ([9, 9, 9, 2, 3, 4], 3), ([7], 7)])
def test_the_later_half_of_the_phases_is_that_in_time(passes, cost):
    """The tenth pass is later than the second, whatever their names' order is."""
    rows = [row for at, one in enumerate(passes) for row in costs_to_iterations("t0", [one], f"pass{8 + at}", first=at)]
    metric = {"kind": "cost", "phase": "pass*", "later_half": True}
    assert value(metric, iterations=rows) == {"t0": cost}


def test_only_the_steady_part_of_the_measured_phase_counts_and_others_stay_whole():
    costs = [8] * 15 + [4] * 35
    rows = costs_to_iterations("t0", costs) + costs_to_iterations("t0", costs, "loop", first=50)
    assert value({"kind": "cost", "estimator": "total"}, iterations=rows) == {"t0": 4}
    assert value({"kind": "cost", "estimator": "total", "phase": "loop"}, iterations=rows) == pytest.approx({"t0": 5.2})


def test_an_unsteady_trial_is_marked_and_measured_over_everything():
    found = metrics.compute(
        entry({"m": {"kind": "cost", "estimator": "total"}, "w": {"kind": "cost", "phase": "warmup"}}),
        tables(
            [{}], iterations=costs_to_iterations("t0", [8] * 30 + [4] * 20) + costs_to_iterations("t0", [1], "warmup")
        ),
    ).set_index("metric")
    assert found.loc["m", "steady"] == False and found.loc["m", "value"] == 6.4  # noqa: E712
    assert found.loc["w", "steady"] == True  # noqa: E712


def test_only_measured_trials_have_metrics():
    rows = [{"status": "unsupported"}, {}]
    assert value({"kind": "cost"}, rows, iterations=TEN + costs_to_iterations("t1", [7])) == {"t1": 7}


def test_scale_and_the_value_of_an_axis_multiply():
    rows = [{"threads": 4}]
    assert value({"kind": "cost", "scale": 10, "scale_by": "threads"}, rows, iterations=TEN) == {"t0": 120}


BUCKETS = [("t0", 0, "t0", low, 1, 1) for low in range(1, 11)]


def test_percentiles_follow_the_java_rule_on_the_merged_histogram():
    rows = costs_to_iterations("t0", [1, 1]) + costs_to_iterations("t0", [1], "warmup", first=2)
    # The same ten values in both iterations: Java's 94th percentile of 1..10 is 10. Warm-up must not count.
    many = [(*bucket, 10) for *bucket, _ in BUCKETS]
    buckets = many + [("t0", 1, *rest) for _, _, *rest in many] + [("t0", 2, "t0", 99, 1, 100)]
    assert value({"kind": "percentile", "percentile": 94}, iterations=rows, buckets=buckets) == {"t0": 10}
    assert value({"kind": "percentile", "percentile": 50}, iterations=rows, buckets=buckets) == {"t0": 5}
    assert value({"kind": "mean"}, iterations=rows, buckets=buckets) == {"t0": 5.5}


def test_a_percentile_without_ten_samples_beyond_is_withheld_and_named():
    rows = [(name, 0, "measured", "t0", 0, 1, 1, count) for name, count in (("t0", 1000), ("t1", 999), ("t2", 0))]
    buckets = [("t0", 0, "t0", 5, 1, 1000), ("t1", 0, "t0", 5, 1, 999)]
    p99, most = {"kind": "percentile", "percentile": 99}, {"kind": "greatest", "samples": 1000}
    for metric in (p99, most):
        assert value(metric, [{}] * 3, iterations=rows, buckets=buckets) == {"t0": 5}
    data = tables([{}, {}, {}], iterations=rows, buckets=buckets)
    found = withheld(Trials(entry({"p99": p99, "most": most, "cost": {"kind": "cost"}}), data))
    assert found[["metric", "trials", "of"]].values.tolist() == [["p99", 1, 2], ["most", 1, 2]]
    assert "fewer than 10 samples" in found["why"][0] and "fewer samples than" in found["why"][1]
    assert withheld(Trials(entry({"p50": {"kind": "percentile", "percentile": 50}}), data)).empty


def test_histograms_of_two_trials_and_series_stay_apart():
    rows = [
        ("t0", 0, "measured", "r", 0, 1, 1, 1),
        ("t0", 0, "measured", "w", 0, 1, 1, 1),
        ("t1", 0, "measured", "r", 0, 1, 1, 1),
    ]
    buckets = [("t0", 0, "r", 5, 1, 1), ("t0", 0, "w", 50, 1, 1), ("t1", 0, "r", 7, 1, 1), ("t1", 3, "r", 9, 1, 1)]
    metric = {"kind": "greatest", "samples": 1}
    assert value(metric | {"series": "r"}, [{}, {}], iterations=rows, buckets=buckets) == {"t0": 5, "t1": 7}
    assert value(metric | {"series": "w"}, [{}, {}], iterations=rows, buckets=buckets) == {"t0": 50}


def test_a_measure_is_the_median_over_measured_iterations_or_the_whole_trial():
    rows = costs_to_iterations("t0", [1], "warmup") + costs_to_iterations("t0", [1, 1, 1], first=1)
    per = [("t0", number, "", "gini", v) for number, v in enumerate([9, 1, 2, 6])]
    assert value({"kind": "measure", "name": "gini"}, iterations=rows, measures=per) == {"t0": 2}
    whole = [("t0", -1, "", "gini", 7)]
    assert value({"kind": "measure", "name": "gini"}, iterations=rows, measures=whole) == {"t0": 7}
    assert value({"kind": "measure", "name": "other"}, iterations=rows, measures=whole) == {}


def test_a_ratio_of_measures_divides_sums():
    rows = costs_to_iterations("t0", [1, 1])
    found = [("t0", 0, "", "ops", 10), ("t0", 1, "", "ops", 20), ("t0", 0, "", "runs", 5), ("t0", 1, "", "runs", 1)]
    assert value({"kind": "measure_ratio", "name": "ops", "per": "runs"}, iterations=rows, measures=found) == {"t0": 5}


def test_measures_of_the_whole_trial_are_per_all_measured_operations_trimmed_or_not():
    rows = costs_to_iterations("t0", [8] * 15 + [4] * 35) + costs_to_iterations("t0", [1], "warmup", first=50)
    found = [("t0", -1, "", "switches_a", 2), ("t0", -1, "", "switches_b", 3)]
    metric = {"kind": "measure_ratio", "name": "switches_*", "per": "operations", "scale": 1e6}
    assert value(metric, iterations=rows, measures=found) == {"t0": 1000}


EVENTS = [
    ("t0", 50, "compile", "lab.A::step", 3, 10, "", ""),
    ("t0", 150, "made_not_entrant", "lab.A::opRun", 4, 0, "", ""),
    ("t0", 250, "made_not_entrant", "lab.A::opRun", 4, 0, "", ""),
    ("t0", 260, "made_not_entrant", "lab.A::other", 4, 0, "", ""),
]


def test_events_are_counted_and_none_counts_as_zero_where_the_log_was_written():
    where = {"kind": "made_not_entrant", "method": ".*::opRun"}
    rows = [{}, {}, {"variant": "native", "runtime": "c"}, {}]
    # The last was measured before its variant had a log: a virtual machine always compiles something.
    logged = [*EVENTS, ("t1", 50, "compile", "java.lang.Object::<init>", 1, 1, "", "")]
    assert value({"kind": "events", "where": where}, rows, events=logged) == {"t0": 2, "t1": 0}
    # The method must match in full, and an inline event needs another log than fast writes.
    assert value({"kind": "events", "where": where | {"method": "opRun"}}, [{}], events=EVENTS) == {"t0": 0}
    assert value({"kind": "events", "where": {"kind": "inline"}}, rows, events=EVENTS) == {}


def test_events_in_bytes_give_the_last_size():
    events = [("t0", 9, "nmethod", "A::all", 4, 300, "", ""), ("t0", 5, "nmethod", "A::all", 4, 200, "", "")]
    metric = {"kind": "events", "unit": "bytes", "where": {"kind": "nmethod"}}
    assert value(metric, [{"variant": "slow"}], events=events) == {"t0": 300}


def test_events_within_are_those_of_the_last_compilation_entered_at_its_beginning():
    events = [
        ("t0", 1, "nmethod", "lab.A::all", 4, 0, "osr", "7%"),
        ("t0", 1, "inline", "lab.B::map", 4, 0, "lab.A::all", "7%"),
        ("t0", 2, "nmethod", "lab.A::all", 4, 0, "", "8"),
        ("t0", 2, "inline", "lab.B::map", 4, 0, "lab.A::all", "8"),
        ("t0", 3, "nmethod", "lab.A::all", 4, 0, "", "9"),
        ("t0", 3, "inline", "lab.B::map", 4, 0, "lab.A::all", "9"),
        ("t0", 3, "inline", "lab.C::map", 4, 0, "lab.A::all", "9"),
        ("t0", 4, "nmethod", "lab.A::all", 4, 0, "osr", "10%"),
        ("t0", 4, "inline", "lab.B::map", 4, 0, "lab.A::all", "10%"),
        ("t1", 5, "nmethod", "lab.A::all", 4, 0, "", "3"),
        # t2: of a log that does not tell which compilation
        ("t2", 6, "nmethod", "lab.A::all", 4, 0, "", ""),
        ("t2", 6, "inline", "lab.B::map", 4, 0, "lab.A::all", ""),
    ]
    metric = {"kind": "events", "where": {"kind": "inline", "method": ".*::map"}}
    rows = [{"variant": "slow"}] * 3
    assert value(metric, rows, events=events) == {"t0": 5, "t1": 0, "t2": 1}
    assert value(metric | {"within": ".*::all"}, rows, events=events) == {"t0": 2, "t1": 0}


def test_a_trial_is_unsteady_where_an_event_falls_into_the_iterations_or_as_many_before():
    # Six iterations of 100 ns, from 1000 to 1600; of the last two the window begins at 1200.
    rows = [row for trial in ("t0", "t1", "t2") for row in costs_to_iterations(trial, [1] * 6, "loop0")]
    events = [
        ("t0", 1190, "compile", "lab.A::run", 4, 0, "", "1"),
        ("t0", 1550, "compile", "lab.A::other", 4, 0, "", "2"),
        ("t1", 1250, "compile", "lab.A::run", 4, 0, "", "1"),
        ("t2", 1590, "compile", "lab.A::run", 4, 0, "", "1"),
    ]
    metric = {"kind": "cost", "phase": "loop0", "last": 2, "undisturbed": {"kind": "compile", "method": ".*::run"}}
    found = metrics.compute(entry({"m": metric}), tables([{}] * 3, iterations=rows, events=events))
    assert dict(zip(found["trial"], found["steady"], strict=True)) == {"t0": True, "t1": False, "t2": False}


def test_operations_before_an_event_are_those_of_completed_iterations():
    # Iterations of 100 operations end at 1100, 1200, 1300 ns.
    rows = costs_to_iterations("t0", [1, 1, 1], "warmup")
    event = [("t0", at, "compile", "lab.A::step", 4, 10, "", "") for at in (1250, 1290)]
    metric = {"kind": "before_event", "phase": "*", "where": {"kind": "compile", "method": ".*::step"}}
    assert value(metric, iterations=rows, events=event) == {"t0": 200}
    assert value(metric, iterations=rows, events=EVENTS) == {"t0": 0}
    assert value(metric, iterations=rows) == {}


def test_the_table_has_the_documented_columns():
    found = metrics.compute(entry({"m": {"kind": "cost"}}), tables([{}], iterations=TEN))
    head = ["trial", "variant", "runtime", "threads", "block", "way", "core"]
    assert list(found) == [*head, "noisy", "steady", "metric", "value"]


def test_bad_declarations_are_named():
    with pytest.raises(LabError, match="unknown metric 'x'"):
        metrics.compute(entry({"m": {"kind": "cost"}}), tables([{}]), ["x"])
    with pytest.raises(LabError, match="events have no column 'sort'"):
        value({"kind": "events", "where": {"kind": "compile", "sort": "x"}}, events=EVENTS)


def test_littles_law_is_about_totals():
    """Two threads, always inside; every fifth iteration is three times as slow, and the law holds in each of them.

    Totals over totals give exactly 1. The median rate does not know of the slow iterations that the mean time is of.
    """
    times = [300 if number % 5 == 4 else 100 for number in range(25)]  # ns in the system; 600,000 ns an iteration
    rows = [
        ("t0", i, "measured", "t0", i * 10**6, 600_000, 1_200_000 // ns, 1_200_000 // ns) for i, ns in enumerate(times)
    ]
    buckets = [("t0", i, "t0", ns, 1, 1_200_000 // ns) for i, ns in enumerate(times)]
    declared = {
        "total": {"kind": "rate", "estimator": "total"},
        "median": {"kind": "rate", "estimator": "median"},
        "residence": {"kind": "mean"},
    }
    found = metrics.compute(entry(declared), tables([{}], iterations=rows, buckets=buckets))
    found = found.set_index("metric")["value"]
    assert littles_law([2], [found["total"]], [found["residence"] / 1e9]).parameters["ratio"].estimate == 1.0
    assert littles_law([2], [found["median"]], [found["residence"] / 1e9]).parameters["ratio"].estimate < 0.9


def test_the_merged_histograms_of_all_metrics_come_of_one_pass(monkeypatch):
    rows = [("t0", 0, "measured", name, 0, 100, 100, 20) for name in ("a", "b")]
    found, passes = tables([{}], iterations=rows, buckets=[("t0", 0, "a", 30, 1, 20), ("t0", 0, "b", 7, 1, 20)]), []
    each = found.buckets.of_each
    monkeypatch.setattr(found.buckets, "of_each", lambda several: passes.append(len(several)) or each(several))
    kinds = {"p": {"percentile": 50}, "mean": {}, "greatest": {"samples": 1}}
    declared = entry(
        {
            f"{kind}_{series}": {"kind": "percentile" if kind == "p" else kind, "series": series} | words
            for kind, words in kinds.items()
            for series in "ab"
        }
    )
    values = metrics.compute(declared, found).set_index("metric")["value"]
    assert values.to_dict() == {f"{kind}_{series}": {"a": 30, "b": 7}[series] for kind in kinds for series in "ab"}
    assert passes == [2]
