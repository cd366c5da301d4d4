"""Predictions beside measurements, iteration by iteration, on queues whose answers are known by hand."""

import numpy as np
import pandas as pd
import pytest
from analyse_tables import entry, tables

from pipeline.analyse import by_iteration as iterations
from pipeline.analyse import response
from pipeline.analyse.metrics import compute
from pipeline.analyse.response import curves, parts, per_trial, predict

pytestmark = pytest.mark.thorough

DECLARED = {
    "throughput": {"kind": "rate", "series": "c*", "unit": "events/s"},
    "mean": {"kind": "mean", "series": "intended"},
    "p99": {"kind": "percentile", "percentile": 99, "series": "intended"},
    "service": {"kind": "measure_ratio", "name": "busy_ns", "per": "busy_count"},
    "square": {"kind": "measure_ratio", "name": "busy_ns2", "per": "busy_count"},
    "utilisation": {"kind": "product", "of": ["throughput", "service"], "scale": 1e-9},
    "capacity": {"kind": "measure", "name": "capacity", "unit": "events/s"},
}
ROLES = {"rate": "throughput", "service": "service", "service_square": "square", "mean": "mean", "capacity": "capacity"}


def md1(rate, service):
    rho = rate * service
    return service + rho * service / (2 * (1 - rho))


def by_iteration(data, names):
    """Of tables, with the metrics that the trials have as a whole."""
    return iterations.by_iteration(entry(DECLARED), data, compute(entry(DECLARED), data), names)


def responses(data):
    return response.responses(entry(DECLARED), data, compute(entry(DECLARED), data), ROLES)


def measured(trials=1, services=(10, 20, 30)):
    """Trials of as many iterations as services: 1000 events in 100,000 ns, so a rate of 0.01 per ns."""
    rows, buckets, measures = [], [], []
    for number in range(trials):
        trial = f"t{number}"
        measures.append((trial, -1, "", "capacity", 2e7))
        for at, service in enumerate(services):
            clock = 100_000 * at
            rows.append((trial, at, "measured", "c0", clock, 100_000, 1000, 0))
            rows.append((trial, at, "measured", "intended", clock, 100_000, 0, 1000))
            buckets.append((trial, at, "intended", round(100 * md1(0.01, service)), 1, 1000))
            measures += [(trial, at, "", "busy_count", 100), (trial, at, "", "busy_ns", 100 * service)]
            measures.append((trial, at, "", "busy_ns2", 100 * service**2 + 400))
    return tables([{}] * trials, iterations=rows, buckets=buckets, measures=measures)


def test_metrics_of_each_iteration_are_those_of_it_alone():
    found = by_iteration(measured(2), list(DECLARED))
    assert found[["trial", "iteration"]].values.tolist() == [[f"t{t}", i] for t in (0, 1) for i in (0, 1, 2)]
    assert found["service"].tolist() == [10, 20, 30] * 2 and found["steady"].all() and not found["noisy"].any()
    assert found["throughput"].to_numpy() == pytest.approx(1e7)
    assert found["utilisation"].to_numpy() == pytest.approx([0.1, 0.2, 0.3] * 2)
    assert found["capacity"].tolist() == [2e7] * 6  # of the whole trial
    assert found["mean"].to_numpy() == pytest.approx([round(100 * md1(0.01, s)) for s in (10, 20, 30)] * 2)
    assert found["p99"].notna().all()


def test_only_the_steady_part_and_iterations_together_count():
    costs = [8] * 15 + [4] * 35
    rows = [("t0", at, "measured", "c0", 9000 * at, 1000 * cost, 1000, 0) for at, cost in enumerate(costs)]
    found = by_iteration(tables([{}], iterations=rows), ["throughput"])
    assert found["iteration"].tolist() == list(range(15, 50)) and set(found["throughput"]) == {2.5e8}
    assert found["steady"].all()
    rows[20] = ("t0", 20, "measured", "c1", 9000 * 20 + 5000, 4000, 1000, 0)
    rows.append(("t0", 20, "measured", "c0", 9000 * 20, 4000, 1000, 0))
    found = by_iteration(tables([{}], iterations=rows), ["throughput"])
    assert 20 not in set(found["iteration"])


def test_nothing_measured_is_an_empty_frame():
    found = by_iteration(tables([{"status": "unsupported"}]), ["throughput"])
    assert found.empty and {"trial", "iteration", "throughput"} <= set(found)


def test_a_prediction_from_the_iterations_own_service_meets_its_measurement():
    rows = responses(measured(3))
    assert rows["rate"].to_numpy() == pytest.approx(0.01) and rows["slot"].to_numpy() == pytest.approx(50)
    assert rows["utilisation"].to_numpy() == pytest.approx([0.1, 0.2, 0.3] * 3)
    assert rows["variance"].to_numpy() == pytest.approx(4)
    rows = rows.assign(predicted=predict(rows, md1, "rate", "service"))
    found = per_trial(rows, "predicted", "mean", ["variant", "runtime", "threads"])
    assert found["value"].to_numpy() == pytest.approx(0.01, rel=1e-3) and found["iterations"].tolist() == [3] * 3
    assert list(found)[:7] == ["trial", "variant", "runtime", "threads", "block", "noisy", "steady"]


def test_a_trial_that_mostly_has_no_prediction_has_no_row():
    rows = responses(measured(2))
    some = rows["iteration"].eq(0) | (rows["trial"].eq("t1") & rows["iteration"].eq(1))
    rows = rows.assign(predicted=rows["mean"].where(some))
    found = per_trial(rows, "predicted", "mean", ["variant"])
    assert found["trial"].tolist() == ["t1"] and found["value"].tolist() == [1.0]


def test_a_stolen_stretch_does_not_rule_the_trial():
    rows = responses(measured(1, services=(10, 10, 10)))
    rows = rows.assign(predicted=[*rows["mean"][:2], 1000 * rows["mean"][2]])  # a mad iteration is one of many
    assert per_trial(rows, "predicted", "mean", ["variant"])["value"].tolist() == [1.0]


def test_an_iteration_of_no_time_has_no_ratio():
    rows = responses(measured(1, services=(10, 10, 10))).assign(predicted=5.0, mean=[0.0, 5.0, 5.0])
    found = per_trial(rows, "predicted", "mean", ["variant"])
    assert (found["value"].tolist(), found["iterations"].tolist()) == ([1.0], [2])


def test_moments_of_zero_are_interpolated_too():
    rows = of_loads().assign(service=np.where(of_loads()["load"] == 10, 40.0, 50.0), idle=0.0)
    found = curves(rows, "sum", lambda rate, service, idle: service + idle, "rate", "service", "idle", at=[80])
    assert found["estimate"].tolist() == [pytest.approx(50)]


def test_a_busy_server_or_a_missing_moment_has_no_prediction():
    rows = pd.DataFrame({"rate": [0.1, 0.1, 0.1, 0.0], "service": [5.0, 10.0, np.nan, 5.0]})
    assert predict(rows, md1, "rate", "service").isna().tolist() == [False, True, True, True]
    assert predict(rows.head(0), md1, "rate", "service").empty


def of_loads(blocks=5):
    rows = []
    for block in range(blocks):
        for load, service in ((10, 40.0), (80, 50.0)):
            rows.append({"variant": "a", "runtime": "c", "block": block, "load": load, "service": service})
    return pd.DataFrame(rows).assign(capacity=2e7 + 1e5 * np.repeat(range(blocks), 2))


def test_a_curve_interpolates_the_moments_and_ends_at_capacity():
    found = curves(of_loads(), "M/D/1", md1, "rate", "service", at=[10, 45, 80, 95, 100])
    assert found["load"].tolist() == [10, 45, 80, 95]  # at 100 % of capacity arrivals keep the server busy
    expected = md1(0.45 * 2.02e7 / 1e9, np.sqrt(40.0 * 50.0))  # the block in the middle
    assert found["estimate"][1] == pytest.approx(expected)
    assert (found["low"] < found["estimate"]).all() and (found["high"] > found["estimate"]).all()
    assert set(found["model"]) == {"M/D/1"}
    assert curves(of_loads().assign(service=np.nan), "M/D/1", md1, "rate", "service", at=[10]).empty


def test_a_mean_latency_is_late_sending_service_and_waiting():
    rows = pd.DataFrame(
        {"variant": "a", "trial": "t0", "due": 700.0, "mean": 600.0, "service": 100.0, "first": 300.0, "idle": [0.5]}
    )
    found = parts(rows.assign(flight=np.nan), ["variant"]).set_index("part")["value"]
    assert found.to_dict() == {"late": 100.0, "service": 200.0, "waiting": 400.0}
    found = parts(rows.assign(flight=50.0), ["variant"]).set_index("part")["value"]
    assert found.to_dict() == {"late": 100.0, "service": 250.0, "waiting": 350.0}


def of_iterations(**columns) -> pd.DataFrame:
    told = {"variant": "a", "trial": "t0", "due": 1250.0, "mean": 1240.0, "service": np.nan, "first": 1100.0}
    return pd.DataFrame(told | {"idle": 0.85, "flight": 130.0} | columns, index=range(5))


def test_where_hardly_an_event_waited_those_that_did_not_tell_the_service():
    found = parts(of_iterations(), ["variant"]).set_index("part")["value"]
    assert found.to_dict() == {"late": 10.0, "service": 1230.0, "waiting": 10.0}


def test_where_hardly_an_event_found_the_server_idle_those_that_waited_tell_the_service():
    busy = of_iterations(
        idle=0.01, service=1000.0, first=[20_000.0, *[np.nan] * 4], mean=7000.0, due=7100.0, flight=np.nan
    )
    found = parts(busy, ["variant"]).set_index("part")["value"]
    assert found.to_dict() == {"late": 100.0, "service": 1000.0, "waiting": 6000.0}
    assert parts(busy.assign(idle=0.15), ["variant"]).empty, "a wake-up of so many is a part of the whole"


def test_an_iteration_that_a_stall_gave_a_service_does_not_stand_for_its_trial():
    """Of five iterations the one with a stall had enough events that waited; its 30 us are not what the others took."""
    late = of_iterations(idle=0.4, service=[1000.0, *[np.nan] * 4], mean=[30_000.0, *[1240.0] * 4])
    assert parts(late, ["variant"]).empty
    assert len(parts(late.assign(service=[1000.0] * 3 + [np.nan] * 2), ["variant"])) == 3


@pytest.mark.parametrize(("idle", "service", "first"), [(0.0, 100.0, np.nan), (1.0, np.nan, 100.0)])
def test_a_class_without_events_needs_no_time(idle, service, first):
    rows = pd.DataFrame({"variant": "a", "trial": "t0", "due": 100.0, "mean": 100.0, "idle": [idle]})
    rows = rows.assign(service=service, first=first, flight=np.nan)
    assert parts(rows, ["variant"]).set_index("part")["value"]["service"] == 100
