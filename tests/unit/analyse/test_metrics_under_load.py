"""Metrics of queues under load: paced iterations, series of samples alone, what a trial measures of itself."""

from dataclasses import replace

import numpy as np
import pytest
from analyse_tables import costs_to_iterations, entry, tables

from pipeline.analyse import metrics
from pipeline.analyse.too_few_samples import withheld
from pipeline.analyse.trials import Trials

pytestmark = pytest.mark.thorough


def value(metric: dict, **frames):
    """The values of one metric, by trial."""
    found = metrics.compute(entry({"m": metric}), tables([{}], **frames))
    return dict(zip(found["trial"], found["value"], strict=True))


def paced(samples, operations=(100,), series="intended"):
    """Iterations of one trial whose samples stand in rows of their own, beside a consumer's rows of operations."""
    rows = []
    for at, count in enumerate(samples):
        done = operations[at % len(operations)]
        rows.append(("t0", at, "measured", series, 1000 * at, 1000, 0, count))
        rows.append(("t0", at, "measured", "c0", 1000 * at, 1000, done, 0))
    return rows


def test_a_typical_percentile_is_the_median_of_those_of_the_iterations():
    buckets = [("t0", at, "intended", low, 1, 20) for at, low in enumerate((10, 30, 50, 900_000))]
    buckets.append(("t0", 4, "intended", 7, 1, 19))  # an iteration with fewer than ten beyond its median
    rows = paced([20, 20, 20, 20, 19])
    typical = {"kind": "typical_percentile", "percentile": 50, "series": "intended"}
    assert value(typical, iterations=rows, buckets=buckets) == {"t0": 40}
    merged = typical | {"kind": "percentile", "percentile": 80}
    assert value(merged, iterations=rows, buckets=buckets) == {"t0": 900_000}


def test_a_typical_percentile_needs_half_of_the_iterations_and_is_named_when_withheld():
    typical = {"kind": "typical_percentile", "percentile": 50, "series": "intended"}
    buckets = [("t0", at, "intended", 10, 1, 20 if at < 2 else 19) for at in range(5)]
    for iterations, expected in ((4, {"t0": 10}), (5, {})):
        rows = paced([20, 20, 19, 19, 19][:iterations])
        assert value(typical, iterations=rows, buckets=buckets[:iterations]) == expected
        data = tables([{}], iterations=rows, buckets=buckets[:iterations])
        assert withheld(Trials(entry({"m": typical}), data))["trials"].sum() == (not expected)


def test_a_series_of_samples_alone_settles_with_the_trials_operations():
    costs = [2] * 20 + [1] * 40
    rows = paced([20] * 60, operations=[round(1000 / cost) for cost in costs])
    buckets = [("t0", at, "intended", 10 if at >= 20 else 99, 1, 20) for at in range(60)]
    found = metrics.compute(
        entry({"m": {"kind": "percentile", "percentile": 50, "series": "intended"}}),
        tables([{}], iterations=rows, buckets=buckets),
    )
    assert found["value"].tolist() == [10] and found["steady"].all()


def test_even_pacing_with_random_arrivals_counts_as_steady():
    random = np.random.default_rng(4)
    rows = []
    for number in range(100):
        one = paced([20] * 16, operations=random.poisson(2000, 16))
        rows += [(f"t{number}", *row[1:]) for row in one]
    found = metrics.compute(entry({"m": {"kind": "rate", "series": "c*"}}), tables([{}] * 100, iterations=rows))
    assert len(found) == 100 and found["steady"].all()


@pytest.mark.parametrize("operations", [10, 20])
def test_corrected_percentiles_take_the_interval_between_recorded_values(operations):
    # 10 values per 1000 ns, of as many operations or of twice as many: a value of 450 ns hid 350, 250 and 150.
    buckets = [("t0", at, "sent", 50, 1, 8) for at in range(2)] + [("t0", 0, "sent", 450, 1, 4)]
    rows = paced([12, 8], operations=[operations], series="sent")  # 20 values
    corrected = {"kind": "corrected", "series": "sent", "operations": "c*"}
    common = {"iterations": rows, "buckets": buckets}
    found = [value(corrected | {"percentile": one}, **common)["t0"] for one in (45, 55)]
    assert found == [50, 150]
    assert value(corrected | {"percentile": 50, "operations": None}, **common) == {}


def test_a_ratio_of_measures_may_have_a_sum_below_and_operations_of_one_series():
    measures = [("t0", 0, "", name, count) for name, count in (("idle_count", 3), ("busy_count", 9), ("polls", 50))]
    rows = paced([1]) + [("t0", 0, "measured", "p0", 0, 1000, 100, 0)]
    idle = {"kind": "measure_ratio", "name": "idle_count", "per": ["idle_count", "busy_count"]}
    assert value(idle, iterations=rows, measures=measures) == {"t0": 0.25}
    polls = {"kind": "measure_ratio", "name": "polls", "per": "operations"}
    assert value(polls, iterations=rows, measures=measures) == {"t0": 0.25}
    assert value(polls | {"operations": "c*"}, iterations=rows, measures=measures) == {"t0": 0.5}


def test_a_product_multiplies_metrics_of_a_trial_and_is_steady_where_they_are():
    factors = {
        "rate": {"kind": "rate", "series": "c*"},
        "service": {"kind": "measure_ratio", "name": "busy_ns", "per": "busy_count"},
        "utilisation": {"kind": "product", "of": ["rate", "service"], "scale": 1e-9},
    }
    rows = paced([1])  # 100 operations per 1000 ns
    measures = [("t0", 0, "", "busy_ns", 60), ("t0", 0, "", "busy_count", 10)]
    found = metrics.compute(entry(factors), tables([{}], iterations=rows, measures=measures), ["utilisation"])
    assert found["value"].tolist() == [pytest.approx(0.6)] and found["steady"].all()
    assert metrics.compute(entry(factors), tables([{}], iterations=rows), ["utilisation"]).empty
    costs = [8] * 30 + [4] * 20
    rows = paced([1] * 50, operations=[round(1000 / cost) for cost in costs])
    found = metrics.compute(entry(factors), tables([{}], iterations=rows, measures=measures), ["utilisation"])
    assert not found["steady"].any()


@pytest.mark.parametrize(("after", "steady"), [(1090, True), (1110, False), (890, False), (None, True)])
def test_a_trial_whose_capacity_is_another_afterwards_is_unsteady(after, steady):
    declared = {name: {"kind": "measure", "name": name} for name in ("capacity", "capacity_after")}
    one = replace(
        entry(declared | {"cost": {"kind": "cost", "series": "c*"}}), steady_by=["capacity", "capacity_after"]
    )
    measures = [("t0", -1, "", "capacity", 1000)]
    measures += [("t0", -1, "", "capacity_after", after)] if after else []
    found = metrics.compute(one, tables([{}], iterations=paced([1]), measures=measures))
    assert set(found["metric"]) >= {"capacity", "cost"} and (found["steady"] == steady).all()


def test_regimes_are_how_far_the_quartiles_of_the_iterations_are_apart_and_their_shares():
    def regimes(costs):
        rows = costs_to_iterations("t0", costs, series="c0", operations=1000)
        found = metrics.compute(
            entry({"apart": {"kind": "regimes", "series": "c*"}, "share": {"kind": "regime_share", "series": "c*"}}),
            tables([{}], iterations=rows),
        )
        return found.set_index("metric")["value"].to_dict()

    assert regimes([10, 11] * 10) == {"apart": 1.1, "share": 1}
    assert regimes([10, 50] * 10) == {"apart": 5, "share": pytest.approx(0.5, abs=0.05)}
    # A quarter of the iterations is not seen by quartiles, but told.
    assert regimes(([50] + [10] * 4) * 4) == {"apart": 1, "share": pytest.approx(0.8, abs=0.05)}


def test_a_quotient_is_of_two_metrics():
    factors = {name: {"kind": "measure", "name": name} for name in ("a", "b")}
    one = entry(factors | {"q": {"kind": "quotient", "of": ["a", "b"]}})
    found = metrics.compute(one, tables([{}], measures=[("t0", -1, "", "a", 6.0), ("t0", -1, "", "b", 4.0)]), ["q"])
    assert found["value"].tolist() == [1.5]
    with pytest.raises(ValueError, match="a quotient is of two"):
        entry(factors | {"q": {"kind": "quotient", "of": ["a"]}})
